"""What the reader must know beside the numbers: found as data, then worded.

A note has a machine-readable ``kind``, the ``facts`` behind it and one plain sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """One thing a reader of a result must know.

    Attributes
    ----------
    kind : str
        What it is about, in one word, for programs.
    text : str
        The same in one sentence, for people.
    facts : Mapping[str, Any]
        The numbers and names behind the sentence.
    """

    kind: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.text


def missing_target(target: str, n_missing: int) -> Note:
    """Tell of rows left out because their target is missing."""
    text = f"{rows(n_missing)} without a value of {target!r} {were(n_missing)} left out."
    return Note("missing_target", text, {"rows": n_missing})


def zero_weight(n_rows: int) -> Note:
    """Tell of rows left out because they weigh nothing."""
    return Note(
        "zero_weight", f"{rows(n_rows)} of weight 0 {were(n_rows)} left out.", {"rows": n_rows}
    )


def incomplete_rows(columns: Sequence[str], n_rows: int) -> Note:
    """Tell of rows left out because a column that is held still is missing there."""
    text = (
        f"{rows(n_rows)} without a value of {_listed(columns)} {were(n_rows)} left out wherever "
        f"{'it is' if len(columns) == 1 else 'they are'} held still."
    )
    return Note("incomplete_rows", text, {"columns": list(columns), "rows": n_rows})


def filled_in(columns: Sequence[str], n_rows: int) -> Note:
    """Tell of missing values of held columns that were predicted from the other columns."""
    text = (
        f"Missing values of {_listed(columns)} ({rows(n_rows)}) were filled in from the other "
        "columns, without looking at the target."
    )
    return Note("filled_in", text, {"columns": list(columns), "rows": n_rows})


def copied_rows(n_copies: int, n_rows: int) -> Note:
    """Tell of rows that repeat others to the last value."""
    text = (
        f"{rows(n_copies)} of {n_rows:,} are copies of others. Each different row counts once for "
        "how sure the results are, and as often as it is there for what they say."
    )
    return Note("copied_rows", text, {"copies": n_copies, "rows": n_rows})


def few_clusters(n_clusters: int) -> Note:
    """Tell that few clusters say little about how sure a result is."""
    text = (
        f"There are only {n_clusters} clusters: how sure the results are can hardly be told from "
        "so few."
    )
    return Note("few_clusters", text, {"clusters": n_clusters})


def within_units(
    feature: str, share: float, n_silent: int, n_units: int, slopes: tuple[float, float] | None
) -> Note:
    """Tell how much a column changes within units, and what it does between and within them."""
    text = f"{100 * share:.0f} % of the variance of {feature!r} lies within units"
    if n_silent:
        text += f"; in {n_silent:,} of {n_units:,} it never changes, and these say nothing"
    if slopes is not None:
        between, inside = slopes
        text += (
            f". Each extra 1 goes with {_written(_rounded(between))} between units and "
            f"{_written(_rounded(inside))} within them"
        )
    facts = {"share": share, "silent": n_silent, "units": n_units, "slopes": slopes}
    return Note("within_units", f"{text}.", facts)


def neighbours_alike(feature: str, correlation: float) -> Note:
    """Tell that rows next to each other in the table are not independent."""
    text = (
        f"Rows next to each other in the table resemble each other in {feature!r} and in what is "
        f"left of the target (correlation {correlation:.2f}), as rows of the same person, shop or "
        "day do: the intervals are then too narrow. Say which rows belong together."
    )
    return Note("neighbours_alike", text, {"correlation": correlation})


def without_unit(n_rows: int) -> Note:
    """Tell of rows left out because nothing says what they belong to."""
    text = f"{rows(n_rows)} that belong to no known unit {were(n_rows)} left out."
    return Note("without_unit", text, {"rows": n_rows})


def class_target(target: str, shown: Any, n_classes: int) -> Note:
    """Tell that a class is explained, in percentage points."""
    rest = "the other value" if n_classes == 2 else f"the other {n_classes - 1} values"
    text = f"Explained is the share of {target} = {shown} against {rest}, in percentage points."
    return Note("class_target", text, {"class": shown, "classes": n_classes})


def missing_feature(feature: str, n_missing: int) -> Note:
    """Tell of rows left out because the explained column is missing."""
    text = f"{rows(n_missing)} without a value of {feature!r} {were(n_missing)} not compared."
    return Note("missing_feature", text, {"rows": n_missing})


def missing_of_pair(first: str, second: str, n_missing: int) -> Note:
    """Tell of rows left out because one of two columns is missing."""
    text = (
        f"{rows(n_missing)} without a value of {first!r} or {second!r} {were(n_missing)} not "
        "compared."
    )
    return Note("missing_of_pair", text, {"rows": n_missing})


def empty_rectangles(n_empty: int, n_rectangles: int) -> Note:
    """Tell of parts of a surface that no row lies in."""
    text = (
        f"In {n_empty:,} of the {n_rectangles:,} rectangles there are no rows: there the surface "
        "is a guess from the nearest that has some."
    )
    return Note("empty_rectangles", text, {"rectangles": n_empty, "of": n_rectangles})


def missing_not_told(feature: str, n_missing: int) -> Note:
    """Tell that missing values have no point of their own."""
    text = (
        f"{rows(n_missing)} without a value of {feature!r} cannot be compared with the others: "
        "another column is missing there too."
    )
    return Note("missing_not_told", text, {"rows": n_missing})


def silent_rows(feature: str, n_silent: int, n_rows: int) -> Note:
    """Tell of rows whose stratum holds one value of the explained column only."""
    text = (
        f"{rows(n_silent)} of {n_rows:,} said nothing: among the rows alike in the other "
        f"columns, {feature!r} did not vary."
    )
    return Note("silent_rows", text, {"rows": n_silent, "share": n_silent / n_rows})


def nothing_held(feature: str) -> Note:
    """Tell that no other column was held still."""
    text = (
        f"No other column was held still (there is none, or the leaves are as large as the "
        f"table), so this is how the target goes with {feature!r} overall."
    )
    return Note("nothing_held", text)


def bridged_gaps(feature: str, intervals: Sequence[tuple[Any, Any]], n_dropped: int) -> Note:
    """Tell of stretches inside the paper's curve that too few slopes span."""
    shown = "; ".join(f"between {_written(a)} and {_written(b)}" for a, b in intervals[:5])
    more = f" and in {len(intervals) - 5} more places" if len(intervals) > 5 else ""
    text = (
        f"Too few slopes were found for {feature!r} {shown}{more}: there the curve is a guess "
        "from what lies beside it."
    )
    return Note(
        "bridged_gaps",
        text,
        {"intervals": [list(i) for i in intervals], "values_dropped": n_dropped},
    )


