"""Hat functions, which interpolate between knots: compiled where possible, or plain NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from paribus.base.arrays import FloatArray, Labels
from paribus.base.compiled import compiled
from paribus.estimate.groups import add_rows_reference

FAR = 6.0  # standard deviations at which products of pairs are cut; the same in `_hats.pyx`


def find_hats_reference(x: FloatArray, knots: FloatArray, index: Labels, share: FloatArray) -> None:
    """Write the knot before each `x` (n,), and how far it lies towards the next, 0 to 1.

    Missing values come after the last knot.
    """
    missing = np.isnan(x)
    inside = np.clip(np.where(missing, knots[0], x), knots[0], knots[-1])
    left = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, max(len(knots) - 2, 0))
    index[:] = np.where(missing, len(knots), left)
    share[:] = 0.0
    if len(knots) > 1:
        share[~missing] = ((inside - knots[left]) / np.diff(knots)[left])[~missing]


def find_rarer_reference(
    index: Labels, share: FloatArray, count: NDArray[np.int64], out: Labels
) -> None:
    """Write, of a row's two neighbouring columns, the one with fewer rows; the first of equals.

    `count` (K,), zeros, takes the rows of each column, twice those that have no other.
    """
    spills = share > 0
    count += np.bincount(index, minlength=len(count))
    count += np.bincount(index + spills, minlength=len(count))
    falls = np.append(count[1:] < count[:-1], False)
    out[:] = index + (spills & falls[index])


def value_hats_reference(
    index: Labels, share: FloatArray, values: FloatArray, out: FloatArray
) -> None:
    """Write the values (K, a) between a row's two columns to `out` (n, a)."""
    following = np.minimum(index + 1, len(values) - 1)
    out[:] = (1 - share[:, None]) * values[index] + share[:, None] * values[following]


def add_hats_reference(
    index: Labels, share: FloatArray, weights: FloatArray, group: Labels, sums: FloatArray
) -> None:
    """Add each row's weights of two neighbouring columns to `sums` (n_groups, K) of its group."""
    np.add.at(sums, (group, index), weights * (1 - share))
    spills = share > 0
    np.add.at(sums, (group[spills], index[spills] + 1), (weights * share)[spills])


def collect_hats_reference(
    index: Labels, share: FloatArray, weights: FloatArray, rows: FloatArray, sums: FloatArray
) -> None:
    """Add the hats' products with weighted `rows` (n, d) to `sums` (K, d)."""
    add_rows_reference(rows, weights * (1 - share), index, sums)
    spills = share > 0
    add_rows_reference(rows[spills], (weights * share)[spills], index[spills] + 1, sums)


def multiply_hats_reference(
    index: Labels, share: FloatArray, weights: FloatArray, diagonal: FloatArray, beside: FloatArray
) -> None:
    """Add the hats' weighted products with themselves, and with the next, to (K,) each."""
    spills = share > 0
    np.add.at(diagonal, index, weights * (1 - share) ** 2)
    np.add.at(diagonal, index[spills] + 1, (weights * share**2)[spills])
    np.add.at(beside, index, weights * share * (1 - share))


def lay_rows_reference(values: FloatArray, rows: NDArray[np.int64], out: FloatArray) -> None:
    """Write some rows of `values` (n, q)."""
    out[:, : values.shape[1]] = values[rows]


def lay_terms_reference(
    values: FloatArray,
    rows: NDArray[np.int64],
    curves: Labels,
    knots: FloatArray,
    n_knots: Labels,
    pairs: Labels,
    out: FloatArray,
) -> None:
    """Write, for some rows of `values` (n, q), inner hats of curves, then products of pairs."""
    taken = values[rows]
    hats = [
        _dense(taken[:, curve], own[:size])[:, 1:-1]
        for curve, own, size in zip(curves, knots, n_knots, strict=True)
    ]
    clipped = np.clip(taken, -FAR, FAR)
    products = [clipped[:, [a]] * clipped[:, [b]] for a, b in pairs]
    made = np.concatenate([np.empty((len(rows), 0)), *hats, *products], axis=1)
    out[:, : made.shape[1]] = made


def value_terms_reference(
    values: FloatArray,
    curves: Labels,
    knots: FloatArray,
    n_knots: Labels,
    pairs: Labels,
    slopes: FloatArray,
    out: FloatArray,
) -> None:
    """Add the sums of what `lay_terms` writes, with `slopes`, to `out` (n,)."""
    laid = np.zeros((len(values), len(slopes)))
    lay_terms_reference(values, np.arange(len(values)), curves, knots, n_knots, pairs, laid)
    out += laid @ slopes


def _dense(x: FloatArray, knots: FloatArray) -> FloatArray:
    index, share = np.empty(len(x), dtype=np.int32), np.empty(len(x))
    find_hats_reference(x, knots, index, share)
    out = np.zeros((len(x), len(knots)))
    add_hats_reference(index, share, np.ones(len(x)), np.arange(len(x), dtype=np.int32), out)
    return out


def value_products_reference(
    index: Labels, share: FloatArray, table: FloatArray, psi: FloatArray, out: FloatArray
) -> None:
    """Add, for each row of `psi` (n, b), its product with a row's value of `table` (K, b) to `out`.

    That value lies between the two columns of the row, as in `value_hats`.
    """
    values = np.empty_like(psi)
    value_hats_reference(index, share, table, values)
    out += np.einsum("ij,ij->i", values, psi)


def lay_products_reference(
    index: Labels,
    share: FloatArray,
    functions: FloatArray,
    psi: FloatArray,
    rows: NDArray[np.int64],
    pairs: Labels,
    out: FloatArray,
) -> None:
    """Write, for some rows, products of `functions` (K, a) of their hats and of `psi` (n, b).

    `pairs` (P, 2) says which of the functions is multiplied with which of psi; `out` is (m, P).
    """
    at, following = share[rows, None], np.minimum(index[rows] + 1, len(functions) - 1)
    own = (1 - at) * functions[index[rows]] + at * functions[following]
    np.multiply(own[:, pairs[:, 0]], psi[rows[:, None], pairs[:, 1]], out=out)


def add_products_reference(
    index: Labels,
    share: FloatArray,
    functions: FloatArray,
    psi: FloatArray,
    rows: NDArray[np.int64],
    pairs: Labels,
    weights: FloatArray,
    group: Labels,
    sums: FloatArray,
) -> None:
    """Add what `lay_products` writes, weighted, to the row of `sums` of a row's group."""
    made = np.empty((len(rows), len(pairs)))
    lay_products_reference(index, share, functions, psi, rows, pairs, made)
    np.add.at(sums, group[rows], made * weights[rows, None])


find_hats = compiled("estimate._hats", find_hats_reference)
find_rarer = compiled("estimate._hats", find_rarer_reference)
value_hats = compiled("estimate._hats", value_hats_reference)
add_hats = compiled("estimate._hats", add_hats_reference)
collect_hats = compiled("estimate._hats", collect_hats_reference)
multiply_hats = compiled("estimate._hats", multiply_hats_reference)
lay_rows = compiled("estimate._hats", lay_rows_reference)
lay_terms = compiled("estimate._hats", lay_terms_reference)
value_terms = compiled("estimate._hats", value_terms_reference)
value_products = compiled("estimate._hats", value_products_reference)
lay_products = compiled("estimate._hats", lay_products_reference)
add_products = compiled("estimate._hats", add_products_reference)
