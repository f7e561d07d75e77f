"""Sums by group, and what they are for: taking group means out of rows.

Memory is all that is moved here, so rows are walked in order and each is touched once. The
readable twins are in `groups.py`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef double LITTLE = 1e-9  # share of the rows before a place: fewer comparisons are rounding


def add_rows(
    const double[:, ::1] values, const double[::1] weights, const int32_t[::1] group,
    double[:, :] sums,
):
    """Add each weighted row of `values` (n, d) to the row of `sums` of its group.

    `sums` has a row a group and d columns or more, of which the first d are added to; they lie
    side by side, and may be some of those of an array.
    """
    cdef Py_ssize_t i, k, n = values.shape[0], d = values.shape[1]
    cdef double w
    cdef double* to
    cdef const double* row
    with nogil:
        for i in range(n if d > 0 else 0):
            w = weights[i]
            row = &values[i, 0]
            to = &sums[group[i], 0]
            for k in range(d):
                to[k] += w * row[k]


def subtract_rows(
    double[:, ::1] values, const int32_t[::1] group, const double[:, ::1] means, double scale
):
    """Take `scale` times the group's row of `means` (n_groups, d) from each row of `values`."""
    cdef Py_ssize_t i, k, n = values.shape[0], d = values.shape[1]
    cdef double* row
    cdef const double* mean
    with nogil:
        for i in range(n):
            row = &values[i, 0]
            mean = &means[group[i], 0]
            for k in range(d):
                row[k] -= scale * mean[k]


def spread(
    const double[::1] x, const int32_t[::1] group, double[::1] lowest, double[::1] highest
):
    """Lower `lowest` and raise `highest` (n_groups,) to the extremes of `x` in each group."""
    cdef Py_ssize_t i, n = x.shape[0]
    cdef int32_t g
    with nogil:
        for i in range(n):
            g = group[i]
            if x[i] < lowest[g]:
                lowest[g] = x[i]
            if x[i] > highest[g]:
                highest[g] = x[i]


def order_by_group(const int32_t[::1] group, int64_t[::1] bounds, int64_t[::1] order):
    """Put the rows of each group side by side: `bounds` (n_groups + 1,), zeros, and `order` (n,).

    Group g owns ``order[bounds[g]:bounds[g + 1]]``, in the order the rows had.
    """
    cdef Py_ssize_t i, n = group.shape[0], n_groups = bounds.shape[0] - 1
    cdef int64_t before = 0, here
    with nogil:
        for i in range(n):
            bounds[group[i]] += 1
        for i in range(n_groups + 1):
            here = bounds[i]
            bounds[i] = before
            before += here
        for i in range(n):
            order[bounds[group[i]]] = i
            bounds[group[i]] += 1
        for i in range(n_groups, 0, -1):
            bounds[i] = bounds[i - 1]
        if n_groups >= 0:
            bounds[0] = 0


def draw_along(
    const int32_t[::1] group, const double[::1] chance, double[::1] passed, uint8_t[::1] drawn,
):
    """Mark rows in `drawn` (n,) at which the chances (n,), added up, round to more.

    They are added up group by group: `passed` (n_groups,), zeros, takes what was passed at the end
    of each. Rows that are certain are marked too: rounding might pass over them.
    """
    cdef Py_ssize_t i, g, n = group.shape[0]
    cdef double total, before = 0.0
    with nogil:
        for i in range(n):
            passed[group[i]] += chance[i]
        for g in range(passed.shape[0]):
            total = passed[g]
            passed[g] = before
            before += total
        for i in range(n):
            g = group[i]
            total = passed[g] + chance[i]
            drawn[i] = (<int64_t>(total + 0.5) > <int64_t>(passed[g] + 0.5)) | (chance[i] >= 1.0)
            passed[g] = total


def count_across(
    const int32_t[::1] group, const double[::1] weights, const int64_t[::1] order,
    const int64_t[::1] bounds, const double[::1] inverse, double[::1] before, double[::1] total,
):
    """Add the comparisons across each place of a row of `total` (k,) that the groups make.

    ``order[bounds[j]:bounds[j + 1]]`` are the rows that lie before place j and no earlier one. A
    group of n rows (`inverse` has 1 / n) of which m lie before a place makes ``m - m**2 / n``
    comparisons across it. `before` (n_groups,), zeros, takes what lies before the last place.
    """
    cdef Py_ssize_t i, j, k = total.shape[0]
    cdef double w, left = 0.0, inside = 0.0
    cdef int32_t g
    with nogil:
        for j in range(k):
            for i in range(bounds[j], bounds[j + 1]):
                g = group[order[i]]
                w = weights[order[i]]
                left += w
                inside += w * (2 * before[g] + w) * inverse[g]
                before[g] += w
            if left - inside > LITTLE * left:
                total[j] += left - inside
