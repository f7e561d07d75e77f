"""Files to read."""

import pytest
import xlsxwriter


@pytest.fixture
def written(tmp_path):
    """Write text or bytes into a file and return its path."""

    def write(content, name="x.csv", encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return path

    return write


@pytest.fixture
def workbook(tmp_path):
    """Write sheets of rows into a workbook and return its path."""

    def write(name="x.xlsx", **sheets):
        path = tmp_path / name
        with xlsxwriter.Workbook(path, {"default_date_format": "dd.mm.yyyy"}) as book:
            for sheet, rows in sheets.items():
                page = book.add_worksheet(sheet)
                for k, row in enumerate(rows):
                    page.write_row(k, 0, row)
        return path

    return write
