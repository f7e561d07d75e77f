"""What do columns of text hold: numbers, dates, or text after all?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from paribus.base import errors, notes
from paribus.base.notes import Note
from paribus.base.progress import Progress, silent
from paribus.files import dates, numbers

MISSING = ("", "na", "n/a", "null", "nan", "?", "-")
BROKEN = ("#n/a", "#name?", "#ref!", "#value!", "#div/0!", "#num!", "#null!")  # as Excel says it
MOSTLY = 0.8  # with this share of numbers, the rest is worth a note
NEARLY, FEW = 0.95, 3  # with this share, so many different words among them count as missing


def typed(
    table: pl.DataFrame,
    *,
    numeric: Sequence[str] = (),
    comma: bool = False,
    progress: Progress = silent,
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """Turn columns of text into numbers and dates where every value is one.

    Parameters
    ----------
    table : polars.DataFrame
        Columns that are no text stay as they are; rows without any value are left out.
    numeric : sequence of str
        Columns to read as numbers even where text stands among them.
    comma : bool
        Whether ``1,234`` is more likely a decimal comma, where nothing else decides.
    progress : function of (done, total)
        Told how far it is.

    Examples
    --------
    >>> frame = pl.DataFrame({"a": ["1,5", "NA"], "b": ["x", "1"], "c": ["1.234", "2.000"]})
    >>> typed(frame)[0].to_dict(as_series=False)
    {'a': [1.5, None], 'b': ['x', '1'], 'c': [1234, 2000]}
    """
    for name in numeric:
        if name not in table.columns:
            raise errors.unknown_column(name, table.columns)
    # Polars takes names such as * and ^a$ for patterns: meanwhile columns have plain ones.
    names = {f"c{k}": name for k, name in enumerate(table.columns)}
    table = table.rename({name: plain for plain, name in names.items()})
    texts = [plain for plain in names if table[plain].dtype == pl.String]
    table = table.with_columns(_without_markers(pl.col(plain)) for plain in texts)
    table = table.filter(~pl.all_horizontal(pl.all().is_null()))
    fits = {plain: numbers.fitting(table[plain]) for plain in texts}
    style = _style(fits.values())
    told: list[Note] = []
    columns = []
    for k, plain in enumerate(texts, start=1):
        column = table[plain]
        if names[plain] in numeric:
            columns.append(_forced(column, style or _own_style(column)))
        elif fits[plain]:
            chosen = _chosen(column, fits[plain], style, comma)
            columns.append(numbers.as_numbers(column, chosen))
        elif numbers.share(column) >= MOSTLY:
            found, note = _with_strays(column, style or _own_style(column), names[plain])
            columns.append(found)
            told.append(note)
        progress(k, len(texts))
    table = table.with_columns(columns)
    table, ambiguous = _with_dates(table, names)
    return table.rename(names), (*told, *ambiguous)


def _without_markers(column: pl.Expr) -> pl.Expr:
    stripped = column.str.strip_chars()
    return pl.when(~stripped.str.to_lowercase().is_in(MISSING + BROKEN)).then(stripped)


def _style(fits: Iterable[set[numbers.Style]]) -> numbers.Style | None:
    """Let the columns that can be read in one way only decide for the whole file."""
    votes = Counter(next(iter(ways)) for ways in fits if len(ways) == 1)
    return votes.most_common(1)[0][0] if votes else None


def _own_style(texts: pl.Series) -> numbers.Style:
    return min(numbers.PATTERNS, key=lambda style: numbers.strays(texts, style).len())


def _chosen(
    texts: pl.Series, ways: set[numbers.Style], style: numbers.Style | None, comma: bool
) -> numbers.Style:
    if len(ways) == 1:
        return next(iter(ways))
    if style is not None:
        return style
    return "comma" if comma and texts.str.contains(",", literal=True).any() else "point"


def _forced(texts: pl.Series, style: numbers.Style) -> pl.Series:
    found = numbers.as_numbers(texts, style)
    return found.cast(pl.Float64) if found.dtype == pl.String else found


def _with_strays(texts: pl.Series, style: numbers.Style, name: str) -> tuple[pl.Series, Note]:
    """Read numbers with a few words among them as numbers; with more, tell that it is text.

    One word would turn a whole column into categories.
    """
    stray = numbers.strays(texts, style)
    words = stray.unique(maintain_order=True).to_list()
    if len(words) <= FEW and stray.len() <= (1 - NEARLY) * texts.len():
        return _forced(texts, style), notes.words_missing(name, words, stray.len())
    return texts, notes.stray_text(name, words, stray.len())


def _with_dates(table: pl.DataFrame, names: Mapping[str, str]) -> tuple[pl.DataFrame, list[Note]]:
    found = {
        plain: dates.as_dates(table[plain])
        for plain in table.columns
        if table[plain].dtype == pl.String
    }
    votes = Counter(next(iter(orders)) for orders in found.values() if len(orders) == 1)
    columns, told = [], []
    for plain, orders in found.items():
        if len(orders) > 1:
            order: dates.Order = "month" if votes["month"] > votes["day"] else "day"
            columns.append(orders[order])
            told.append(notes.ambiguous_dates(names[plain], order))
        elif orders:
            columns += list(orders.values())
    return table.with_columns(columns), told
