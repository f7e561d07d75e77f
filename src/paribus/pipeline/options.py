"""How to estimate: every option, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from paribus.base import errors
from paribus.base.checks import check_seed, check_whole
from paribus.base.threads import MOST_THREADS, count_threads

Estimator: TypeAlias = Literal["least_squares", "slopes"]
Average: TypeAlias = Literal["rows", "overlap"]
Effort: TypeAlias = Literal["quick", "usual", "thorough"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to estimate.

    Attributes
    ----------
    min_samples_leaf : int
        Rows of a stratum, at least.
    conf_level : float
        How sure intervals and bands are.
    repeats : int, or None
        How often strata are grown anew and averaged; None lets the number of rows decide.
    folds : int
        Parts of the rows, each divided by trees grown on the others.
    adjust : bool
        Adjust for what is left of the other columns inside a stratum.
    honest : bool
        Grow trees on other rows than they divide.
    estimator : {"least_squares", "slopes"}
    average : {"rows", "overlap"}
        Of an effect that differs: over the rows at each value, or weighted by how much the column
        varies among alike rows.
    fewer_knots : float
        Times the usual number of knots of a curve.
    effort : {"quick", "usual", "thorough"}
        How much time an answer is worth.
    seed : int
    n_jobs : int, or None
        Threads; None and -1 mean one for each processor.
    """

    min_samples_leaf: int = 10
    conf_level: float = 0.95
    repeats: int | None = None
    folds: int = 2
    adjust: bool = True
    honest: bool = True
    estimator: Estimator = "least_squares"
    average: Average = "rows"
    fewer_knots: float = 1.0
    effort: Effort = "usual"
    seed: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        """Check every option."""
        check_whole("min_samples_leaf", self.min_samples_leaf, 1)
        check_whole("folds", self.folds, 2)
        check_seed(self.seed)
        if self.repeats is not None:
            check_whole("repeats", self.repeats, 1)
        if not isinstance(self.conf_level, float) or not 0 < self.conf_level < 1:
            raise errors.bad_conf_level(self.conf_level)
        for name in ("adjust", "honest"):
            _check_flag(name, getattr(self, name))
        named = (("estimator", Estimator), ("average", Average), ("effort", Effort))
        for name, choices in named:
            if getattr(self, name) not in get_args(choices):
                raise errors.bad_choice(name, getattr(self, name), list(get_args(choices)))
        if self.n_jobs not in (None, -1):
            check_whole("n_jobs", self.n_jobs, 1, MOST_THREADS)

    @property
    def looks_jointly(self) -> bool:
        """Whether columns that act together are looked for."""
        return self.adjust and self.effort != "quick"

    @property
    def threads(self) -> int:
        """How many threads share the work."""
        return count_threads(self.n_jobs)


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise errors.bad_flag(name, value)