def lost_ends(feature: str, first: Any, last: Any, n_lost: int) -> Note:
    """Tell of rows beyond the ends of the paper's curve."""
    text = (
        f"The curve runs from {_written(first)} to {_written(last)}: beyond it, where "
        f"{rows(n_lost)} {'lies' if n_lost == 1 else 'lie'}, too few slopes of {feature!r} were "
        "found."
    )
    return Note("lost_ends", text, {"rows": n_lost})


def unmerged_levels(feature: str, levels: Sequence[Any], n_unmerged: int) -> Note:
    """Tell of levels that never meet the others among alike rows."""
    shown = ", ".join(str(level) for level in levels[:5])
    more = f" and {len(levels) - 5:,} more" if len(levels) > 5 else ""
    text = (
        f"{len(levels):,} level{'' if len(levels) == 1 else 's'} of {feature!r} ({shown}{more}; "
        f"{rows(n_unmerged)}) could not be compared with the rest: no group of alike rows holds "
        "both."
    )
    return Note("unmerged_levels", text, {"levels": list(levels), "rows": n_unmerged})


def gap(feature: str, start: Any, stop: Any, reason: str, blocked_by: str | None) -> Note:
    """Tell of a stretch that no comparison spans."""
    first, last = _apart(start, stop)
    between = f"Between {feature} = {first} and {last} the curve is broken: "
    if reason == "no rows":
        why = "there are no rows, and no alike rows lie on both sides"
    else:
        why = "with the other columns held still, no rows can be compared across"
    who = f" ({blocked_by} separates the two sides)" if blocked_by else ""
    text = f"{between}{why}{who}. How the two sides compare is not known."
    facts = {"start": start, "stop": stop, "reason": reason, "blocked_by": blocked_by}
    return Note("gap", text, facts)


def twins(feature: str, names: Sequence[str]) -> Note:
    """Tell of columns that fix the explained one."""
    group = ", ".join(repr(n) for n in names)
    text = (
        f"{feature!r} cannot be told apart from {group}: held still, they leave it next to nothing "
        f"to vary. {move_or_leave(names)}."
    )
    return Note("twins", text, {"columns": list(names)})


def move_or_leave(names: Sequence[str]) -> str:
    """Say what can be done about columns that fix another."""
    return (
        f"Leave them out, or move them together with it (together={list(names)} in Python, "
        "--together on the command line)"
    )


def moved_together(feature: str, others: Sequence[str]) -> Note:
    """Tell that other columns were not held still but moved along."""
    group = ", ".join(repr(n) for n in others)
    text = f"{group} moved along with {feature!r}: this is what the whole group goes with."
    return Note("moved_together", text, {"columns": list(others)})


