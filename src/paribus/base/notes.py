"""What the reader must know beside the numbers: found as data, then worded.

A note has a machine-readable ``kind``, the ``facts`` behind it, its text and, where something can
be done about it, a ``remedy``. A remedy is data: the Python API words it as an argument, the
command line as an option, the page as a control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from paribus.base.wording import apart, listed, quoted, rows, were, written

Action: TypeAlias = Literal[
    "together", "drop", "numeric", "sheet", "more_rows", "cluster", "weights", "per cent", "rate",
    "keep",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Remedy:
    """What can be done about what a note says.

    Attributes
    ----------
    action : str
        Leave columns out or move them together (``"together"``), leave a column out (``"drop"``),
        read it as numbers (``"numeric"``), choose another ``"sheet"``, draw ``"more_rows"``, say
        which rows belong together (``"cluster"``) or how many people each stands for
        (``"weights"``), explain the target in ``"per cent"`` or, by an exposure, as a ``"rate"``,
        or take a column as it is (``"keep"``).
    columns : tuple of str
        The columns concerned.

    Examples
    --------
    >>> str(Remedy("together", ("x", "y")))
    "Leave 'x', 'y' out, or let them move together with it."
    """

    action: Action
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        them = "it" if len(self.columns) == 1 else "them"
        return {
            "together": f"Leave {quoted(self.columns)} out, or let {them} move together with it.",
            "drop": "Consider leaving it out.",
            "numeric": "Read as numbers, these count as missing.",
            "sheet": "Another sheet can be chosen.",
            "more_rows": "With more rows there would be.",
            "cluster": _if_alike(self, "say so")
            if self.columns
            else "Say which rows belong together.",
            "weights": "If so, let it weight the rows.",
            "per cent": "Its effects can be given in per cent.",
            "rate": "Its effects can be given per unit of exposure.",
            "keep": "It can be taken as it is.",
        }[self.action]


def python_advice(remedy: Remedy) -> str:
    """Word a remedy for somebody who writes Python.

    Examples
    --------
    >>> python_advice(Remedy("together", ("x", "y")))
    "Leave 'x', 'y' out, or pass together=['x', 'y'] to move them along."
    """
    names, them = list(remedy.columns), "it" if len(remedy.columns) == 1 else "them"
    return {
        "together": f"Leave {quoted(names)} out, or pass together={names} to move {them} along.",
        "numeric": f"Pass kind={dict.fromkeys(names, 'numeric')} to count these as missing.",
        "more_rows": "Pass a larger max_rows to draw more.",
        "cluster": _if_alike(remedy, f"pass cluster={names[0]!r}")
        if names
        else "Pass cluster= with the column that says which rows belong together.",
        "weights": f"If so, pass weights={names[0]!r}." if names else str(remedy),
        "per cent": 'For effects in per cent pass target_scale="log".',
        "rate": f"For effects on the rate pass exposure={names[0]!r}." if names else str(remedy),
        "keep": f"Pass keep={names} to undo that.",
    }.get(remedy.action, str(remedy))


def _if_alike(remedy: Remedy, do: str) -> str:
    """Say what to do if rows of the same value belong together."""
    return f"If rows with the same {quoted(remedy.columns)} belong together, {do}."


@dataclass(frozen=True, slots=True)
class Note:
    """One thing a reader of a result must know.

    Attributes
    ----------
    kind : str
        What it is about, in one word, for programs.
    text : str
        The same in a sentence or two, for people.
    facts : Mapping[str, Any]
        The numbers and names behind the sentence.
    remedy : Remedy or None
        What can be done about it.
    """

    kind: str
    text: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    remedy: Remedy | None = None

    def __str__(self) -> str:
        return self.with_advice(python_advice)

    def with_advice(self, advice: Callable[[Remedy], str] = str) -> str:
        """Return the text, followed by the remedy as a front end words it."""
        return self.text if self.remedy is None else f"{self.text} {advice(self.remedy)}"

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Note:
        """Read back a stored note."""
        parts = dict(stored)
        if parts.get("remedy"):
            action, columns = parts["remedy"]["action"], parts["remedy"]["columns"]
            parts["remedy"] = Remedy(action, tuple(columns))
        return cls(**parts)


def missing_target(target: str, n_missing: int) -> Note:
    """Return the note on rows left out because their target is missing."""
    text = f"{rows(n_missing)} without a value of {target!r} {were(n_missing)} left out."
    return Note("missing_target", text, {"rows": n_missing})


def zero_weight(n_rows: int) -> Note:
    """Return the note on rows left out because they weigh nothing."""
    return Note(
        "zero_weight", f"{rows(n_rows)} of weight 0 {were(n_rows)} left out.", {"rows": n_rows}
    )


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


def without_unit(n_rows: int) -> Note:
    """Tell of rows left out because nothing says what they belong to."""
    text = f"{rows(n_rows)} that belong to no known unit {were(n_rows)} left out."
    return Note("without_unit", text, {"rows": n_rows})


def class_target(target: str, shown: Any, n_classes: int) -> Note:
    """Say that a class is explained, in percentage points."""
    rest = "the other value" if n_classes == 2 else f"the other {n_classes - 1} values"
    text = (
        f"The share of rows where {target} is {shown}, against {rest}, is explained, in percentage "
        "points."
    )
    return Note("class_target", text, {"class": shown, "classes": n_classes})


def on_a_scale(target: str, scale: str) -> Note:
    """Say how effects in per cent came about."""
    how = {
        "log": f"Effects are in per cent: the logarithm of {target} is compared, so that the "
        "averages are those of ratios.",
        "ratio": f"Effects are in per cent of the mean of {target}: averages in its own unit, set "
        "against the mean afterwards; intervals by the delta method.",
        "odds": f"Effects are in per cent of the odds that {target}: shares with the other columns "
        "held still, averaged over the rows and turned into odds afterwards, not odds within alike "
        "rows as of a logistic regression; intervals by the delta method.",
    }
    return Note("target_scale", how[scale], {"scale": scale})


def missing_feature(feature: str, n_missing: int) -> Note:
    """Return the note on rows left out because the explained column is missing."""
    text = f"{rows(n_missing)} without a value of {feature!r} {were(n_missing)} not compared."
    return Note("missing_feature", text, {"rows": n_missing})


def missing_of_pair(first: str, second: str, n_missing: int) -> Note:
    """Return the note on rows left out because one of two columns is missing."""
    text = (
        f"{rows(n_missing)} without a value of {first!r} or {second!r} {were(n_missing)} not "
        "compared."
    )
    return Note("missing_of_pair", text, {"rows": n_missing})


def empty_rectangles(n_empty: int, n_rectangles: int) -> Note:
    """Return the note on parts of a surface that no row lies in."""
    text = (
        f"In {n_empty:,} of the {n_rectangles:,} rectangles there are no rows: there the surface "
        "is a guess from the nearest that has some."
    )
    return Note("empty_rectangles", text, {"rectangles": n_empty, "of": n_rectangles})


def silent_rows(feature: str, n_silent: int, n_rows: int) -> Note:
    """Return the note on rows whose stratum holds one value of the explained column only."""
    text = (
        f"{n_silent:,} of {rows(n_rows)} could not be compared: among rows alike in the other "
        f"columns, {feature!r} did not vary."
    )
    return Note("silent_rows", text, {"rows": n_silent, "share": n_silent / n_rows})


def nothing_held(feature: str) -> Note:
    """Say that no other column was held still."""
    text = (
        f"No other column was held still (there is none, or the leaves are as large as the "
        f"table), so this is how the target goes with {feature!r} overall."
    )
    return Note("nothing_held", text)


def bridged_gaps(feature: str, intervals: Sequence[tuple[Any, Any]], n_dropped: int) -> Note:
    """Return the note on stretches inside the paper's curve that too few slopes span."""
    shown = "; ".join(f"between {written(a)} and {written(b)}" for a, b in intervals[:5])
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
    """Return the note on rows beyond the ends of the paper's curve."""
    text = (
        f"The curve runs from {written(first)} to {written(last)}: beyond it, where "
        f"{rows(n_lost)} {'lies' if n_lost == 1 else 'lie'}, too few slopes of {feature!r} were "
        "found."
    )
    return Note("lost_ends", text, {"rows": n_lost})


