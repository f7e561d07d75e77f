"""Hats, which interpolate between knots: at most two numbers a row, and sums of them.

The readable twins are in `hats.py`.
"""

from libc.math cimport isnan
from libc.stdint cimport int32_t, int64_t

import numpy as np

from paribus.strata.kernel.types cimport PARIBUS_PREFETCH

cdef enum:
    AHEAD = 12  # rows asked for before they are needed

cdef double FAR = 6.0  # standard deviations at which products of pairs are cut


cdef inline Py_ssize_t knot_before(const double* knots, Py_ssize_t k, double x) noexcept nogil:
    """Return the last of `k` knots that is not beyond `x`, or the first, without branching."""
    cdef Py_ssize_t at = 0, half
    while k > 1:
        half = k >> 1
        at += half if knots[at + half] <= x else 0
        k -= half
    return at


def find_hats(const double[::1] x, const double[::1] knots, int32_t[::1] index, double[::1] share):
    """Write the knot before each `x` (n,), and how far it lies towards the next, 0 to 1.

    Missing values come after the last knot.
    """
    cdef Py_ssize_t i, at, k = knots.shape[0], n = x.shape[0]
    cdef double v
    with nogil:
        for i in range(n):
            v = x[i]
            share[i] = 0.0
            if isnan(v):
                index[i] = <int32_t>k
                continue
            index[i] = 0
            if k > 1:
                v = min(max(v, knots[0]), knots[k - 1])
                at = min(knot_before(&knots[0], k, v), k - 2)
                index[i] = <int32_t>at
                share[i] = (v - knots[at]) / (knots[at + 1] - knots[at])


def find_rarer(
    const int32_t[::1] index, const double[::1] share, int64_t[::1] count, int32_t[::1] out,
):
    """Write, of a row's two neighbouring columns, the one with fewer rows; the first of equals.

    `count` (K,), zeros, takes the rows of each column, twice those that have no other.
    """
    cdef Py_ssize_t i, n = index.shape[0]
    cdef int32_t k
    with nogil:
        for i in range(n):
            k = index[i]
            count[k] += 1
            count[k + (share[i] > 0)] += 1
        for i in range(n):
            k = index[i]
            out[i] = k + (share[i] > 0 and count[k + 1] < count[k])


def value_hats(
    const int32_t[::1] index, const double[::1] share, const double[:, ::1] values,
    double[:, ::1] out,
):
    """Write the values (K, a) between a row's two columns to `out` (n, a)."""
    cdef Py_ssize_t i, j, n = index.shape[0], a = values.shape[1]
    cdef double own, other
    cdef const double* here
    cdef double* made
    with nogil:
        for i in range(n if a > 0 else 0):
            other = share[i]
            own = 1 - other
            here, made = &values[index[i], 0], &out[i, 0]
            for j in range(a):
                made[j] = own * here[j]
            if other != 0:
                here += a
                for j in range(a):
                    made[j] += other * here[j]


def add_hats(
    const int32_t[::1] index, const double[::1] share, const double[::1] weights,
    const int32_t[::1] group, double[:, :] sums,
):
    """Add each row's weights of two neighbouring columns to `sums` (n_groups, K) of its group.

    The columns of `sums` lie side by side; it may be some of those of an array.
    """
    cdef Py_ssize_t i, n = index.shape[0]
    cdef double* to
    with nogil:
        for i in range(n):
            to = &sums[group[i], index[i]]
            to[0] += weights[i] * (1 - share[i])
            if share[i] > 0:
                to[1] += weights[i] * share[i]


def collect_hats(
    const int32_t[::1] index, const double[::1] share, const double[::1] weights,
    const double[:, ::1] rows, double[:, ::1] sums,
):
    """Add the hats' products with weighted `rows` (n, d) to `sums` (K, d)."""
    cdef Py_ssize_t i, k, n = index.shape[0], d = rows.shape[1]
    cdef double own, other
    cdef const double* row
    cdef double* to
    with nogil:
        for i in range(n if d > 0 else 0):
            row = &rows[i, 0]
            to = &sums[index[i], 0]
            own, other = weights[i] * (1 - share[i]), weights[i] * share[i]
            for k in range(d):
                to[k] += own * row[k]
            if other != 0:
                to += d
                for k in range(d):
                    to[k] += other * row[k]