def nearly_fixed(feature: str, left: float) -> Note:
    """Tell of a column that the others together all but fix."""
    share = f"{100 * left:.2g} %" if left > 1e-5 else "less than 0.001 %"
    text = (
        f"With the other columns held still, {share} of what varies in {feature!r} is left: they "
        "all but fix it together."
    )
    return Note("nearly_fixed", text, {"share": left})


def islands(feature: str, groups: Sequence[Sequence[Any]], counts: Sequence[int]) -> Note:
    """Tell of levels that cannot be compared with each other."""
    shown = "; ".join(
        f"{', '.join(str(v) for v in group[:4])}{', ...' if len(group) > 4 else ''} ({rows(count)})"
        for group, count in list(zip(groups, counts, strict=True))[:4]
    )
    more = f"; and {len(groups) - 4:,} more" if len(groups) > 4 else ""
    text = (
        f"The levels of {feature!r} fall into {len(groups):,} groups that never meet among alike "
        f"rows, so levels of different groups cannot be compared: {shown}{more}."
    )
    return Note("islands", text, {"groups": [list(g) for g in groups], "rows": list(counts)})


def leak(feature: str, target: str, known: float) -> Note:
    """Tell of a column that all but gives the target away."""
    text = (
        f"{feature!r} alone gives {100 * known:.1f} % of what varies in {target}: it may be made "
        "from it, or known only afterwards. Consider leaving it out."
    )
    return Note("leak", text, {"share": known})


def low_share(feature: str, n_used: int, n_rows: int) -> Note:
    """Tell that most rows say nothing."""
    text = (
        f"Only {rows(n_used)} of {n_rows:,} speak: among the others, alike in the other columns, "
        f"{feature!r} does not vary."
    )
    return Note("low_share", text, {"rows": n_used, "share": n_used / n_rows})


def few_rows(feature: str, n_used: int) -> Note:
    """Tell that there is little to go by."""
    text = f"Only {rows(n_used)} could be compared: take {feature!r} as a hint, not a finding."
    return Note("few_rows", text, {"rows": n_used})


def imbalance(feature: str, other: str, share: float) -> Note:
    """Tell that another column still moves along inside the strata."""
    text = (
        f"Inside the strata {other!r} still moves with {feature!r} (it gives {100 * share:.0f} % "
        "of its variance): that is adjusted for, but less surely than by holding it still."
    )
    return Note("imbalance", text, {"column": other, "share": share})


def exact(target: str) -> Note:
    """Tell that the target may be made from the columns."""
    text = (
        f"The other columns give {target} to the last digit. If it was made from some of them, as "
        "a sum is, consider leaving those out."
    )
    return Note("exact", text)


def heavy_tails(target: str) -> Note:
    """Tell that few rows decide."""
    text = (
        f"A hundredth of the rows holds a large part of what varies in {target}: "
        "a few extreme rows weigh heavily on the result."
    )
    return Note("heavy_tails", text)


def too_many_levels_to_differ(feature: str, most: int) -> Note:
    """Tell that an effect may differ from row to row, and that nobody looked."""
    text = (
        f"Whether the effect of {feature!r} differs from row to row was not looked at, for it has "
        f"more than {most} levels: rows in which it varies more among rows alike count more."
    )
    return Note("too_many_levels_to_differ", text, {"most": most})


def stray_text(column: str, texts: Sequence[str], n_rows: int) -> Note:
    """Tell of a column of numbers that text makes a category."""
    shown = ", ".join(repr(text) for text in texts[:3])
    more = f" and {len(texts) - 3:,} more" if len(texts) > 3 else ""
    text = (
        f"Column {column!r} is taken as text: {rows(n_rows)} {'has' if n_rows == 1 else 'have'} no "
        f"number there but {shown}{more}. With --numeric {column!r} these count as missing."
    )
    return Note("stray_text", text, {"column": column, "texts": list(texts), "rows": n_rows})


def ambiguous_dates(column: str, order: str) -> Note:
    """Tell of dates that could be read in two ways."""
    text = f"The dates of {column!r} could be day or month first; they are read as {order} first."
    return Note("ambiguous_dates", text, {"column": column, "order": order})


def dropped(names: Sequence[str], why: str = "as asked") -> Note:
    """Tell of columns left out on purpose."""
    shown = ", ".join(repr(name) for name in names)
    return Note("dropped", f"Left out: {shown} ({why}).", {"columns": list(names)})


def titles_skipped(texts: Sequence[str], header: int) -> Note:
    """Tell of titles above the header."""
    shown = ", ".join(repr(text) for text in texts[:3])
    more = f" and {len(texts) - 3:,} more" if len(texts) > 3 else ""
    text = f"Line {header:,} is taken as the header; above it stands {shown}{more}."
    return Note("titles_skipped", text, {"texts": list(texts), "header": header})


