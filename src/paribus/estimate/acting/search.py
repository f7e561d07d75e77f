"""The search for columns that act together.

The target, without what single columns do, should be uncorrelated with products of their functions.
All pairs are tested by the scores of these products; pairs that clearly act are fitted and the rest
is tested again, since what was found no longer hides it. At the end each pair that was found is
tested with all others in the fit. Triples are searched for where pairs show nothing: a quick look
at all products of three functions tells which to test, and all of them count in the correction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from paribus.base.arrays import FloatArray, coarse, dot
from paribus.base.progress import Progress, silent
from paribus.base.threads import run_all
from paribus.estimate.acting.rows import (
    FEWEST_ROWS,
    ActingRows,
    Columns,
    beyond,
    rests_on,
    solve,
)
from paribus.estimate.acting.strength import NONE, Strength, strength_of
from paribus.estimate.testing import joint_p_value

CERTAIN = 0.01  # share of false ones among those that are fitted
ROUNDS, MOST_FITTED = 4, 40
MOST_FINER = 6  # pairs that are fitted with more functions
MOST_COLUMNS = 0.3  # of the rows: functions in one fit
MOST_TRIPLES = 30  # tested after the quick look
TRIPLES_WORK = 4e10  # rows times products that may be looked at
EXACT = 1e-9  # share of the target's variance left: below it, nothing more can be found


@dataclass(frozen=True, slots=True)
class Acting:
    """What was found about columns that may act together."""

    columns: Columns
    p_value: float  # of no interaction, by itself
    strength: Strength


@dataclass(frozen=True, slots=True)
class _Fit:
    """What single columns and some sets of columns do."""

    columns: FloatArray  # (m, q)
    gram: FloatArray  # (q, q): their products
    place: dict[Columns, slice]  # where the products of each set are
    residual: FloatArray  # (m,)

    @property
    def n_used(self) -> int:
        return self.columns.shape[1]


def find_acting(
    rows: ActingRows,
    wanted: Sequence[int],
    n_threads: int = 1,
    progress: Progress = silent,
) -> tuple[list[Acting], list[Acting]]:
    """Test all pairs of columns, and triples where pairs show nothing, with one of those wanted.

    Returns
    -------
    pairs, triples : lists of Acting
        Every pair; the triples that are worth a test.
    """
    every = list(combinations(range(len(rows.few)), 2))
    fit, found = _fit(rows, []), dict[Columns, Acting]()
    for done in range(ROUNDS):
        progress(done, ROUNDS + 1)
        found = _test_all(rows, fit, every, n_threads)
        new = _surely(found, [*fit.place])
        if not new or _share_left(rows, fit) < EXACT:
            break
        fit = _fit(rows, _that_fit(rows, [*fit.place, *new]))
    if finer := _finer(rows, fit, n_threads):
        fit = _fit(rows, [*fit.place], finer)
        found = _test_all(rows, fit, every, n_threads)
    found |= _test_each(lambda pair: _test_fitted(rows, fit, pair), [*fit.place], n_threads)
    triples = _find_triples(rows, fit, {*wanted}, n_threads)
    progress(1, 1)
    return [found[pair] for pair in every if {*pair} & {*wanted}], triples


def _fit(rows: ActingRows, sets: Sequence[Columns], finer: Sequence[Columns] = ()) -> _Fit:
    """Fit single columns and some sets of columns, those in `finer` with more functions.

    Of a set's products only those are fitted that say something new beside the sets before it: with
    workingday fixed by weekday and holiday, hr by workingday leaves hr by holiday nothing.
    """
    every, place = rows.own, {}
    gram = rows.gram
    for columns in sets:
        products = rows.products(columns)
        if columns in finer:
            products = np.hstack([products, rows.finer_products(columns)])
        freed = products - every @ solve(gram, dot(every.T, products))
        new = products[:, beyond(freed, rows.pure(columns, products), products)]
        if not new.shape[1]:
            continue
        place[columns] = slice(every.shape[1], every.shape[1] + new.shape[1])
        cross = dot(every.T, new)
        gram = np.block([[gram, cross], [cross.T, dot(new.T, new)]])
        every = np.hstack([every, new])
    residual = rows.target - every @ solve(gram, dot(every.T, rows.target))
    return _Fit(every, gram, place, residual)


def _share_left(rows: ActingRows, fit: _Fit) -> float:
    return float(fit.residual @ fit.residual) / max(float(rows.target @ rows.target), 1e-300)


def _that_fit(rows: ActingRows, sets: Sequence[Columns]) -> list[Columns]:
    """Return as many of some sets, the first ones, as there are rows for."""
    size = rows.own.shape[1] + np.cumsum([rows.products(columns).shape[1] for columns in sets])
    enough = size <= _most(rows)
    return [columns for columns, fits in zip(sets[:MOST_FITTED], enough, strict=False) if fits]


def _finer(rows: ActingRows, fit: _Fit, n_threads: int) -> list[Columns]:
    """Return the fitted pairs of which more functions surely say more, most certain first.

    A few functions find that columns act together; a day with two rush hours takes more to tell how
    strongly, and what they leave of it looks like other pairs and triples.
    """

    def test(pair: Columns) -> Acting:
        pure = rows.pure(pair, rows.finer_products(pair))
        return _examine(rows, pair, pure, pure, fit.residual, fit.n_used)

    if _share_left(rows, fit) < EXACT:
        return []
    some = [pair for pair in fit.place if any(rows.is_number[k] for k in pair)]
    best = _surely(_test_each(test, some, n_threads), [])[:MOST_FINER]
    size = fit.n_used + np.cumsum([rows.finer_products(pair).shape[1] for pair in best])
    return [pair for pair, fits in zip(best, size <= _most(rows), strict=True) if fits]


def _most(rows: ActingRows) -> float:
    """Return how many functions may be in one fit."""
    return MOST_COLUMNS * rows.strata.units.n_rows


def _test_all(
    rows: ActingRows, fit: _Fit, pairs: Sequence[Columns], n_threads: int
) -> dict[Columns, Acting]:
    """Test all pairs that are not in the fit.

    Only what their own columns do is taken out of the products: the residual is free of the rest,
    so that scores are those of the whole fit, and their spread is if anything too large.
    """

    def test(pair: Columns) -> Acting:
        pure = rows.pure(pair, rows.products(pair))
        return _examine(rows, pair, pure, pure, fit.residual, fit.n_used)

    return _test_each(test, [pair for pair in pairs if pair not in fit.place], n_threads)


def _test_each(
    test: Callable[[Columns], Acting], sets: Sequence[Columns], n_threads: int
) -> dict[Columns, Acting]:
    out: dict[Columns, Acting] = {}

    def keep(columns: Columns) -> None:
        out[columns] = test(columns)

    run_all(keep, sets, n_threads)
    return {columns: out[columns] for columns in sets}


def _test_fitted(rows: ActingRows, fit: _Fit, columns: Columns) -> Acting:
    """Test a set of columns with all others in the fit."""
    at = fit.place[columns]
    rest = np.delete(np.arange(fit.n_used), at)
    products = fit.columns[:, at]
    of_rest = np.zeros((fit.n_used, products.shape[1]))
    of_rest[rest] = solve(fit.gram[np.ix_(rest, rest)], fit.gram[rest, at])
    freed = products - fit.columns @ of_rest
    without = fit.residual + freed @ solve(dot(freed.T, freed), dot(freed.T, rows.target))
    pure = rows.pure(columns, products)
    return _examine(rows, columns, freed, pure, without, fit.n_used - freed.shape[1])


def _examine(
    rows: ActingRows,
    columns: Columns,
    freed: FloatArray,
    pure: FloatArray,
    residual: FloatArray,
    n_used: float,
) -> Acting:
    """Test products, and say how strong they are.

    Parameters
    ----------
    rows : ActingRows
    columns : tuple of int
    freed : float array of shape (m, t)
        Products, less all else that is in the fit.
    pure : float array of shape (m, t)
        The same less what fewer of their columns do.
    residual : float array of shape (m,)
        What the fit without them leaves of the target.
    n_used : float
        Functions in that fit.
    """
    kept = rests_on(freed, rows.strata.units.counts) >= FEWEST_ROWS
    if not kept.any():
        return Acting(columns, 1.0, NONE)
    freed, pure = np.ascontiguousarray(freed[:, kept]), pure[:, kept]
    score = dot(freed.T, residual)
    null = rows.covariance(freed, residual, n_used)
    p_value = joint_p_value(score, null, rows.df(n_used))
    if kept[0] and len(score) > 1 and all(rows.is_number[k] for k in columns):
        straight = joint_p_value(score[:1], null[:1, :1], rows.df(n_used))
        p_value = min(1.0, 2 * min(p_value, straight))
    gram = dot(freed.T, freed)
    slopes = solve(gram, score)
    left = residual - freed @ slopes
    meat = rows.covariance(freed, left, n_used + freed.shape[1])
    spread = solve(gram, solve(gram, meat).T)
    moments = dot(pure.T, pure) / (float(rows.strata.weights.sum()) * rows.share_left(columns))
    weights = rows.strata.weights / rows.strata.weights.sum()
    square = (pure @ slopes) ** 2 / rows.strata.weights
    sampled = float(weights**2 @ (square - weights @ square) ** 2)
    strength = strength_of(slopes, moments, spread, sampled, rows.conf_level)
    return Acting(columns, p_value, strength)


def _surely(found: Mapping[Columns, Acting], fitted: Sequence[Columns]) -> list[Columns]:
    """Return the pairs that surely act and are not yet fitted, most certain first."""
    freed = adjusted([one.p_value for one in found.values()])
    order = np.argsort(coarse(freed), kind="stable")
    pairs = list(found)
    return [pairs[k] for k in order if freed[k] < CERTAIN and pairs[k] not in fitted]


def adjusted(p_values: Sequence[float], n_tests: int | None = None) -> FloatArray:
    """Free p-values of the search, so that few finds are false (Benjamini and Hochberg 1995).

    Of `n_tests` tests those not given found nothing.

    Examples
    --------
    >>> adjusted([0.01, 0.5, 0.02, 0.9]).round(3).tolist()
    [0.04, 0.667, 0.04, 0.9]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * (n_tests or len(p)) / np.arange(1, len(p) + 1)
    out = np.empty_like(p)
    out[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)
    return out


