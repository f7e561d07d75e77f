"""Three numbers that act only together: their product reveals what no pair of them does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import chdtrc, chdtri

from paribus.base.arrays import FloatArray, coarse, dot
from paribus.strata.together import CLIP, Residuals, Together

WORK = 1e8  # rows times triples of columns that may be looked at
FEWEST_NUMBERS, FEWEST_ROWS = 3, 500
Triple = tuple[int, int, int]


def product_of(columns: FloatArray) -> FloatArray:
    """Return the product of standardised columns (n, m), cut at some deviations, shape (n,)."""
    out: FloatArray = np.clip(columns, -CLIP, CLIP).prod(axis=1)
    return out


def acting_triples(together: Together, target: Residuals, level: float) -> list[Triple]:
    """Return the triples of numbers whose product goes with a target, most certain first.

    `level` is divided by the number of triples.
    """
    numbers = np.flatnonzero(~together.is_discrete)
    n_triples = len(numbers) * (len(numbers) - 1) * (len(numbers) - 2) / 6
    n = len(together.matrix)
    size = int(min(n, WORK / max(n_triples, 1)))
    if len(numbers) < FEWEST_NUMBERS or size < FEWEST_ROWS:
        return []
    rows = slice(None, None, -(-n // size))
    z = np.clip(_standardised(together.matrix[rows][:, numbers]), -CLIP, CLIP)
    left = _cut(target.left[rows, 0])
    squares, spread = z**2, (left**2)[:, None]
    least = chdtri(1, level / n_triples)
    found: dict[Triple, float] = {}
    for i in range(len(numbers) - 2):
        pairs = z[:, i : i + 1] * z[:, i + 1 :]
        score = dot((pairs * left[:, None]).T, z[:, i + 1 :])
        variance = dot((pairs**2 * spread).T, squares[:, i + 1 :])
        chi2 = score**2 / np.maximum(variance, 1e-300)
        certain = np.triu(chi2 > least, 1)
        for j, k in np.argwhere(certain).tolist():
            triple = (int(numbers[i]), int(numbers[i + 1 + j]), int(numbers[i + 1 + k]))
            found[triple] = float(chi2[j, k])
    return sorted(found, key=lambda key: -coarse(found[key]))


def acts(together: Together, residuals: Residuals, columns: Sequence[int], level: float) -> bool:
    """Tell whether the product of some numbers goes with any of the targets."""
    product = product_of(_standardised(together.matrix[:, list(columns)]))
    for column in residuals.left.T:
        left = _cut(column)
        value = float(product @ left) ** 2 / max(float(product**2 @ left**2), 1e-300)
        if chdtrc(1, value) < level:
            return True
    return False


def _standardised(columns: FloatArray) -> FloatArray:
    spread = columns.std(axis=0)
    out: FloatArray = (columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.nan_to_num(out)


def _cut(left: FloatArray) -> FloatArray:
    spread = float(left.std())
    out: FloatArray = np.clip(left, -CLIP * spread, CLIP * spread)
    return out
