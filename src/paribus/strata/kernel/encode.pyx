"""Values to codes."""

from libc.stdint cimport uint8_t

from paribus.strata.kernel.types cimport MISSING


def encode(
    const double[:, :] values, const double[:, ::1] edges, uint8_t[:, ::1] codes,
    Py_ssize_t start, Py_ssize_t stop,
):
    """Set each code to the number of edges below the value, for the rows from start to stop.

    Edges are padded to 256 with infinity, so the search is eight steps without a branch.
    """
    cdef Py_ssize_t low, high, i, j
    cdef double x
    cdef int k, step
    cdef Py_ssize_t p = values.shape[1]
    with nogil:
        low = start
        while low < stop:
            high = min(low + 256, stop)       # a block of rows stays in the cache for every column
            for j in range(p):
                for i in range(low, high):
                    x = values[i, j]
                    k = 0
                    step = 128
                    while step > 0:
                        k += step * (edges[j, k + step - 1] < x)
                        step >>= 1
                    codes[i, j] = MISSING if x != x else <uint8_t>k
            low = high
