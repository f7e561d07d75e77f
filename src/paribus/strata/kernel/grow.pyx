"""The recursion that grows a family of trees.

The tree that leaves a set of columns out is the tree on all columns down to the first node that
splits on one of them. So sets walk together in a group. Where the group's best split is on `f`,
the sets that hold `f` branch off: same rows, same scan, the best split without `f`. Nothing above
is grown twice.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from paribus.strata.kernel.choose cimport choose, mix
from paribus.strata.kernel.histogram cimport (
    add_rows, histogram_bytes, subtract, take_rows,
)
from paribus.strata.kernel.lists cimport (
    copy_block, divide, mark, prepare, release, reserve, sort_rows,
)
from paribus.strata.kernel.nodes cimport (
    Group, add_node, copy_group, free_nodes, make_leaf, make_split, part_of,
)
from paribus.strata.kernel.partition cimport partition
from paribus.strata.kernel.types cimport (
    BRANCH, LEFT, LIST_COUNT, LIST_ROWS, RIGHT, Bin, Split,
)


cdef Bin* take_bins(Grower* g) noexcept nogil:
    cdef Bin* bins
    if g.n_idle > 0:
        g.n_idle -= 1
        return g.idle[g.n_idle]
    bins = <Bin*>malloc(histogram_bytes(&g.table))
    g.failed = g.failed or bins == NULL
    return bins


cdef void give_back(Grower* g, Cell* cell) noexcept nogil:
    """Keep a cell's own histogram for the next one that needs a block."""
    cdef Bin** idle
    if cell.bins == NULL or not cell.owns_bins:
        return
    if g.n_idle == g.idle_room:
        idle = <Bin**>realloc(g.idle, (g.idle_room + 16) * sizeof(Bin*))
        if idle == NULL:
            free(cell.bins)
            return
        g.idle = idle
        g.idle_room += 16
    g.idle[g.n_idle] = cell.bins
    g.n_idle += 1


cdef void free_grower(Grower* g) noexcept nogil:
    cdef int32_t i
    for i in range(g.n_idle):
        free(g.idle[i])
    free(g.idle)
    for i in range(g.n_pending):
        free(g.pending[i].cell.rows)
        free(g.pending[i].cell.bins)
        free(g.pending[i].group)
    free(g.pending)
    free(g.spare)
    free(g.order)
    free_nodes(&g.nodes)
    release(&g.lists)


cdef inline bint may_split(const Grower* g, const Cell* cell, int32_t depth) noexcept nogil:
    return cell.totals.count >= 2 * g.options.min_leaf and depth < g.options.max_depth


cdef inline bint fits_lists(const Cell* cell) noexcept nogil:
    return cell.m <= LIST_ROWS and cell.totals.count <= LIST_COUNT


cdef inline bint wants_bins(const Grower* g, const Cell* cell) noexcept nogil:
    """Say whether a child needs its histogram now; a task that grows all of it makes its own."""
    return not fits_lists(cell) and not (g.put_off and cell.m <= WHOLE)


cdef void make_ready(Grower* g, Cell* cell) noexcept nogil:
    """Give a cell that is to be split its sorted lists or its histogram."""
    if cell.block >= 0:
        return
    if fits_lists(cell):
        give_back(g, cell)
        cell.bins = NULL
        cell.block = 0
        cell.start = 0
        sort_rows(&g.lists, &g.table, cell.rows, cell.m)
    elif cell.bins == NULL:
        cell.bins = take_bins(g)
        cell.owns_bins = True
        if cell.bins != NULL:
            add_rows(&g.table, cell.rows, cell.m, cell.bins)


cdef uint64_t child_path(uint64_t path, int column, const Split* split, int field) noexcept nogil:
    """Name a child after the way to it: the same in every tree that has this node."""
    cdef uint64_t step = (<uint64_t>column << 32) | (<uint64_t>split.cut << 8) | <uint64_t>field
    return mix(mix(path + <uint64_t>0x9E3779B97F4A7C15) ^ step)


cdef void split_rows(
    Grower* g, Cell* cell, int column, const Split* split, Cell* left, Cell* right
) noexcept nogil:
    left.m = partition(
        g.table.codes, g.table.p, cell.rows, cell.m, g.spare, column,
        split.cut, split.missing_left,
    )
    right.m = cell.m - left.m
    left.rows = cell.rows
    right.rows = cell.rows + left.m