def multiply_hats(
    const int32_t[::1] index, const double[::1] share, const double[::1] weights,
    double[::1] diagonal, double[::1] beside,
):
    """Add the hats' weighted products with themselves, and with the next, to (K,) each."""
    cdef Py_ssize_t i, n = index.shape[0]
    cdef int32_t k
    cdef double w, own, other
    with nogil:
        for i in range(n):
            k, w = index[i], weights[i]
            own, other = 1 - share[i], share[i]
            diagonal[k] += w * own * own
            if other > 0:
                diagonal[k + 1] += w * other * other
                beside[k] += w * own * other


def lay_rows(const double[:, ::1] values, const int64_t[::1] rows, double[:, :] out):
    """Write some rows of `values` (n, q).

    The columns of `out` lie side by side; it may be some of those of an array.
    """
    cdef Py_ssize_t i, j, m = rows.shape[0], q = values.shape[1]
    cdef const double* row
    cdef double* made
    with nogil:
        for i in range(m if q > 0 else 0):
            for j in range(0, q if i + AHEAD < m else 0, 8):  # a line of memory at a time
                PARIBUS_PREFETCH(&values[rows[i + AHEAD], j])
            row, made = &values[rows[i], 0], &out[i, 0]
            for j in range(q):
                made[j] = row[j]


def lay_terms(
    const double[:, ::1] values, const int64_t[::1] rows, const int32_t[::1] curves,
    const double[:, ::1] knots, const int32_t[::1] n_knots, const int32_t[:, ::1] pairs,
    double[:, :] out,
):
    """Write, for some rows of `values` (n, q), inner hats of curves, then products of pairs.

    For `out` see `lay_rows`.
    """
    cdef Py_ssize_t i, j, k, at, to, m = rows.shape[0]
    cdef double v, share
    cdef const double* row
    cdef double* made
    with nogil:
        for i in range(m if curves.shape[0] + pairs.shape[0] > 0 and out.shape[1] > 0 else 0):
            row, made, to = &values[rows[i], 0], &out[i, 0], 0
            for j in range(curves.shape[0]):
                k = n_knots[j]
                for at in range(to, to + k - 2):
                    made[at] = 0.0
                v = min(max(row[curves[j]], knots[j, 0]), knots[j, k - 1])
                at = min(knot_before(&knots[j, 0], k, v), k - 2)
                share = (v - knots[j, at]) / (knots[j, at + 1] - knots[j, at])
                if k > 2:  # outer hats are written where the inner one beside them comes after
                    made[to + min(at, k - 3)] = share
                    made[to + max(at - 1, 0)] = 1 - share if at > 0 else share
                to += k - 2
            for j in range(pairs.shape[0]):
                v = min(max(row[pairs[j, 0]], -FAR), FAR)
                made[to + j] = v * min(max(row[pairs[j, 1]], -FAR), FAR)


def value_terms(
    const double[:, ::1] values, const int32_t[::1] curves, const double[:, ::1] knots,
    const int32_t[::1] n_knots, const int32_t[:, ::1] pairs, const double[::1] slopes,
    double[::1] out,
):
    """Add the sums of what `lay_terms` writes, with `slopes`, to `out` (n,)."""
    cdef Py_ssize_t i, j, k, at, to, n = values.shape[0]
    cdef double v, share, total
    cdef const double* row
    cdef double[:, ::1] inner = np.zeros((knots.shape[0], knots.shape[1] + 1))  # 0 at the ends
    with nogil:
        to = 0
        for j in range(curves.shape[0] if slopes.shape[0] > 0 else 0):
            for at in range(1, n_knots[j] - 1):
                inner[j, at] = slopes[to + at - 1]
            to += n_knots[j] - 2
        for i in range(n if slopes.shape[0] > 0 else 0):
            row, total = &values[i, 0], 0.0
            for j in range(curves.shape[0]):
                k = n_knots[j]
                v = min(max(row[curves[j]], knots[j, 0]), knots[j, k - 1])
                at = min(knot_before(&knots[j, 0], k, v), k - 2)
                share = (v - knots[j, at]) / (knots[j, at + 1] - knots[j, at])
                total += (1 - share) * inner[j, at] + share * inner[j, at + 1]
            for j in range(pairs.shape[0]):
                v = min(max(row[pairs[j, 0]], -FAR), FAR)
                total += slopes[to + j] * v * min(max(row[pairs[j, 1]], -FAR), FAR)
            out[i] += total


