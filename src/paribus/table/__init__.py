"""Anything tabular in, one checked problem out: columns, target, weights."""
