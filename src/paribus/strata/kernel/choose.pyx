"""Which column a cell is split on, and how."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport qsort

from paribus.strata.kernel.grow cimport Cell, Grower, Ranked
from paribus.strata.kernel.histogram cimport bins_to_levels
from paribus.strata.kernel.lists cimport find_split, scan_column
from paribus.strata.kernel.nodes cimport Group
from paribus.strata.kernel.scan cimport bins_gain, scan_levels
from paribus.strata.kernel.types cimport BINS, MISSING, Split


cdef inline bint has_plain_bins(const Grower* g, const Cell* cell, int column) noexcept nogil:
    return g.table.weights == NULL and cell.bins[column * BINS + MISSING].count == 0


cdef double scan_cell_column(Grower* g, const Cell* cell, int column) noexcept nogil:
    """Return the gain of the column's best split."""
    cdef Split best
    if cell.block >= 0:
        return scan_column(
            &g.lists, &g.table, cell.block, cell.start, cell.m, &cell.totals,
            g.options.min_leaf, column,
        )
    if has_plain_bins(g, cell, column):
        return bins_gain(cell.bins + column * BINS, &cell.totals, g.options.min_leaf)
    find_cell_split(g, cell, column, 0.0, &best)
    return best.gain


cdef void find_cell_split(
    Grower* g, const Cell* cell, int column, double gain, Split* best
) noexcept nogil:
    """Find the column's best split, whose gain is known."""
    cdef int n
    if cell.block >= 0:
        find_split(
            &g.lists, &g.table, cell.block, cell.start, cell.m, &cell.totals,
            g.options.min_leaf, column, gain, best,
        )
        return
    n = bins_to_levels(&g.table, cell.bins, column, g.lists.levels)
    scan_levels(g.lists.levels, n, &cell.totals, g.options.min_leaf, best)


cdef uint64_t mix(uint64_t z) noexcept nogil:
    """Scramble 64 bits (the finaliser of splitmix64)."""
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef int by_turn(const void* a, const void* b) noexcept nogil:
    cdef const Ranked* x = <const Ranked*>a
    cdef const Ranked* y = <const Ranked*>b
    if x.turn != y.turn:
        return -1 if x.turn < y.turn else 1
    return -1 if x.column < y.column else 1


cdef int choose_of_all(
    Grower* g, const Cell* cell, const Group* group, double* gains
) noexcept nogil:
    """Return the column with the best split, the first of equals, or -1."""
    cdef int f, best = -1
    for f in range(g.table.p):
        if group.holds[f] == group.n:
            continue
        if gains[f] < 0:
            gains[f] = scan_cell_column(g, cell, f)
        if gains[f] > (0.0 if best < 0 else gains[best]):
            best = f
    return best


cdef int choose_of_some(
    Grower* g, const Cell* cell, const Group* group, double* gains, uint64_t path
) noexcept nogil:
    """Choose among the first `max_features` columns in this node's random order.

    Columns left out use up their turn, so that leaving out a column that does not win changes
    nothing. If none of them can split, the next one that can does.
    """
    cdef int i, f, best = -1
    for f in range(g.table.p):
        g.order[f].turn = mix(path ^ (<uint64_t>(f + 1) * <uint64_t>0x9E3779B97F4A7C15))
        g.order[f].column = f
    qsort(g.order, g.table.p, sizeof(Ranked), by_turn)
    for i in range(g.table.p):
        if i >= g.options.max_features and best >= 0:
            break
        f = g.order[i].column
        if group.holds[f] == group.n:
            continue
        if gains[f] < 0:
            gains[f] = scan_cell_column(g, cell, f)
        if gains[f] <= 0:
            continue
        if best < 0 or gains[f] > gains[best] or (
            gains[f] == gains[best] and f < best
        ):
            best = f
    return best


cdef int choose(
    Grower* g, const Cell* cell, const Group* group, double* gains, uint64_t path, Split* split
) noexcept nogil:
    """Return the column to split on and set the split, or return -1."""
    cdef int column
    while True:
        if g.options.max_features < g.table.p:
            column = choose_of_some(g, cell, group, gains, path)
        else:
            column = choose_of_all(g, cell, group, gains)
        if column < 0:
            return -1
        find_cell_split(g, cell, column, gains[column], split)
        if split.gain > 0:
            return column
        gains[column] = 0.0       # it was rounding
