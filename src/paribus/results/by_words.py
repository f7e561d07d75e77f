"""How an effect differs between groups, in one sentence, without selecting by result.

Groups are named in the order of their rows or values, not by how much they differ; where a point of
a curve is named because the groups differ most there, its interval is the band for all points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from paribus.base.wording import listed
from paribus.results.parts import SURE
from paribus.results.sentences import natural_step
from paribus.results.shape import shape_of
from paribus.results.words import interval_words, number, p_words, places, quantity, with_unit
from paribus.table.columns import MISSING_LEVEL, days_to_dates

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.by_group import ByGroup


MOST_NAMED = 4  # groups in a sentence
STEADY = ("line", "rise", "fall", "step")


def sentence(by: ByGroup) -> str:
    """Say how an effect differs between groups."""
    first = by.effects[0]
    if not by.points:
        return by.notes[-1].text
    if not by.p_value < SURE:
        return (
            f"What {first.feature} goes with does not clearly differ with {by.column} "
            f"({p_words(by.p_value)})."
        )
    steady = len(by.points) == 2 or (first.is_curve and all(_is_steady(e) for e in by.effects))
    certain = by.chosen or any(d.lower > 0 or d.upper < 0 for d in by.differences)
    return _each(by) if steady and certain else _furthest(by)


def _is_steady(e: Effect) -> bool:
    if e.is_round:
        return False
    half = np.zeros(len(e.effect)) if e.upper is None else e.upper - e.effect
    return shape_of(e.positions, e.effect, e.weights, half).kind in STEADY


def _each(by: ByGroup) -> str:
    """Say what one step goes with in each group, and the difference."""
    first = by.effects[0]
    step, words = step_of(by)
    if len(by.points) == 2:
        low, high = two_values(by)
        start = f"With {first.feature} = {high} rather than {low}, {_object(by)} is"
        sides = ("higher", "lower")
    else:
        start, sides = f"{words.capitalize()} of {first.feature} goes with", ("more", "less")
    often = sorted(by.labels, key=lambda g: -by[g].n_rows)[:MOST_NAMED]
    target = f" {first.target}" if sides[0] == "more" and not first.unit else ""
    said: list[str] = []
    for label in (label for label in by.labels if label in often):
        value = step * next(iter(by.contrasts(label).values())).value
        more = f"{with_unit(abs(value), first.unit)} {sides[0] if value >= 0 else sides[1]}"
        said.append(f"{more}{'' if said else target} with {by.named(label)}")
    rest = len(by) - len(said)
    others = f" ({rest} more group{'s' if rest > 1 else ''} not named)" if rest else ""
    each = listed(said, len(said), write=str)
    return f"{start} {each}{others}{_gap(by, step)}, other columns held still."


def _gap(by: ByGroup, step: float) -> str:
    if len(by) > 2 or by.chosen:
        return f"; the groups differ ({p_words(by.p_value)})"
    (apart,) = by.differences
    value, low, high = (step * end for end in (apart.value, apart.lower, apart.upper))
    sure = interval_words(by.conf_level, low, high, value < 0)
    return f"; difference {number(abs(value))} ({sure}, {p_words(apart.p_value)})"


def _furthest(by: ByGroup) -> str:
    """Name the point where two groups clearly differ most.

    They are the groups with the most rows or, for a number, with its lowest and highest values.
    """
    first = by.effects[0]
    one, other, *_ = sorted(by.labels, key=lambda g: -by[g].n_rows)
    if len(by.cuts):
        values = [g for g in by.labels if g != MISSING_LEVEL]
        one, other = (values[0], values[-1]) if len(values) > 1 else (one, other)
    gap = by.curve(one, other)
    half = gap["band_upper"] - gap["effect"]
    sure = np.abs(gap["effect"]) - half
    at = int(np.argmax(sure))
    start = f"What {first.feature} goes with differs with {by.column} ({p_words(by.p_value)})"
    if sure[at] <= 0:
        return f"{start}, but where, and by how much, is not clear; other columns held still."
    value, low, high = (float(gap[name][at]) for name in ("effect", "band_lower", "band_upper"))
    side = "higher" if value > 0 else "lower"
    return (
        f"{start}: at {first.feature} = {_place(by, at)}, measured from the mean of each group, "
        f"{_object(by)} is {with_unit(abs(value), first.unit)} {side} with {by.named(other)} than "
        f"with {one} ({interval_words(by.conf_level, low, high, value < 0)}), other columns held "
        "still."
    )


def step_of(by: ByGroup) -> tuple[float, str]:
    """Return the step in which slopes of groups are given, and its words."""
    first = by.effects[0]
    if not first.is_curve:
        return 1.0, ""
    step = float(np.ptp(by.points))
    if len(by.points) == 2:
        low, high = two_values(by)
        return step, f"{high} rather than {low}"
    step, words = natural_step(step, dated=first.is_dated)
    return step, f"each {words}"


def two_values(by: ByGroup) -> tuple[str, str]:
    """Name the two values or levels that are compared, the reference first."""
    if by.effects[0].is_curve:
        return _place(by, 0), _place(by, 1)
    low, high = np.argsort(-by.share, kind="stable")[:2]  # as `ByGroup.contrasts` has them
    return str(by.points[low]), str(by.points[high])


def _place(by: ByGroup, at: int) -> str:
    first, point = by.effects[0], by.points[at]
    if not first.is_curve:
        return str(point)
    value = days_to_dates(np.array([point])) if first.is_dated else np.array([point])
    return places(value, float(np.ptp(by.points)))[0]


def _object(by: ByGroup) -> str:
    return quantity(by.effects[0].target, by.effects[0].unit)
