"""Sums by code for cells of many rows."""

from libc.stdint cimport int32_t, int64_t

from paribus.strata.kernel.types cimport Bin, Level, Table

cdef size_t histogram_bytes(const Table* table) noexcept nogil
cdef void add_rows(const Table* table, const int32_t* rows, int32_t m, Bin* bins) noexcept nogil
cdef void take_rows(const Table* table, const int32_t* rows, int32_t m, Bin* bins) noexcept nogil
cdef void subtract(const Table* table, const Bin* whole, const Bin* part, Bin* rest) noexcept nogil
cdef int bins_to_levels(
    const Table* table, const Bin* bins, int column, Level* levels
) noexcept nogil
