"""How strong a column that is not in the table would have to be to explain an effect away.

After Cinelli and Hazlett, "Making sense of sensitivity: extending omitted variable bias", Journal
of the Royal Statistical Society B 82 (2020).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from paribus.base.arrays import FloatArray, IntArray
from paribus.estimate.bands import student_quantile
from paribus.results import errors as result_errors
from paribus.results import show
from paribus.results.contrast import Contrast
from paribus.results.scales import in_logs, is_ratio
from paribus.results.tables import rows_of_column
from paribus.results.told import Told
from paribus.results.words import share_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from paribus.results.base import Effect
    from paribus.results.evidence import RowsBehind

TITLE = "What a column that is not there could do"
MOST_TIMES, STEP = 100.0, 0.1  # the multiples of a column's strength that are tried
MOST_LEVELS = 20  # of a category that serves as a benchmark
MOST_ROWS = 20_000  # used to measure the strength of columns in the table
RIDGE = 1e-9  # of a column's variance: a column that the others determine then explains nothing


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A column in the table, as a measure of strength.

    Attributes
    ----------
    column : str
    with_x, with_y : float
        The share that it explains of what the others leave of the explained column, and of the
        target.
    times : float
        How many times as strong a missing column would have to be to explain the effect away;
        infinite where no multiple would do.
    """

    column: str
    with_x: float
    with_y: float
    times: float