def value_products(
    const int32_t[::1] index, const double[::1] share, const double[:, ::1] table,
    const double[:, ::1] psi, double[::1] out,
):
    """Add, for each row of `psi` (n, b), its product with a row's value of `table` (K, b) to `out`.

    That value lies between the two columns of the row, as in `value_hats`.
    """
    cdef Py_ssize_t i, j, n = psi.shape[0], b = psi.shape[1]
    cdef double own, other, even, odd
    cdef const double* here
    cdef const double* following
    cdef const double* row
    with nogil:
        for i in range(n if b > 0 else 0):
            row, here, other = &psi[i, 0], &table[index[i], 0], share[i]
            following = here + b if other != 0 else here
            own, even, odd = 1 - other, 0.0, 0.0  # two sums, so that one need not wait
            for j in range(0, b - 1, 2):
                even += (own * here[j] + other * following[j]) * row[j]
                odd += (own * here[j + 1] + other * following[j + 1]) * row[j + 1]
            if b % 2:
                even += (own * here[b - 1] + other * following[b - 1]) * row[b - 1]
            out[i] += even + odd


def lay_products(
    const int32_t[::1] index, const double[::1] share, const double[:, ::1] functions,
    const double[:, ::1] psi, const int64_t[::1] rows, const int32_t[:, ::1] pairs,
    double[:, :] out,
):
    """Write, for some rows, products of `functions` (K, a) of their hats and of `psi` (n, b).

    The columns of `out` lie side by side; it may be some of those of an array.
    """
    cdef Py_ssize_t i, j, k, m = rows.shape[0], a = functions.shape[1], n_pairs = pairs.shape[0]
    cdef double own, other
    cdef const double* here
    cdef const double* row
    cdef double* made
    cdef double[::1] value = np.empty(a + 1)
    with nogil:
        for i in range(m if n_pairs > 0 else 0):
            if i + AHEAD < m:
                for j in range(0, psi.shape[1], 8):
                    PARIBUS_PREFETCH(&psi[rows[i + AHEAD], j])
            k, other = index[rows[i]], share[rows[i]]
            own = 1 - other
            for j in range(a):
                value[j] = own * functions[k, j]
            if other != 0:
                here = &functions[k + 1, 0]
                for j in range(a):
                    value[j] += other * here[j]
            row, made = &psi[rows[i], 0], &out[i, 0]
            for j in range(n_pairs):
                made[j] = value[pairs[j, 0]] * row[pairs[j, 1]]


def add_products(
    const int32_t[::1] index, const double[::1] share, const double[:, ::1] functions,
    const double[:, ::1] psi, const int64_t[::1] rows, const int32_t[:, ::1] pairs,
    const double[::1] weights, const int32_t[::1] group, double[:, :] sums,
):
    """Add what `lay_products` writes, weighted, to the row of `sums` of a row's group.

    The columns of `sums` lie side by side; it may be some of those of an array.
    """
    cdef Py_ssize_t i, j, k, at, m = rows.shape[0], a = functions.shape[1]
    cdef Py_ssize_t n_pairs = pairs.shape[0]
    cdef double own, other
    cdef const double* row
    cdef double* to
    cdef double[::1] value = np.empty(a + 1)
    with nogil:
        for i in range(m if n_pairs > 0 else 0):
            if i + AHEAD < m:
                for j in range(0, psi.shape[1], 8):
                    PARIBUS_PREFETCH(&psi[rows[i + AHEAD], j])
            at = rows[i]
            k = index[at]
            own, other = weights[at] * (1 - share[at]), weights[at] * share[at]
            for j in range(a):
                value[j] = own * functions[k, j]
            if other != 0:
                for j in range(a):
                    value[j] += other * functions[k + 1, j]
            row, to = &psi[at, 0], &sums[group[at], 0]
            for j in range(n_pairs):
                to[j] += value[pairs[j, 0]] * row[pairs[j, 1]]
