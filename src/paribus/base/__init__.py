"""What every room stands on: arrays, errors, notes, progress."""
