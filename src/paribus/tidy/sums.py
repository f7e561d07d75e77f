"""A column made from several others: sums, shares of a whole, products, 0/1 choices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from paribus.base.arrays import AnyArray, FloatArray
from paribus.tidy.profile import Look

MOST_COLUMNS = 300  # numbers up to which sums are looked for
MOST_TERMS = 6
LEFT = 2e-3  # of a column's length that others leave when they may give it
EXACT, ROUNDED = 1e-5, 0.02  # of members' spread that a sum may be off: always, and by rounding
NEGLIGIBLE = 1e-3  # a coefficient in standard units that is none
UNIT = 0.01  # how far a coefficient may be from 1
ENOUGH, FEW_ROWS = 3, 400  # complete rows: for each column at least, and for few columns at most
MANY = 10  # values of an amount that may be a factor


@dataclass(frozen=True, slots=True)
class Relation:
    """Columns that together are tied by a sum or a product."""

    # A choice: 0/1 columns, or shares, that always add up to the same.
    kind: Literal["sum", "product", "choice"]
    whole: int | None  # the place of the column that the others add up to
    parts: tuple[int, ...]  # the places of the others
    signs: tuple[int, ...]  # 1 or -1 for each part
    offset: float = 0.0  # what is added to a sum, or what a product is multiplied by

    @property
    def members(self) -> tuple[int, ...]:
        """Return the places of all members, the whole first."""
        return self.parts if self.whole is None else (self.whole, *self.parts)


def find_sums(look: Look, usable: Sequence[int]) -> list[Relation]:
    """Find sums among columns of numbers, exact in all rows."""
    found = _found(look, usable, logs=False)
    return [replace(relation, offset=-offset) for relation, offset in found]


def find_products(look: Look, usable: Sequence[int]) -> list[Relation]:
    """Find products and ratios of two among positive amounts, exact in all rows."""
    positive = [
        k for k in usable if look.profiles[k].low > 0 and len(look.profiles[k].values) > MANY
    ]
    return [
        replace(relation, kind="product", offset=float(np.exp(-offset)))
        for relation, offset in _found(look, positive, logs=True)
        if len(relation.parts) == 2 and relation.kind != "choice"
    ]


def _found(look: Look, usable: Sequence[int], *, logs: bool) -> Iterator[tuple[Relation, float]]:
    """Find sums of numbers, or of their logarithms, each with what parts less whole come to."""
    places, rows = _complete(look, usable)
    for k, terms in _dependent(np.log(rows) if logs else rows):
        relation = _as_sum(k, terms, places, look)
        offset = None if relation is None else _offset(look, relation, logs=logs)
        if relation is not None and offset is not None:
            yield relation, offset


def find_switched(look: Look, usable: Sequence[int]) -> list[Relation]:
    """Find columns that are another one times a 0/1 column: interactions made by hand."""
    places, rows = _complete(look, usable)
    if len(places) < 3:
        return []
    found = []
    zero = rows == 0
    for at, switch in enumerate(places):
        if not look.profiles[switch].is_binary:
            continue
        off, on = zero[:, at], ~zero[:, at]
        made = np.flatnonzero(zero[off].all(axis=0) & (np.ptp(rows[on], axis=0) > 0))
        for c in made:
            same = np.all(rows[on] == rows[on][:, [c]], axis=0) & ~zero[off].all(axis=0)
            for b in np.flatnonzero(same)[:1]:
                relation = Relation("product", places[c], (switch, places[b]), (1, 1))
                whole, first, other = (look.profiles[k].column.values for k in relation.members)
                if np.array_equal(whole, first * other, equal_nan=True):
                    found.append(relation)
    return list({relation.whole: relation for relation in found}.values())


def _complete(look: Look, usable: Sequence[int]) -> tuple[list[int], FloatArray]:
    """Return the columns of numbers that vary and their complete rows (s, p)."""
    kept = [
        k
        for k in usable
        if look.profiles[k].is_numeric
        and len(look.profiles[k].values) > 1
        and look.profiles[k].n_missing < 0.5 * len(look.profiles[k].codes)
    ]
    if not kept or len(kept) > MOST_COLUMNS:
        return [], np.empty((0, 0))
    rows = np.column_stack([look.profiles[k].sampled[: len(look.codes)] for k in kept])
    whole = ~np.isnan(rows).any(axis=1)
    if whole.sum() < max(50, ENOUGH * len(kept)):
        full = np.flatnonzero(~np.isnan(rows).any(axis=0))
        kept, rows = [kept[k] for k in full], rows[:, full]
    else:
        rows = rows[whole]
    if not kept or len(rows) < ENOUGH * len(kept):
        return [], np.empty((0, 0))
    rows = rows[: max(FEW_ROWS, 2 * ENOUGH * len(kept))]
    vary = np.flatnonzero(rows.max(axis=0) > rows.min(axis=0))
    return [kept[k] for k in vary], rows[:, vary]


def _dependent(rows: FloatArray) -> list[tuple[int, dict[int, float]]]:
    """Return the columns that those before them give, each with its coefficients."""
    if not rows.size:
        return []
    scale = rows.std(axis=0)
    scaled = (rows - rows.mean(axis=0)) / np.where(scale > 0, scale, 1) / np.sqrt(len(rows))
    basis: list[int] = []
    directions = np.empty((len(rows), 0))
    found = []
    for k in range(rows.shape[1]):
        left = scaled[:, k] - directions @ (directions.T @ scaled[:, k])
        left -= directions @ (directions.T @ left)
        size = float(np.linalg.norm(left))
        if size > LEFT:
            basis.append(k)
            directions = np.column_stack([directions, left / size])
            continue
        weight = np.linalg.lstsq(scaled[:, basis], scaled[:, k], rcond=None)[0]
        terms = {
            j: float(w * scale[k] / scale[j])
            for j, w in zip(basis, weight, strict=True)
            if abs(w) > NEGLIGIBLE
        }
        found.append((k, terms))
    return found


def _as_sum(k: int, terms: dict[int, float], places: Sequence[int], look: Look) -> Relation | None:
    """Read coefficients as a sum: all of one size, and one member that the others add up to."""
    weights: AnyArray = np.array(list(terms.values()))
    if len(terms) < 2 or np.any(np.abs(np.abs(weights) - 1) > UNIT):
        return None
    sign = {k: -1, **{j: int(np.sign(w)) for j, w in terms.items()}}
    binary = all(look.profiles[places[j]].is_binary for j in sign)
    if len(terms) > MOST_TERMS and not binary:
        return None
    down = [j for j, s in sign.items() if s < 0]
    up = [j for j, s in sign.items() if s > 0]
    if not up or not down:
        return Relation("choice", None, tuple(sorted(places[j] for j in sign)), (1,) * len(sign))
    whole = k
    if len(up) == 1:
        whole = up[0]
    elif len(down) == 1:
        whole = down[0]
    parts = sorted(j for j in sign if j != whole)
    signs = tuple(-sign[j] * sign[whole] for j in parts)
    return Relation("sum", places[whole], tuple(places[j] for j in parts), signs)


def _offset(look: Look, relation: Relation, *, logs: bool) -> float | None:
    """Return what parts less whole come to in every row; None where that is not one number.

    What members may be off by rounding is allowed for, unless one varies by little more than that.
    """
    total, allowed = np.zeros(look.n_rows), np.zeros(look.n_rows)
    signs = relation.signs if relation.whole is None else (-1, *relation.signs)
    spread = []
    for k, sign in zip(relation.members, signs, strict=True):
        profile = look.profiles[k]
        values = profile.column.values
        allowed += profile.rounding / values if logs else profile.rounding
        values = np.log(values) if logs else values
        total += sign * values
        spread.append(float(np.nanstd(values)))
    known = ~np.isnan(total)
    if not known.any():
        return None
    total = total[known] - (offset := float(np.median(total[known])))
    usual = float(np.median(allowed[known]))  # few rows may be off by more, as small shares are
    allowed = allowed[known] * min(1.0, ROUNDED * min(spread) / max(usual, 1e-300))
    return offset if np.all(np.abs(total) <= allowed + EXACT * max(spread)) else None
