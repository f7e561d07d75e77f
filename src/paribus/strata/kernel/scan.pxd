"""The best split of one column in one cell."""

from libc.stdint cimport int64_t, uint16_t

from paribus.strata.kernel.types cimport Level, Split, Totals

cdef struct Step:         # what the gain needs for one left count, worked out once a cell
    double shift
    double inverse

cdef void scan_levels(
    Level* levels, int n, const Totals* cell, int64_t min_leaf, bint category, Split* best
) noexcept nogil

cdef void fill_steps(const Totals* cell, int64_t min_leaf, Step* steps) noexcept nogil

cdef void scan_list(
    const uint16_t* entries, int m, bint single, const int64_t* packed, const Step* steps,
    const Totals* cell, int64_t min_leaf, Split* best
) noexcept nogil