def _find_triples(rows: ActingRows, fit: _Fit, wanted: set[int], n_threads: int) -> list[Acting]:
    """Test the triples that a quick look finds worth it, unless all their pairs are in the fit.

    As of pairs, what their own columns do is taken out first, and all the rest where that is not
    enough to say that there is nothing.
    """
    if _share_left(rows, fit) < EXACT:
        return []

    def test(columns: Columns) -> Acting:
        products = rows.products(columns)
        pure = rows.pure(columns, products)
        rough = _examine(rows, columns, pure, pure, fit.residual, fit.n_used)
        if rough.p_value > CERTAIN:
            return rough
        beside = np.hstack([np.empty((len(pure), 0)), *_missing_pairs(rows, fit, columns)])
        n_used = fit.n_used + beside.shape[1]
        if n_used > _most(rows):
            return Acting(columns, 1.0, NONE)
        freed = _less_all(fit, beside, np.column_stack([products, rows.target]))
        return _examine(rows, columns, freed[:, :-1], pure, freed[:, -1], n_used)

    return [*_test_each(test, _promising(rows, fit, wanted), n_threads).values()]


def _less_all(fit: _Fit, beside: FloatArray, values: FloatArray) -> FloatArray:
    """Return values (m, t) less what the fit and more columns (m, p) `beside` it give of them."""
    cross = dot(fit.columns.T, beside)
    gram = np.block([[fit.gram, cross], [cross.T, dot(beside.T, beside)]])
    right = np.vstack([dot(fit.columns.T, values), dot(beside.T, values)])
    slopes = solve(gram, right)
    out: FloatArray = values - fit.columns @ slopes[: fit.n_used] - beside @ slopes[fit.n_used :]
    return out


