"""Columns with few values that two others determine: a working day, by weekday and holiday."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations

import numpy as np

from paribus.tidy.pairs import EVIDENCE
from paribus.tidy.profile import Look

MOST_COLUMNS = 12  # of few values, up to which all pairs are looked at
FEW_VALUES = 12


def find_joint(
    look: Look, usable: Sequence[int], known: Collection[frozenset[int]]
) -> dict[int, tuple[int, int]]:
    """Find columns that two others determine in every row: by position, the positions of the two.

    Pairs and triples in `known` are already explained, as a function of one column or a sum.
    """
    few = [k for k in usable if 2 <= len(look.profiles[k].values) <= FEW_VALUES]
    if not 3 <= len(few) <= MOST_COLUMNS:
        return {}
    codes = look.codes[:, few].astype(np.int64)
    surprise = -np.log(np.clip([look.profiles[k].by_chance for k in few], 1e-12, 1 - 1e-12))
    found: dict[int, tuple[int, int]] = {}
    for i, j in combinations(range(len(few)), 2):
        cell = codes[:, i] * (FEW_VALUES + 1) + codes[:, j]
        order = np.argsort(cell, kind="stable")
        walked = codes[order]
        tied = np.diff(cell[order]) == 0
        agree = ~np.any(walked[1:][tied] != walked[:-1][tied], axis=0)
        for c in np.flatnonzero(agree & (tied.sum() * surprise >= EVIDENCE)).tolist():
            pair, fixed = (few[i], few[j]), few[c]
            new = fixed not in pair and fixed not in found
            plain = not any(known_of <= {fixed, *pair} and fixed in known_of for known_of in known)
            if new and plain and _is_fixed(look, fixed, pair):
                found[fixed] = pair
    return found


def _is_fixed(look: Look, fixed: int, by: tuple[int, int]) -> bool:
    """Check in all rows, where each of two columns has a part in it."""
    (_, _, a), (_, _, b) = (look.profiles[k].distinct for k in by)
    values, cell = look.profiles[fixed].distinct[2], a * (b.max() + 1) + b
    first = np.zeros(int(cell.max()) + 1, dtype=np.int64)
    first[cell] = np.arange(len(cell))
    return bool(np.array_equal(values[first[cell]], values))
