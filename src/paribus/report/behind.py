"""What supports a result, for a page: how many rows, rows that differ only here, robustness."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.plotting import theme
from paribus.results import evidence, robustness, support
from paribus.results.support import supports

if TYPE_CHECKING:
    from paribus.results import Effect
    from paribus.results.robustness import Robustness

SHOWN = 2  # pairs that agree, and as many that do not
MOST_OTHERS = 12  # columns of a pair that are listed
WIDE, HIGH, EDGE = 340, 230, 44
LOW = 90  # height of the bars' picture
MOST_BARS = 20  # levels whose rows are counted
MOST_DOTS = 4
CLEAR = 12  # room that a name needs


def examples_part(effect: Effect) -> dict[str, Any] | None:
    """Return pairs of rows side by side; None if the rows are not available."""
    if not effect.rows_are_known:
        return None
    found = effect.examples(SHOWN)
    if not found.pairs:
        return None
    return {
        "title": evidence.TITLE,
        "sentence": found.summary(),
        "pairs": [
            {
                "heads": [f"Row {row + 1:,}" for row in pair.rows],
                "rows": found.lines(pair)[: 2 + MOST_OTHERS],
                "more": max(len(pair.others) - MOST_OTHERS, 0),
                "says": found.says(pair),
            }
            for pair in found.pairs
        ],
    }


def support_part(effect: Effect) -> dict[str, Any] | None:
    """Return how many rows support a curve, or the commonest levels, and where they are fewest.

    None if the rows are not available.
    """
    if not effect.rows_are_known or len(effect.effect) < 2:
        return None
    behind = effect.rows_behind()
    if effect.is_curve:
        shown, at = np.arange(len(effect.effect)), effect.positions
        middle = int(np.searchsorted(np.cumsum(effect.weights), effect.weights.sum() / 2))
    else:
        codes = {str(level): code for code, level in enumerate(behind.column.levels)}
        known = [k for k, name in enumerate(effect.labels) if name in codes]
        shown = np.array(sorted(known, key=lambda k: -effect.weights[k])[:MOST_BARS])
        at, middle = np.array([float(codes[effect.labels[k]]) for k in shown]), 0
    rows, strata = supports(effect, behind, at)
    compared = "can be compared with the other columns held still"
    labels = effect.labels
    least, names = int(np.argmin(rows)), [labels[k] for k in shown]
    if rows[least] == rows.max():
        sentence = f"{rows[least]:,} rows in {strata[least]:,} strata {compared}."
        return {"title": support.TITLE, "sentence": sentence, "picture": ""}
    sentence = (
        f"At {effect.feature} = {names[middle]}, {rows[middle]:,} rows in {strata[middle]:,} "
        f"strata {compared}; the fewest, {rows[least]:,} in {strata[least]:,}, at {names[least]}."
    )
    places = at if effect.is_curve else np.arange(len(at), dtype=np.float64)
    return {"title": support.TITLE, "sentence": sentence, "picture": _bars_svg(places, rows, names)}


def _bars_svg(at: FloatArray, rows: IntArray, names: list[str]) -> str:
    """Draw the number of rows at each point as bars; label the ends and the maximum."""
    right, low = WIDE - 10, LOW - 18
    span = (float(at[-1] - at[0]) or 1.0) * 1.04
    x = EDGE + 6 + (right - EDGE - 12) * (at - at[0]) / span
    high = (low - 12) * rows / max(int(rows.max()), 1)
    bars = "".join(
        f'<path d="M{a:.1f} {low}V{low - h:.1f}" stroke="{theme.BLUE}" stroke-width="3">'
        f"<title>{escape(name)}: {count:,} rows</title></path>"
        for a, h, name, count in zip(x, high, names, rows, strict=True)
    )
    return (
        f'<svg class="doubt" width="{WIDE}" height="{LOW}" viewBox="0 0 {WIDE} {LOW}" '
        f'aria-hidden="true" font-size="11" fill="currentColor">{bars}'
        f'<path d="M{EDGE} {low}H{right}" stroke="currentColor" opacity="0.5"/>'
        f'<text x="{EDGE - 4}" y="20" text-anchor="end">{int(rows.max()):,}</text>'
        f'<text x="{EDGE}" y="{LOW - 4}">{escape(names[0])}</text>'
        f'<text x="{right}" y="{LOW - 4}" text-anchor="end">{escape(names[-1])}</text></svg>'
    )


def doubt_part(effect: Effect) -> dict[str, Any] | None:
    """Return how much it takes to undo an effect; None if it is unclear or has no interval."""
    if effect.unclear or effect.lower is None or not effect.rows_are_known:
        return None
    error = effect.standard_error
    if error is None or not np.nanmax(error) > 0:
        return None
    found = effect.robustness()
    return {"title": robustness.TITLE, "sentence": found.summary(), "picture": doubt_svg(found)}


def doubt_svg(found: Robustness) -> str:
    """Draw what a missing column must explain, and what columns in the table explain.

    Examples
    --------
    >>> from paribus.results.contrast import contrast_of
    >>> from paribus.results.robustness import robustness_of
    >>> harm = robustness_of("harm", "peace", contrast_of(0.0973, 0.0233, 0.95), 783)
    >>> doubt_svg(harm).count("<polyline")
    2
    """
    dots = found.benchmarks[:MOST_DOTS]
    end = found.reach(dots)
    x = np.linspace(end / 200, end, 200)
    body = [
        _line(x, found.undoing(x, interval), end, dash)
        for interval, dash in ((False, ""), (True, ' stroke-dasharray="4 3"'))
    ]
    body += _dots([(one.column, *_place(one.with_x, one.with_y, end)) for one in dots])
    return (
        f'<svg class="doubt" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" role="img" '
        f'aria-label="{escape(found.summary())}" font-size="11" fill="currentColor">'
        f"{_frame(found, end)}{''.join(body)}</svg>"
    )


def _frame(found: Robustness, end: float) -> str:
    right, low = WIDE - 10, HIGH - EDGE
    axes = f'<path d="M{EDGE} 10V{low}H{right}" fill="none" stroke="currentColor" opacity="0.5"/>'
    most = f"{100 * end:.2g} %"
    return (
        f'{axes}<text x="{EDGE - 4}" y="18" text-anchor="end">{most}</text>'
        f'<text x="{right}" y="{low + 14}" text-anchor="end">{most}</text>'
        f'<text x="{(EDGE + right) / 2}" y="{low + 30}" text-anchor="middle">of what is left of '
        f"{escape(found.feature)}</text>"
        f'<text transform="translate(14 {low / 2 + 5}) rotate(-90)" text-anchor="middle">of '
        f"{escape(found.target)}</text>"
    )


def _place(x: float, y: float, end: float) -> tuple[float, float]:
    across, down = (WIDE - 10 - EDGE) * x / end, (HIGH - EDGE - 10) * y / end
    return EDGE + across, HIGH - EDGE - down


def _line(x: Any, y: Any, end: float, dash: str) -> str:
    inside = [_place(a, b, end) for a, b in zip(x, y, strict=True) if b <= end]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in inside)
    return f'<polyline fill="none" stroke="currentColor"{dash} points="{points}"/>'


def _dots(places: list[tuple[str, float, float]]) -> list[str]:
    """Draw columns as dots, each with its name where that does not lie on another."""
    drawn, named = [], list[tuple[float, float]]()
    for name, x, y in places:
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{theme.BLUE}"/>')
        if all(abs(y - b) > CLEAR or abs(x - a) > CLEAR * 8 for a, b in named):
            named.append((x, y))
            anchor, shift = ("end", -6) if x > WIDE * 0.7 else ("start", 6)
            drawn.append(
                f'<text x="{x + shift:.1f}" y="{y - 4:.1f}" text-anchor="{anchor}">'
                f"{escape(name)}</text>"
            )
    return drawn
