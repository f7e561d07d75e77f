"""Results for people: a page, a workbook, picture files."""
