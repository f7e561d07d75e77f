"""How much of some targets lies between the cells of many tables of cells.

The readable twin is in `strata/cells.py`.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t

import numpy as np


def between_cells(
    const uint16_t[:, ::1] cells, const int64_t[::1] tested, const int32_t[::1] n_cells,
    const double[:, ::1] targets, double[:, ::1] between,
):
    """Write sums of squares between cells: `between` (len(tested), t).

    `cells` (n_tests, n) has a row for each table of cells, of which those `tested` are looked at,
    `n_cells` (n_tests,) how many there are; `targets` (n, t) are rows.
    """
    cdef Py_ssize_t i, k, row, test, n = cells.shape[1], t = targets.shape[1]
    cdef Py_ssize_t size, most = 0
    cdef const uint16_t* cell
    cdef double* to
    for i in range(n_cells.shape[0]):
        most = max(most, n_cells[i])
    cdef double[:, ::1] sums = np.zeros((most, t + 1))
    with nogil:
        for i in range(tested.shape[0] if n > 0 else 0):
            test = tested[i]
            size = n_cells[test]
            cell = &cells[test, 0]
            for row in range(n):
                to = &sums[cell[row], 0]
                to[t] += 1.0
                for k in range(t):
                    to[k] += targets[row, k]
            for k in range(t):
                between[i, k] = 0.0
            for row in range(size):
                to = &sums[row, 0]
                for k in range(t):
                    if to[t] > 0:
                        between[i, k] += to[k] * to[k] / to[t]
                    to[k] = 0.0
                to[t] = 0.0
