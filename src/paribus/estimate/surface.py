"""Two columns at once: a surface over both, its main effects and what they do together.

    y = a_s + f1(x1) + f2(x2) + f12(x1, x2) + covariates + e,

in strata of the remaining columns. A number is hat functions between knots, penalised by its bends;
a category is its levels. ``f12`` is the product of both, each centred, penalised along each column:
by its bends along a number, by its size along a category. All penalties are found by restricted
likelihood with Fellner-Schall steps as generalised by Wood and Fasiolo (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from paribus.base.arrays import FloatArray, Labels, mean_and_scale
from paribus.estimate.basis import (
    FEW_VALUES,
    Hats,
    hat_basis,
    level_basis,
    place_knots,
    weighted_quantiles,
)
from paribus.estimate.covariance import (
    LEAST_LEFT,
    RowScores,
    error_df,
    row_scores,
    row_variance,
    score_covariance,
)
from paribus.estimate.covariates import Covariates
from paribus.estimate.interactions import products_of, with_columns
from paribus.estimate.partitions import Partitions
from paribus.estimate.testing import joined_p_value, quadratic_p_value
from paribus.estimate.within import Within, compare_within

FEWEST_PIECES, MOST_PIECES = 5, 12  # of a number in the product
# More would leave no row to tell noise by: rows for each knot, and for each piece of a product.
FEWEST_KNOTS, ROWS_A_KNOT, ROWS_A_PRODUCT = 3, 4, 2
STEPS, STILL = 60, 0.02  # of Fellner and Schall, and the log change that ends them
FLOOR = 1e-7  # of the mean information: a wide prior for what the rows say nothing about
UNSURE = 10.0  # standard deviations of the target: an effect known no better is not known
FAR_END = 0.005  # share of the rows beyond either end of what is shown
LARGEST, SMALLEST = 1e5, 1e-6  # penalties, beside the information
ROUNDING = 1e-9  # of hats, which are up to 1 high
NEXT_TO_NONE = 1e-280  # information that none is taken for, to divide by it
TESTED = (1.0, 10.0)  # penalties of the product that is tested, beside the information


@dataclass(frozen=True, slots=True)
class Side:
    """One of two columns."""

    main: Hats  # its own effect, K columns
    coarse: Hats  # what takes part in the product, k columns
    change: FloatArray  # (r, k): what the penalty of the product acts on along this column

    def at(self, hats: Hats, points: FloatArray) -> FloatArray:
        """Return the columns of one of its bases at some values, shape (m, K)."""
        if hats.knots is None:
            return np.eye(hats.size)[points.astype(np.int64)]
        return hat_basis(points, hats.knots).dense()[:, : hats.size]


def side_of(values: FloatArray, n_levels: int, weights: FloatArray) -> Side:
    """Return a column, none missing, as one side of a surface; numbers have no levels."""
    if n_levels:
        hats = level_basis(values.astype(np.int64), n_levels)
        return Side(hats, hats, np.eye(n_levels))
    n_rows = float(weights.sum())
    knots = place_knots(values, weights, 0.5)
    knots = _fewer(knots, max(FEWEST_KNOTS, int(n_rows / ROWS_A_KNOT)), values, weights)
    pieces = int(np.clip(round(n_rows**0.3), FEWEST_PIECES, MOST_PIECES))
    pieces = min(pieces, max(2, int(np.sqrt(n_rows / ROWS_A_PRODUCT))))
    inner = _fewer(knots, pieces, values, weights)
    coarse = hat_basis(values, inner)
    change = coarse.bends()
    return Side(hat_basis(values, knots), coarse, change * _mean_step(inner))


def _fewer(knots: FloatArray, most: int, values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return knots, or quantiles in their place where there are too many."""
    if len(knots) <= most:
        return knots
    return np.unique(weighted_quantiles(values, weights, np.linspace(0, 1, most)))


def _mean_step(knots: FloatArray) -> float:
    return float(np.ptp(knots)) / max(len(knots) - 1, 1)


@dataclass(frozen=True, slots=True)
class SurfaceFit:
    """A surface at the points of a grid, centred to mean zero over the rows."""

    effect: FloatArray  # (m1 m2,)
    covariance: FloatArray  # (m1 m2, m1 m2)
    pure: FloatArray  # (m1 m2,): what is left when the two main effects are taken out
    pure_covariance: FloatArray  # (m1 m2, m1 m2)
    # The main effects; with `pure` they add up to the effect.
    first: FloatArray  # (m1,)
    second: FloatArray  # (m2,)
    count: FloatArray  # (m1, m2): rows around each point
    near: FloatArray  # (m1, m2): the largest share of a single row at each point, 0 for none
    df: float
    p_value: float  # of "the two do nothing together"
    # The columns, 0 or 1, whose own effect the others leave nothing to be known of: the surface has
    # mean zero at each of their values.
    unknown: tuple[int, ...]


