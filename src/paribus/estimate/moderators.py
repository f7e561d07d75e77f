"""Columns that an effect differs with, found by score tests of products inside the strata.

Let ``f(x)`` be the explained column less strata and covariates, and ``r`` the target less the
common effect. The effect does not differ with z if ``f(x) psi(z) r`` is zero on average for all
pieces ``psi`` of z. ``f`` is uncorrelated with what z does by itself, and so, nearly, are its
products: only the rows at hand are needed, without further demeaning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from paribus.base.arrays import FloatArray, Rows, coarse, dot
from paribus.estimate.candidates import (
    MOST_ROWS,
    Candidates,
    Tried,
    candidates_of,
    fresh_rows,
    rows_looked_at,
)
from paribus.estimate.covariance import RowScores, error_df, row_variance
from paribus.estimate.interactions import centred, products_of
from paribus.estimate.pieces import Other
from paribus.estimate.testing import joined_p_value, joint_p_value, quadratic_p_value
from paribus.estimate.units import Units
from paribus.estimate.within import Within

FEW_ROWS = 4_000  # rows that the tests look at where a category has many levels
MANY_FUNCTIONS = 8  # of the explained column: above it, a sum of squares is tested
GATE = 0.2  # p-value times columns of the strongest column: above it, nothing differs
LEVEL = 0.02  # p-value of a column that may moderate, once one passed the gate
MOST = 8  # moderators, found one after the other
LIKELY, LIKELY_NEXT = 5, 4  # columns tested at first, and once one was found
TELLING = 2  # of the first: where none of these passes the gate, the rest will not
MOST_SCORES = 300  # products of a column that are tested
MOST_PRODUCTS = 700  # of levels and pieces; moderators beyond the first must leave room for it
BEYOND_DOUBT = 0.001  # p-value, freed of the search: above it, fresh rows must confirm it
CONFIRMED, FEWEST_FRESH = 0.1, 8_000  # p-value on fresh rows, and how many they must be
PAIR_LEVEL, MOST_PAIRS = 0.01, 2  # two columns together, times the number of pairs
EXACT = 1e-9  # share of the target's variance left: below it, nothing can differ


@dataclass(frozen=True, slots=True)
class Moderator:
    """A column, or two together, that an effect differs with."""

    columns: tuple[str, ...]
    # Of no difference; freed of the search over columns (Holm 1979) or pairs (Bonferroni).
    p_value: float


@dataclass(frozen=True, slots=True)
class RowsTested:
    """The rows that the tests look at; arrays (m, t) of them are laid out column by column."""

    at: Rows  # (m,)
    # Functions of the explained column, less strata and covariates, times the weights' roots.
    freed: FloatArray  # (m, a)
    residual: FloatArray  # (m,): what the common effect leaves of the target
    # What squared residuals are multiplied by to make up for what strata and parameters took.
    growth: FloatArray  # (m,)
    units: Units  # their weights are roots too: what they multiply has the other root already
    df: float
    straight: bool  # whether the first function is a straight line, which is tested by itself too

    def covariance(self, scores: FloatArray, residual: FloatArray) -> FloatArray:
        """Return the covariance of the sum of `scores` (m, t) times `residual`, shape (t, t)."""
        rows = RowScores(self.at, scores, self.units)
        if self.units.cluster is None:
            return rows.by_row(self.growth * residual**2)
        return rows.by_cluster(residual, self.units.n_rows - 1)


def rows_to_test(
    within: Within,
    residual: FloatArray,
    functions: FloatArray,
    used_df: float,
    *,
    straight: bool,
    fresh: bool = False,
) -> RowsTested:
    """Take rows enough, evenly.

    Parameters
    ----------
    within : Within
        The fit of the common effect.
    residual : float array of shape (n,)
    functions : float array of shape (K, a)
        Of the explained column, by their values at its points.
    used_df : float
        Freedom that covariates and common effect took.
    straight : bool
    fresh : bool
        Whether to take others than usual, more if there are.
    """
    most = FEW_ROWS if functions.shape[1] > MANY_FUNCTIONS else MOST_ROWS
    at = (fresh_rows if fresh else rows_looked_at)(len(residual), most)
    units = within.units.take(at)
    ones, n_rows = np.ones(len(at)), within.units.n_rows
    # Rows that stand for many weigh as much: this is a test on these rows.
    root = np.sqrt(units.weights * units.sampling_weight)
    return RowsTested(
        at=at,
        freed=np.asfortranarray(root[:, None] * within.influence(at, functions)),
        residual=residual[at],
        growth=row_variance(units, ones, used_df, n_rows=n_rows),
        units=replace(units, weights=root, sampling_weight=np.ones(len(at))),
        df=error_df(units, max(units.n_left - used_df * len(at) / len(residual), 1.0)),
        straight=straight,
    )


def find_moderators(
    rows: Callable[..., RowsTested],
    others: Mapping[str, Other],
    shared: Candidates | None = None,
) -> list[Moderator]:
    """Find the columns that the effect differs with, and pairs that act on it together.

    The strongest is taken, and taken out before the rest is looked at again: columns that only
    go along with it are not found. Of many columns the strongest at a glance are tested. Unless
    the first passes the `GATE`, nothing differs, and what is not beyond doubt must be confirmed by
    rows that had no part in the search. Pairs are not looked for where rows come in clusters.

    Parameters
    ----------
    rows : callable
        `rows_to_test` of the common effect.
    others : mapping of str to Other
    shared : Candidates, optional
        The pieces of these columns and maybe more, if they are laid out for `MOST_ROWS` rows.
    """
    tested = rows()
    weights = tested.units.weights**2
    if not others or float(weights @ tested.residual**2) < EXACT * float(weights.sum()):
        return []
    if shared is None or len(shared.psi) != len(tested.at):
        shared = candidates_of(others, tested.at, pairs=tested.straight)
    search = _Search(tested, _Again(rows), others, shared)
    while search.step():
        pass
    out = search.moderators()
    if tested.straight and tested.units.cluster is None and len(out) < MOST:
        out += _find_pairs(search.left, shared, others)
    return out


@dataclass(slots=True)
class _Again:
    """Rows that had no part in the search, taken when they are needed; see `rows_to_test`."""

    rows: Callable[..., RowsTested]
    left: _Left | None = None

    def p_value(self, name: str, others: Mapping[str, Other], found: Sequence[str]) -> float | None:
        """Test a column beside those found; None where rows are too few or come in clusters."""
        if self.left is None:
            self.left = _Left.of(self.rows(fresh=True))
        tested = self.left.tested
        if len(tested.at) < FEWEST_FRESH or tested.units.cluster is not None:
            return None
        for other in found[len(self.left.found) :]:
            self.left = self.left.less(other, others[other])
        return self.left.p_value(_Products.of(tested, Tried.of(others[name].take(tested.at))))


class _Search:
    """Moderators found so far, one after the other."""

    def __init__(
        self, tested: RowsTested, again: _Again, others: Mapping[str, Other], shared: Candidates
    ) -> None:
        self.again, self.others, self.shared = again, others, shared
        self.left = _Left.of(tested)
        self.lowest: dict[str, float] = {}  # p-values of all columns
        self.confirmed: dict[str, float] = {}  # p-values on rows that had no part in the search
        self.width = 0  # products with what was found
        self.products: dict[str, _Products] = {}  # of the columns tested last
        self._look()

    def _look(self) -> None:
        """Test what is left."""
        names = [name for name in self.others if name not in self.left.found]
        self.p_value = dict.fromkeys(names, 1.0)
        before, self.products = self.products, {}
        for place, name in enumerate(self._likely(names)):
            if place == TELLING and len(names) > LIKELY and self._says_nothing():
                break  # the strongest come first
            own = before.get(name) or _Products.of(self.left.tested, self._tried(name))
            self.products[name] = own
            self.p_value[name] = self.left.p_value(own)
        for name, p in self.p_value.items():
            self.lowest[name] = min(p, self.lowest.get(name, 1.0))

    def _says_nothing(self) -> bool:
        """Tell whether nothing was found, and no column tested passes the gate."""
        return not self.left.found and min(self.p_value.values()) * len(self.p_value) > GATE

    def _likely(self, names: Sequence[str]) -> Sequence[str]:
        """Return the columns that are worth a test: the strongest at a glance."""
        most = LIKELY_NEXT if self.left.found else LIKELY
        if len(names) <= most:
            return names
        tested, residual = self.left.tested, self.left.residual
        pull, spread = tested.units.weights, tested.units.error_weights * tested.growth
        strength = self.shared.strength(
            tested.freed * (pull * residual)[:, None],
            tested.freed**2 * (spread * residual**2)[:, None],
        )
        order = np.argsort(-coarse(np.array([strength[name] for name in names])), kind="stable")
        return [names[at] for at in order[:most]]

    def _tried(self, name: str) -> Tried:
        known = self.shared.tried.get(name)
        return known or Tried.of(self.others[name].take(self.left.tested.at))

    def step(self) -> bool:
        """Take the strongest column left, if it is strong enough."""
        fresh, found = self.p_value, self.left.found
        if not fresh or len(found) == MOST:
            return False
        strongest = list(fresh)[int(np.argmin(coarse(np.array([*fresh.values()]))))]
        p = fresh[strongest]
        if p > LEVEL if found else p * len(fresh) > GATE:
            return False
        width = self._width(strongest)
        if found and self.width + width > MOST_PRODUCTS:
            fresh[strongest] = 1.0
            return True
        if p * len(fresh) > BEYOND_DOUBT:
            again = self.again.p_value(strongest, self.others, found)
            if again is not None and again > CONFIRMED:
                fresh[strongest] = 1.0
                return True
            if again is not None:
                self.confirmed[strongest] = again
        self.left = self.left.less(strongest, self.others[strongest])
        self.width += width
        self._look()
        return True

    def _width(self, name: str) -> int:
        """Return how many products there are of a column's pieces."""
        return self._tried(name).psi.shape[1] * self.left.tested.freed.shape[1]

    def moderators(self) -> list[Moderator]:
        """Return what was found; p-values are freed of the search."""
        found = self.left.found
        freed = holm(self.lowest) if found else {}
        return [Moderator((name,), self.confirmed.get(name, freed[name])) for name in found]


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Free p-values of the search for the smallest (Holm 1979).

    Examples
    --------
    >>> holm({"a": 0.5, "b": 0.01})
    {'b': 0.02, 'a': 0.5}
    """
    out, least = {}, 0.0
    for place, name in enumerate(sorted(p_values, key=lambda k: p_values[k])):
        least = max(least, min(1.0, p_values[name] * (len(p_values) - place)))
        out[name] = least
    return out


@dataclass(slots=True)
class _Products:
    """Products with the pieces of a column that is tested, and how often they were freed."""

    # All of them, and those of the first functions with a straight line of the column.
    columns: FloatArray  # (m, t + r)
    n_pieces: int
    n_straight: int  # r
    n_out: int = 0  # blocks of `_Left` that are taken out

    @classmethod
    def of(cls, tested: RowsTested, tried: Tried) -> _Products:
        """Multiply the functions of the explained column with the pieces."""
        freed, weights = tested.freed, tested.units.weights**2
        few = max(1, MOST_SCORES // freed.shape[1])  # of many levels, the commonest
        psi, line = centred(tried.psi[:, :few], weights), centred(tried.line, weights)
        first = freed[:, :1] if tested.straight else freed
        wide, straight = freed.shape[1] * psi.shape[1], first.shape[1] * line.shape[1]
        columns = np.empty((len(psi), wide + straight), order="F")
        products_of(freed, psi, columns[:, :wide])
        products_of(first, line, columns[:, wide:])
        return cls(columns, psi.shape[1], straight)

    def tests(self, *, straight: bool) -> list[slice]:
        """Return what is tested together, that of a straight line of x too where there is one."""
        wide = self.columns.shape[1] - self.n_straight
        parts = [slice(wide), slice(wide, None)] + [slice(self.n_pieces)] * straight
        return [part for part in parts if len(range(*part.indices(self.columns.shape[1])))]


@dataclass(frozen=True, slots=True)
class _Left:
    """Rows tested, less the common effect and its products with the moderators found so far."""

    tested: RowsTested
    blocks: tuple[FloatArray, ...]  # (m, t) each: orthonormal all together, what is taken out
    residual: FloatArray  # (m,): free of it
    found: tuple[str, ...] = ()

    @classmethod
    def of(cls, tested: RowsTested) -> _Left:
        """Take out the common effect."""
        return cls(tested, (), tested.residual)._less(tested.freed.copy(order="F"))

    def less(self, name: str, other: Other) -> _Left:
        """Take out products with one more moderator, finely if there is room for so many."""
        tested, other = self.tested, other.take(self.tested.at)
        width = sum(block.shape[1] for block in self.blocks)
        room = (MOST_PRODUCTS - width) // tested.freed.shape[1]
        psi = other.pieces.fine(other.values)
        psi = psi if psi.shape[1] <= room else other.pieces.coarse(other.values)
        psi = centred(np.asfortranarray(psi), tested.units.weights**2)
        products = np.empty((len(psi), tested.freed.shape[1] * psi.shape[1]), order="F")
        products_of(tested.freed, psi, products)
        return replace(self._less(products), found=(*self.found, name))

    def _less(self, columns: FloatArray) -> _Left:
        size = np.sqrt(np.maximum(np.einsum("ij,ij->j", columns, columns), 1e-300))
        _take_out(columns, self.blocks)
        more, root = _orthonormal(columns, size), self.tested.units.weights
        residual = self.residual - more @ dot(more.T, self.residual * root) / root
        return replace(self, blocks=(*self.blocks, more), residual=residual)

    def p_value(self, products: _Products) -> float:
        """Test the products with the pieces of a column for being zero on average.

        All products are tested together and, as fewer numbers tell more where they are all that
        differs, those of the straight line with all pieces, and those with a straight line of z.
        """
        tested, scores = self.tested, products.columns
        _take_out(scores, self.blocks[products.n_out :])  # the others are out of them already
        products.n_out = len(self.blocks)
        score = dot(scores.T, tested.units.weights * self.residual)
        covariance = tested.covariance(scores, self.residual)
        information = np.einsum("ij,ij->j", scores, scores)
        return joined_p_value(
            [
                _zero_p_value(score[t], covariance[t, t], information[t], tested)
                for t in products.tests(straight=tested.straight)
            ]
        )


def _take_out(columns: FloatArray, blocks: Sequence[FloatArray]) -> None:
    """Free columns (m, s) of orthonormal blocks, in place."""
    for block in blocks:
        columns -= dot(dot(columns.T, block), block.T).T


def _orthonormal(columns: FloatArray, size: FloatArray) -> FloatArray:
    """Return an orthonormal basis of `columns` (m, t), once of `size` (t,), as far as they go."""
    gram = dot(columns.T, columns)
    values, vectors = np.linalg.eigh(gram / np.outer(size, size))
    kept = values > 1e-9 * max(values[-1], 1.0)
    turned = vectors[:, kept] / size[:, None] / np.sqrt(values[kept])
    return dot(turned.T, columns.T).T


def _zero_p_value(
    score: FloatArray, covariance: FloatArray, information: FloatArray, tested: RowsTested
) -> float:
    """Test a score (t,) for being zero, by a plain sum of squares where it has many parts."""
    if tested.freed.shape[1] <= MANY_FUNCTIONS:
        return joint_p_value(score, covariance, tested.df)
    seen = information > 1e-9 * information.max()
    weight = np.where(seen, 1 / np.maximum(information, 1e-300), 0.0)
    return quadratic_p_value(score, weight, covariance, tested.df)


def _find_pairs(left: _Left, shared: Candidates, names: Collection[str]) -> list[Moderator]:
    """Find pairs of columns that move the slope together: all of them in two matrix products."""
    first, second = shared.pairs(names) if len(shared.lines) else ((), ())
    if len(first) == 0:
        return []
    at, z, owner = shared.in_pairs, shared.lines, shared.line_owner
    tested, residual = left.tested, left.residual[at]
    f, units = tested.freed[at, 0], tested.units
    spread = np.abs(f * residual) * np.sqrt(units.error_weights[at] * tested.growth[at])
    unit = max(float(spread.max()), 1e-300)
    pull = (units.weights[at] * f * residual / unit).astype(np.float32)
    squares = z**2 * (spread / unit).astype(np.float32)[:, None]
    score, variance = dot((z * pull[:, None]).T, z), dot(squares.T, squares)
    chi2 = score[first, second] ** 2 / np.maximum(variance[first, second], np.float32(1e-30))
    best = dict[tuple[str, str], float]()
    strongest = np.argpartition(-chi2, min(10 * MOST_PAIRS, len(chi2)) - 1)[: 10 * MOST_PAIRS]
    for place in strongest[np.argsort(-coarse(chi2[strongest]), kind="stable")]:
        p_value = min(1.0, float(chdtrc(1, float(chi2[place]))) * len(first))
        pair = (shared.names[owner[first[place]]], shared.names[owner[second[place]]])
        if p_value < PAIR_LEVEL:
            best.setdefault(pair, p_value)
    return [Moderator(pair, p) for pair, p in list(best.items())[:MOST_PAIRS]]
