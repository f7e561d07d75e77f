"""Which columns act together on the target: the public function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from paribus.api import Kind, check_named, tidying
from paribus.base.progress import Progress, asked
from paribus.pipeline.interacting import search
from paribus.pipeline.options import Options
from paribus.results import Interactions
from paribus.scale.opening import held, is_streamed, open_source
from paribus.scale.run import sampled_problem
from paribus.table.problem import make_problem
from paribus.table.target import coded_target
from paribus.tidy.result import Check


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

    What all columns do by themselves is taken out of the target, and the rest is tested against
    products of every two columns' functions; what is found is taken out as well, and the rest
    tested again. Triples are looked for where pairs show nothing, as in ``x1 * x2 * x3``.
    P-values allow for the number of pairs and triples that were searched.

    Parameters
    ----------
    data, target, kind, weights, counts, cluster, within, class_, names, n_jobs, tidy, keep
        As in `effects`. Of very many rows, 20,000 are looked at; so are those of a table read in
        batches.
    features : sequence of str, optional
        Only interactions with one of these columns; all by default.
    conf_level : float
        How sure intervals are.
    seed : int
        Which rows are drawn of a table read in batches.
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
    data, told = held(data)
    look = tidying(tidy, keep=keep, kinds=[*(kind or ())], named=tuple(features or ()))
    if is_streamed(data):
        check_named(target, roles, names)
        problem, n_rows = sampled_problem(
            open_source(data), target, options, kind=kind, **roles, class_=class_, tidy=look
        )
        return search(problem, features, options, asked(progress), n_rows)
    problem = make_problem(
        data, target, names=names, kind=kind, code=partial(coded_target, class_=class_),
        n_threads=options.threads, **roles, copies_once=True, tidy=look,
    )  # fmt: skip
    problem = replace(problem, notes=(*told, *problem.notes))
    return search(problem, features, options, asked(progress))
