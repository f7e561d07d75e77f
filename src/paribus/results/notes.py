"""Notes on results, whatever method found them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paribus.base.notes import Note, Remedy
from paribus.base.wording import apart, listed, rows, were, written


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


def nothing_shared(feature: str, by: str) -> Note:
    """Return the note on groups that have no values in common."""
    text = (
        f"The groups of {by!r} have no values of {feature!r} in common with the other columns held "
        "still: their effects are shown side by side, but cannot be compared."
    )
    return Note("nothing_shared", text, {"column": by})


def unexplained(feature: str, reason: str, remedy: Remedy | None = None, **facts: Any) -> Note:
    """Say why a column could not be explained at all."""
    text = f"Column {feature!r} could not be explained: {reason}."
    return Note("unexplained", text, facts, remedy)


def nothing_held(feature: str) -> Note:
    """Say that no other column was held still."""
    text = (
        f"No other column was held still (there is none, or the leaves are as large as the "
        f"table), so this is how the target goes with {feature!r} overall."
    )
    return Note("nothing_held", text)


def gap(feature: str, start: Any, stop: Any, reason: str, blocked_by: str | None) -> Note:
    """Return the note on a stretch that no comparison spans."""
    first, last = apart(start, stop)
    between = f"Between {feature} = {first} and {last} the curve is broken: "
    if reason == "no rows":
        why = "there are no rows, and no similar rows lie on both sides"
    else:
        why = "with the other columns held still, no rows can be compared across"
    who = f" ({blocked_by} separates the two sides)" if blocked_by else ""
    text = f"{between}{why}{who}. How the two sides compare is not known."
    facts = {"start": start, "stop": stop, "reason": reason, "blocked_by": blocked_by}
    return Note("gap", text, facts)


def neighbours_alike(correlations: Mapping[str, float]) -> Note:
    """Tell that rows next to each other in the table are not independent, by explained column."""
    low, high = (f"{end(correlations.values()):.2f}" for end in (min, max))
    how = f"correlation {low}" if low == high else f"correlations from {low} to {high}"
    text = (
        f"Rows next to each other in the table resemble each other in {listed([*correlations])} "
        f"and in what is left of the target ({how}), as rows of the same person, shop or day do: "
        "the intervals are then too narrow."
    )
    facts = {"columns": [*correlations], "correlations": dict(correlations)}
    return Note("neighbours_alike", text, facts, Remedy("cluster"))


def missing_feature(feature: str, n_missing: int) -> Note:
    """Return the note on rows left out because the explained column is missing."""
    text = f"{rows(n_missing)} without a value of {feature!r} {were(n_missing)} not compared."
    return Note("missing_feature", text, {"rows": n_missing})


def silent_rows(feature: str, n_silent: int, n_rows: int) -> Note:
    """Return the note on rows whose stratum has only one value of the explained column."""
    text = (
        f"{n_silent:,} of {rows(n_rows)} could not be compared: among rows alike in the other "
        f"columns, {feature!r} did not vary."
    )
    return Note("silent_rows", text, {"rows": n_silent, "share": n_silent / n_rows})


def bridged_gaps(feature: str, intervals: Sequence[tuple[Any, Any]], n_dropped: int) -> Note:
    """Return the note on stretches inside the paper's curve that too few slopes span."""
    shown = "; ".join(f"between {written(a)} and {written(b)}" for a, b in intervals[:5])
    more = f" and in {len(intervals) - 5} more places" if len(intervals) > 5 else ""
    text = (
        f"Too few slopes were found for {feature!r} {shown}{more}: there the curve is "
        "interpolated from both sides."
    )
    facts = {"intervals": [list(i) for i in intervals], "values_dropped": n_dropped}
    return Note("bridged_gaps", text, facts)


def lost_ends(feature: str, first: Any, last: Any, n_lost: int) -> Note:
    """Return the note on rows beyond the ends of the paper's curve."""
    text = (
        f"The curve runs from {written(first)} to {written(last)}: beyond it, where "
        f"{rows(n_lost)} {'lies' if n_lost == 1 else 'lie'}, too few slopes of {feature!r} were "
        "found."
    )
    return Note("lost_ends", text, {"rows": n_lost})


def unmerged_levels(feature: str, levels: Sequence[Any], n_unmerged: int) -> Note:
    """Return the note on levels that never occur with others among similar rows."""
    shown = listed(levels, 5, write=str)
    text = (
        f"{len(levels):,} level{'' if len(levels) == 1 else 's'} of {feature!r} ({shown}; "
        f"{rows(n_unmerged)}) could not be compared with the rest: no group of similar rows "
        "has both."
    )
    return Note("unmerged_levels", text, {"levels": list(levels), "rows": n_unmerged})