def fit_surface(
    sides: tuple[Side, Side],
    grids: tuple[FloatArray, FloatArray],
    around: tuple[Hats, Hats],
    y: FloatArray,
    covariates: Covariates,
    strata: Partitions,
) -> SurfaceFit:
    """Estimate a surface.

    Parameters
    ----------
    sides : two Side
    grids : float arrays of shape (m1,) and (m2,)
        Where the surface is wanted: values of a number, levels' codes of a category.
    around : two Hats
        The grid points that each row lies between.
    y : float array of shape (n,)
    covariates : Covariates
    strata : Partitions
    """
    weights = strata.weights
    mean, scale = mean_and_scale(y, weights)
    centre = [side.coarse.totals(weights) / weights.sum() for side in sides]
    together = products_of(*(s.coarse.dense() - c for s, c in zip(sides, centre, strict=True)))
    basis = with_columns(sides[0].main, np.hstack([sides[1].main.dense(), together]))
    within = compare_within(basis, covariates, (y - mean) / scale, strata)
    penalties = _penalties(sides)
    solved = _solve(within, penalties, around, covariates.n_active)
    wanted = _at_grid(sides, grids, centre)
    count = around[0].collect(around[1].dense(), weights)
    share = count.ravel() / count.sum()
    shown = wanted - share @ wanted
    unknown = _unknown(sides, shown, solved.covariance, share)
    for side in unknown:
        shown = _freed(shown, count, side)
    split = _mains(count)
    pure = shown - split @ shown
    effect = scale * shown @ solved.coefficients
    main = scale * split @ shown @ solved.coefficients
    first, second = _of_each(main, count)
    return SurfaceFit(
        effect=effect,
        covariance=scale**2 * shown @ solved.covariance @ shown.T,
        pure=scale * pure @ solved.coefficients,
        pure_covariance=scale**2 * pure @ solved.covariance @ pure.T,
        first=first,
        second=second,
        count=count,
        near=_nearest(around),
        df=solved.df,
        p_value=_together_p_value(within, penalties, solved, pure, share),
        unknown=unknown,
    )


def _nearest(around: tuple[Hats, Hats]) -> FloatArray:
    """Return the largest share of a row that each point has, shape (m1, m2)."""
    one, other = around
    out = np.zeros((one.size + 1, other.size + 1))
    for first, share in ((0, 1 - one.share), (1, one.share)):
        for second, part in ((0, 1 - other.share), (1, other.share)):
            np.maximum.at(out, (one.index + first, other.index + second), share * part)
    return out[:-1, :-1]


def _at_grid(
    sides: tuple[Side, Side], grids: tuple[FloatArray, FloatArray], centre: Sequence[FloatArray]
) -> FloatArray:
    """Return the columns of the basis at all points of the grid, shape (m1 m2, K)."""
    mains = [side.at(side.main, grid) for side, grid in zip(sides, grids, strict=True)]
    parts = [
        side.at(side.coarse, grid) - c for side, grid, c in zip(sides, grids, centre, strict=True)
    ]
    m1, m2 = len(grids[0]), len(grids[1])
    return np.hstack(
        [np.repeat(mains[0], m2, axis=0), np.tile(mains[1], (m1, 1)), np.kron(parts[0], parts[1])]
    )


def _unknown(
    sides: tuple[Side, Side], shown: FloatArray, covariance: FloatArray, share: FloatArray
) -> tuple[int, ...]:
    """Return the sides whose own effect is less sure than the target is spread, many times over."""
    out, start = [], 0
    for k, side in enumerate(sides):
        at = slice(start, start + side.main.size)
        own = shown[:, at] - share @ shown[:, at]
        variance = np.einsum("ij,jk,ik->i", own, covariance[at, at], own)
        if float(share @ variance) > UNSURE**2:
            out.append(k)
        start = at.stop
    return tuple(out)


def _freed(shown: FloatArray, count: FloatArray, side: int) -> FloatArray:
    """Take the mean at each value of one column out of rows (m1 m2, K) that give a surface."""
    m1, m2 = count.shape
    rows = shown.reshape(m1, m2, -1)
    total = np.maximum(count.sum(axis=1 - side, keepdims=True), 1e-300)
    mean = np.sum(rows * (count / total)[:, :, None], axis=1 - side, keepdims=True)
    return (rows - mean).reshape(shown.shape)


