"""Sorted lists for cells of few rows."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

from paribus.strata.kernel.scan cimport Step
from paribus.strata.kernel.types cimport LIST_COUNT, LIST_ROWS, Level, Split, Table, Totals

cdef struct Lists:
    uint16_t** blocks          # blocks[k]: (p, 256) entries; a branch works on a copy, one block up
    int32_t n_blocks
    int64_t packed[LIST_ROWS]
    int64_t weights[LIST_ROWS]
    uint8_t side[LIST_ROWS]
    uint16_t spare[LIST_ROWS]
    Step steps[LIST_COUNT + 1]
    Level levels[LIST_ROWS]
    bint single                # every row counts once

cdef int reserve(Lists* lists, const Table* table, int block) noexcept nogil
cdef void release(Lists* lists) noexcept nogil
cdef void sort_rows(Lists* lists, const Table* table, const int32_t* rows, int m) noexcept nogil
cdef void copy_block(Lists* lists, const Table* table, int block, int start, int m) noexcept nogil
cdef void prepare(
    Lists* lists, const Table* table, const Totals* cell, int64_t min_leaf
) noexcept nogil
cdef double scan_column(
    Lists* lists, const Table* table, int block, int start, int m, const Totals* cell,
    int64_t min_leaf, int column
) noexcept nogil
cdef void find_split(
    Lists* lists, const Table* table, int block, int start, int m, const Totals* cell,
    int64_t min_leaf, int column, double gain, Split* best
) noexcept nogil
cdef int mark(
    Lists* lists, int block, int start, int m, int column, const Split* split
) noexcept nogil
cdef void divide(Lists* lists, int block, int start, int m, int n_left, int column) noexcept nogil
