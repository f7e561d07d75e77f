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
