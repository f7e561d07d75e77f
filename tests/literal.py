"""The paper's two algorithms as printed: slow, literal, and the oracle of the fast ones."""

from __future__ import annotations

import itertools
import math


def stratpd_literal(x, y, leaf, min_slopes_per_x, *, central=False):
    """Follow algorithm StratPD line by line, on given leaves; x must have no near-ties."""
    slopes = []
    for name in sorted(set(leaf)):
        rows = [i for i in range(len(x)) if leaf[i] == name]
        distinct = sorted({x[i] for i in rows})
        mean = {v: _mean([y[i] for i in rows if x[i] == v]) for v in distinct}
        for a, b in itertools.pairwise(distinct):
            slopes.append((a, b, (mean[b] - mean[a]) / (b - a)))
    kept, delta, counts = [], [], []
    for value in sorted(set(x)):
        here = [s for a, b, s in slopes if a <= value and (value <= b if central else value < b)]
        if len(here) >= min_slopes_per_x:
            kept.append(value)
            delta.append(_mean(here))
            counts.append(len(here))
    curve = [0.0]
    for k in range(len(kept) - 1):
        slope = (delta[k] + delta[k + 1]) / 2 if central else delta[k]
        curve.append(curve[-1] + slope * (kept[k + 1] - kept[k]))
    return kept, curve[: len(kept)], delta, counts


def catstratpd_literal(level, y, leaf, rng):
    """Follow algorithm CatStratPD line by line; returns {level: effect} of what merged.

    The draw of a leaf's own reference level is left out of `rng`, because any choice gives the
    same result: the level used here is the leaf's first.
    """
    leaves = []
    for name in sorted(set(leaf)):
        rows = [i for i in range(len(y)) if leaf[i] == name]
        present = sorted({level[i] for i in rows})
        mean = {c: _mean([y[i] for i in rows if level[i] == c]) for c in present}
        count = {c: sum(level[i] == c for i in rows) for c in present}
        reference = mean[present[0]]
        leaves.append(({c: mean[c] - reference for c in present}, count))
    start = _start(leaves)
    running, weight = dict(leaves[start][0]), dict(leaves[start][1])
    work = [i for i in range(len(leaves)) if i != start]
    completed = [start]
    while work and completed:
        completed = []
        for i in work:
            delta, count = leaves[i]
            common = sorted(set(delta) & set(running))
            if not common:
                continue
            completed.append(i)
            at = common[rng.integers(len(common))]
            shifted = {c: v - delta[at] + running[at] for c, v in delta.items()}
            for c, v in shifted.items():
                before, w = running.get(c, 0.0), weight.get(c, 0)
                running[c] = (w * before + count[c] * v) / (w + count[c])
                weight[c] = w + count[c]
        work = [i for i in work if i not in completed]
    return running


def _start(leaves):
    """Choose the leaf with most levels in the island with most rows; of equals the first."""

    def island(i):
        levels, before = set(leaves[i][0]), None
        while before != levels:
            before = levels
            levels = before.union(*(set(d) for d, _ in leaves if set(d) & before))
        return [k for k, (d, _) in enumerate(leaves) if set(d) & levels]

    def n_rows(i):
        return sum(sum(leaves[k][1].values()) for k in island(i))

    first_of_largest = max(range(len(leaves)), key=lambda i: (n_rows(i), -i))
    return max(island(first_of_largest), key=lambda i: (len(leaves[i][0]), -i))


def _mean(values):
    return math.fsum(values) / len(values)
