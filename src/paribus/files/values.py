"""Deciding what columns of text hold: numbers, dates, or text after all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

import polars as pl

from paribus.base import errors
from paribus.base.notes import Note
from paribus.base.progress import Progress, silent
from paribus.files import dates, notes, numbers
from paribus.files.evidence import NO_NAMES, Evidence, evidence_of
from paribus.files.numbers import Style

Way = TypeVar("Way", bound=str)
MOSTLY = 0.8  # from this share of numbers on, the rest gets a note
NEARLY, FEW = 0.95, 3  # from this share on, up to so many distinct words count as missing


@dataclass(frozen=True, slots=True)
class Rule:
    """How the texts of a column are read."""

    kind: Literal["number", "date", "text"] = "text"
    # Of numbers: how they are written, and whether all are whole.
    style: Style = "point"
    whole: bool = False
    # Of dates: how they are written, and whether any has a time.
    pattern: str = ""
    time: bool = False
    limits: bool = False  # whether <0.1 is read as 0.1
    missing: tuple[str, ...] = ()  # texts that count as missing

    def read(self, texts: pl.Series) -> pl.Series:
        """Turn texts into numbers or dates, or leave them as they are."""
        values = texts.alias("text")  # polars takes names such as * for patterns
        if self.missing:
            values = values.set(values.is_in(self.missing), None)
        if self.kind == "number":
            values = numbers.as_numbers(values, self.style, self.whole, self.limits)
        elif self.kind == "date":
            values = dates.as_dates(values, self.pattern, self.time)
        return values.alias(texts.name)


@dataclass(frozen=True, slots=True)
class Rules:
    """How a table is read: a rule for each column of text, columns to leave out, and notes."""

    columns: Mapping[str, Rule]
    left_out: frozenset[str]
    notes: tuple[Note, ...]

    def read(self, table: pl.DataFrame) -> pl.DataFrame:
        """Convert the columns of a table, or of a piece of it, by their rules."""
        kept = (column for column in table.get_columns() if column.name not in self.left_out)
        return pl.DataFrame(
            [self.columns[c.name].read(c) if c.dtype == pl.String else c for c in kept]
        )


@dataclass(slots=True)
class Looks:
    """What was seen in a table, piece by piece."""

    texts: dict[str, Evidence] = field(default_factory=dict)  # of columns of text
    filled: set[str] = field(default_factory=set)  # columns that are not empty
    # Columns that have the name of another one but different values.
    differ: set[str] = field(default_factory=set)

    def add(
        self, table: pl.DataFrame, copies: Mapping[str, str], progress: Progress = silent
    ) -> None:
        """Look at a piece; `copies` has columns whose name was taken, with the original name."""
        for k, column in enumerate(table.get_columns(), start=1):
            progress(k, table.width)
            if column.null_count() < column.len():
                self.filled.add(column.name)
            if column.dtype == pl.String:
                self.texts.setdefault(column.name, Evidence()).add(evidence_of(column))
        for name, first in copies.items():
            if name in table.columns and not table[name].equals(table[first]):
                self.differ.add(name)


def find_rules(
    looks: Looks,
    *,
    numeric: Sequence[str] = (),
    comma: bool = False,
    left_out: Collection[str] = (),
) -> Rules:
    """Decide how the columns of a table are read: as numbers or dates if every value is one.

    Columns in `numeric` are numbers even if they contain text. With `comma`, ``1,234`` has a
    decimal comma if nothing else decides.

    Examples
    --------
    >>> frame = pl.DataFrame({"a": ["1,5", "NA"], "b": ["x", "1"], "c": ["1.234", "2.000"]})
    >>> looks = Looks()
    >>> looks.add(frame, {})
    >>> find_rules(looks).read(frame).to_dict(as_series=False)
    {'a': [1.5, None], 'b': ['x', '1'], 'c': [1234, 2000]}
    """
    texts = {n: found.with_limits() for n, found in looks.texts.items() if n not in left_out}
    style = _most_voted(found.styles for found in texts.values())
    rules: dict[str, Rule] = {}
    remarks: list[Note] = []
    for name, found in texts.items():
        rules[name], note = _number_rule(found, name, style, comma, forced=name in numeric)
        remarks += [note] if note else []
        if rules[name].limits:
            remarks.append(notes.limits_read(name, found.limits[rules[name].style]))
    orders = [{dates.PATTERNS[p] for p in f.dates} for f in texts.values() if f.n_values]
    order = "month" if _most_voted(orders) == "month" else "day"
    for name, found in texts.items():
        if rules[name].kind == "text" and found.dates and found.n_values:
            rules[name], noted = _date_rule(found, name, order)
            remarks += noted
    rules, markers = _with_markers(rules, texts)
    return Rules(rules, frozenset(left_out), (*remarks, *markers))


def check_numeric(numeric: Sequence[str], names: Sequence[str]) -> None:
    """Check that columns to be read as numbers exist."""
    for name in numeric:
        if name not in names:
            raise errors.unknown_column(name, names)


def _most_voted(ways: Iterable[Collection[Way]]) -> Way | None:
    """Return the way chosen by most columns that can be read in only one way."""
    votes = Counter(next(iter(fits)) for fits in ways if len(fits) == 1)
    return votes.most_common(1)[0][0] if votes else None


def _number_rule(
    found: Evidence, name: str, voted: Style | None, comma: bool, forced: bool
) -> tuple[Rule, Note | None]:
    fits = found.styles
    style: Style = found.own_style
    if len(fits) > 1:
        style = voted or ("comma" if comma and found.commas else "point")
    elif not fits:
        style = voted or style
    whole = style in found.whole
    limits = bool(found.limits[style])
    number = Rule("number", style, whole and not found.long, limits=limits)
    words = sorted(found.words[style])
    n_strays = found.n_values - found.n_numbers[style]
    if forced:
        return number, None
    if fits and not (whole and found.long):
        if voted or not found.is_ambiguous:
            return number, None
        return number, notes.ambiguous_numbers(name, "comma" if found.commas else "point", whole)
    if fits or (found.codes and n_strays == 0):
        return Rule(), notes.codes_are_text(name, too_long=bool(fits))
    if not found.one_unit and n_strays == 0:
        return Rule(), notes.mixed_units(name, sorted(found.signs))
    if found.share < MOSTLY:
        return Rule(), None
    # One word would turn a whole column into categories.
    if len(words) <= FEW and n_strays <= (1 - NEARLY) * found.n_values and not found.huge:
        return number, notes.words_missing(name, words, n_strays)
    return Rule(), notes.stray_text(name, words, n_strays)


def _date_rule(found: Evidence, name: str, usual: str) -> tuple[Rule, list[Note]]:
    orders = {dates.PATTERNS[p]: p for p in found.dates}
    order = usual if len(orders) > 1 else next(iter(orders))
    pattern = next(p for p in found.dates if dates.PATTERNS[p] == order)
    said = found.dates[pattern]
    noted = [notes.ambiguous_dates(name, order)] if len(orders) > 1 else []
    noted += [notes.read_as_utc(name, sorted(said.zones), said.bare)] if said.shifted else []
    return Rule("date", pattern=pattern, time=said.time), noted


def _with_markers(
    rules: Mapping[str, Rule], texts: Mapping[str, Evidence]
) -> tuple[dict[str, Rule], list[Note]]:
    """Decide which markers are missing values, and return notes on them.

    Among numbers and dates all are. Among names only those are that mean missing elsewhere in the
    file, or are never names: NA is Namibia too.
    """
    plain = [f.markers for n, f in texts.items() if rules[n].kind != "text" or not f.n_values]
    known = {text for markers in plain for text in markers}
    out, remarks, missing = {}, [], {}
    for name, found in texts.items():
        names = rules[name].kind == "text" and found.n_values
        as_missing = [
            text
            for text in found.markers
            if not names or text.lower() in NO_NAMES or (text in known and not found.capitals)
        ]
        out[name] = replace(rules[name], missing=tuple(as_missing))
        if as_missing:
            missing[name] = {text: found.markers[text] for text in as_missing}
        if kept := [text for text in found.markers if text not in as_missing]:
            count = sum(found.markers[text] for text in kept)
            remarks.append(notes.markers_kept(name, kept, count))
    return out, [*([notes.markers_missing(missing)] if missing else []), *remarks]