@dataclass(frozen=True, slots=True, repr=False)
class Robustness(Told):
    """How much it takes to undo an effect.

    Attributes
    ----------
    feature, target : str
    contrast : Contrast
        The estimate in question.
    df : float
        Rows less the columns held still.
    partial_r2 : float
        The share that the column explains of what is left of the target: a missing column that
        explains all the rest of the target must explain as much of the column to undo the effect.
    value : float
        The robustness value: a missing column that explains this share of what is left of the
        column and of the target would explain the whole effect away.
    value_interval : float
        The same to make the interval reach zero; 0 where it already does.
    benchmarks : tuple of Benchmark
        Columns in the table, the strongest first.

    Examples
    --------
    The study of Darfur in Cinelli and Hazlett's paper, from its t-value and degrees of freedom:

    >>> from paribus.results.contrast import contrast_of
    >>> found = robustness_of("harm", "peace", contrast_of(0.09731582, 0.02325654, 0.95), 783)
    >>> [round(100 * x, 1) for x in (found.partial_r2, found.value, found.value_interval)]
    [2.2, 13.9, 7.6]
    """

    feature: str
    target: str
    contrast: Contrast
    df: float
    partial_r2: float
    value: float
    value_interval: float
    benchmarks: tuple[Benchmark, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<Robustness: {self.feature} on {self.target}, {100 * self.value:.3g} %, "
            f"interval {100 * self.value_interval:.3g} %>"
        )

    def summary(self) -> str:
        """Say how strong a missing column would have to be.

        Examples
        --------
        >>> import paribus as pb
        >>> data = pb.datasets.diamonds().table
        >>> carat = pb.effect({k: v[:3000] for k, v in data.items()}, "price", "carat")
        >>> print(carat.robustness())  # doctest: +ELLIPSIS
        A column that is not in the table would have to explain ... % of what is left of carat ...
        """
        said = (
            "A column that is not in the table would have to explain "
            f"{share_words(self.value)} of what is left of {self.feature} and of {self.target} to "
            "take the whole effect away"
        )
        if self.value_interval > 0:
            said += f", {share_words(self.value_interval)} to make its interval reach zero"
        else:
            said += "; its interval includes zero as it is"
        return f"{said}.{self._compared()}"

    def _compared(self) -> str:
        if not self.benchmarks:
            return ""
        one = self.benchmarks[0]
        shares = f"{share_words(one.with_x)} and {share_words(one.with_y)}"
        if not np.isfinite(one.times):
            return f" {one.column!r}, the strongest column there is, explains {shares}."
        return (
            f" It would have to be {one.times:.1f} times as strong as {one.column!r}, which "
            f"explains {shares}."
        )

    def undoing(self, with_x: FloatArray, interval: bool = False) -> FloatArray:
        """Return how much of the target a missing column must explain to undo the effect.

        `with_x` (k,) are the shares that it explains of what is left of the column, above 0. With
        `interval` it need only make the interval reach zero.
        """
        f = abs(self.contrast.value / self.contrast.se) / np.sqrt(self.df)
        if interval:
            f = max(f - _critical(self.contrast.conf_level, self.df), 0.0)
        return np.minimum(f**2 * (1 - with_x) / with_x, 1.0)

    def reach(self, shown: Sequence[Benchmark]) -> float:
        """Return how far the axes must reach, as a share, to show some columns in the table."""
        strongest = [max(one.with_x, one.with_y) for one in shown]
        return float(np.clip(max([1.6 * self.value, *(1.2 * s for s in strongest)]), 0.02, 1.0))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what a missing column must explain of both, and what columns in the table do."""
        return show.robustness.plot_robustness(self, ax)


def robustness_of(
    feature: str,
    target: str,
    found: Contrast,
    df: float,
    strengths: Mapping[str, tuple[float, float]] | None = None,
) -> Robustness:
    """Return the robustness of an estimate, `found` on an additive scale.

    `strengths` are those of columns in the table: the shares that each explains of what is left of
    the explained column and of the target.
    """
    f = abs(found.value) / found.se / np.sqrt(df) if found.se > 0 else np.inf
    made = [
        Benchmark(name, with_x, with_y, _times(f, with_x, with_y))
        for name, (with_x, with_y) in (strengths or {}).items()
    ]
    made.sort(key=lambda one: (one.times, -one.with_x * one.with_y))
    return Robustness(
        feature, target, found, df,
        partial_r2=1.0 if np.isinf(f) else float(f**2 / (1 + f**2)),
        value=_value(f),
        value_interval=_interval_value(f, _critical(found.conf_level, df)),
        benchmarks=tuple(made),
    )  # fmt: skip


def strengths_of(behind: RowsBehind, x: FloatArray) -> dict[str, tuple[float, float]]:
    """Measure by least squares how much held columns explain of `x` (n,) and of the target."""
    coded = {name: _coded(c.values, len(c.levels)) for name, c in behind.others.items()}
    blocks = {name: block for name, block in coded.items() if block.shape[1]}
    if not blocks:
        return {}
    columns = [*blocks.values(), x[:, None], behind.y[:, None]]
    owner = np.repeat(np.arange(len(columns)), [block.shape[1] for block in columns])
    matrix = np.concatenate(columns, axis=1)
    matrix = matrix - np.average(matrix, axis=0, weights=behind.weights)
    matrix /= np.maximum(np.sqrt(np.average(matrix**2, axis=0, weights=behind.weights)), 1e-300)
    gram = matrix.T @ (matrix * behind.weights[:, None])
    gram[np.diag_indices_from(gram)] += RIDGE * behind.weights.sum()  # a level may have no rows
    with_x, with_y = (_shares(gram, at, owner) for at in (len(owner) - 2, len(owner) - 1))
    return {name: (with_x[k], with_y[k]) for k, name in enumerate(blocks)}


def _coded(values: FloatArray, n_levels: int) -> FloatArray:
    """Return a column as numbers for least squares, shape (n, c); missing ones are the mean."""
    if n_levels > MOST_LEVELS:
        return np.empty((len(values), 0))
    if n_levels:
        return np.stack([values == k for k in range(1, n_levels)], axis=1).astype(np.float64)
    known = np.where(np.isnan(values), np.nanmean(values), values)
    spread = float(known.std())
    return ((known - known.mean()) / spread)[:, None] if spread else np.empty((len(values), 0))


def _shares(gram: FloatArray, of: int, owner: IntArray) -> list[float]:
    """Return the share that each block explains of what the others leave of column `of`.

    With all blocks least squares gives b and the inverse S; without one of them the residual sum of
    squares grows by b' S^-1 b, over that block's part of both.
    """
    inverse = np.linalg.inv(gram[:of, :of])
    slopes = inverse @ gram[:of, of]
    left = max(float(gram[of, of] - gram[:of, of] @ slopes), 0.0)
    out = []
    for k in range(owner[of]):
        at = np.flatnonzero(owner[:of] == k)
        more = float(slopes[at] @ np.linalg.solve(inverse[np.ix_(at, at)], slopes[at]))
        small = left + more <= 1e-9 * float(gram[of, of])
        out.append(0.0 if small else float(np.clip(more / (left + more), 0.0, 1.0)))
    return out


def _critical(conf_level: float, df: float) -> float:
    return float(student_quantile(conf_level, np.array(df - 1))) / float(np.sqrt(df - 1))


def _value(f: float) -> float:
    if np.isinf(f):
        return 1.0
    return float((np.sqrt(f**4 + 4 * f**2) - f**2) / 2)


def _interval_value(f: float, critical: float) -> float:
    if f <= critical:
        return 0.0
    if f * critical > 1:
        return 1.0 if np.isinf(f) else float((f**2 - critical**2) / (1 + f**2))
    return _value(f - critical)


def _times(f: float, with_x: float, with_y: float) -> float:
    """Return how many times as strong as this column one must be to undo an effect of `f`."""
    times = np.arange(STEP, MOST_TIMES, STEP)
    if with_x <= 0 or with_x >= 1 or with_y >= 1:
        return np.inf
    x = times * with_x / (1 - with_x)
    possible = (x < 1) & (times * with_x < 1)
    times, x = times[possible], x[possible]
    shared = times * with_x**2 / ((1 - times * with_x) * (1 - with_x))
    fine = shared < 1
    times, x, shared = times[fine], x[fine], shared[fine]
    y = ((np.sqrt(times) + np.sqrt(shared)) / np.sqrt(1 - shared)) ** 2 * with_y / (1 - with_y)
    enough = np.minimum(y, 1) * x / (1 - x) >= f**2
    return float(times[np.argmax(enough)]) if enough.any() else np.inf


def robustness(e: Effect, contrast: Contrast | None = None) -> Robustness:
    """Return how robust an effect is; see `Effect.robustness`."""
    rows = [row for row in rows_of_column(e) if row.found is not None and row.found.se > 0]
    if not rows:
        raise result_errors.no_covariance()
    numbers = [_linear(e, row.found) for row in rows]
    surest = int(np.argmax([abs(one.value) / one.se for one in numbers]))
    found = numbers[surest] if contrast is None else _linear(e, contrast)
    strengths = {}
    if e.rows_are_known:
        behind = e.rows_behind().with_level(rows[surest].level)
        known = np.flatnonzero(~np.isnan(behind.column.values))
        every = max(1, len(known) // MOST_ROWS)
        behind = behind.take(known[::every])
        strengths = strengths_of(behind, _as_number(rows[surest].level, behind))
    df = max(e.n_used - 1 - (e.n_held or 0), 3)
    return robustness_of(e.feature, e.target, found, float(df), strengths)


def _linear(e: Effect, found: Contrast | None) -> Contrast:
    """Return an estimate on an additive scale."""
    if found is None:
        raise result_errors.no_covariance()
    if not is_ratio(e.unit):
        return found
    se = found.se / (1 + found.value / 100)
    return replace(found, value=float(in_logs(found.value)), se=se)


def _as_number(level: str, behind: RowsBehind) -> FloatArray:
    """Return the explained column as a number: itself, or whether it is at a level."""
    if behind.column.kind != "category":
        return behind.column.values
    levels = [str(known) for known in behind.column.levels]
    return (behind.column.values == levels.index(level)).astype(np.float64)
