"""Tables larger than memory or than one machine: two passes over batches, sums that add up."""
