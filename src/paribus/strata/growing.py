"""Running the kernel's tasks and putting together what they grew."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from paribus.strata.exact import ExactTarget
from paribus.strata.nodes import BRANCH, COLUMN, LEFT, RIGHT, SUBSET, Nodes, number_nodes

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
    categorical: NDArray[np.bool_],
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
    categorical : ndarray of shape (p,), bool
        Columns whose codes have no order.
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
        categorical.astype(np.uint8),
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
    if n_threads == 1:
        todo: list[tuple[Key, Task]] = [((0,), first)]
        while todo:
            key, task = todo.pop()
            done[key] = (task, task.run())
            todo += _children(key, done[key][1])
        return done
    with ThreadPoolExecutor(n_threads) as pool:
        running: dict[Future[Grown], tuple[Key, Task]] = {pool.submit(first.run): ((0,), first)}
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                key, task = running.pop(future)
                done[key] = (task, future.result())
                for child_key, child in _children(key, done[key][1]):
                    running[pool.submit(child.run)] = (child_key, child)
    return done


def _children(key: Key, grown: Grown) -> list[tuple[Key, Task]]:
    return [((*key, i), task) for i, task in enumerate(grown.tasks)]


def stitch(done: dict[Key, tuple[Task, Grown]], member: NDArray[np.uint8]) -> Nodes:
    """Join the tasks' nodes, in the order of their keys, so that the threads leave no trace."""
    keys = sorted(done)
    parts = [done[key][1] for key in keys]
    fields = np.concatenate([part.fields for part in parts])
    sizes = [len(part.fields) for part in parts]
    base = _starts(sizes)
    inner = fields[:, COLUMN] >= 0
    node_base = np.repeat(base, sizes)
    set_base = np.repeat(_starts([len(part.leaf_sets) for part in parts]), sizes)
    subset_base = np.repeat(_starts([len(part.subsets) for part in parts]), sizes)
    fields[:, LEFT] += np.where(inner, node_base, set_base)
    fields[inner, RIGHT] += node_base[inner]
    fields[:, BRANCH] += np.where(fields[:, BRANCH] >= 0, node_base, 0)
    fields[:, SUBSET] += np.where(fields[:, SUBSET] >= 0, subset_base, 0)
    start = dict(zip(keys, base.tolist(), strict=True))
    for key in keys[1:]:
        task = done[key][0]
        fields[start[key[:-1]] + task.parent, task.field] = start[key]
    return number_nodes(
        fields,
        np.concatenate([part.subsets for part in parts]),
        np.concatenate([part.leaf_sets for part in parts]),
        member,
        np.zeros(member.shape[0], dtype=np.int32),
    )


def _starts(sizes: list[int]) -> NDArray[np.int32]:
    return np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
