"""Rows to sums, in one walk over the rows; the readable twin is `add_rows_reference` in `sums.py`."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc


cdef inline void add(double* to, double w, const double* row, Py_ssize_t d) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(d):
        to[k] += w * row[k]


def add_rows(
    const double[:, ::1] rows, const int32_t[::1] columns, const double[::1] weights,
    const int32_t[::1] label, const int32_t[::1] index, const double[::1] share,
    double[:, ::1] strata, double[:, ::1] crossed,
):
    """Add d `columns` of weighted rows (n, D) to `strata` (L, d + K) and to `crossed` (K, d).

    The first d columns of `strata` get the rows of each stratum, the others their basis: the weight
    ``1 - share`` at `index` and `share` at the next.
    """
    cdef Py_ssize_t i, k, n = rows.shape[0], d = columns.shape[0]
    cdef double w, next
    cdef double* to
    cdef double* row = <double*>malloc((d + 1) * sizeof(double))
    if row == NULL:
        raise MemoryError("there is not enough memory to sum rows up")
    with nogil:
        for i in range(n):
            for k in range(d):
                row[k] = rows[i, columns[k]]
            w, next = weights[i] * (1 - share[i]), weights[i] * share[i]
            to = &strata[label[i], 0]
            add(to, weights[i], row, d)
            to[d + index[i]] += w
            add(&crossed[index[i], 0], w, row, d)
            if next > 0:
                to[d + index[i] + 1] += next
                add(&crossed[index[i] + 1, 0], next, row, d)
    free(row)
