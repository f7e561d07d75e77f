"""A file in, a table out: text, Excel, Parquet, JSON lines, Stata, SPSS, in any condition."""

from paribus.files.read import Opened, Reading, open_files, read_file, read_table

__all__ = ["Opened", "Reading", "open_files", "read_file", "read_table"]
