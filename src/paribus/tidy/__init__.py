"""A look at a table before it is explained: what each column is, what to do with it, and why."""