cdef void share_bins(Grower* g, Cell* cell, Cell* small, Cell* large) noexcept nogil:
    """Count the smaller child, and the larger is what remains of the cell."""
    cdef const Bin* whole = cell.bins
    large.bins = cell.bins if cell.owns_bins else take_bins(g)
    large.owns_bins = True
    if large.bins == NULL:
        return
    if wants_bins(g, small):
        small.bins = take_bins(g)
        small.owns_bins = True
        if small.bins != NULL:
            add_rows(&g.table, small.rows, small.m, small.bins)
            subtract(&g.table, whole, small.bins, large.bins)
        return
    if large.bins != whole:
        memcpy(large.bins, whole, histogram_bytes(&g.table))
    take_rows(&g.table, small.rows, small.m, large.bins)


cdef void split_lists(
    Grower* g, Cell* cell, const Group* group, int32_t depth, int column, const Split* split,
    Cell* left, Cell* right
) noexcept nogil:
    cdef int f
    left.m = mark(&g.lists, cell.block, cell.start, cell.m, column, split)
    right.m = cell.m - left.m
    left.block = right.block = cell.block
    left.start = cell.start
    right.start = cell.start + left.m
    if not may_split(g, left, depth + 1) and not may_split(g, right, depth + 1):
        return
    for f in range(g.table.p):
        if group.holds[f] < group.n:
            divide(&g.lists, cell.block, cell.start, cell.m, left.m, f)


cdef void split_cell(
    Grower* g, Cell* cell, const Group* group, int32_t depth, int column, const Split* split,
    Cell* left, Cell* right
) noexcept nogil:
    """Divide a cell in two; its histogram is passed on or kept for later."""
    cdef Cell* small
    cdef Cell* large
    left.bins = right.bins = NULL
    left.owns_bins = right.owns_bins = False
    left.rows = right.rows = NULL
    left.block = right.block = -1
    left.start = right.start = 0
    left.totals = split.left
    right.totals.sum = cell.totals.sum - split.left.sum
    right.totals.count = cell.totals.count - split.left.count
    right.totals.weight = cell.totals.weight - split.left.weight
    if cell.block >= 0:
        split_lists(g, cell, group, depth, column, split, left, right)
        return
    split_rows(g, cell, column, split, left, right)
    small = left if left.m <= right.m else right
    large = right if left.m <= right.m else left
    if may_split(g, large, depth + 1) and wants_bins(g, large):
        share_bins(g, cell, small, large)
    else:
        give_back(g, cell)


cdef void put_off_child(
    Grower* g, Cell* cell, const Group* group, int32_t depth, uint64_t path, int32_t parent,
    int field
) noexcept nogil:
    """Leave a child, with rows of its own, for another task."""
    cdef Pending* more
    cdef Pending* item
    if g.n_pending == g.pending_room:
        more = <Pending*>realloc(g.pending, (g.pending_room + 16) * sizeof(Pending))
        if more == NULL:
            g.failed = True
            return
        g.pending = more
        g.pending_room += 16
    item = &g.pending[g.n_pending]
    item.cell = cell[0]
    item.cell.rows = <int32_t*>malloc(<size_t>cell.m * sizeof(int32_t))
    item.group = copy_group(group, g.table.p)
    item.depth = depth
    item.path = path
    item.parent = parent
    item.field = field
    g.n_pending += 1
    if item.cell.rows == NULL or item.group == NULL:
        g.failed = True
        return
    memcpy(item.cell.rows, cell.rows, <size_t>cell.m * sizeof(int32_t))


