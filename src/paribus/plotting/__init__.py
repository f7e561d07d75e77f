"""Results drawn: one file for each library that draws."""
