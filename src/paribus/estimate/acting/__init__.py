"""Columns that act together on the target: pairs, and triples of which no pair shows it."""
