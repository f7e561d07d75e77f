"""Columns that act together on the target: pairs, and triples that no pair reveals."""
