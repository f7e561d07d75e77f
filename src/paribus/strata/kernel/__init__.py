"""The compiled stratifier: coding, growing and applying, on plain arrays.

Every module here is Cython, runs without the interpreter lock and on one thread. Nothing in it
checks its input: `paribus.strata.family` does, and is the only door.
"""
