"""Effects as tables: tidy rows for computing, lines for a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from paribus.base.errors import plural
from paribus.results import errors as result_errors
from paribus.results import show
from paribus.results.base import Effect
from paribus.results.contrast import Contrast
from paribus.results.sentences import step_of
from paribus.results.words import lined_up, quantity
from paribus.table import errors as table_errors

if TYPE_CHECKING:
    from paribus.results.effect_set import EffectSet
    from paribus.results.numeric import NumericEffect

MOST_LEVELS = 12  # of a category, in a printed table; a data frame has all
MOST_NAMED = 12  # columns held still that a footnote names
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


@dataclass(frozen=True, slots=True)
class Row:
    """One number of a table."""

    effect: Effect  # what it was read off
    contrast: str  # what is compared: ``"per 1"``, ``"Fair vs Ideal"``
    level: str  # the level that is compared with the reference; empty for a slope
    reference: str  # the level it is compared with; empty for a slope
    # None where the column could not be explained, or the levels not be compared.
    found: Contrast | None
    count: int  # rows of the level, or all rows that were used

    @property
    def key(self) -> tuple[str, str, str]:
        """What makes the numbers of two runs the same row."""
        return self.effect.feature, self.contrast, self.reference


def rows_of(effects: EffectSet, relative_to: Mapping[str, Any] | None = None) -> list[Row]:
    """Return the estimates for each column, the largest impact first.

    For numbers that is the average slope, for two values and for levels the difference from a
    reference: `relative_to` names it by column; by default it is the one that the effect is
    relative to, or else the commonest.
    """
    chosen = dict(relative_to or {})
    for name in chosen:
        effects[name]
    return [row for e in effects.effects for row in rows_of_column(e, chosen.get(e.feature))]


def rows_of_column(e: Effect, reference: Any = None) -> Iterator[Row]:
    """Yield the estimates for one column."""
    if not e.explained:
        yield Row(e, "", "", "", None, e.n_used)
    elif e.is_curve and len(e.effect) > 2:
        curve = cast("NumericEffect", e)
        step = step_of(curve)[1].removeprefix("extra ")
        yield Row(e, f"per {step}", "", "", curve.average_slope(), e.n_used)
    else:
        yield from _level_rows(e, reference)


def _level_rows(e: Effect, reference: Any) -> Iterator[Row]:
    at = reference_level(e, reference)
    counts = getattr(e, "count", None)
    comparable, labels = e.pieces == e.pieces[at], e.labels
    for k, label in enumerate(labels):
        if k == at:
            continue
        known = comparable[k] and not np.isnan(e.effect[[k, at]]).any()
        count = e.n_used if counts is None else int(counts[k])
        found = e._apart(at, k) if known else None
        yield Row(e, f"{label} vs {labels[at]}", label, labels[at], found, count)


def reference_level(e: Effect, reference: Any = None) -> int:
    """Return the number of the level that others are compared with.

    By default it is the one that the effect is relative to, or else the commonest; of 0 and 1, or
    False and True, the first.
    """
    reference = e.reference or None if reference is None else reference
    if reference is not None:
        if str(reference) not in (names := [str(level) for level in e.axis]):
            raise table_errors.unknown_level(e.feature, reference, list(e.axis))
        return names.index(str(reference))
    if len(e.effect) == 2 and all(value in (0, 1) for value in e.axis):
        return 0
    return int(np.argmax(np.where(np.isnan(e.effect), -1.0, e.weights)))


def tidy_columns(
    effects: EffectSet, relative_to: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the columns of a tidy data frame, one row per estimate; groups come last."""
    every = [(row, "") for row in rows_of(effects, relative_to)]
    for e in effects.effects:
        if e.by is None:
            continue
        level = (relative_to or {}).get(e.feature, e.reference or None)
        for label, one in e.by.items():
            every += [(r, e.by.named(label)) for r in rows_of_column(one, level)]
    rows = [row for row, _ in every]
    numbers = {
        name: [np.nan if r.found is None else getattr(r.found, name) for r in rows]
        for name in ("value", "se", "lower", "upper", "p_value")
    }
    return {
        "column": [r.effect.feature for r in rows],
        "kind": ["number" if r.effect.is_curve else "category" for r in rows],
        "contrast": [r.contrast for r in rows],
        "estimate": numbers.pop("value"),
        **numbers,
        "unit": [r.effect.unit for r in rows],
        "rows": [r.count for r in rows],
        "share_used": [r.effect.n_used / max(r.effect.n_rows, 1) for r in rows],
        "impact": [r.effect.impact for r in rows],
        "share": [r.effect.share for r in rows],
        "held_still": [", ".join(r.effect.held) for r in rows],
        "together": [", ".join(g) if len(g := r.effect.group) > 1 else "" for r in rows],
        "group": [group for _, group in every],
    }


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a printed table: a label, and a cell for each run."""

    label: str
    cells: tuple[str, ...]
    # A "head" names a category, with a line for each "level" below; "estimate", its "error";
    # something "about" the run.
    kind: str = "estimate"


@dataclass(frozen=True, slots=True, repr=False)
class EffectTable:
    """A table for a paper: a column for each run, the footnote below.

    It displays itself in a terminal and in a notebook.

    Attributes
    ----------
    title : str
    heads : tuple of str
        A name for each run.
    lines : tuple of Line
    notes : tuple of str
        The footnote, sentence by sentence.

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> table = pb.effects(d.table, target="weight").table()
    >>> print(table)  # doctest: +ELLIPSIS
    What goes with weight, other things equal?
    ...
    height, per 1 ...
    >>> "| --- | ---: |" in table.to_markdown(), "toprule" in table.to_latex()
    (True, True)
    """

    title: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        n = len(self.heads)
        return f"<EffectTable: {self.title} {n} run{plural(n)}, {len(self.lines)} lines>"

    def __str__(self) -> str:
        labels = [f"  {line.label}" if line.kind == "level" else line.label for line in self.lines]
        lines = zip(labels, self.lines, strict=True)
        text = lined_up([["", *self.heads], *([label, *line.cells] for label, line in lines)])
        rule = "-" * max(map(len, text))
        below = next((k for k, line in enumerate(self.lines) if line.kind == "about"), len(text))
        text.insert(below + 1, rule)
        return "\n".join([self.title, "", text[0], rule, *text[1:], rule, *self.notes])

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        rows = [["", *self.heads], ["---", *["---:"] * len(self.heads)]]
        for line in self.lines:
            looks = {"head": "**{}**", "level": "&nbsp;&nbsp;{}"}
            label = looks.get(line.kind, "{}").format(_plain(line.label))
            rows.append([label, *map(_plain, line.cells)])
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        return "\n\n".join([f"**{_plain(self.title)}**", table, _plain(" ".join(self.notes))])

    def to_html(self) -> str:
        """Return the table as HTML with a style of its own. Needs the extra ``tables``."""
        return show.tables.table_html(self)

    def to_latex(self) -> str:
        """Return the table in LaTeX, for the package ``booktabs``."""
        return show.tables.table_latex(self)

    def to_docx(self, path: str | Path) -> Path:
        """Write the table into a Word document. Needs the extra ``tables``."""
        return show.tables.table_docx(self, path)

    def _repr_html_(self) -> str:
        """Show the table in a notebook; needs no extra."""
        return show.tables.plain_table_html(self)


def etable(
    runs: EffectSet | Sequence[EffectSet] | Mapping[str, EffectSet],
    *,
    relative_to: Mapping[str, Any] | None = None,
    stars: bool = False,
) -> EffectTable:
    """Put one or more runs side by side, as in regression tables.

    The table has the average slope of numbers and the difference of each level of a category from
    the commonest, with standard errors in brackets.

    Parameters
    ----------
    runs : EffectSet, or a sequence of these, or a mapping of names to these
    relative_to : mapping of str to level, optional
        By column, the level that others are compared with; by default the reference of the run,
        or else the commonest.
    stars : bool
        Mark small p-values: * below 0.05, ** below 0.01, *** below 0.001.

    Returns
    -------
    EffectTable

    Examples
    --------
    >>> import paribus as pb
    >>> d = pb.datasets.body_weight(2000, seed=0)
    >>> a = pb.effects(d.table, target="weight")
    >>> b = pb.effects(d.table, target="weight", target_scale="log")
    >>> pb.etable({"pounds": a, "per cent": b}).heads
    ('pounds', 'per cent')
    """
    named = _named(runs)
    if not named:
        raise result_errors.no_runs()
    sets = list(named.values())
    found = [{row.key: row for row in rows_of(one, relative_to)} for one in sets]
    order = list(dict.fromkeys(key for rows in found for key in rows))
    lines = list(_lines(order, found, stars))
    lines += [Line(label, cells, "about") for label, cells in _about(sets)]
    titles = list(dict.fromkeys(one.question for one in sets))
    title = titles[0] if len(titles) == 1 else "What goes with what, other things equal?"
    return EffectTable(title, tuple(named), tuple(lines), tuple(_footnote(sets, stars)))


def _named(runs: EffectSet | Sequence[EffectSet] | Mapping[str, EffectSet]) -> dict[str, EffectSet]:
    if isinstance(runs, Mapping):
        if any(isinstance(one, Effect) for one in runs.values()):
            return {"estimate": cast("EffectSet", runs)}
        return {str(name): cast("EffectSet", one) for name, one in runs.items()}
    return {f"({k})": one for k, one in enumerate(runs, start=1)}


def _lines(
    order: Sequence[tuple[str, str, str]], found: Sequence[Mapping[Any, Row]], stars: bool
) -> Iterator[Line]:
    """Yield two lines per estimate, and one more above the levels of a category."""
    ordered = _commonest_first(order, found)
    n_levels = Counter((feature, reference) for feature, _, reference in ordered if reference)
    empty = ("",) * len(found)
    shown: Counter[tuple[str, str]] = Counter()
    for feature, contrast, reference in ordered:
        rows = [rows.get((feature, contrast, reference)) for rows in found]
        among, label = (feature, reference), f"{feature}, {contrast}" if contrast else feature
        level = contrast.removesuffix(f" vs {reference}")
        if n_levels[among] == 1:
            label = f"{feature}, {level} against {reference}"
        elif reference:
            label = level
            shown[among] += 1
            if shown[among] == 1:
                yield Line(f"{feature}, against {reference}", empty, "head")
            if shown[among] == MOST_LEVELS + 1:
                more = n_levels[among] - MOST_LEVELS
                yield Line(
                    f"and {more:,} more {'level' if more == 1 else 'levels'}", empty, "level"
                )
            if shown[among] > MOST_LEVELS:
                continue
        kind = "level" if n_levels[among] > 1 else "estimate"
        yield Line(label, tuple(_estimate(row, stars) for row in rows), kind)
        yield Line("", tuple(_error(row) for row in rows), "error")


def _commonest_first(
    order: Sequence[tuple[str, str, str]], found: Sequence[Mapping[Any, Row]]
) -> list[tuple[str, str, str]]:
    """Sort the levels of a category by their number of rows; columns keep their order."""
    place = {feature: k for k, feature in reversed([*enumerate(f for f, _, _ in order)])}
    rows = {key: max(run[key].count for run in found if key in run) for key in order}
    return sorted(order, key=lambda key: (place[key[0]], key[2], -rows[key]))


def _decimals(found: Contrast) -> int:
    """Return decimals for two digits of the standard error, or five of the estimate if fewer."""
    sizes = {1: found.se, 4: abs(found.value)}
    asked = [k - int(np.floor(np.log10(s))) for k, s in sizes.items() if np.isfinite(s) and s > 0]
    return max(min(asked, default=0), 0)


def _estimate(row: Row | None, stars: bool) -> str:
    if row is None:
        return ""
    if row.found is None:
        return "not known"
    mark = next((mark for below, mark in STARS if row.found.p_value < below), "") if stars else ""
    return f"{row.found.value:,.{_decimals(row.found)}f}{mark}"


def _error(row: Row | None) -> str:
    if row is None or row.found is None or not np.isfinite(row.found.se):
        return ""
    decimals = _decimals(row.found)
    least = 10.0**-decimals
    return f"({row.found.se:,.{decimals}f})" if row.found.se >= least / 2 else f"(<{least:g})"


def _about(sets: Sequence[EffectSet]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if len({one.target for one in sets}) > 1:
        yield "target", tuple(one.target for one in sets)
    if any(one.unit for one in sets):
        yield "unit", tuple(one.unit or "its own unit" for one in sets)
    yield "rows", tuple(f"{one.n_rows:,}" for one in sets)
    yield "columns", tuple(f"{len(one):,}" for one in sets)


def _footnote(sets: Sequence[EffectSet], stars: bool) -> Iterator[str]:
    """Say what was held still, which average it is, which errors, how many rows were used."""
    targets = list(dict.fromkeys(quantity(one.target, one.unit) for one in sets))
    yield (
        f"For numbers the average slope of {' and '.join(targets)}, for levels the difference from "
        "the level named; no model was fitted."
    )
    held = list(dict.fromkeys(name for one in sets for e in one.effects for name in e.held))
    more = f" and {len(held) - MOST_NAMED:,} more" if len(held) > MOST_NAMED else ""
    if held:
        named = f"{', '.join(held[:MOST_NAMED])}{more}"
        yield f"While one of these columns is compared, the others are held still: {named}."
    averages = list(dict.fromkeys(one.average for one in sets))
    yield from (_AVERAGES[average] for average in averages)
    yield f"Standard errors in brackets, {' or '.join(dict.fromkeys(map(_errors, sets)))}."
    used = [e.n_used / max(e.n_rows, 1) for one in sets for e in one.effects if e.explained]
    if used and min(used) < 1:
        yield f"Each number is based on at least {int(100 * min(used))} % of the rows."
    if stars:
        yield "* p < 0.05, ** p < 0.01, *** p < 0.001."


_AVERAGES = {
    "rows": "Where an effect differs it is the average over the rows.",
    "overlap": "Where an effect differs, rows count more, the more the column varies among similar "
    "rows.",
}


def _errors(one: EffectSet) -> str:
    shared = one.roles.cluster or one.roles.within
    if shared:
        number = f" ({one.roles.groups})" if one.roles.groups else ""
        return f"clustered by {shared}{number}"
    return "robust to unequal spread"


def _plain(text: str) -> str:
    for sign in ("\\", "|", "*", "_", "`", "<"):
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")
