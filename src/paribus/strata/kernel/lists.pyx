"""Sorted lists for cells of few rows.

At most 256 rows are numbered by a byte, and each column keeps them as a list of `code << 8 | row`
in ascending order. A scan then reads a list from end to end, and a split divides each list in two
without sorting again. This beats histograms as soon as bins outnumber rows, and most cells are
small.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from paribus.strata.kernel.scan cimport fill_steps, find_in_list, list_gain, scan_levels
from paribus.strata.kernel.types cimport (
    BINS, COUNT_BITS, LIST_COUNT, LIST_ROWS, MISSING, Level, Split, Table, Totals, goes_left,
)

cdef enum:
    INSERTION = 24        # below, insertion beats counting through 256 bins


cdef inline uint16_t* column_list(Lists* lists, int block, int column, int start) noexcept nogil:
    return lists.blocks[block] + <size_t>column * LIST_ROWS + start


cdef int reserve(Lists* lists, const Table* table, int block) noexcept nogil:
    """Make sure a block exists; return 0, or -1 when memory ran out."""
    cdef uint16_t** blocks
    if block < lists.n_blocks:
        return 0
    blocks = <uint16_t**>realloc(lists.blocks, (block + 1) * sizeof(uint16_t*))
    if blocks == NULL:
        return -1
    lists.blocks = blocks
    blocks[block] = <uint16_t*>malloc(<size_t>table.p * LIST_ROWS * sizeof(uint16_t))
    if blocks[block] == NULL:
        return -1
    lists.n_blocks = block + 1
    return 0


cdef void release(Lists* lists) noexcept nogil:
    cdef int block
    for block in range(lists.n_blocks):
        free(lists.blocks[block])
    free(lists.blocks)


cdef void insert_rows(const uint8_t* codes, int m, uint16_t* entries) noexcept nogil:
    cdef int i, k
    cdef uint16_t entry
    for i in range(m):
        entry = (<uint16_t>codes[i] << 8) | <uint16_t>i
        k = i
        while k > 0 and entries[k - 1] > entry:
            entries[k] = entries[k - 1]
            k -= 1
        entries[k] = entry


cdef void count_rows(const uint8_t* codes, int m, uint16_t* entries) noexcept nogil:
    cdef uint16_t place[BINS + 1]
    cdef int i, code
    memset(place, 0, sizeof(place))
    for i in range(m):
        place[codes[i] + 1] += 1
    for code in range(BINS):
        place[code + 1] += place[code]
    for i in range(m):
        code = codes[i]
        entries[place[code]] = <uint16_t>((code << 8) | i)
        place[code] += 1


cdef void sort_rows(Lists* lists, const Table* table, const int32_t* rows, int m) noexcept nogil:
    """Number the rows of a cell and sort them by every column, into block 0."""
    cdef uint8_t codes[LIST_ROWS]
    cdef int i, column
    cdef int64_t count
    for i in range(m):
        count = 1 if table.counts == NULL else table.counts[rows[i]]
        lists.packed[i] = table.sums[rows[i]] * (1 << COUNT_BITS) + count
        if table.weights != NULL:
            lists.weights[i] = table.weights[rows[i]]
    for column in range(table.p):
        for i in range(m):
            codes[i] = table.codes[<size_t>rows[i] * table.p + column]
        if m <= INSERTION:
            insert_rows(codes, m, column_list(lists, 0, column, 0))
        else:
            count_rows(codes, m, column_list(lists, 0, column, 0))


cdef void copy_block(Lists* lists, const Table* table, int block, int start, int m) noexcept nogil:
    """Copy a cell's stretch of every list one block up."""
    cdef int column
    for column in range(table.p):
        memcpy(
            column_list(lists, block + 1, column, start),
            column_list(lists, block, column, start),
            m * sizeof(uint16_t),
        )


cdef void prepare(
    Lists* lists, const Table* table, const Totals* cell, int64_t min_leaf
) noexcept nogil:
    """Do what all columns' scans of a cell share."""
    if table.weights == NULL:
        fill_steps(cell, min_leaf, lists.steps)


cdef int list_to_levels(
    Lists* lists, const Table* table, const uint16_t* entries, int m
) noexcept nogil:
    """Sum up the stretches of equal code; return how many there are."""
    cdef int i, row, code, last = -1, n = 0
    cdef Level* level = NULL
    for i in range(m):
        code = entries[i] >> 8
        row = entries[i] & 255
        if code != last:
            level = &lists.levels[n]
            level.sum = 0
            level.count = 0
            level.weight = 0
            level.code = code
            last = code
            n += 1
        level.sum += lists.packed[row] >> COUNT_BITS
        level.count += lists.packed[row] & LIST_COUNT
        if table.weights != NULL:
            level.weight += lists.weights[row]
        else:
            level.weight = level.count
    return n


cdef inline bint is_plain(const Table* table, const uint16_t* entries, int m) noexcept nogil:
    return table.weights == NULL and entries[m - 1] >> 8 != MISSING


cdef double scan_column(
    Lists* lists, const Table* table, int block, int start, int m, const Totals* cell,
    int64_t min_leaf, int column
) noexcept nogil:
    """Return the gain of the column's best split of the cell (after `prepare`)."""
    cdef const uint16_t* entries = column_list(lists, block, column, start)
    cdef Split best
    if is_plain(table, entries, m):
        return list_gain(entries, m, lists.single, lists.packed, lists.steps, cell, min_leaf)
    scan_levels(
        lists.levels, list_to_levels(lists, table, entries, m), cell, min_leaf, &best,
    )
    return best.gain


cdef void find_split(
    Lists* lists, const Table* table, int block, int start, int m, const Totals* cell,
    int64_t min_leaf, int column, double gain, Split* best
) noexcept nogil:
    """Find the column's split with this, its best, gain."""
    cdef const uint16_t* entries = column_list(lists, block, column, start)
    if is_plain(table, entries, m):
        find_in_list(entries, m, lists.packed, lists.steps, cell, gain, best)
        return
    scan_levels(
        lists.levels, list_to_levels(lists, table, entries, m), cell, min_leaf, best,
    )


cdef int mark(
    Lists* lists, int block, int start, int m, int column, const Split* split
) noexcept nogil:
    """Note for each row of the cell whether it goes left; return how many do."""
    cdef const uint16_t* entries = column_list(lists, block, column, start)
    cdef int i, n_left = 0
    cdef uint8_t left
    for i in range(m):
        left = goes_left(entries[i] >> 8, split.cut, split.missing_left)
        lists.side[entries[i] & 255] = left
        n_left += left
    return n_left


cdef void divide(Lists* lists, int block, int start, int m, int n_left, int column) noexcept nogil:
    """Move the marked rows of one column's list to its front; both parts stay sorted."""
    cdef uint16_t* entries = column_list(lists, block, column, start)
    cdef int i, k = 0, q = 0
    cdef uint8_t left
    cdef uint16_t entry
    if entries[0] >> 8 == entries[m - 1] >> 8:
        return                # constant here and below: nobody will ask which row is where
    for i in range(m):
        entry = entries[i]
        left = lists.side[entry & 255]
        entries[k] = entry
        lists.spare[q] = entry
        k += left
        q += 1 - left
    memcpy(entries + n_left, lists.spare, q * sizeof(uint16_t))
