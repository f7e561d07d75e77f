"""Notes on how a file was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paribus.base.notes import Note, Remedy
from paribus.base.wording import brief, listed, rows


def read_as(encoding: str) -> Note:
    """Tell which encoding was found, where it is not the usual one."""
    if encoding == "utf-8":
        text = "Some characters are damaged, and shown as \ufffd. Save the file as UTF-8 again."
        return Note("encoding", text, {"encoding": encoding})
    text = (
        f"The text is not UTF-8 and was read as {encoding}. If names look wrong, save the file as "
        "UTF-8."
    )
    return Note("encoding", text, {"encoding": encoding})


def no_header(names: Sequence[str]) -> Note:
    """Tell of a file whose first line is a row like the others."""
    text = (
        "The first line looks like the rows below it and was read as a row, so the columns are "
        f"called {listed(names)}. If it is the header, give the columns other names there."
    )
    return Note("no_header", text, {"names": list(names)})


def markers_missing(found: Mapping[str, Mapping[str, int]]) -> Note:
    """Tell of texts that mean a missing value: how often each stands in which column."""
    texts = sorted({text for counts in found.values() for text in counts})
    count = sum(sum(counts.values()) for counts in found.values())
    text = (
        f"{'The text' if len(texts) == 1 else 'Texts'} {listed(texts)} "
        f"{'was' if len(texts) == 1 else 'were'} read as missing in "
        f"{_columns(list(found))} ({count:,} value{'' if count == 1 else 's'})."
    )
    return Note("markers_missing", text, {"columns": {k: dict(v) for k, v in found.items()}})


def markers_kept(column: str, texts: Sequence[str], n_rows: int) -> Note:
    """Tell of texts that could mean a missing value but stand among names."""
    what = "a value like any other" if len(texts) == 1 else "values like any other"
    text = (
        f"In {rows(n_rows)} column {column!r} is {listed(texts, last=' or ')}: kept as {what}, for "
        "the column holds text. Leave the cell empty if nothing is known."
    )
    return Note("markers_kept", text, {"column": column, "texts": list(texts), "rows": n_rows})


def error_cells(columns: Sequence[str], count: int) -> Note:
    """Tell of cells in which a spreadsheet says that something went wrong."""
    said = ("holds" if count == 1 else "hold") + " an error, such as #DIV/0!: taken as missing."
    return _of_cells("error_cells", "cell", said, columns, count)


def formulas_without_value(columns: Sequence[str], count: int) -> Note:
    """Tell of formulas whose results are not stored in the workbook."""
    said = (
        f"{'has' if count == 1 else 'have'} no stored result. Open the workbook in Excel or "
        "LibreOffice and save it, so that the results are there."
    )
    return _of_cells("formulas_without_value", "formula", said, columns, count)


def merged_filled(columns: Sequence[str], count: int) -> Note:
    """Tell of merged cells."""
    said = ("is" if count == 1 else "are") + " merged with the one above: filled with its value."
    return _of_cells("merged_filled", "cell", said, columns, count)


def _of_cells(kind: str, what: str, said: str, columns: Sequence[str], count: int) -> Note:
    text = f"{count:,} {what}{'' if count == 1 else 's'} in {_columns(columns)} {said}"
    return Note(kind, text, {"columns": list(columns), "count": count})


def codes_are_text(column: str, too_long: bool) -> Note:
    """Tell of numbers that are names."""
    why = "they are too long to be amounts" if too_long else "some begin with 0, as codes do"
    text = f"The numbers in column {column!r} were read as text: {why}."
    return Note("codes_are_text", text, {"column": column})


def mixed_units(column: str, signs: Sequence[str]) -> Note:
    """Tell of a column of amounts in several units."""
    shown = listed([sign for sign in signs if sign])
    without = " and some have no sign" if "" in signs else ""
    text = (
        f"Column {column!r} was read as text: its numbers have the sign {shown}{without}, so they "
        "cannot be compared. Write all of them in one unit."
    )
    return Note("mixed_units", text, {"column": column, "signs": list(signs)})


def labels_unused(column: str, n_unlabelled: int) -> Note:
    """Tell of value labels that only some values have."""
    text = (
        f"Only some values of {column!r} have a label ({n_unlabelled:,} have none), so it was read "
        "as numbers."
    )
    return Note("labels_unused", text, {"column": column, "unlabelled": n_unlabelled})


def stray_text(column: str, texts: Sequence[str], n_rows: int) -> Note:
    """Return the note on a column of numbers that text makes a category."""
    shown = listed(texts)
    text = (
        f"Column {column!r} is taken as text: {rows(n_rows)} {'has' if n_rows == 1 else 'have'} no "
        f"number there but {shown}."
    )
    facts = {"column": column, "texts": list(texts), "rows": n_rows}
    return Note("stray_text", text, facts, Remedy("numeric", (column,)))


def limits_read(column: str, found: Mapping[str, int]) -> Note:
    """Return the note on values known only to lie beyond a limit: how often which."""
    count = sum(found.values())
    text = (
        f"In {rows(count)} column {column!r} has only a limit, {listed(sorted(found))}: read as "
        "the limit itself."
    )
    return Note("limits_read", text, {"column": column, "limits": dict(found)})


def ambiguous_numbers(column: str, mark: str, whole: bool) -> Note:
    """Return the note on numbers such as 1,234 in a file where nothing says what its comma is."""
    meant = "thousands" if whole else "decimals"
    text = (
        f"The {mark} in the numbers of {column!r} could set off thousands or decimals; it is read "
        f"as setting off {meant}."
    )
    return Note("ambiguous_numbers", text, {"column": column, "mark": mark, "meant": meant})


def ambiguous_dates(column: str, order: str) -> Note:
    """Return the note on dates that could be read in two ways."""
    text = f"The dates of {column!r} could be day or month first; they are read as {order} first."
    return Note("ambiguous_dates", text, {"column": column, "order": order})


def read_as_utc(column: str, zones: Sequence[str], bare: bool) -> Note:
    """Return the note on times that name their zone."""
    others = ", and so are those that name none" if bare else ""
    text = (
        f"The times of {column!r} name their zone ({listed(zones)}): all are read as UTC{others}."
    )
    return Note("read_as_utc", text, {"column": column, "zones": list(zones), "bare": bare})


def read_as_hours(columns: Sequence[str]) -> Note:
    """Return the note on times of day and lengths of time in a workbook."""
    text = f"The times in {_columns(columns)} are read as numbers of hours."
    return Note("read_as_hours", text, {"columns": list(columns)})


def titles_skipped(texts: Sequence[str], header: int) -> Note:
    """Return the note on titles above the header."""
    shown = listed(texts)
    text = f"Line {header:,} is taken as the header; above it is {shown}."
    return Note("titles_skipped", text, {"texts": list(texts), "header": header})


def total_left_out(row: str) -> Note:
    """Return the note on a total below the rows."""
    text = f"The row {brief(row)} at the end is taken as a total and left out."
    return Note("total_left_out", text, {"row": row})


def short_rows(count: int) -> Note:
    """Return the note on rows with fewer fields than the header."""
    text = (
        f"In {rows(count)} there are fewer fields than in the header: the values at the end are "
        "taken as missing. If the fields are shifted there, correct the file."
    )
    return Note("short_rows", text, {"rows": count})


def footnote_left_out(row: str) -> Note:
    """Return the note on a lone text below the rows."""
    text = f"The text {brief(row)} below the table is taken as a footnote and left out."
    return Note("footnote_left_out", text, {"row": row})


def renamed(name: str, given: str) -> Note:
    """Return the note on a second column of one name."""
    text = f"Two columns are called {name!r}: the second is called {given!r} here."
    return Note("renamed", text, {"column": given, "name": name})


def copy_left_out(name: str) -> Note:
    """Return the note on a column that is there twice."""
    text = f"Column {name!r} appears twice with the same values: one is left out."
    return Note("copy_left_out", text, {"name": name})


def words_missing(column: str, texts: Sequence[str], n_rows: int) -> Note:
    """Return the note on a few words in a column of numbers, taken as missing values."""
    shown = listed(texts, len(texts))
    text = f"In {rows(n_rows)} column {column!r} has no number but {shown}: taken as missing."
    return Note("words_missing", text, {"column": column, "texts": list(texts), "rows": n_rows})


def other_sheet(sheet: str, sheets: Sequence[str]) -> Note:
    """Say that a sheet other than the first was read."""
    text = f"The sheet {sheet!r} was read, the first that holds a table."
    return Note("other_sheet", text, {"sheet": sheet, "sheets": list(sheets)}, Remedy("sheet"))


def _columns(names: Sequence[str]) -> str:
    return f"column{'' if len(names) == 1 else 's'} {listed(names)}"
