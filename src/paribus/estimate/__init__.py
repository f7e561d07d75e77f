"""What a column does to the target inside the strata. Arrays only: numpy and scipy."""
