"""Files of Stata, SPSS and SAS, read by pyreadstat: value labels become levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from paribus.base.extras import need
from paribus.base.notes import Note
from paribus.files import errors as file_errors
from paribus.files import notes
from paribus.files.limits import check_size

# What each kind of file is called, and what reads it.
READERS = {
    ".dta": ("a Stata file", "read_dta"), ".sav": ("an SPSS file", "read_sav"),
    ".zsav": ("an SPSS file", "read_sav"), ".sas7bdat": ("a SAS file", "read_sas7bdat"),
}  # fmt: skip


def read_stats(path: Path, name: str, ending: str) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """Read a file with its value labels; values declared missing in it are missing."""
    kind, function = READERS[ending]
    pyreadstat = need("pyreadstat", f"Reading {kind}", "stats")
    reader = getattr(pyreadstat, function)
    try:
        _, about = reader(path, metadataonly=True, output_format="dict")
        widths, n_rows = about.variable_storage_width.values(), about.number_rows or 0
        check_size(name, n_rows, len(widths), n_rows * sum(widths))
        columns, about = reader(path, output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, UnicodeDecodeError):
        raise file_errors.not_what_it_says(name, f"{kind}, or it is damaged") from None
    remarks: list[Note] = []
    series = []
    for column, values in columns.items():
        labels = about.variable_value_labels.get(column, {})
        found = _plain(column, values)
        if labels:
            found, note = _labelled(found, labels)
            remarks += [note] if note else []
        series.append(found)
    return pl.DataFrame(series), tuple(remarks)


def _plain(name: str, values: list[Any]) -> pl.Series:
    """Return the values of a column, missing ones and empty texts as missing."""
    series = pl.Series(name, values, strict=False)
    if series.dtype == pl.String:
        return series.str.strip_chars().replace("", None)
    return series.fill_nan(None) if series.dtype.is_float() else series


def _labelled(values: pl.Series, labels: Mapping[Any, str]) -> tuple[pl.Series, Note | None]:
    """Return labels instead of values, in the order of the values, if all have one."""
    codes = values.drop_nulls().unique(maintain_order=True).to_list()
    unlabelled = [code for code in codes if code not in labels]
    if unlabelled or not codes:
        return values, notes.labels_unused(values.name, len(unlabelled)) if codes else None
    texts = {code: str(labels[code]).strip() for code in sorted(codes)}
    often = Counter(texts.values())
    # Two values of one label stay apart.
    levels = {c: f"{text} ({c})" if often[text] > 1 else text for c, text in texts.items()}
    named = [None if value is None else levels[value] for value in values]
    return pl.Series(values.name, named, dtype=pl.Enum(list(levels.values()))), None
