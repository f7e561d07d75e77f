"""Running the kernel's tasks and combining what they grew."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paribus.base.threads import crew
from paribus.strata.exact import ExactTarget
from paribus.strata.nodes import Nodes, number_nodes
from paribus.strata.reference import BRANCH, COLUMN, LEFT, RIGHT

if TYPE_CHECKING:
    from paribus.strata.kernel.task import Grown, Task

Key = tuple[int, ...]
UNLIMITED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class GrowOptions:
    """How trees are grown; see `paribus.strata.grow`."""

    min_samples_leaf: int
    max_depth: int
    max_features: int
    seed: int


def grow_nodes(
    codes: NDArray[np.uint8],
    target: ExactTarget,
    member: NDArray[np.uint8],
    options: GrowOptions,
    n_threads: int,
) -> Nodes:
    """Grow the family of trees with the compiled kernel.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8
        Coded table, row by row.
    target : ExactTarget
    member : ndarray of shape (n_sets, p), uint8
        1 where a set leaves a column out.
    options : GrowOptions
    n_threads : int

    Returns
    -------
    Nodes
    """
    from paribus.strata.kernel.task import Ground, first_task

    ground = Ground(
        codes,
        target.sums,
        target.counts,
        target.weights,
        member,
        min_leaf=options.min_samples_leaf,
        max_depth=options.max_depth,
        max_features=options.max_features,
    )
    first = first_task(ground, target.rows, options.seed)
    return stitch(run_tasks(first, n_threads), member)


def run_tasks(first: Task, n_threads: int) -> dict[Key, tuple[Task, Grown]]:
    """Run a task and all that come of it; each is known by the way it came about."""
    done: dict[Key, tuple[Task, Grown]] = {}
    todo: list[tuple[Key, Task]] = [((0,), first)]
    if n_threads == 1:
        while todo:
            key, task = todo.pop()
            done[key] = (task, task.run())
            todo += _children(key, done[key][1])
        return done
    running: dict[Future[Grown], tuple[Key, Task]] = {}
    with crew(n_threads) as workers:
        while todo or running:
            # The youngest first and few at a time: waiting tasks hold rows.
            while todo and len(running) <= n_threads:
                key, task = todo.pop()
                running[workers.submit(task.run)] = (key, task)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                key, task = running.pop(future)
                done[key] = (task, future.result())
                todo += _children(key, done[key][1])
    return done


def _children(key: Key, grown: Grown) -> list[tuple[Key, Task]]:
    return [((*key, i), task) for i, task in enumerate(grown.tasks)]


def stitch(done: dict[Key, tuple[Task, Grown]], member: NDArray[np.uint8]) -> Nodes:
    """Join the tasks' nodes, in the order of their keys, so that the threads leave no trace."""
    keys = sorted(done)
    start: dict[Key, int] = {}
    n_nodes = n_sets = 0
    for key in keys:
        grown = done[key][1]
        start[key] = n_nodes
        _shift(grown.fields, n_nodes, n_sets)
        n_nodes += len(grown.fields)
        n_sets += len(grown.leaf_sets)
    fields = np.concatenate([done[key][1].fields for key in keys])
    for key in keys[1:]:
        task = done[key][0]
        fields[start[key[:-1]] + task.parent, task.field] = start[key]
    leaf_sets = np.concatenate([done[key][1].leaf_sets for key in keys])
    done.clear()  # all of it is copied by now
    roots = np.zeros(member.shape[0], dtype=np.int32)
    return number_nodes(fields, leaf_sets, member, roots)


def _shift(fields: NDArray[np.int32], nodes: int, leaf_sets: int) -> None:
    """Make a task's numbers of nodes and leaf sets go on from those before it."""
    inner = fields[:, COLUMN] >= 0
    fields[:, LEFT] += np.where(inner, np.int32(nodes), np.int32(leaf_sets))
    fields[inner, RIGHT] += np.int32(nodes)
    fields[fields[:, BRANCH] >= 0, BRANCH] += np.int32(nodes)
