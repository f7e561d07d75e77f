"""Odd files, tables, requests and arrays, as many as fit into the time.

``PYTHONPATH=benchmarks python -m fuzz --minutes 10 --seed 0``, or ``make fuzz``. Each try must be
answered, or refused by a sentence. Everything tried follows from a seed; the seeds of what went
wrong are kept in the JSON, and ``--only ROOM SEED`` tries one again.
"""
