"""Which columns act together on the target: the public function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paribus.api import Kind, read_problem
from paribus.base.checks import as_names
from paribus.base.progress import Progress, asked
from paribus.pipeline.interacting import search
from paribus.pipeline.options import Options
from paribus.results import Interactions
from paribus.tidy.result import Check

FEW_ROWS = 50_000  # of a table read in batches, on which interactions are searched


def interactions(
    data: Any,
    target: Any,
    *,
    features: Sequence[str] | None = None,
    kind: Mapping[str, Kind] | None = None,
    weights: Any = None,
    counts: Any = None,
    cluster: Any = None,
    within: Any = None,
    class_: Any = None,
    names: Sequence[str] | None = None,
    conf_level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | bool | None = None,
    tidy: bool | Check = True,
    keep: Sequence[str] = (),
) -> Interactions:
    """Find the columns that act together: what one goes with differs with the other.

    The effects of single columns are removed from the target, and the rest is tested against
    products of functions of two columns; what is found is removed as well, and the rest is tested
    again. Triples are searched for where pairs show nothing, as in ``x1 * x2 * x3``. P-values
    allow for the number of pairs and triples searched.

    Parameters
    ----------
    data, target, kind, weights, counts, cluster, within, class_, names, n_jobs, tidy, keep
        As in `effects`. From more than 20,000 rows a random sample is used, a fifth from 100,000
        rows on and 50,000 at most, and likewise from a table read in batches.
    features : sequence of str, optional
        Only interactions with one of these columns; all by default.
    conf_level : float
        Confidence level of intervals.
    seed : int
        Decides which rows are drawn from a table read in batches.
    progress : bool or function of (done, total), optional
        Called after each round of the search. True shows a bar, as notebooks do by default.

    Returns
    -------
    Interactions
        Every pair, and the triples found, ranked.

    Examples
    --------
    >>> import numpy as np, paribus as pb
    >>> x = np.random.default_rng(0).uniform(-1, 1, (1000, 4))
    >>> y = x[:, 0] + 2 * x[:, 1] * x[:, 2]
    >>> found = pb.interactions(x, y, names=["a", "b", "c", "d"])
    >>> found[0].features, round(found[0].strength, 1)
    (('b', 'c'), 2.6)
    """
    options = Options(conf_level=conf_level, seed=seed, n_jobs=n_jobs)
    roles = {"weights": weights, "counts": counts, "cluster": cluster, "within": within}
    problem, n_rows = read_problem(
        data, target, options, roles, kind=kind, class_=class_, names=names, tidy=tidy, keep=keep,
        named=as_names(features or ()), most=FEW_ROWS,
    )  # fmt: skip
    return search(problem, features, options, asked(progress), n_rows)
