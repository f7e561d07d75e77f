"""How much of some targets lies between the cells of many tables of cells.

The readable twin is in `strata/cells.py`.
"""

from libc.stdint cimport int64_t, uint16_t

import numpy as np


def between_cells(
    const uint16_t[:, ::1] cells, const int64_t[::1] tested, const int64_t[::1] first,
    const double[::1] count, const double[:, ::1] targets, double[:, ::1] between,
):
    """Write sums of squares between cells: `between` (len(tested), t).

    `cells` (n_tests, n) has a row for each table of cells, of which those `tested` are looked at;
    `count` has the rows of each cell, those of a table from `first` (n_tests + 1,) on. `targets`
    (t, n) are columns.
    """
    cdef Py_ssize_t i, k, row, test, size, n = cells.shape[1], t = targets.shape[0]
    cdef Py_ssize_t most = 0
    cdef const uint16_t* cell
    cdef const double* target
    cdef const double* rows
    cdef double total
    for i in range(first.shape[0] - 1):
        most = max(most, first[i + 1] - first[i])
    # Neighbouring rows add to sums of their own: else one waits for the other in a cell of both.
    cdef double[::1] sums = np.zeros(most)
    cdef double[::1] second = np.zeros(most)
    cdef double[::1] third = np.zeros(most)
    cdef double[::1] fourth = np.zeros(most)
    with nogil:
        for i in range(tested.shape[0] if n > 0 else 0):
            test = tested[i]
            size = first[test + 1] - first[test]
            cell = &cells[test, 0]
            rows = &count[first[test]]
            for k in range(t):
                target = &targets[k, 0]
                row = 0
                while row + 4 <= n:
                    sums[cell[row]] += target[row]
                    second[cell[row + 1]] += target[row + 1]
                    third[cell[row + 2]] += target[row + 2]
                    fourth[cell[row + 3]] += target[row + 3]
                    row += 4
                while row < n:
                    sums[cell[row]] += target[row]
                    row += 1
                total = 0.0
                for row in range(size):
                    sums[row] += second[row] + third[row] + fourth[row]
                    total += sums[row] * sums[row] / rows[row]
                    sums[row] = second[row] = third[row] = fourth[row] = 0.0
                between[i, k] = total


def between_cells_of_four(
    const uint16_t[:, ::1] cells, const int64_t[::1] first, const double[::1] count,
    const double[:, :, ::1] targets, double[:, ::1] between,
):
    """Write sums of squares between the cells of all tables: `between` (n_tests, 4 g).

    For `cells`, `first` and `count` see `between_cells`; `targets` (g, n, 4) lie four side by side,
    so that one instruction adds to two sums.
    """
    cdef Py_ssize_t i, j, k, row, size, n = cells.shape[1], most = 0
    cdef const uint16_t* cell
    cdef const double* target
    cdef const double* rows
    cdef double* a
    cdef double x0, x1, x2, x3
    cdef double t0, t1, t2, t3
    for i in range(first.shape[0] - 1):
        most = max(most, first[i + 1] - first[i])
    # Neighbouring rows add to sums of their own: else one waits for the other in a cell of both.
    cdef double[:, :, ::1] sums = np.zeros((2, max(most, 1), 4))
    with nogil:
        for k in range(targets.shape[0] if n > 0 else 0):
            for i in range(first.shape[0] - 1):
                size = first[i + 1] - first[i]
                cell = &cells[i, 0]
                target = &targets[k, 0, 0]
                for row in range(n):
                    a = &sums[row & 1, cell[row], 0]
                    # All four are read before one is written: else they are added one by one.
                    x0, x1 = a[0] + target[0], a[1] + target[1]
                    x2, x3 = a[2] + target[2], a[3] + target[3]
                    a[0], a[1], a[2], a[3] = x0, x1, x2, x3
                    target += 4
                rows = &count[first[i]]
                t0 = t1 = t2 = t3 = 0.0
                for row in range(size):
                    for j in range(4):
                        sums[0, row, j] += sums[1, row, j]
                        sums[1, row, j] = 0.0
                    a = &sums[0, row, 0]
                    t0 += a[0] * a[0] / rows[row]
                    t1 += a[1] * a[1] / rows[row]
                    t2 += a[2] * a[2] / rows[row]
                    t3 += a[3] * a[3] / rows[row]
                    a[0] = a[1] = a[2] = a[3] = 0.0
                between[i, 4 * k], between[i, 4 * k + 1] = t0, t1
                between[i, 4 * k + 2], between[i, 4 * k + 3] = t2, t3
