"""An effect in one sentence that an analyst can paste. Never a causal claim.

A sentence never begins with the name of a column, so that it can begin with a capital letter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import IntArray
from paribus.base.wording import listed
from paribus.results.scales import OF_THE_ODDS, is_ratio
from paribus.results.shape import Shape, bulk, shape_of
from paribus.results.words import interval_words, number, p_words, places, quantity, with_unit

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.categorical import CategoricalEffect
    from paribus.results.contrast import Contrast
    from paribus.results.numeric import NumericEffect

TIMES = (
    (365.25, "year"),
    (30.4375, "month"),
    (7.0, "week"),
    (1.0, "day"),
    (1 / 24, "hour"),
    (1 / 1440, "minute"),
    (1 / 86_400, "second"),
)
TECHNIQUES = {
    "fpd": "partial dependence",
    "ice": "partial dependence",
    "ale": "accumulated local effects",
    "shap": "SHAP values",
}
FEW_MISSING = 10  # fewer rows without a value are not mentioned
MOST_DIFFERING = 3  # columns named in a sentence
A_THOUSANDFOLD = 100_000  # per cent: a difference that may be larger may be any
MOST_COMPARED = 3  # levels compared with a reference in a sentence


def numeric_sentence(e: NumericEffect) -> str:
    """Say what a numeric column goes with."""
    if not e.explained:
        return e.notes[-1].text
    if e.unclear or e.negligible or e.unidentified:
        return _no_effect(e)
    if np.ptp(e.effect) == 0:
        return _nothing_changes(e)
    if len(e.x) == 2:
        said = _two_levels(e, np.arange(2))
    elif e.is_round:
        bottom, top = int(np.argmin(e.effect)), int(np.argmax(e.effect))
        said = _from_low_to_high(e, "Over the whole circle of", "near", bottom, top)
    else:
        half = np.zeros(len(e.x)) if e.upper is None else e.as_linear(e.upper) - e.linear
        shape = shape_of(e.run, e.linear, e.weights, half)
        # Any other shape rises or falls.
        say = {"line": _line, "peak": _turn, "trough": _turn, "step": _step, "wave": _wave}
        asked = e.per and shape.kind != "line"
        said = _average(e, e.average_slope()) if asked else say.get(shape.kind, _rise)(e, shape)
    return f"{said}{_missing_words(e)}; {_basis(e)}."


def level_sentence(e: CategoricalEffect) -> str:
    """Say what the levels of a category go with."""
    if not e.explained:
        return e.notes[-1].text
    at = e.labels.index(e.reference) if e.reference else None
    main = 0 if at is None else e.pieces[at]
    known = np.flatnonzero(~np.isnan(e.effect) & (e.pieces == main))
    if len(known) < 2 or (at is not None and at not in known):
        lonely = e.reference or "its commonest level"
        return (
            f"What {e.feature} goes with is not known: with the other columns held still, rows of "
            f"{lonely} cannot be compared with rows of any other level; {_basis(e)}."
        )
    if e.unclear or e.negligible:
        return _no_effect(e)
    if np.ptp(e.effect[known]) == 0:
        return _nothing_changes(e)
    if len(known) == 2:
        said = _two_levels(e, known)
    else:
        said = _extremes(e, known) if at is None else _against(e, known, at)
    return f"{said}; {_basis(e)}."


# ---- curves ------------------------------------------------------------------------------------


def _line(e: NumericEffect, shape: Shape) -> str:
    axis, weights = e.run, e.weights
    run = axis - np.average(axis, weights=weights)
    per_unit = weights * run / np.average(run**2, weights=weights) / weights.sum()
    span = float(axis[shape.last] - axis[shape.first])
    step, words = step_of(e) if e.per else natural_step(span, dated=e.is_dated)
    slope = e.contrast(per_unit * step)
    if slope.may_be_zero:
        return _wave(e, shape)
    along = " in its logarithm" if e.per == "doubling" else ""
    return f"Each {words} of {e.feature} goes with {_more(e, slope)}; close to linear{along}"


def _rise(e: NumericEffect, shape: Shape) -> str:
    change = e._apart(shape.first, shape.last)
    if change.may_be_zero:
        return _wave(e, shape)
    verb = _verb(e, "rises" if change.value >= 0 else "falls")
    first, last = e.labels[shape.first], e.labels[shape.last]
    return (
        f"From {e.feature} = {first} to {last}, {_object(e)} {verb} by about "
        f"{_amount(e, change)}, {_held(e)}{_bend(e, shape)}"
    )


def _turn(e: NumericEffect, shape: Shape) -> str:
    extreme, side = ("highest", "above") if shape.kind == "peak" else ("lowest", "below")
    left, right = (e._apart(k, shape.at) for k in (shape.first, shape.last))
    ends = {"low": left, "high": right}
    clear = {end: found for end, found in ends.items() if not found.may_be_zero}
    if not clear:
        return _surest(e, shape)
    apart = [
        f"{_amount(e, found)} {side} its value at the {end} end" for end, found in clear.items()
    ]
    unclear = [f"; the difference from the {end} end is not clear" for end in ends.keys() - clear]
    return (
        f"{_between_ends(e, shape)}, {_object(e)} {_verb(e)} {extreme} near "
        f"{e.labels[shape.at]}: about {' and '.join(apart)}, {_held(e)}{''.join(unclear)}"
    )


def _step(e: NumericEffect, shape: Shape) -> str:
    change = e._apart(shape.first, shape.last)
    if change.may_be_zero:
        return _surest(e, shape)
    way = "up" if change.value >= 0 else "down"
    return (
        f"Along {e.feature}, {_object(e)} {_verb(e)} nearly flat but for a step {way} of about "
        f"{_amount(e, change)} near {e.labels[shape.at]}, {_held(e)}"
    )


def _wave(e: NumericEffect, shape: Shape) -> str:
    inside = slice(shape.first, shape.last + 1)
    top = shape.first + int(np.argmax(e.effect[inside]))
    bottom = shape.first + int(np.argmin(e.effect[inside]))
    apart = e._apart(bottom, top)
    if apart.may_be_zero:
        return _surest(e, shape)
    return (
        f"{_between_ends(e, shape)}, {_object(e)} {_verb(e, 'goes')} up and down: highest near "
        f"{e.labels[top]}, lowest near {e.labels[bottom]}, about {_size(e, apart)} apart"
        f"{_interval(apart)}, {_held(e)}"
    )


def _surest(e: NumericEffect, shape: Shape) -> str:
    """Compare two points that clearly differ, where the highest and the lowest do not."""
    bottom, top = _surely_apart(e, np.arange(shape.first, shape.last + 1))
    apart = e._apart(bottom, top)
    if bottom == top or apart.may_be_zero:
        return _vague(e)
    more = _higher(e, apart, f"at {e.labels[bottom]}")
    return (
        f"At {e.feature} = {e.labels[top]}, {_object(e)} {_verb(e)} {more}, {_held(e)}; "
        "how other values differ is less clear"
    )


def _between_ends(e: NumericEffect, shape: Shape) -> str:
    return f"Between {e.feature} = {e.labels[shape.first]} and {e.labels[shape.last]}"


def _bend(e: NumericEffect, shape: Shape) -> str:
    """Say whether a rise or fall slows down or speeds up."""
    axis, g = e.run, e.linear
    middle = (axis[shape.first] + axis[shape.last]) / 2
    early = abs(np.interp(middle, axis, g) - g[shape.first])
    late = abs(g[shape.last] - np.interp(middle, axis, g))
    if late < early / 3:
        return "; levelling off"
    return "; steeper towards the high end" if late > 3 * early else ""


def natural_step(span: float, *, dated: bool) -> tuple[float, str]:
    """Choose the step that a sentence names: 1 where that is a sensible part of the span."""
    if dated:
        for days, word in TIMES:
            if span >= 2 * days:
                return days, f"extra {word}"
        return TIMES[-1][0], f"extra {TIMES[-1][1]}"
    power = 10.0 ** np.floor(np.log10(span))
    step = 1.0 if 1 <= span <= 50 else power / (1 if span / power >= 3 else 10)
    return step, f"extra {number(step)}"


def step_of(e: NumericEffect) -> tuple[float, str]:
    """Return the step in which slopes are given, along `e.run`, and its name."""
    if e.per == "doubling":
        return 1.0, "doubling"
    step = float(e.per or 1)
    if e.is_dated:
        return step, "extra day" if step == 1 else f"extra {number(step)} days"
    return step, f"extra {number(step)}"


def _missing_words(e: NumericEffect) -> str:
    """Say where the rows without a value lie, if that is clearly not at the mean."""
    if e.missing is None or e.missing.count < FEW_MISSING:
        return ""
    if e.missing.lower <= 0 <= e.missing.upper:
        return ""
    side = "above" if e.missing.effect > 0 else "below"
    amount = with_unit(abs(e.missing.effect), e.unit)
    return f"; rows without a value lie about {amount} {side} {_zero(e)}"


# ---- levels ------------------------------------------------------------------------------------


def _two_levels(e: Effect, known: IntArray) -> str:
    """Compare one of two levels with the reference: 0 or False, otherwise the commoner one."""
    first, second = (int(k) for k in known)
    plain = all(e.axis[k] in (0, 1) for k in known)  # False and True among them
    asked = e.reference in (e.labels[first], e.labels[second])
    commoner = e.weights[second] > e.weights[first] and not plain
    if e.reference == e.labels[second] if asked else commoner:
        first, second = second, first
    found = e._apart(first, second)
    if found.may_be_zero:
        return _vague(e)
    return _versus(e, e.labels[first], e.labels[second], found)


def _versus(e: Effect, reference: str, level: str, found: Contrast) -> str:
    return (
        f"With {e.feature} = {level}, {_object(e)} {_verb(e)} "
        f"{_higher(e, found, f'with {reference}')}, {_held(e)}"
    )


def _against(e: CategoricalEffect, known: IntArray, at: int) -> str:
    """Compare levels with the reference, number `at`, the furthest from it first."""
    found = {int(k): e._apart(at, int(k)) for k in known if k != at}
    clear = [k for k, one in found.items() if not one.may_be_zero]
    if not clear:
        return _vague(e)
    clear.sort(key=lambda k: -abs(found[k].value))
    named = [
        f"about {_size(e, found[k])} {_side(found[k])} with {e.labels[k]}{_interval(found[k])}"
        for k in clear[:MOST_COMPARED]
    ]
    return (
        f"Compared with {e.feature} = {e.reference}, {_object(e)} {_verb(e)} "
        f"{listed(named, write=str)}, {_held(e)}"
        f"{_not_named(len(clear) - len(named), len(found) - len(clear))}"
    )


def _not_named(clear: int, unclear: int) -> str:
    """Say how many more levels differ from the reference, and how many do not."""
    more = f"; {clear:,} more {'differ' if clear > 1 else 'differs'} clearly" if clear else ""
    rest = f"; {unclear:,} {'do' if unclear > 1 else 'does'} not differ clearly" if unclear else ""
    return f"{more}{rest}"


def _extremes(e: CategoricalEffect, known: IntArray) -> str:
    """Name the levels that are clearly highest and lowest, and those that may lie beyond them."""
    bottom, top = _surely_apart(e, known)
    return _from_low_to_high(e, "Across", "at", bottom, top, _beyond(e, known, top, bottom))


def _beyond(e: CategoricalEffect, known: IntArray, top: int, bottom: int) -> str:
    """Name levels estimated beyond the extremes, but too uncertainly to be named as such."""
    labels = e.labels
    sides = {
        "higher": [labels[k] for k in known if e.effect[k] > e.effect[top]],
        "lower": [labels[k] for k in known if e.effect[k] < e.effect[bottom]],
    }
    few = {side: listed(levels, 2, write=str) for side, levels in sides.items() if levels}
    named = [f"{levels} may be {side} still" for side, levels in few.items()]
    return f"; {' and '.join(named)}, but known less well" if named else ""


# ---- no effect ---------------------------------------------------------------------------------


def _no_effect(e: Effect) -> str:
    if e.unidentified:
        return (
            f"What {e.feature} goes with is not known: the other columns, held still, leave next "
            "to nothing of it to vary."
        )
    if e.negligible:
        return (
            f"Next to nothing of {_object(e)} goes with {e.feature}, less than a millionth of what "
            f"goes with all columns, {_held(e)}; {_basis(e)}."
        )
    most = ""
    if e.band_upper is not None and e.band_lower is not None and e.row_share is not None:
        first, last = bulk(e.row_share, 0.01) if e.is_curve else (0, len(e.row_share) - 1)
        widest = np.maximum(e.band_upper, -e.band_lower)[first : last + 1]
        bound = float(np.nanmax(widest))
        if bound < (A_THOUSANDFOLD if is_ratio(e.unit) else np.inf):
            told = with_unit(bound, e.unit)
            most = f"; any difference from {_zero(e)} is less than about {told}"
    return (
        f"No clear effect of {e.feature} on {_object(e)} ({p_words(e.p_value)}), "
        f"{_held(e)}{most}; {_basis(e)}."
    )


def _vague(e: Effect) -> str:
    """Say that there is a link although no single difference is clearly above zero."""
    what = "values" if e.is_curve else "levels"
    return (
        f"There is a link between {e.feature} and {_object(e)} ({p_words(e.p_value)}), "
        f"{_held(e)}, but which {what} differ, and by how much, is not clear"
    )


def _nothing_changes(e: Effect) -> str:
    return f"No change of {_object(e)} with {e.feature}, {_held(e)}; {_basis(e)}."


# ---- contrasts ---------------------------------------------------------------------------------


def between_values(e: NumericEffect, a: Any, b: Any, found: Contrast) -> str:
    """Put a difference between two values of a column into words."""
    first, second = (written(e, v) for v in (a, b))
    more = _higher(e, found, f"at {first}")
    return f"At {e.feature} = {second}, {_object(e)} {_verb(e)} {more}, {_held(e)}."


def between_levels(e: CategoricalEffect, a: Any, b: Any, found: Contrast) -> str:
    """Put a difference between two levels into words."""
    return f"{_versus(e, str(a), str(b), found)}."


def slope_at(e: NumericEffect, value: Any, found: Contrast) -> str:
    """Put the slope at a value into words."""
    where = f"At {e.feature} = {written(e, value)}, each {step_of(e)[1]} goes with"
    return f"{where} {_more(e, found)}."


def average_slope(e: NumericEffect, found: Contrast) -> str:
    """Put the slope averaged over the rows into words."""
    return f"{_average(e, found)}."


def _average(e: NumericEffect, found: Contrast) -> str:
    return f"On average, each {step_of(e)[1]} of {e.feature} goes with {_more(e, found)}"


def written(e: NumericEffect, value: Any) -> str:
    """Write a value of a column as in its sentences."""
    if e.is_dated:
        return str(value)
    (text,) = places(np.array([float(value)]), float(np.ptp(e.positions)))
    return text


# ---- parts -------------------------------------------------------------------------------------


def _from_low_to_high(e: Effect, over: str, at: str, bottom: int, top: int, more: str = "") -> str:
    """Name the lowest and the highest point, and add `more`, where the two clearly differ."""
    apart = e._apart(bottom, top)
    if top == bottom or apart.may_be_zero:
        return _vague(e)
    return (
        f"{over} {e.feature}, {_object(e)} {_verb(e)} highest {at} {e.labels[top]} and lowest "
        f"{at} {e.labels[bottom]}, about {_size(e, apart)} apart{_interval(apart)}, {_held(e)}"
        f"{more}"
    )


def _surely_apart(e: Effect, points: IntArray) -> tuple[int, int]:
    """Return which of some points is surely lowest and which surely highest, as far as known."""
    error = np.zeros(len(e.effect)) if e.upper is None else np.nan_to_num(e.upper - e.effect)
    low, high = (e.effect + error)[points], (e.effect - error)[points]
    return int(points[np.argmin(low)]), int(points[np.argmax(high)])


def _amount(e: Effect, found: Contrast) -> str:
    """Write the size of a difference with its interval, where that is known."""
    return f"{_size(e, found)}{_interval(found)}"


def _size(e: Effect, found: Contrast) -> str:
    return with_unit(abs(found.value), e.unit)


def _interval(found: Contrast) -> str:
    if np.isnan(found.se):
        return ""
    return f" ({interval_words(found.conf_level, found.lower, found.upper, found.value < 0)})"


def _more(e: Effect, found: Contrast) -> str:
    """Say how much more or less of the target there is, other columns held still."""
    amount = f"about {_size(e, found)}"
    rest = f"{_interval(found)}, {_held(e)}"
    if quantity(e.target, e.unit) != e.target:
        return f"{quantity(e.target, e.unit)} being {amount} {_side(found)}{rest}"
    return f"{amount} {'more' if found.value >= 0 else 'less'} {e.target}{rest}"


def _higher(e: Effect, found: Contrast, than: str) -> str:
    return f"about {_size(e, found)} {_side(found)} than {than}{_interval(found)}"


def _side(found: Contrast) -> str:
    return "higher" if found.value >= 0 else "lower"


def _zero(e: Effect) -> str:
    """Name what effects are differences from."""
    return f"{e.feature} = {e.reference}" if e.reference else "the mean"


def _object(e: Effect) -> str:
    return quantity(e.target, e.unit)


def _verb(e: Effect, verb: str = "is") -> str:
    """Return the verb in the number of the object: odds are plural."""
    if e.unit != OF_THE_ODDS:
        return verb
    return {"is": "are", "goes": "go"}.get(verb, verb.removesuffix("s"))


def _held(e: Effect) -> str:
    return "nothing else held still" if e.n_held == 0 else "other columns held still"


def _basis(e: Effect) -> str:
    """Say what the estimate is based on: which share of the rows, or a model."""
    if e.method in TECHNIQUES:
        return f"according to the model, by {TECHNIQUES[e.method]}"
    little = f", though {e.feature} hardly varies with the others held still"
    based = f"based on {_share_used(e)} rows{little if e.hardly_varies else ''}"
    return f"{differing(e)}; {based}" if e.differs else based


def differing(e: Effect) -> str:
    """Say with which columns an effect differs, where it does."""
    if not e.differs:
        return ""
    names = e.differs.columns[:MOST_DIFFERING]
    most = "most " if len(e.differs.columns) > MOST_DIFFERING else ""
    where = e.differs.by[0].where
    more = f": more where {where}" if where else ""
    return (
        f"this is the average over the rows, as the effect differs {most}with {listed(names)}{more}"
    )


def _share_used(e: Effect) -> str:
    share = 100 * e.n_used / e.n_rows
    if e.n_used == e.n_rows:
        return "all"
    return f"{int(share) if share >= 1 else round(share, 1)} % of the"
