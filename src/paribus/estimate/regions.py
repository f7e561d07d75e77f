"""Where an effect differs most: a tree of depth two on the effect itself, grown honestly.

Each row says something about the slope (its score over its information). One fold of the rows
chooses the columns and cuts that separate slopes most; on the other each cut is tested, and only
those that hold there are kept. The other fold also provides the slope of each region.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Labels, Rows
from paribus.estimate.covariance import LEAST_LEFT
from paribus.estimate.groups import add_rows, sums_of
from paribus.estimate.jumps import Slopes
from paribus.estimate.pieces import Other
from paribus.estimate.units import Units
from paribus.strata.coding import count_below

DEPTH = 2
BINS, BIN_SAMPLE = 24, 2_000  # of a number, between which it may be cut; rows to place them by
MOST_ROWS = 10_000  # that cuts are chosen on
PROMISING = 8.0  # chi-square of a cut on the fold that chooses it
LEAST_SHARE, LEAST_ROWS = 0.1, 50  # of the information and of rows on either side of a cut
LEAST_TOLD = 1e-9  # of the information, in a level: with less, which is rounding, it is as usual
SURE = 0.05  # p-value of a cut on the other fold, divided by the number of cuts


@dataclass(frozen=True, slots=True)
class Condition:
    """Rows on one side of a cut."""

    column: str
    above: bool  # whether a number lies above the cut
    cut: float = float("nan")  # of a number; NaN for a category
    levels: tuple[int, ...] = ()  # of a category, -1 for missing values; empty for a number


@dataclass(frozen=True, slots=True)
class Leaf:
    """A region: its conditions, and its slope less the common one, with a variance."""

    conditions: tuple[Condition, ...]
    value: float
    variance: float
    share: float  # of the rows


@dataclass(frozen=True, slots=True)
class _Cut:
    """A cut of some rows: which side each row is on, shape (n,), and the two sides' conditions."""

    high: BoolArray
    sides: tuple[Condition, Condition]