def _missing_pairs(rows: ActingRows, fit: _Fit, columns: Columns) -> list[FloatArray]:
    return [rows.products(pair) for pair in combinations(columns, 2) if pair not in fit.place]


def _promising(rows: ActingRows, fit: _Fit, wanted: set[int]) -> list[Columns]:
    """Look at all products of three functions, and return the best triples."""
    owner = np.repeat(np.arange(len(rows.simple)), [part.shape[1] for part in rows.simple])
    every = np.hstack(rows.simple)
    if len(every) * float(len(owner)) ** 3 > TRIPLES_WORK:
        return []
    residual = np.sqrt(rows.strata.weights) * fit.residual
    best: dict[Columns, float] = {}
    for k, function in enumerate(every.T):
        later = owner > owner[k]
        rest = every[:, later]
        if not later.any():
            break
        score = dot((rest * (function * residual)[:, None]).T, rest)
        spread = dot((rest**2 * (function * residual)[:, None] ** 2).T, rest**2)
        chi2 = score**2 / np.maximum(spread, 1e-300)
        for i, j in combinations(sorted({*owner[later].tolist()}), 2):
            most = float(chi2[np.ix_(owner[later] == i, owner[later] == j)].max())
            triple = (int(owner[k]), i, j)
            best[triple] = max(best.get(triple, 0.0), most)
    found = {*fit.place}
    hidden = [t for t in best if {*t} & wanted and not {*combinations(t, 2)} <= found]
    return sorted(hidden, key=lambda triple: -coarse(best[triple]))[:MOST_TRIPLES]
