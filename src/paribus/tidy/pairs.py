"""Which columns follow from which others.

All pairs are screened on a sample; what is claimed is checked on all rows. The rows are sorted by
one column at a time. If neighbours that agree in it also agree in another column, the other follows
from it; if the other changes only a few times along the way, it was cut from it; if ranks agree,
the two are twins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import BoolArray, FloatArray, IntArray
from paribus.tidy.names import is_log_name
from paribus.tidy.profile import Look, Profile

How: TypeAlias = Literal["same", "steps", "fixed", "near"]

EVIDENCE = 20.0  # chance agrees as well as this less than exp(-20) of the time
FEW_TIES = 30  # pairs of equal neighbours below which more rows are looked at
MANY = 10  # values from which a column is an amount
MOST_STEPS = 50  # levels that may be cut from a number
TWINS = 0.975  # rank correlation of near twins: each leaves 5 % of the other
SCREENED, MONOTONE = 0.9, 0.999
FEW_COLUMNS = 50
MOST_WALKED = 300  # columns up to which squares that rise and fall are looked for
SMOOTH = 0.97  # of Chatterjee's correlation, to look for a square
FORMED = 1e-6  # variance left by a transformation that is one


@dataclass(frozen=True, slots=True)
class Link:
    """The column `coarse` follows from the column `fine`: places among the profiles.

    `how` is ``"same"`` (each follows from the other), ``"steps"`` (`coarse` is cut from the order
    of `fine`), ``"fixed"`` (any other function) or ``"near"`` (neither, but almost). `form` names
    what `coarse` is of `fine` where that is known: ``"logarithm"``, ``"square"`` and so on.
    `correlation` is the rank correlation of near twins.
    """

    fine: int
    coarse: int
    how: How
    form: str = ""
    correlation: float = 1.0


@dataclass(frozen=True, slots=True)
class _Scan:
    """Neighbours in the order of one column: how often they agree in it and in the others (p,)."""

    n_tied: int
    untied: IntArray
    changes: IntArray
    roughness: FloatArray


def find_links(
    look: Look, usable: Sequence[int], named: frozenset[int] = frozenset()
) -> list[Link]:
    """Find the links among some of the columns, each pair at most once.

    The numbers of the columns `named` are names, without an order.
    """
    kept = np.array(usable, dtype=np.int64)
    codes, ranks = look.codes[:, kept], look.ranks[:, kept]
    profiles = [look.profiles[k] for k in usable]
    surprise = -np.log(np.clip([p.by_chance for p in profiles], 1e-12, 1 - 1e-12))
    entropy = np.array([p.entropy for p in profiles])
    levels = np.array([len(p.values) + (p.n_missing > 0) for p in profiles])
    correlation = rank_correlation(ranks)
    found: dict[frozenset[int], Link] = {}
    for a, profile in enumerate(profiles):
        known = len(profile.values)
        scan, rows = _scan(codes, ranks, a, known), len(codes)
        if scan.n_tied < FEW_TIES <= profile.n_present - len(profile.values):
            more = np.column_stack([p.codes for p in profiles])
            scan, rows = _scan(more, None, a, known), len(more)
        fixed = (scan.untied == 0) & (scan.n_tied * surprise >= EVIDENCE)
        # So many arrangements of the rows there are, and so few in which levels lie together.
        arranged = rows * entropy - levels * np.log(rows)
        cut = (scan.changes <= np.maximum(2, levels - 1)) & (levels <= MOST_STEPS)
        cut &= (arranged >= EVIDENCE) & (not profile.is_category)
        twin = np.abs(correlation[a]) >= SCREENED
        smooth = (scan.roughness <= (1 - SMOOTH) / 3) & (levels > MANY)
        for b in np.flatnonzero(fixed | cut | twin | smooth).tolist():
            pair = frozenset((usable[a], usable[b]))
            if b == a or (pair in found and found[pair].how != "near"):
                continue
            link = _checked(
                look,
                usable[a],
                usable[b],
                named,
                fixed=bool(fixed[b]),
                cut=bool(cut[b]),
                correlation=abs(float(correlation[a, b])),
                smooth=bool(smooth[b]),
            )
            if link is not None:
                found[pair] = link
    return list(found.values())


def _scan(codes: IntArray, ranks: NDArray[np.floating[Any]] | None, a: int, known: int) -> _Scan:
    """Walk along one column, whose codes below `known` are values; missing ties with nothing."""
    order = np.argsort(codes[:, a], kind="stable")
    walked = codes[order]
    differs = walked[1:] != walked[:-1]
    tied = ~differs[:, a] & (walked[1:, a] < known)
    roughness = np.ones(codes.shape[1])
    if ranks is not None and codes.shape[1] <= MOST_WALKED:
        roughness = np.abs(np.diff(ranks[order], axis=0)).mean(axis=0)
    return _Scan(int(tied.sum()), differs[tied].sum(axis=0), differs.sum(axis=0), roughness)


def rank_correlation(ranks: NDArray[np.floating[Any]]) -> FloatArray:
    """Return the rank correlations (p, p); those of constants are 0."""
    centred = ranks - ranks.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    scaled = centred / np.where(length > 0, length, 1)
    if scaled.shape[1] <= FEW_COLUMNS:  # threads of the linear algebra would take longer to start
        return np.einsum("ij,ik->jk", scaled, scaled, dtype=np.float64)
    return np.asarray(scaled.T @ scaled, dtype=np.float64)


def _checked(
    look: Look,
    a: int,
    b: int,
    named: frozenset[int],
    *,
    fixed: bool,
    cut: bool,
    correlation: float,
    smooth: bool,
) -> Link | None:
    """Turn what a sample suggests into what holds in all rows."""
    fine, coarse = look.profiles[a], look.profiles[b]
    if (fixed or cut) and fixes(fine, coarse):
        return _function(look, a, b, named)
    amounts = all(not p.is_category and len(p.values) > MANY for p in (fine, coarse))
    if not amounts:
        return None
    if correlation >= MONOTONE and is_monotone(fine.column.values, coarse.column.values):
        if len(coarse.values) > len(fine.values):
            a, b, fine, coarse = b, a, coarse, fine
        return _ordered_pair(a, b, fine, coarse)
    if smooth and correlation < SCREENED and is_quadratic(fine, coarse):
        return Link(a, b, "same", "square")
    correlation = abs(correlation_of(fine, coarse)) if correlation >= SCREENED else 0.0
    return Link(a, b, "near", correlation=correlation) if correlation >= TWINS else None


def _function(look: Look, a: int, b: int, named: frozenset[int]) -> Link | None:
    """Say what sort of function of `a` the column `b` is, going through the values of `a`."""
    fine, coarse = look.profiles[a], look.profiles[b]
    values, first, _ = fine.distinct
    made = coarse.column.values[first[~np.isnan(values)]]
    n_fine, n_coarse = len(made), len(np.unique(made))
    if fine.is_category or a in named:
        same, cut = n_fine == n_coarse, False
    else:
        same = n_fine == n_coarse and (coarse.is_category or _in_order(made))
        same |= len(made) > MANY and not coarse.is_category and is_quadratic(fine, coarse)
        cut = _is_cut(made, coarse.is_category)
    if same:
        return _ordered_pair(a, b, fine, coarse)
    if _is_dummy(made):
        return Link(a, b, "steps", "marker")
    if cut:
        return Link(a, b, "steps")
    is_amount = fine.column.kind == "number" and a not in named and n_fine > MOST_STEPS
    return None if is_amount and b != len(look.profiles) - 1 else Link(a, b, "fixed")


def _in_order(made: FloatArray) -> bool:
    """Tell whether values never turn back, those that are missing apart."""
    steps = np.diff(made[~np.isnan(made)])
    return bool(np.all(steps >= 0) or np.all(steps <= 0))


def _is_dummy(made: FloatArray) -> bool:
    """Tell whether a column of two values marks one of a few values of another."""
    counts = np.unique(made, return_counts=True)[1]
    return len(counts) == 2 and bool(counts.min() == 1) and 3 <= len(made) <= MOST_STEPS


def _is_cut(made: FloatArray, is_category: bool) -> bool:
    """Tell whether values are cut from an order: in as few runs as they can, or one way only."""
    levels, codes = np.unique(made, return_inverse=True)
    if len(levels) > 2 and not is_category:
        return _in_order(made)
    runs = 1 + int(np.count_nonzero(np.diff(codes)))
    return 1 < len(levels) <= len(made) / 2 and runs <= max(3, len(levels))


def _ordered_pair(a: int, b: int, fine: Profile, coarse: Profile) -> Link:
    """Link two columns that say the same, the plain one as the finer."""
    form = form_of(fine, coarse)
    if not form or (form == "another unit" and is_log_name(fine.name, coarse.name)):
        other = form_of(coarse, fine)
        if other and (not form or is_log_name(fine.name, coarse.name)):
            return Link(b, a, "same", other)
    return Link(a, b, "same", form)


def fixes(fine: Profile, coarse: Profile) -> bool:
    """Tell whether in all rows the second column follows from the first."""
    _, first, place = fine.distinct
    values = coarse.column.values
    return np.array_equal(values[first][place], values, equal_nan=True)


def is_monotone(a: FloatArray, b: FloatArray) -> bool:
    """Tell whether one column never turns back along the other, both missing in the same rows."""
    missing = np.isnan(a)
    if not np.array_equal(missing, np.isnan(b)):
        return False
    a, b = a[~missing], b[~missing]
    order = np.lexsort((b, a))
    falling = np.lexsort((-b, a))
    return bool(np.all(np.diff(b[order]) >= 0) or np.all(np.diff(b[falling]) <= 0))


def correlation_of(a: Profile, b: Profile) -> float:
    """Return the rank correlation in the rows of the sample that have both."""
    both = (a.codes < len(a.values)) & (b.codes < len(b.values))
    if both.sum() < MANY:
        return 0.0
    pair = np.column_stack([_ranked(a.codes[both]), _ranked(b.codes[both])])
    return float(rank_correlation(pair)[0, 1])


def _ranked(codes: IntArray) -> FloatArray:
    counts = np.bincount(codes)
    return (np.cumsum(counts) - counts / 2)[codes]


def is_quadratic(a: Profile, b: Profile) -> bool:
    """Tell whether in all rows the second column is a polynomial of degree two of the first."""
    x, y = _both(a.column.values, b.column.values)
    x = (x - x.mean()) / max(float(x.std()), 1e-300)
    design = np.column_stack([np.ones(len(x)), x, x**2])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return bool(left.var() <= FORMED * y.var())


def form_of(plain: Profile, made: Profile) -> str:
    """Name what the second column is of the first, where it is something that has a name."""
    if plain.column.kind != "number" or made.column.kind != "number":
        return ""
    return next(_forms(*_both(plain.sampled, made.sampled)), "")


def _forms(x: FloatArray, y: FloatArray) -> Iterator[str]:
    if len(x) < 3:
        return
    if _is_line(x, y):
        yield "another unit"
    if _is_line(x**2, y):
        yield "square"
    if x.min() > 0:
        for name, made in (("logarithm", np.log(x)), ("inverse", 1 / x)):
            if _is_line(made, y):
                yield name
    elif x.min() >= 0 and (_is_line(np.log1p(x), y)):
        yield "logarithm"


def _is_line(x: FloatArray, y: FloatArray) -> bool:
    x, y = (v / max(float(np.abs(v).max()), 1e-300) for v in (x - x.mean(), y - y.mean()))
    explained = float(x @ y) ** 2 / max(float(x @ x) * float(y @ y), 1e-300)
    return explained >= 1 - FORMED


def _both(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    both: BoolArray = ~(np.isnan(x) | np.isnan(y))
    return x[both], y[both]