def find_regions(slopes: Slopes, others: Mapping[str, Other], units: Units) -> list[Leaf]:
    """Find regions in which the slope differs; none where no difference holds.

    Returns
    -------
    list of Leaf
        By what the fold that chose them says of their slopes, the largest first.
    """
    choosing = _choosing(units, len(slopes.score))
    rows = np.flatnonzero(choosing)
    chosen = _Chosen(slopes, others, rows[:: -(-len(rows) // MOST_ROWS) or 1])
    grown = list(_grown(chosen, np.ones_like(choosing), (), DEPTH))
    if not grown:
        return []
    level, sums = SURE / len(grown), _sums_of(slopes, units)
    held = [each for each in grown if _holds(sums, choosing, each[0], each[2], level)]
    if not held or held[0][1]:
        return []
    whole: tuple[BoolArray, tuple[Condition, ...]] = (np.ones_like(choosing), ())
    leaves = [whole]
    for inside, path, cut in held:
        at = next((k for k, (_, own) in enumerate(leaves) if own == path), None)
        if at is not None:
            own = [(inside & (cut.high == s), (*path, cut.sides[int(s)])) for s in (True, False)]
            leaves[at : at + 1] = own
    number = np.sum([k * inside for k, (inside, _) in enumerate(leaves)], axis=0)
    found = sums.slopes(2 * number + choosing, 2 * len(leaves))
    share = sums_of(number, units.weights / units.weights.sum(), len(leaves))
    order = np.argsort(-found[1::2, 0], kind="stable")
    value, variance = found[::2].T.tolist()
    return [Leaf(leaves[k][1], value[k], variance[k], float(share[k])) for k in order]


def _choosing(units: Units, n: int) -> BoolArray:
    """Return the rows, about half, on which the tree is grown; clusters stay whole."""
    number = np.arange(n) if units.cluster is None else units.cluster
    return np.asarray(number % 2 == 0)


class _Chosen:
    """The rows that cuts are chosen on, the columns cut up in bins."""

    def __init__(self, slopes: Slopes, others: Mapping[str, Other], rows: Rows) -> None:
        self.others, self.rows = others, rows
        score, information = slopes.score[rows], slopes.information[rows]
        self.said = np.column_stack([score, information, score**2, np.ones(len(rows))])
        self._bins = {name: _bins_of(other.take(rows)) for name, other in others.items()}

    def best_cut(self, inside: BoolArray) -> tuple[float, tuple[Condition, Condition] | None]:
        """Return the cut that sets the slopes of the rows inside apart most, and its chi2."""
        sums = self._sums(inside)
        order = self._order(sums)
        below = np.cumsum(np.take_along_axis(sums, order[:, :, None], axis=1), axis=1)
        chi2 = _chi2_of_cuts(below[:, :-1], below[:, -1:])
        if not chi2.size:
            return 0.0, None
        k, place = divmod(int(np.argmax(chi2)), chi2.shape[1])
        met = order[k][sums[k, order[k], -1] > 0]
        return float(chi2[k, place]), self._sides(k, met, place)

    def _sums(self, inside: BoolArray) -> FloatArray:
        """Return what is said in each bin of each column, (columns, bins, 4), none in the last."""
        at = np.flatnonzero(inside[self.rows])
        said, ones = self.said[at], np.ones(len(at))
        most = max((size for _, size, _ in self._bins.values()), default=1)
        out = np.zeros((len(self._bins), most, said.shape[1]))
        for own, (codes, _, _) in zip(out, self._bins.values(), strict=True):
            add_rows(said, ones, codes[at], own)
        return out

    def _order(self, sums: FloatArray) -> IntArray:
        """Return the order of the bins of each column: of a category, levels by their slopes."""
        order = np.tile(np.arange(sums.shape[1]), (len(sums), 1))
        for k, other in enumerate(self.others.values()):
            if not other.is_number:
                told = sums[k, :, 1] > LEAST_TOLD * sums[k, :, 1].sum()
                slope = np.where(told, sums[k, :, 0], 0.0) / np.where(told, sums[k, :, 1], 1.0)
                slope = np.where(sums[k, :, 3] > 0, slope, np.inf)
                order[k] = np.argsort(slope, kind="stable")
        return order

    def _sides(self, k: int, met: IntArray, place: int) -> tuple[Condition, Condition]:
        """Say what is on either side of a cut of the column k, of the bins `met` in order."""
        name = list(self.others)[k]
        _, size, edges = self._bins[name]
        if self.others[name].is_number:
            cut = float(edges[place])
            return Condition(name, False, cut), Condition(name, True, cut)
        below, above = (
            tuple(-1 if level == size - 1 else int(level) for level in np.sort(part))
            for part in (met[: place + 1], met[place + 1 :])
        )
        return Condition(name, False, levels=below), Condition(name, True, levels=above)


def _chi2_of_cuts(low: FloatArray, total: FloatArray) -> FloatArray:
    """Return by how much slopes differ beyond cuts, shape (p, cuts); 0 where one may not cut.

    Given is what is said before each cut, `low` (p, cuts, 4), and in all, `total` (p, 1, 4).
    """
    high = total - low
    least = np.minimum(low, high)
    allowed = least[..., 1] >= LEAST_SHARE * total[..., 1]
    allowed &= least[..., 3] >= LEAST_ROWS
    slopes = [s[..., 0] / np.maximum(s[..., 1], 1e-300) for s in (low, high)]
    spread = sum(s[..., 2] / np.maximum(s[..., 1], 1e-150) ** 2 for s in (low, high))
    apart = np.where(allowed, slopes[1] - slopes[0], 0.0)
    return np.asarray(apart**2 / np.maximum(spread, 1e-300))


def _grown(
    chosen: _Chosen, inside: BoolArray, path: tuple[Condition, ...], depth: int
) -> Iterator[tuple[BoolArray, tuple[Condition, ...], _Cut]]:
    """Grow a tree, the first cut first."""
    if depth == 0:
        return
    chi2, sides = chosen.best_cut(inside)
    if sides is None or chi2 < PROMISING:
        return
    best = _Cut(_is_above(chosen.others[sides[1].column], sides[1]), sides)
    yield inside, path, best
    for side in (True, False):
        longer = (*path, best.sides[int(side)])
        yield from _grown(chosen, inside & (best.high == side), longer, depth - 1)


def _is_above(other: Other, condition: Condition) -> BoolArray:
    """Tell which rows lie on the upper side of a cut; missing values of a number lie below."""
    if other.is_number:
        return np.asarray(other.values > condition.cut)
    return np.isin(np.where(np.isnan(other.values), -1, other.values), condition.levels)


def _bins_of(other: Other) -> tuple[Labels, int, FloatArray]:
    """Number the bins of a number, or the levels of a category, missing values last.

    A number's missing values are in its first bin.
    """
    if not other.is_number:
        codes, size = other.stretches()
        return codes.astype(np.int32), size, np.empty(0)
    known = other.values[~np.isnan(other.values)]
    ordered = np.sort(known[:: len(known) // BIN_SAMPLE or 1]) + 0.0  # there is one zero only
    distinct = ordered[np.append(True, np.diff(ordered) > 0)[: len(ordered)]]
    if len(distinct) > BINS:
        places = np.linspace(0, len(ordered) - 1, BINS + 1)
        distinct = np.unique(ordered[places.astype(np.int64)])
    edges = distinct[:-1] if len(distinct) > 1 else distinct
    codes = count_below(np.where(np.isnan(other.values), -np.inf, other.values), edges)
    return codes.astype(np.int32), len(edges) + 1, edges


@dataclass(frozen=True, slots=True)
class _Sums:
    """What rows say of the slope, so that sums over a region tell its slope and variance."""

    # Score and information; squares and product of the two, made up for what strata took.
    rows: FloatArray  # (n, 5)
    cluster: Labels | None  # (n,)

    def slopes(self, region: IntArray, size: int) -> FloatArray:
        """Return slope, less the common one, and variance of each region, shape (size, 2)."""
        sums = np.zeros((size, 5))
        add_rows(self.rows, np.ones(len(region)), region.astype(np.int32), sums)
        total = np.maximum(sums[:, 1], 1e-150)
        value = sums[:, 0] / total
        if self.cluster is None:
            errors = sums[:, 2] - 2 * value * sums[:, 3] + value**2 * sums[:, 4]
        else:
            error = self.rows[:, 0] - self.rows[:, 1] * value[region]
            n_clusters = int(self.cluster.max()) + 1
            both = sums_of(region * n_clusters + self.cluster, error, size * n_clusters)
            errors = np.sum(both.reshape(size, n_clusters) ** 2, axis=1)
        known = sums[:, 1] > 0
        variance = np.where(known, np.maximum(errors, 0.0) / total**2, np.inf)
        return np.column_stack([np.where(known, value, 0.0), variance])


def _sums_of(slopes: Slopes, units: Units) -> _Sums:
    score, information = slopes.score, slopes.information
    left = np.maximum(units.one_minus_leverage, LEAST_LEFT) * units.counts
    squares = [score**2 / left, score * information / left, information**2 / left]
    return _Sums(np.column_stack([score, information, *squares]), units.cluster)


def _holds(sums: _Sums, choosing: BoolArray, inside: BoolArray, cut: _Cut, level: float) -> bool:
    """Tell whether a cut sets slopes apart on the other fold as well."""
    region = np.where(inside, 2 * cut.high + choosing, 4)
    low, chosen_low, high, chosen_high = sums.slopes(region, 5)[:4]
    apart = (high[0] - low[0]) * float(np.sign(chosen_high[0] - chosen_low[0]))
    return bool(ndtr(-apart / np.sqrt(max(high[1] + low[1], 1e-300))) < level / 2)


def common_slope(gram: FloatArray, line: FloatArray, effect: FloatArray) -> float:
    """Return the slope of a line (K,) that is nearest to an effect (K,), by products (K, K)."""
    return float(line @ gram @ effect) / max(float(line @ gram @ line), 1e-300)


def difference(leaves: Sequence[Leaf]) -> tuple[float, float]:
    """Return the first region's slope less the last one's, and its standard error."""
    first, last = leaves[0], leaves[-1]
    return first.value - last.value, float(np.sqrt(first.variance + last.variance))
