"""Rows of a cell to their sides."""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcpy

from paribus.strata.kernel.types cimport BINS, PARIBUS_PREFETCH, goes_left

cdef enum:
    AHEAD = 16
    TABULATE = 64         # rows from which asking each code once in advance pays


cdef int32_t partition(
    const uint8_t* codes, int32_t p, int32_t* rows, int32_t m, int32_t* spare, int column,
    int cut, bint missing_left
) noexcept nogil:
    """Move the rows that go left to the front; return how many. Both sides keep their order."""
    cdef uint8_t side[BINS]
    cdef const uint8_t* code = codes + column
    cdef int32_t i, row, k = 0, q = 0
    cdef int left
    if m < TABULATE:
        for i in range(m):
            row = rows[i]
            left = goes_left(code[<size_t>row * p], cut, missing_left)
            rows[k] = row
            spare[q] = row
            k += left
            q += 1 - left
    else:
        for i in range(BINS):
            side[i] = goes_left(i, cut, missing_left)
        for i in range(m):
            if i + AHEAD < m:
                PARIBUS_PREFETCH(code + <size_t>rows[i + AHEAD] * p)
            row = rows[i]
            left = side[code[<size_t>row * p]]
            rows[k] = row
            spare[q] = row
            k += left
            q += 1 - left
    memcpy(rows + k, spare, q * sizeof(int32_t))
    return k
