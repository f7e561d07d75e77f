"""What each column of a table does to a target, the other columns held still."""
