"""How to estimate: every option, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from paribus.base import errors
from paribus.base.checks import check_jobs, check_seed, check_whole
from paribus.base.threads import count_threads

Estimator: TypeAlias = Literal["least_squares", "slopes"]
Average: TypeAlias = Literal["rows", "overlap"]
Effort: TypeAlias = Literal["quick", "usual", "thorough"]


@dataclass(frozen=True, slots=True)
class Options:
    """How to estimate."""

    min_samples_leaf: int = 10  # rows of a stratum, at least
    conf_level: float = 0.95  # how sure intervals and bands are
    # How often strata are grown anew and averaged; None lets the number of rows decide.
    repeats: int | None = None
    folds: int = 2  # parts of the rows, each divided by trees grown on the others
    adjust: bool = True  # adjust for what is left of the other columns inside a stratum
    honest: bool = True  # grow trees on other rows than they divide
    estimator: Estimator = "least_squares"
    # Of an effect that differs: over the rows at each value, or weighted by how much the column
    # varies among alike rows.
    average: Average = "rows"
    fewer_knots: float = 1.0  # times the usual number of knots of a curve
    effort: Effort = "usual"  # how much time an answer is worth
    seed: int = 0
    n_jobs: int | None = None  # threads; None and -1 mean one for each processor

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
        check_jobs(self.n_jobs)

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
