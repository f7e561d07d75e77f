"""What the reader must know beside the numbers: found as data, then worded.

A note has a machine-readable ``kind``, the ``facts`` behind it and one plain sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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


def class_target(target: str, shown: Any, n_classes: int) -> Note:
    """Tell that a class is explained, in percentage points."""
    rest = "the other value" if n_classes == 2 else f"the other {n_classes - 1} values"
    text = f"Explained is the share of {target} = {shown} against {rest}, in percentage points."
    return Note("class_target", text, {"class": shown, "classes": n_classes})


def missing_feature(feature: str, n_missing: int) -> Note:
    """Tell of rows left out because the explained column is missing."""
    text = f"{rows(n_missing)} without a value of {feature!r} {were(n_missing)} not compared."
    return Note("missing_feature", text, {"rows": n_missing})


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


def unexplained(feature: str, reason: str, **facts: Any) -> Note:
    """Tell why a column could not be explained at all."""
    return Note("unexplained", f"{feature!r} could not be explained: {reason}.", facts)


def rows(count: int) -> str:
    """Count rows in words: '1 row', '2,000 rows'."""
    return f"{count:,} row" if count == 1 else f"{count:,} rows"


def were(count: int) -> str:
    """Agree with a count: 'was' or 'were'."""
    return "was" if count == 1 else "were"


def _written(value: Any) -> str:
    return f"{value:,.10g}" if isinstance(value, (int, float)) else str(value)