def _mains(count: FloatArray) -> FloatArray:
    """Return what takes the two main effects out of a surface, shape (m1 m2, m1 m2).

    The sum of a function of each column that comes closest over the rows, after Lengerich et al.
    (2020): what is left has mean zero along each column, whatever the other is.
    """
    m1, m2 = count.shape
    additive = np.hstack([np.repeat(np.eye(m1), m2, axis=0), np.tile(np.eye(m2), (m1, 1))])
    weighted = additive * count.ravel()[:, None]
    gram = weighted.T @ additive
    out: FloatArray = additive @ linalg.pinvh(gram, rtol=1e-10) @ weighted.T
    return out


def _of_each(main: FloatArray, count: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Part the sum of two main effects at all points into the two, each of mean zero."""
    m1, m2 = count.shape
    both = main.reshape(m1, m2)
    first = both[:, 0] - both[0, 0]
    second = both[0]
    first = first - count.sum(axis=1) @ first / count.sum()
    return first, second - count.sum(axis=0) @ second / count.sum()


@dataclass(frozen=True, slots=True)
class _Penalty:
    """A penalty matrix on the columns from `start` on."""

    start: int
    matrix: FloatArray

    @property
    def stop(self) -> int:
        return self.start + len(self.matrix)


def _penalties(sides: tuple[Side, Side]) -> list[_Penalty]:
    one, other = sides
    out = []
    for start, side in ((0, one), (one.main.size, other)):
        bends = side.main.bends()
        if side.main.knots is not None and bends.any():
            out.append(_Penalty(start, bends.T @ bends * _mean_step(side.main.knots) ** 2))
    start = one.main.size + other.main.size
    grams = [side.change.T @ side.change for side in sides]
    along = [
        np.kron(grams[0], np.eye(other.coarse.size)),
        np.kron(np.eye(one.coarse.size), grams[1]),
    ]
    both = [p for p, side in zip(along, sides, strict=True) if side.change.any()]
    if one.coarse.knots is None and other.coarse.knots is None:
        both = both[:1]
    return out + [_Penalty(start, np.asarray(matrix, dtype=np.float64)) for matrix in both]


@dataclass(frozen=True, slots=True)
class _Solved:
    """Coefficients (K,) and their covariance (K, K): the rows' errors, and the penalties' doubt.

    `of_score` (K, K) is the covariance of the score.
    """

    coefficients: FloatArray
    covariance: FloatArray
    of_score: FloatArray
    df: float


def _solve(
    within: Within, penalties: Sequence[_Penalty], around: tuple[Hats, Hats], n_covariates: int
) -> _Solved:
    gram, size = within.gram, len(within.score)
    floor = _floor(gram)
    strengths = _strengths(within, penalties, floor)
    prior = floor + _sum(penalties, strengths, size)
    inverse = _inverse(gram + prior)
    coefficients = inverse @ within.score
    edf = float(np.sum(inverse * gram))
    units, residual = within.units, within.residual(coefficients)
    noise = float(units.sampling_weight * units.weights @ residual**2) / max(within.df - edf, 1.0)
    cells = _cells(around)
    scores = row_scores(within, cells, row_variance(units, residual, 0.0))
    meat = score_covariance(
        scores, within, _freed_of_pull(scores, residual, inverse), n_covariates, 0.0
    )
    covariance = inverse @ (meat + noise * prior) @ inverse
    return _Solved(coefficients, covariance, meat, error_df(units, within.df - edf))


def _together_p_value(
    within: Within,
    penalties: Sequence[_Penalty],
    solved: _Solved,
    pure: FloatArray,
    share: FloatArray,
) -> float:
    """Test that the two columns do nothing together.

    The rows choose nothing that they test: penalties of the product are given, a strong one for
    what is smooth and a weak one for the rest, and main effects have none, which else would leave
    some of themselves to the product.
    """
    if (
        np.abs(pure).max(initial=0.0) <= ROUNDING
    ):  # each value of one has a single value of the other
        return 1.0
    gram, size = within.gram, len(within.score)
    usual = _usual(gram, penalties)
    of_product = np.array([p.stop == size for p in penalties])
    found = []
    for times in TESTED:
        prior = _sum(penalties, times * usual * of_product, size)
        solve = pure @ _inverse(gram + _floor(gram) + prior)
        spread = solve @ solved.of_score @ solve.T
        found.append(quadratic_p_value(solve @ within.score, share, spread, solved.df))
    return joined_p_value(found)


def _floor(gram: FloatArray) -> FloatArray:
    return FLOOR * float(np.trace(gram)) / len(gram) * np.eye(len(gram))


def _usual(gram: FloatArray, penalties: Sequence[_Penalty]) -> FloatArray:
    """Return how strong each penalty is beside the information, shape (len(penalties),)."""
    own = [np.trace(gram[p.start : p.stop, p.start : p.stop]) for p in penalties]
    found = [mine / np.trace(p.matrix) for mine, p in zip(own, penalties, strict=True)]
    return np.maximum(found, NEXT_TO_NONE)


def _freed_of_pull(scores: RowScores, residual: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return the residuals (n,) that rows would have of a surface estimated without them.

    Few rows of a rare level pull the surface to themselves (HC3 of MacKinnon and White 1985).
    """
    pull = scores.units.weights * np.einsum(
        "ij,jk,ik->i", scores.influence, inverse, scores.influence, optimize=True
    )
    out = residual.copy()
    out[scores.at] /= np.maximum(1 - pull, LEAST_LEFT)
    return out


def _cells(around: tuple[Hats, Hats]) -> Labels:
    """Number the cells of the grid that rows lie in, without gaps, shape (n,)."""
    number = around[0].index.astype(np.int64) * around[1].size + around[1].index
    return np.unique(number, return_inverse=True)[1].astype(np.int32)


def _strengths(within: Within, penalties: Sequence[_Penalty], floor: FloatArray) -> FloatArray:
    """Find how strong each penalty is, by restricted likelihood, shape (len(penalties),)."""
    gram, size = within.gram, len(within.score)
    usual = _usual(gram, penalties)
    strengths = usual.copy()
    for _ in range(STEPS):
        prior = floor + _sum(penalties, strengths, size)
        inverse = _inverse(gram + prior)
        coefficients = inverse @ within.score
        misfit = max(within.total - float(within.score @ coefficients), 1e-12 * within.total)
        misfit -= float(coefficients @ prior @ coefficients)
        edf = float(np.sum(inverse * gram))
        noise = max(misfit, 1e-12 * within.total) / max(within.df - edf, 1.0)
        fresh = np.array(
            [
                strength
                * _freedom(p, penalties, strengths, inverse)
                * noise
                / _size(p, coefficients)
                for p, strength in zip(penalties, strengths, strict=True)
            ]
        )
        fresh = np.clip(fresh, SMALLEST * usual, LARGEST * usual)
        change = float(np.abs(np.log(fresh / strengths)).max(initial=0.0))
        strengths = fresh
        if change < STILL:
            break
    return strengths


def _inverse(matrix: FloatArray) -> FloatArray:
    size = 1 / np.sqrt(np.diag(matrix))
    factor = linalg.cho_factor(matrix * np.outer(size, size), lower=True)
    out: FloatArray = linalg.cho_solve(factor, np.diag(size)) * size[:, None]
    return out


def _freedom(
    penalty: _Penalty,
    penalties: Sequence[_Penalty],
    strengths: FloatArray,
    inverse: FloatArray,
) -> float:
    """Return ``tr(S^- S_j) - tr(H^-1 S_j)``: what a penalty leaves to be told by the rows."""
    at = slice(penalty.start, penalty.stop)
    own = np.sum(
        [
            s * p.matrix
            for p, s in zip(penalties, strengths, strict=True)
            if p.start == penalty.start
        ],
        axis=0,
    )
    prior = float(np.sum(linalg.pinvh(own, rtol=1e-9) * penalty.matrix))
    return max(prior - float(np.sum(inverse[at, at] * penalty.matrix)), 1e-8)


def _size(penalty: _Penalty, coefficients: FloatArray) -> float:
    own = coefficients[penalty.start : penalty.stop]
    return max(float(own @ penalty.matrix @ own), 1e-300)


def _sum(penalties: Sequence[_Penalty], strengths: FloatArray, size: int) -> FloatArray:
    out = np.zeros((size, size))
    for p, strength in zip(penalties, strengths, strict=True):
        out[p.start : p.stop, p.start : p.stop] += strength * p.matrix
    return out


def grid_of(values: FloatArray, n_levels: int, weights: FloatArray, most: int) -> FloatArray:
    """Return where a surface is shown along a column: all levels, few values, or quantiles."""
    if n_levels:
        return np.arange(n_levels, dtype=np.float64)
    distinct = np.unique(values)
    if len(distinct) <= min(most, FEW_VALUES):
        return distinct
    ends = np.linspace(FAR_END, 1 - FAR_END, most)
    return np.unique(weighted_quantiles(values, weights, ends))


def around_of(values: FloatArray, grid: FloatArray, n_levels: int) -> Hats:
    """Return the grid points that rows lie between; rows beyond its ends lie at them."""
    if n_levels:
        return level_basis(values.astype(np.int64), n_levels)
    return hat_basis(np.clip(values, grid[0], grid[-1]), grid)
