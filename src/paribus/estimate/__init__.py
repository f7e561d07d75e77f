"""Estimating a column's effect inside the strata. Arrays only: numpy and scipy."""
