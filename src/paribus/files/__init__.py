"""A file in, a table out: text, Excel, Parquet and JSON lines, with the warts that files have."""

from paribus.files.read import Reading, read_file, read_table

__all__ = ["Reading", "read_file", "read_table"]
