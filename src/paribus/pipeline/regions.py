"""Regions in which a column's effect differs, put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from paribus.base.arrays import FloatArray, quantiles_of_sorted
from paribus.base.wording import apart, listed
from paribus.estimate.bands import ANYWHERE, Limits, normal_quantile
from paribus.estimate.candidates import rows_looked_at
from paribus.estimate.moderating import ROWS_TELLING, row_slopes
from paribus.estimate.regions import Condition, Leaf, common_slope, difference, find_regions
from paribus.estimate.within import Within
from paribus.pipeline.setting import Setting
from paribus.results import Differs, Region, Regions
from paribus.results.scales import limits_of
from paribus.results.sentences import natural_step
from paribus.results.words import places
from paribus.strata.coding import sorted_values
from paribus.table.columns import Column

BULK = (0.05, 0.95)  # of the rows lie between these, a stretch that the step goes by
MANY_COLUMNS = 40  # above it, regions are made of columns that the effect is found to differ with


def with_regions(
    differs: Differs | None,
    setting: Setting,
    within: Within | None,
    residual: FloatArray,
    effect: FloatArray,
    points: FloatArray,
) -> Differs | None:
    """Add the regions in which an effect differs, where there are any.

    Parameters
    ----------
    differs : Differs, or None
    setting : Setting
    within : Within, or None
        The fit of the common effect.
    residual : float array of shape (n,)
        What it leaves, in standard deviations of the target.
    effect : float array of shape (K,)
    points : float array of shape (K,)
        What one more of is compared: values of a number, or 0 and 1.
    """
    dated = setting.column.kind not in ("number", "category")
    if differs is None or within is None or dated:
        return differs
    line = points - points.mean()
    at = rows_looked_at(len(residual), ROWS_TELLING)
    (slopes,) = row_slopes(within, residual, line[:, None], at)
    others = setting.moderators()
    if len(others) > MANY_COLUMNS:
        found = {name for moderating in differs.by for name in moderating.columns}
        others = {name: other for name, other in others.items() if name in found}
    others = {name: other.take(at) for name, other in others.items()}
    leaves = find_regions(slopes, others, setting.strata.units.take(at))
    if not leaves:
        return differs
    scale = setting.scale
    common = common_slope(within.gram, line, effect)
    z = normal_quantile(setting.conf_level)
    apart_by, error = difference(leaves)
    step, per = _step(setting.column)
    limits = limits_of(setting.problem.unit) if per is None else ANYWHERE
    return replace(
        differs,
        regions=Regions(
            feature=setting.column.name,
            target=setting.problem.target,
            unit=setting.problem.unit,
            step=step,
            items=tuple(_region(leaf, setting, common, scale, z, limits) for leaf in leaves),
            difference=scale * apart_by,
            lower=scale * (apart_by - z * error),
            upper=scale * (apart_by + z * error),
            conf_level=setting.conf_level,
            per=per,
        ),
    )


def _region(
    leaf: Leaf, setting: Setting, common: float, scale: float, z: float, limits: Limits
) -> Region:
    value, half = common + scale * leaf.value, z * scale * float(np.sqrt(leaf.variance))
    value, low, high = np.clip([value, value - half, value + half], *limits).tolist()
    return Region(_where(leaf.conditions, setting), value, low, high, leaf.share)


def _step(column: Column) -> tuple[str, float | None]:
    """Say what is compared, and how many units of a number that is."""
    if column.kind == "category":
        return f"With {column.name} = {column.levels[1]} rather than {column.levels[0]}", None
    values = sorted_values(column.values)
    span = np.ptp(quantiles_of_sorted(values, np.array(BULK))) or values[-1] - values[0]
    per, words = natural_step(float(span), dated=False)
    return f"Each {words} of {column.name}", per


def _where(conditions: Sequence[Condition], setting: Setting) -> str:
    """Say which rows fulfil all conditions; the last ones on a column say most of its levels."""
    names = list(dict.fromkeys(condition.column for condition in conditions))
    return " and ".join(
        _told(setting, setting.others[name], [c for c in conditions if c.column == name])
        for name in names
    )


def _told(setting: Setting, column: Column, conditions: Sequence[Condition]) -> str:
    if column.kind == "category":
        chosen = {column.levels[k] if k >= 0 else "missing" for k in conditions[-1].levels}
        # In the order of the table, not in that in which they are held.
        natural = setting.problem.table[column.name].levels
        in_order = dict.fromkeys((*natural, *column.levels, "missing"))
        levels = [level for level in in_order if level in chosen]
        return f"{column.name} is {listed(levels, 4, ' or ')}"
    above = [c.cut for c in conditions if c.above]
    below = [c.cut for c in conditions if not c.above]
    ends = [f"above {_shown(column, max(above))}"] if above else []
    ends += [f"at most {_shown(column, min(below))}"] if below else []
    missing = " or missing" if not above and np.isnan(column.values).any() else ""
    return f"{column.name} is {' and '.join(ends)}{missing}"


def _shown(column: Column, cut: float) -> str:
    span = float(np.nanmax(column.values) - np.nanmin(column.values)) or 1.0
    if column.kind == "number":
        return apart(cut, cut + span / 100)[0]
    return places(column.shown(np.array([cut])), span)[0]
