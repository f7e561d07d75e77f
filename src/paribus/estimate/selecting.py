"""Of very many covariates, those that help to predict the explained column or the target.

What is left out predicts neither better than chance would, so that leaving it out hardly moves the
effect (double selection: Belloni, Chernozhukov and Hansen 2014). Covariates are added one at a
time, always the one that explains most of what is left. All of it follows from the covariates'
products with each other, which are formed once, and with the explained column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import chdtrc

from paribus.base.arrays import BoolArray, FloatArray, IntArray, Labels, dot, first_best
from paribus.estimate.design import ROWS_PER_COVARIATE, Design
from paribus.estimate.groups import sums_of, weighted_gram
from paribus.estimate.terms import Chosen

MANY = 80  # covariates: with more, those that matter are selected
MOST, ROWS_A_CHOICE = 60, 10  # covariates selected, and rows for each of them at least
MOST_CATEGORIES = 4  # categories of many levels that are selected
BY_CHANCE = 0.02  # of the variance, that covariates selected by chance may explain
CERTAIN = 3.0  # standard deviations by which the levels of a category must differ
ALIKE = 0.01  # share of a covariate's variance that others leave: below it, it says nothing new
ROUNDING = 1e-9  # of a gain: what gains less by no more is as good
SAMPLE = 20_000  # rows enough to select by
MOST_SCORES = 3  # of an explained category
NOTHING = Chosen(np.empty(0, dtype=np.int64), ())


@dataclass(frozen=True, slots=True)
class Selection:
    """A table whose covariates were looked at; explained columns follow, one at a time."""

    rows: slice  # the rows looked at
    # Their covariates, standardised, times the roots of their weights, column by column.
    values: FloatArray  # (s, q)
    products: FloatArray  # (q, q)
    roots: FloatArray  # (s,)
    owner: IntArray  # (q,): the column that each is made from
    levels_of: Mapping[int, IntArray]  # (s,) each: levels of the categories with many of them
    heavy: Mapping[int, FloatArray]  # how much the rows of each of their levels weigh
    for_target: Chosen  # what helps to predict the target
    least: float  # squared t-value that a covariate must have

    def choose(
        self,
        x: FloatArray,
        left_out: Sequence[int],
        place: int | None = None,
        pull: FloatArray | None = None,
    ) -> Chosen:
        """Return the covariates of a column `x` (n, c), and categories of many levels.

        A complete number is itself a covariate, at a `place`: its products are there already. Of
        others they are formed unless they are given as `pull`; see `pulls`.
        """
        allowed = ~np.isin(self.owner, list(left_out))
        every = [k for k in self.levels_of if k not in left_out]
        scores = x[self.rows, :MOST_SCORES]
        most = self.most // (2 * scores.shape[1])
        if place is None:
            found = self.predict(scores, allowed, every, most, pull)
        else:
            own = self.values[:, place], self.products[place]
            found = [self._predict_one(*own, allowed, every, most)]
        found = [*found, self.for_target]
        covariates = np.unique(np.concatenate([each.covariates for each in found]))
        categories = dict.fromkeys(k for each in found for k in each.categories if k in every)
        return Chosen(covariates[allowed[covariates]], tuple(categories)[:MOST_CATEGORIES])

    @property
    def most(self) -> int:
        """How many covariates are selected at most."""
        return int(min(MOST, max(len(self.values) // ROWS_A_CHOICE, 2)))

    def pulls(self, columns: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the products of columns (n, c) with the covariates, shape (c or fewer, q) each.

        Formed for several columns at once, they take far less time.
        """
        scores = [x[self.rows, :MOST_SCORES] for x in columns]
        every = np.array([self._scaled(score) for each in scores for score in each.T])
        ends = np.cumsum([each.shape[1] for each in scores])
        return np.split(dot(every, self.values), ends[:-1])

    def predict(
        self,
        targets: FloatArray,
        allowed: BoolArray,
        categories: Sequence[int],
        most: int,
        pull: FloatArray | None = None,
    ) -> list[Chosen]:
        """Return what helps to predict each of some targets (s, t), NaN where one is missing."""
        scaled = [self._scaled(target) for target in targets.T]
        scores = [dot(each, self.values) for each in scaled] if pull is None else [*pull]
        return [
            self._predict_one(each, score, allowed, categories, most)
            for each, score in zip(scaled, scores, strict=True)
        ]

    def _scaled(self, target: FloatArray) -> FloatArray:
        """Return a target (s,) as the covariates are: standardised, 0 where it says nothing."""
        known, weights = ~np.isnan(target), self.roots**2
        mean = np.average(target[known], weights=weights[known]) if known.any() else 0.0
        centred = self.roots * np.where(known, target - mean, 0.0)
        return np.asarray(centred / (float(np.sqrt(centred @ centred)) or 1.0))

    def _predict_one(
        self,
        centred: FloatArray,
        score: FloatArray,
        allowed: BoolArray,
        categories: Sequence[int],
        most: int,
    ) -> Chosen:
        """Return the same of one target (s,), with its products (q,) with the covariates."""
        if not centred.any():
            return NOTHING
        chosen = forward(self.products, score, allowed, len(centred), most, self.least)
        if not categories:
            return Chosen(chosen, ())
        own = self.values[:, chosen]
        gram = self.products[np.ix_(chosen, chosen)] + 1e-9 * np.eye(len(chosen))
        left = centred - own @ np.linalg.solve(gram, score[chosen])
        strength = {k: self._differ(k, left) for k in categories}
        found = [k for k in strength if strength[k] > CERTAIN]
        found.sort(key=lambda k: -strength[k])
        return Chosen(chosen, tuple(found[: MOST_CATEGORIES // 2]))

    def _differ(self, category: int, left: FloatArray) -> float:
        """Return by how many standard deviations levels differ more than by chance."""
        heavy = self.heavy[category]
        sums = sums_of(self.levels_of[category], self.roots * left, len(heavy))
        met = heavy > 0
        df = max(int(met.sum()) - 1, 1)
        inside = float(np.sum(sums[met] ** 2 / heavy[met]))
        noise = max(float(left @ left) - inside, 1e-12) / max(len(left) - df, 1)
        return (inside / noise - df) / float(np.sqrt(2 * df))


def select_covariates(
    design: Design,
    values: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    levels_of: Mapping[int, Labels],
) -> Selection | None:
    """Look at the shared covariates (n, q) and the target (n,); None where they are few."""
    n, q = values.shape
    size = q + sum(design.tables[k].shape[1] for k in levels_of)
    if size <= min(MANY, n / ROWS_PER_COVARIATE):
        return None
    rows = slice(None, None, max(1, n // SAMPLE))
    heavy = weights[rows]
    roots = np.sqrt(heavy)
    seen = values[rows] - dot(heavy, values[rows]) / heavy.sum()
    seen *= roots[:, None]
    seen /= np.maximum(np.sqrt(np.einsum("ij,ij->j", seen, seen)), 1e-300)
    levels = {k: level[rows].astype(np.int64) for k, level in levels_of.items()}
    out = Selection(
        rows=rows,
        values=np.asfortranarray(seen),
        products=weighted_gram(seen, None),
        roots=roots,
        owner=design.owner,
        levels_of=levels,
        heavy={k: sums_of(v, heavy, int(v.max(initial=0)) + 1) for k, v in levels.items()},
        for_target=NOTHING,
        least=least_square(q, len(seen)),
    )
    every = np.ones(q, dtype=np.bool_)
    (for_target,) = out.predict(y[rows, None], every, [*levels_of], out.most // 2)
    return replace(out, for_target=for_target)


def least_square(n_covariates: int, n_rows: int) -> float:
    """Return the squared t-value from which on covariates are selected.

    The least, and no less than 2, with which those selected by chance explain no more than
    `BY_CHANCE` of the variance.

    Examples
    --------
    >>> least_square(100, 5_000), round(least_square(600, 300), 1)
    (2.0, 11.5)
    """
    grid = np.arange(2.0, 40.0, 0.25)
    by_chance = n_covariates * chdtrc(1, grid) * (grid + 2) / n_rows
    return float(grid[np.argmax(by_chance <= BY_CHANCE)])


def forward(
    products: FloatArray,
    score: FloatArray,
    allowed: BoolArray,
    n_rows: int,
    most: int,
    least: float,
) -> IntArray:
    """Add covariates one at a time, the one that explains most of what is left first.

    Parameters
    ----------
    products : float array of shape (q, q)
        Of standardised covariates.
    score : float array of shape (q,)
        Their products with a standardised target.
    allowed : bool array of shape (q,)
    n_rows : int
    most : int
        How many are added at most.
    least : float
        Squared t-value of the last one that is added.

    Examples
    --------
    >>> forward(np.eye(3), np.array([0.1, 0.9, 0.0]), np.ones(3, bool), 1000, 3, 4.0)
    array([1, 0])
    """
    left, room, total = np.array(score), np.array(np.diag(products)), 1.0
    along = np.empty((most, len(score)))
    chosen: list[int] = []
    while len(chosen) < most:
        gain = np.where(allowed & (room > ALIKE), left**2 / np.maximum(room, ALIKE), 0.0)
        best = int(first_best(gain, ROUNDING * float(gain.max())))
        df = n_rows - len(chosen) - 1
        if df * gain[best] < least * max(total - gain[best], 1e-12) or gain[best] == 0:
            break
        k, scale = len(chosen), 1 / np.sqrt(room[best])
        along[k] = scale * (products[best] - along[:k, best] @ along[:k])
        step = scale * left[best]
        chosen.append(best)
        total -= gain[best]
        left -= step * along[k]
        room -= along[k] ** 2
    return np.array(chosen, dtype=np.int64)
