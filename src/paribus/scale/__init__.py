"""Tables bigger than memory or than a machine: two passes over batches, sums that add up."""
