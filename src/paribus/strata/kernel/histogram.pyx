"""Sums by code for cells of many rows.

A histogram is `p * 256` bins of (sum, count), followed by `p * 256` weights when there are any.
All of it is integers: a child's histogram got by subtraction is the one that counting would have
given.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from paribus.strata.kernel.types cimport BINS, PARIBUS_PREFETCH, Bin, Level, Table

cdef enum:
    AHEAD = 12            # rows to fetch ahead: they lie scattered over the table


cdef size_t histogram_bytes(const Table* table) noexcept nogil:
    cdef size_t bins = <size_t>table.p * BINS
    return bins * sizeof(Bin) + (0 if table.weights == NULL else bins * sizeof(int64_t))


cdef inline int64_t* weight_bins(const Table* table, const Bin* bins) noexcept nogil:
    return <int64_t*>(bins + <size_t>table.p * BINS)


cdef void add_once(const Table* table, const int32_t* rows, int32_t m, Bin* bins) noexcept nogil:
    """The usual case: every row counts once, no weights."""
    cdef int32_t i, f, p = table.p
    cdef const uint8_t* code
    cdef int64_t value
    cdef Bin* slot
    for i in range(m):
        if i + AHEAD < m:
            PARIBUS_PREFETCH(table.codes + <size_t>rows[i + AHEAD] * p)
            PARIBUS_PREFETCH(table.sums + rows[i + AHEAD])
        code = table.codes + <size_t>rows[i] * p
        value = table.sums[rows[i]]
        slot = bins
        for f in range(p):
            slot[code[f]].sum += value
            slot[code[f]].count += 1
            slot += BINS


cdef void add_signed(
    const Table* table, const int32_t* rows, int32_t m, int sign, Bin* bins
) noexcept nogil:
    cdef int32_t i, f, p = table.p
    cdef const uint8_t* code
    cdef int64_t value, count = sign, weight
    cdef int64_t* weights = weight_bins(table, bins)
    for i in range(m):
        code = table.codes + <size_t>rows[i] * p
        value = sign * table.sums[rows[i]]
        if table.counts != NULL:
            count = sign * table.counts[rows[i]]
        for f in range(p):
            bins[f * BINS + code[f]].sum += value
            bins[f * BINS + code[f]].count += count
        if table.weights != NULL:
            weight = sign * table.weights[rows[i]]
            for f in range(p):
                weights[f * BINS + code[f]] += weight


cdef void add_rows(const Table* table, const int32_t* rows, int32_t m, Bin* bins) noexcept nogil:
    """Count the rows into an empty histogram."""
    memset(bins, 0, histogram_bytes(table))
    if table.counts == NULL and table.weights == NULL:
        add_once(table, rows, m, bins)
    else:
        add_signed(table, rows, m, 1, bins)


cdef void take_rows(const Table* table, const int32_t* rows, int32_t m, Bin* bins) noexcept nogil:
    """Take the rows out again."""
    add_signed(table, rows, m, -1, bins)


cdef void subtract(const Table* table, const Bin* whole, const Bin* part, Bin* rest) noexcept nogil:
    """Set `rest` to `whole - part`; `rest` may be `whole`."""
    cdef size_t i, n = histogram_bytes(table) // sizeof(int64_t)
    cdef const int64_t* a = <const int64_t*>whole
    cdef const int64_t* b = <const int64_t*>part
    cdef int64_t* c = <int64_t*>rest
    for i in range(n):
        c[i] = a[i] - b[i]


cdef int bins_to_levels(
    const Table* table, const Bin* bins, int column, Level* levels
) noexcept nogil:
    """List the codes present in a column, in order; return how many there are."""
    cdef const Bin* slot = bins + <size_t>column * BINS
    cdef const int64_t* weights = NULL
    cdef int code, n = 0
    if table.weights != NULL:
        weights = weight_bins(table, bins) + <size_t>column * BINS
    for code in range(BINS):
        if slot[code].count == 0:
            continue
        levels[n].sum = slot[code].sum
        levels[n].count = slot[code].count
        levels[n].weight = slot[code].count if weights == NULL else weights[code]
        levels[n].code = code
        n += 1
    return n