def total_left_out(row: str) -> Note:
    """Tell of a total below the rows."""
    text = f"The row {row!r} at the end is taken as a total and left out."
    return Note("total_left_out", text, {"row": row})


def footnote_left_out(row: str) -> Note:
    """Tell of a lone text below the rows."""
    text = f"{row!r}, below the table, is taken as a footnote and left out."
    return Note("footnote_left_out", text, {"row": row})


def renamed(name: str, given: str) -> Note:
    """Tell of a second column of one name."""
    text = f"Two columns are called {name!r}: the second is called {given!r} here."
    return Note("renamed", text, {"column": given, "name": name})


def copy_left_out(name: str) -> Note:
    """Tell of a column that is there twice."""
    text = f"Column {name!r} is there twice with the same values: one is left out."
    return Note("copy_left_out", text, {"name": name})


def words_missing(column: str, texts: Sequence[str], n_rows: int) -> Note:
    """Tell of a few words in a column of numbers, taken as missing values."""
    shown = ", ".join(repr(text) for text in texts)
    text = f"In {rows(n_rows)} column {column!r} has no number but {shown}: taken as missing."
    return Note("words_missing", text, {"column": column, "texts": list(texts), "rows": n_rows})


def other_sheet(sheet: str, sheets: Sequence[str]) -> Note:
    """Tell that a sheet other than the first was read."""
    text = f"Read is the sheet {sheet!r}, the first that holds a table; --sheet chooses another."
    return Note("other_sheet", text, {"sheet": sheet, "sheets": list(sheets)})


def sampled(n_sample: int, n_rows: int) -> Note:
    """Tell that a part of the rows stands for all."""
    text = f"A random {rows(n_sample)} of {n_rows:,} stand for all."
    return Note("sampled", text, {"rows": n_sample, "of": n_rows})


def levels_not_drawn(feature: str, levels: Sequence[Any]) -> Note:
    """Tell of levels that no row of a sample has."""
    shown = ", ".join(str(level) for level in levels[:5])
    more = f" and {len(levels) - 5:,} more" if len(levels) > 5 else ""
    text = (
        f"None of the rows drawn has {feature!r} = {shown}{more}: nothing is told of "
        f"{'it' if len(levels) == 1 else 'them'}. With more rows (max_rows) it would be."
    )
    return Note("levels_not_drawn", text, {"levels": list(levels)})


def trees_on_sample(n_sample: int, n_rows: int) -> Note:
    """Tell which rows decided on the strata, and which were compared in them."""
    text = (
        f"The strata were found on {rows(n_sample)} drawn at random; the other "
        f"{n_rows - n_sample:,} of {n_rows:,} were compared in them."
    )
    return Note("trees_on_sample", text, {"rows": n_sample, "of": n_rows})


def other_levels(feature: str, n_levels: int, other: str) -> Note:
    """Tell of rare levels that are taken together."""
    text = (
        f"Of {feature!r} the {n_levels:,} commonest levels are told apart; the others are taken "
        f"together as {other!r}."
    )
    return Note("other_levels", text, {"column": feature, "levels": n_levels})


def empty_parts(names: Sequence[str]) -> Note:
    """Tell of parts without a row."""
    shown = ", ".join(repr(name) for name in names[:3])
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    have = "has" if len(names) == 1 else "have"
    return Note("empty_parts", f"{shown}{more} {have} no rows.", {"parts": list(names)})


def unexplained(feature: str, reason: str, **facts: Any) -> Note:
    """Tell why a column could not be explained at all."""
    return Note("unexplained", f"{feature!r} could not be explained: {reason}.", facts)


def rows(count: int) -> str:
    """Count rows in words: '1 row', '2,000 rows'."""
    return f"{count:,} row" if count == 1 else f"{count:,} rows"


def were(count: int) -> str:
    """Agree with a count: 'was' or 'were'."""
    return "was" if count == 1 else "were"


def _rounded(value: float) -> float:
    """Round to three digits."""
    return float(f"{value:.3g}")


def _listed(columns: Sequence[str]) -> str:
    """Name a few columns."""
    shown = ", ".join(repr(name) for name in columns[:5])
    return shown + (f" and {len(columns) - 5:,} more columns" if len(columns) > 5 else "")


def _apart(start: Any, stop: Any) -> tuple[str, str]:
    """Write two values as finely as it takes to tell them apart."""
    if not isinstance(start, (int, float)) or stop <= start:
        return _written(start), _written(stop)
    digits = 1 - floor(log10(stop - start))
    return _written(round(start, digits)), _written(round(stop, digits))


def _written(value: Any) -> str:
    return f"{value:,.10g}" if isinstance(value, (int, float)) else str(value)
