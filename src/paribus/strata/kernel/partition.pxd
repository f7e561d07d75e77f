"""Rows of a cell to their sides."""

from libc.stdint cimport int32_t, uint8_t, uint64_t

cdef int32_t partition(
    const uint8_t* codes, int32_t p, int32_t* rows, int32_t m, int32_t* spare, int column,
    bint category, int cut, bint missing_left, const uint64_t* subset
) noexcept nogil
