"""What all rooms build on: arrays, errors, notes, progress."""
