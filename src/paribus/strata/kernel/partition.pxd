"""Rows of a cell to their sides."""

from libc.stdint cimport int32_t, uint8_t

cdef int32_t partition(
    const uint8_t* codes, int32_t p, int32_t* rows, int32_t m, int32_t* spare, int column,
    int cut, bint missing_left
) noexcept nogil