cdef void grow_branch(
    Grower* g, const Cell* cell, const Group* group, double* gains, int32_t depth, uint64_t path,
    int32_t parent
) noexcept nogil:
    """Grow from a cell's rows, on a copy of them, for the sets that leave its best column out."""
    cdef Cell twin = cell[0]
    twin.owns_bins = False
    if cell.block >= 0:
        twin.block = cell.block + 1
        if reserve(&g.lists, &g.table, twin.block) < 0:
            g.failed = True
            return
        copy_block(&g.lists, &g.table, cell.block, cell.start, cell.m)
        grow_from(g, twin, group, gains, depth, path, parent, BRANCH)
        return
    twin.rows = <int32_t*>malloc(<size_t>cell.m * sizeof(int32_t))
    if twin.rows == NULL:
        g.failed = True
        return
    memcpy(twin.rows, cell.rows, <size_t>cell.m * sizeof(int32_t))
    grow_from(g, twin, group, gains, depth, path, parent, BRANCH)
    free(twin.rows)


cdef int look(
    Grower* g, Cell* cell, const Group* group, double* gains, bint scanned, int32_t depth,
    uint64_t path, Split* split
) noexcept nogil:
    """Return the column to split the cell on and set the split, or return -1."""
    cdef int f
    if not may_split(g, cell, depth):
        return -1
    if not scanned:
        make_ready(g, cell)
        if g.failed:
            return -1
        for f in range(g.table.p):
            gains[f] = -1.0
        if cell.block >= 0:
            prepare(&g.lists, &g.table, &cell.totals, g.options.min_leaf)
    return choose(g, cell, group, gains, path, split)


cdef Group* branch_off(
    Grower* g, Cell* cell, const Group* group, int column, double* gains, int32_t depth,
    uint64_t path, int32_t node
) noexcept nogil:
    """Send the sets that hold the column on their own way; return the others."""
    cdef Group* gone = part_of(group, g.member, g.table.p, column, True)
    cdef Group* rest = part_of(group, g.member, g.table.p, column, False)
    if gone == NULL or rest == NULL:
        g.failed = True
    else:
        grow_branch(g, cell, gone, gains, depth, path, node)
    free(gone)
    return rest


cdef void grow_from(
    Grower* g, Cell cell, const Group* group, const double* scanned, int32_t depth, uint64_t path,
    int32_t parent, int field
) noexcept nogil:
    """Grow everything below a cell: the smaller child by recursion, the larger in this loop.

    So the stack is no deeper than the logarithm of the rows plus the columns a set leaves out.
    """
    cdef Group* own = NULL
    cdef Group* rest
    cdef Cell left, right
    cdef double* gains = <double*>malloc(g.table.p * sizeof(double))
    cdef Split split
    cdef int32_t node
    cdef int column
    cdef bint left_first
    if gains == NULL:
        g.failed = True
        return
    if scanned != NULL:
        memcpy(gains, scanned, g.table.p * sizeof(double))
    while not g.failed:
        node = add_node(&g.nodes, parent, field)
        if node < 0:
            g.failed = True
            break
        column = look(g, &cell, group, gains, scanned != NULL, depth, path, &split)
        scanned = NULL
        if column < 0 or g.failed:
            give_back(g, &cell)
            g.failed = g.failed or make_leaf(&g.nodes, node, group) < 0
            break
        if group.holds[column] > 0:
            rest = branch_off(g, &cell, group, column, gains, depth, path, node)
            free(own)
            group = own = rest
            if g.failed:
                give_back(g, &cell)
                break
        make_split(&g.nodes, node, column, &split)
        split_cell(g, &cell, group, depth, column, &split, &left, &right)
        depth += 1
        if g.put_off:
            put_off_child(
                g, &left, group, depth, child_path(path, column, &split, LEFT), node, LEFT
            )
            put_off_child(
                g, &right, group, depth, child_path(path, column, &split, RIGHT), node, RIGHT
            )
            break
        left_first = left.m <= right.m
        parent = node
        field = RIGHT if left_first else LEFT
        grow_from(
            g, left if left_first else right, group, NULL, depth,
            child_path(path, column, &split, LEFT if left_first else RIGHT),
            node, LEFT if left_first else RIGHT,
        )
        path = child_path(path, column, &split, field)
        cell = right if left_first else left
    free(gains)
    free(own)


cdef void grow_cell(
    Grower* g, Cell cell, const Group* group, int32_t depth, uint64_t path
) noexcept nogil:
    """Grow everything below a cell, or one level of it when children are to be put off."""
    if reserve(&g.lists, &g.table, 0) < 0:
        g.failed = True
        return
    grow_from(g, cell, group, NULL, depth, path, -1, 0)
