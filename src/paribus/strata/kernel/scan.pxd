"""The best split of one column in one cell."""

from libc.stdint cimport int64_t, uint16_t

from paribus.strata.kernel.types cimport Bin, Level, Split, Totals

cdef struct Step:         # what the gain needs for one left count, worked out once a cell
    double shift
    double inverse

cdef void scan_levels(
    Level* levels, int n, const Totals* cell, int64_t min_leaf, Split* best
) noexcept nogil

cdef void fill_steps(const Totals* cell, int64_t min_leaf, Step* steps) noexcept nogil

cdef double list_gain(
    const uint16_t* entries, int m, bint single, const int64_t* packed, const Step* steps,
    const Totals* cell, int64_t min_leaf
) noexcept nogil

cdef void find_in_list(
    const uint16_t* entries, int m, const int64_t* packed, const Step* steps, const Totals* cell,
    double gain, Split* best
) noexcept nogil

cdef double bins_gain(const Bin* bins, const Totals* cell, int64_t min_leaf) noexcept nogil
