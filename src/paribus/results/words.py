"""An effect in one sentence that an analyst can paste. Never a causal claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.base.notes import rows
from paribus.estimate.bands import normal_quantile
from paribus.results.shape import Shape, bulk, shape_of

if TYPE_CHECKING:
    from paribus.results.base import Effect
    from paribus.results.effect import CategoricalEffect, NumericEffect

NEGLIGIBLE = 1e-6  # an impact of less than this share is rounding
NO_EFFECT = 0.05  # above this p-value a sentence says that no effect can be told
TIMES = (
    (365.25, "year"),
    (30.4375, "month"),
    (7.0, "week"),
    (1.0, "day"),
    (1 / 24, "hour"),
    (1 / 1440, "minute"),
    (1 / 86_400, "second"),
)
SAID_BY = {
    "fpd": "partial dependence",
    "ice": "partial dependence",
    "ale": "accumulated local effects",
    "shap": "SHAP values",
}
COMMON = 0.02  # share of the rows that a level must have to be called highest or lowest
COMMONEST = 10  # levels that count as common where none has that share
FEW_MISSING = 10  # fewer rows without a value are not worth a word


def numeric_sentence(e: NumericEffect) -> str:
    """Say what a numeric column goes with."""
    if not e.explained:
        return e.notes[-1].text
    if e.p_value > NO_EFFECT or _is_rounding(e) or is_noise(e):
        return _no_effect(e)
    if np.ptp(e.effect) == 0:
        return _nothing_changes(e)
    if len(e.x) == 2:
        return f"{_two_values(e)}{_missing_words(e)}; {_speaking(e)}."
    half = np.zeros(len(e.x)) if e.upper is None else e.upper - e.effect
    shape = shape_of(e.positions, e.effect, _mass(e), half)
    told = {
        "line": _line,
        "rise": _rise,
        "fall": _rise,
        "peak": _turn,
        "trough": _turn,
        "step": _step,
        "wave": _wave,
    }[shape.kind](e, shape)
    return f"{told}{_missing_words(e)}; {_speaking(e)}."


def level_sentence(e: CategoricalEffect) -> str:
    """Say what the levels of a category go with."""
    known = np.flatnonzero(~np.isnan(e.effect))
    if e.island is not None:
        known = known[e.island[known] == 0]
    if not e.explained:
        return e.notes[-1].text
    if len(known) < 2:
        return (
            f"What {e.feature} goes with cannot be told: its commonest level meets no other among "
            f"rows alike in the other columns; {_speaking(e)}."
        )
    if e.p_value > NO_EFFECT or _is_rounding(e):
        return _no_effect(e)
    if np.ptp(e.effect[known]) == 0:
        return _nothing_changes(e)
    common = _common(e, known)
    top, bottom = (int(common[f(e.effect[common])]) for f in (np.argmax, np.argmin))
    apart = np.eye(len(e.effect))[top] - np.eye(len(e.effect))[bottom]
    amount = f"{number(e.effect[top] - e.effect[bottom])}{_unit(e)}"
    if len(known) == 2:
        told = (
            f"{e.feature} = {e.levels[top]} goes with about {amount} more {_goal(e)} than "
            f"{e.levels[bottom]}{_interval(e, apart)}, {_held(e)}"
        )
    else:
        among = "" if len(common) == len(known) else "among its commoner levels, "
        told = (
            f"{_object(e)} is highest at {e.feature} = {e.levels[top]} and lowest at "
            f"{e.levels[bottom]}, {among}about {amount} apart{_interval(e, apart)}, {_held(e)}"
        )
    return f"{told}; {_speaking(e)}."


def _common(e: CategoricalEffect, known: IntArray) -> IntArray:
    """Return the levels that are not rare, at least two: rare ones are extreme by chance."""
    often = known[e.count[known] >= COMMON * e.count.sum()]
    if len(often) >= 2:
        return often
    return np.sort(known[np.argsort(-e.count[known], kind="stable")[:COMMONEST]])


def question(target: str) -> str:
    """Ask what all results answer."""
    return f"What goes with {target}, other things equal?"


def size(n_rows: int, n_columns: int) -> str:
    """Say how large a table is.

    Examples
    --------
    >>> size(2000, 1)
    '2,000 rows, 1 column.'
    """
    return f"{rows(n_rows)}, {n_columns:,} column{'' if n_columns == 1 else 's'}."


def number(value: float) -> str:
    """Write a number as people do, to three digits.

    Examples
    --------
    >>> number(1019.7), number(0.012345), number(-12.0), number(1.5e9)
    ('1,020', '0.0123', '-12', '1,500,000,000')
    """
    if value == 0 or not np.isfinite(value):
        return "0" if value == 0 else str(value)
    digits = 2 - int(np.floor(np.log10(abs(value))))
    rounded = round(float(value), digits)
    if abs(rounded) < 1e-4:
        return f"{rounded:.3g}"
    text = f"{rounded:,.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole(value: int) -> str:
    """Write a whole number to its last digit; up to four, years among them, without a comma.

    Examples
    --------
    >>> whole(2015), whole(98001)
    ('2015', '98,001')
    """
    return f"{value:,}" if abs(value) >= 10_000 else str(value)


def impact_words(e: Effect) -> str:
    """Write an impact; what is rounding beside the other columns is nothing."""
    if is_noise(e):
        return "not known"
    return "0" if _is_rounding(e) else number(e.impact)


def _is_rounding(e: Effect) -> bool:
    return 0 < e.share < NEGLIGIBLE


def is_noise(e: Effect) -> bool:
    """Tell whether a column takes no share because too little of it is left to vary."""
    return e.share == 0 and hardly_varies(e)


def hardly_varies(e: Effect) -> bool:
    """Tell whether the other columns, held still, leave a column next to nothing to vary."""
    return any(note.kind in ("twins", "nearly_fixed") for note in e.notes)


def share_words(share: float) -> str:
    """Write a share in per cent, as finely as it matters.

    Examples
    --------
    >>> share_words(0.634), share_words(0.0212), share_words(1e-6), share_words(0.0)
    ('63.4 %', '2.12 %', '<0.1 %', '0 %')
    """
    return "<0.1 %" if 0 < share < 0.001 else f"{number(100 * share)} %"


def place(e: NumericEffect, k: int) -> str:
    """Write the k-th value of a column, a number or a date, as finely as the axis asks for."""
    if e.x.dtype.kind == "M":
        short = e.positions[-1] - e.positions[0] < 3
        return str(e.x[k].astype("datetime64[s]" if short else "datetime64[D]")).replace("T", " ")
    first, last = bulk(_mass(e), 0.05)
    value, span = float(e.x[k]), float(e.x[last] - e.x[first])
    digits = 2 - int(np.floor(np.log10(span)))
    if np.all(e.x == np.round(e.x)):
        return whole(int(value))
    rounded = round(value, digits) + 0.0
    # Up to four digits, years among them, are read more easily without a separator.
    comma = "," if abs(rounded) >= 10_000 else ""
    text = f"{rounded:{comma}.{min(max(digits, 0), 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _two_values(e: NumericEffect) -> str:
    top = int(np.argmax(e.effect))
    apart = np.array([-1.0, 1.0]) * (1 if top == 1 else -1)
    amount = f"{number(float(apart @ e.effect))}{_unit(e)}"
    return (
        f"{e.feature} = {place(e, top)} goes with about {amount} more {_goal(e)} than "
        f"{place(e, 1 - top)}{_interval(e, apart)}, {_held(e)}"
    )


def _line(e: NumericEffect, shape: Shape) -> str:
    axis, mass = e.positions, _mass(e)
    run = axis - np.average(axis, weights=mass)
    weights = mass * run / np.average(run**2, weights=mass) / mass.sum()
    step, step_words = _natural_step(e, axis[shape.last] - axis[shape.first])
    slope = float(weights @ e.effect) * step
    more = "more" if slope >= 0 else "less"
    turned = weights * step * (1 if slope >= 0 else -1)
    if _may_be_zero(e, turned):
        return _wave(e, shape)
    return (
        f"Each extra {step_words} of {e.feature} goes with about {number(abs(slope))}{_unit(e)} "
        f"{more} {_goal(e)}{_interval(e, turned)}, {_held(e)}; close to linear"
    )


def _natural_step(e: NumericEffect, span: float) -> tuple[float, str]:
    """Choose the step of the axis that a sentence speaks of: 1 where that is a fair stretch."""
    if e.x.dtype.kind == "M":
        for days, word in TIMES:
            if span >= 2 * days:
                return days, word
        return TIMES[-1]
    power = 10.0 ** np.floor(np.log10(span))
    step = 1.0 if 1 <= span <= 50 else power / (1 if span / power >= 3 else 10)
    return step, number(step)


def _rise(e: NumericEffect, shape: Shape) -> str:
    first, last = shape.first, shape.last
    across = np.eye(len(e.x))[last] - np.eye(len(e.x))[first]
    change = float(e.effect[last] - e.effect[first])
    verb = "rises" if change >= 0 else "falls"
    if _may_be_zero(e, across):
        return _wave(e, shape)
    return (
        f"{_object(e)} {verb} with {e.feature}: by about {number(abs(change))}{_unit(e)}"
        f"{_interval(e, across * np.sign(change))} from {place(e, first)} to {place(e, last)}, "
        f"{_held(e)}{_bend(e, shape)}"
    )


def _missing_words(e: NumericEffect) -> str:
    """Say where the rows without a value lie, if that is surely not at the mean."""
    if e.missing is None or e.missing.count < FEW_MISSING:
        return ""
    if e.missing.lower <= 0 <= e.missing.upper:
        return ""
    side = "above" if e.missing.effect > 0 else "below"
    amount = f"{number(abs(e.missing.effect))}{_unit(e)}"
    return f"; rows without a value lie about {amount} {side} the mean"


def _bend(e: NumericEffect, shape: Shape) -> str:
    """Say whether a rise or fall slows down or speeds up."""
    axis, g = e.positions, e.effect
    middle = (axis[shape.first] + axis[shape.last]) / 2
    early = abs(np.interp(middle, axis, g) - g[shape.first])
    late = abs(g[shape.last] - np.interp(middle, axis, g))
    if late < early / 3:
        return "; levelling off"
    return "; steeper towards the high end" if late > 3 * early else ""


def _turn(e: NumericEffect, shape: Shape) -> str:
    extreme, side = ("highest", "above") if shape.kind == "peak" else ("lowest", "below")
    at, first, last = shape.at, shape.first, shape.last
    left, right = (number(abs(float(e.effect[at] - e.effect[k]))) for k in (first, last))
    return (
        f"Between {e.feature} = {place(e, first)} and {place(e, last)}, {_object(e)} is {extreme} "
        f"near {place(e, at)}: about {left}{_unit(e)} {side} its value at the low end and {right} "
        f"{side} that at the high end, {_held(e)}"
    )


def _step(e: NumericEffect, shape: Shape) -> str:
    change = float(e.effect[shape.last] - e.effect[shape.first])
    across = np.eye(len(e.x))[shape.last] - np.eye(len(e.x))[shape.first]
    way = "up" if change >= 0 else "down"
    return (
        f"{_object(e)} is nearly flat in {e.feature} but for a step {way} of about "
        f"{number(abs(change))}{_unit(e)}{_interval(e, across * np.sign(change))} near "
        f"{place(e, shape.at)}, {_held(e)}"
    )


def _wave(e: NumericEffect, shape: Shape) -> str:
    inside = slice(shape.first, shape.last + 1)
    top = shape.first + int(np.argmax(e.effect[inside]))
    bottom = shape.first + int(np.argmin(e.effect[inside]))
    spread = number(float(e.effect[top] - e.effect[bottom]))
    return (
        f"Between {e.feature} = {place(e, shape.first)} and {place(e, shape.last)}, {_object(e)} "
        f"goes up and down: highest near {place(e, top)}, lowest near {place(e, bottom)}, about "
        f"{spread}{_unit(e)} apart, {_held(e)}"
    )


def _no_effect(e: Effect) -> str:
    if is_noise(e):
        return (
            f"What {e.feature} goes with cannot be told: the other columns, held still, leave next "
            f"to nothing of it to vary, and what these rows say of that is noise; {_speaking(e)}."
        )
    if _is_rounding(e):
        return (
            f"{e.feature} goes with next to nothing of {_object(e)}, less than a millionth of what "
            f"all columns go with, {_held(e)}; {_speaking(e)}."
        )
    most = ""
    if e.band_upper is not None and e.band_lower is not None and e.mass is not None:
        first, last = bulk(e.mass, 0.01) if hasattr(e, "x") else (0, len(e.mass) - 1)
        widest = np.maximum(e.band_upper, -e.band_lower)[first : last + 1]
        bound = float(np.nanmax(widest))
        most = f"; if there is one, it is within about {number(bound)}{_unit(e)} of none"
    return (
        f"No effect of {e.feature} on {_object(e)} can be told from these rows "
        f"(p = {e.p_value:.2g}), {_held(e)}{most}; {_speaking(e)}."
    )


def _nothing_changes(e: Effect) -> str:
    return f"{_object(e)} does not change with {e.feature}, {_held(e)}; {_speaking(e)}."


def _held(e: Effect) -> str:
    alone = any(note.kind == "nothing_held" for note in e.notes)
    return "nothing else held still" if alone else "other columns held still"


def _mass(e: NumericEffect) -> FloatArray:
    return np.ones(len(e.x)) if e.mass is None else e.mass


def _interval(e: Effect, weights: FloatArray) -> str:
    """Write the interval of a linear function of the effect, where it is known."""
    ends = _ends(e, weights)
    sure = number(100 * e.conf_level)
    return f" ({sure} % interval {number(ends[0])} to {number(ends[1])})" if ends else ""


def _may_be_zero(e: Effect, weights: FloatArray) -> bool:
    ends = _ends(e, weights)
    return ends is not None and ends[0] <= 0 <= ends[1]


def _ends(e: Effect, weights: FloatArray) -> tuple[float, float] | None:
    """Return the interval of a linear function of the effect, where it is known."""
    if e.upper is None:
        return None
    m = len(weights)
    value = float(weights @ np.nan_to_num(e.effect))
    if e.covariance is None:  # very many levels are all but independent of each other
        half = float(np.sqrt(weights**2 @ np.nan_to_num(e.upper - e.effect) ** 2))
    else:
        half = normal_quantile(e.conf_level) * float(
            np.sqrt(weights @ e.covariance[:m, :m] @ weights)
        )
    return value - half, value + half


def _goal(e: Effect) -> str:
    """Name the target after 'more'; a class in quotes, for it is a sentence itself."""
    return f'of "{e.target}"' if e.unit else e.target


def _object(e: Effect) -> str:
    return f"the share {_goal(e)}" if e.unit else e.target


def _unit(e: Effect) -> str:
    return f" {e.unit}" if e.unit else ""


def _speaking(e: Effect) -> str:
    if e.method in SAID_BY:
        return f"so says the model, by {SAID_BY[e.method]}"
    share = 100 * e.n_used / e.n_rows
    differs = f"{differing(e)}; " if e.differs else ""
    little = ", of the little that is left to vary" if hardly_varies(e) else ""
    return f"{differs}{'all' if e.n_used == e.n_rows else _percent(share)} rows speak{little}"


def differing(e: Effect) -> str:
    """Say with which columns an effect differs, where it does."""
    if not e.differs:
        return ""
    names = [repr(name) for name in e.differs.columns]
    listed = " and ".join([*([", ".join(names[:-1])] if names[1:] else []), names[-1]])
    return f"that is an average over the rows, it differs with {listed}"


def _percent(share: float) -> str:
    shown: Any = int(share) if share >= 1 else round(share, 1)
    return f"{shown} % of the"