def unmerged_levels(feature: str, levels: Sequence[Any], n_unmerged: int) -> Note:
    """Return the note on levels that never meet the others among alike rows."""
    shown = listed(levels, 5, write=str)
    text = (
        f"{len(levels):,} level{'' if len(levels) == 1 else 's'} of {feature!r} ({shown}; "
        f"{rows(n_unmerged)}) could not be compared with the rest: no group of alike rows holds "
        "both."
    )
    return Note("unmerged_levels", text, {"levels": list(levels), "rows": n_unmerged})


def gap(feature: str, start: Any, stop: Any, reason: str, blocked_by: str | None) -> Note:
    """Return the note on a stretch that no comparison spans."""
    first, last = apart(start, stop)
    between = f"Between {feature} = {first} and {last} the curve is broken: "
    if reason == "no rows":
        why = "there are no rows, and no alike rows lie on both sides"
    else:
        why = "with the other columns held still, no rows can be compared across"
    who = f" ({blocked_by} separates the two sides)" if blocked_by else ""
    text = f"{between}{why}{who}. How the two sides compare is not known."
    facts = {"start": start, "stop": stop, "reason": reason, "blocked_by": blocked_by}
    return Note("gap", text, facts)


def dropped(names: Sequence[str], why: str = "as asked") -> Note:
    """Return the note on columns left out on purpose."""
    return Note("dropped", f"Left out: {quoted(names)} ({why}).", {"columns": list(names)})


def sampled(n_sample: int, n_rows: int) -> Note:
    """Say that a part of the rows stands for all."""
    text = f"Based on a random sample of {n_sample:,} of {rows(n_rows)}."
    return Note("sampled", text, {"rows": n_sample, "of": n_rows})


def levels_not_drawn(feature: str, levels: Sequence[Any]) -> Note:
    """Return the note on levels that no row of a sample has."""
    shown = listed(levels, 5, write=str)
    text = (
        f"None of the rows drawn has {feature!r} = {shown}: there is no estimate for "
        f"{'it' if len(levels) == 1 else 'them'}."
    )
    return Note("levels_not_drawn", text, {"levels": list(levels)}, Remedy("more_rows"))


def pair_on_sample(n_sample: int, n_rows: int) -> Note:
    """Say which rows two columns at once were told from."""
    text = f"Two columns at once are told from {rows(n_sample)} drawn at random of {n_rows:,}."
    return Note("pair_on_sample", text, {"rows": n_sample, "of": n_rows})


def nothing_shared(feature: str, by: str) -> Note:
    """Return the note on groups that lie nowhere side by side."""
    text = (
        f"The groups of {by!r} have no values of {feature!r} in common with the other columns held "
        "still: their effects stand side by side, but no difference can be told."
    )
    return Note("nothing_shared", text, {"column": by})


def unexplained(feature: str, reason: str, remedy: Remedy | None = None, **facts: Any) -> Note:
    """Say why a column could not be explained at all."""
    text = f"Column {feature!r} could not be explained: {reason}."
    return Note("unexplained", text, facts, remedy)
