"""Sums by group, and what they are for: taking group means out of rows.

Memory is all that is moved here, so rows are walked in order and each is touched once. The
readable twins are in `groups.py`.
"""

from libc.stdint cimport int32_t


def add_rows(
    const double[:, ::1] values, const double[::1] weights, const int32_t[::1] group,
    double[:, ::1] sums,
):
    """Add each weighted row of `values` (n, d) to the row of `sums` (n_groups, d) of its group."""
    cdef Py_ssize_t i, k, n = values.shape[0], d = values.shape[1]
    cdef double w
    cdef double* to
    cdef const double* row
    with nogil:
        for i in range(n):
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
