"""Pieces of growing that can run side by side.

A task grows everything below one cell. While a cell has many rows it grows one level only and
leaves the children as further tasks. How the work is cut depends on the table alone, so the trees
do not depend on who runs which task when.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from paribus.strata.kernel.grow cimport (
    WHOLE, Cell, Grower, Options, Ranked, free_grower, grow_cell,
)
from paribus.strata.kernel.nodes cimport Group, new_group
from paribus.strata.kernel.types cimport FIELDS, Table

cdef class Ground:
    """What all tasks of one family read: the coded table, the target and the options."""

    cdef const uint8_t[:, ::1] codes
    cdef const int64_t[::1] sums
    cdef const int32_t[::1] counts
    cdef const int64_t[::1] weights
    cdef const uint8_t[:, ::1] member
    cdef Options options
    cdef Table table

    def __init__(
        self, codes, sums, counts, weights, member, *, min_leaf, max_depth, max_features
    ):
        self.codes = codes
        self.sums = sums
        self.member = member
        self.table.codes = &self.codes[0, 0]
        self.table.sums = &self.sums[0]
        self.table.p = self.codes.shape[1]
        self.table.counts = NULL
        self.table.weights = NULL
        if counts is not None:
            self.counts = counts
            self.table.counts = &self.counts[0]
        if weights is not None:
            self.weights = weights
            self.table.weights = &self.weights[0]
        self.options.min_leaf = min_leaf
        self.options.max_depth = max_depth
        self.options.max_features = max_features


cdef class Grown:
    """The nodes that one task grew, numbered from 0, and the tasks it leaves."""

    cdef readonly object fields       # (n_nodes, 5) int32
    cdef readonly object leaf_sets    # (n_leaf_sets,) int32
    cdef readonly list tasks


cdef class Task:
    """Everything below one cell, still to be grown."""

    cdef Ground ground
    cdef Cell cell
    cdef Group* group
    cdef int32_t depth
    cdef uint64_t path
    cdef readonly int32_t parent      # the node of the task before that waits for this one
    cdef readonly int32_t field       # and in which field

    def __dealloc__(self):
        free(self.cell.rows)
        free(self.cell.bins)
        free(self.group)

    def run(self):
        """Grow, and return what was grown and what is left to do."""
        cdef Grower g
        cdef bint whole = self.cell.m <= WHOLE
        memset(&g, 0, sizeof(Grower))
        g.table = self.ground.table
        g.options = self.ground.options
        g.member = &self.ground.member[0, 0]
        g.put_off = not whole
        try:
            with nogil:
                self.grow(&g, whole)
            if g.failed:
                raise MemoryError("there is not enough memory to grow the trees")
            return harvest(&g, self.ground)
        finally:
            free_grower(&g)
            free(self.cell.rows)          # a task runs once, and is kept for its name
            self.cell.rows = NULL

    cdef void grow(self, Grower* g, bint whole) noexcept nogil:
        cdef Cell cell = self.cell
        cdef void* near = NULL
        cell.block = -1
        cell.owns_bins = True
        self.cell.bins = NULL         # the grower's from here on
        g.spare = <int32_t*>malloc(<size_t>cell.m * sizeof(int32_t))
        g.order = <Ranked*>malloc(<size_t>g.table.p * sizeof(Ranked))
        g.lists.single = g.table.counts == NULL
        if whole:
            near = gather(&g.table, cell.rows, cell.m)
        if g.spare == NULL or g.order == NULL or (whole and near == NULL):
            g.failed = True
            free(cell.bins)
        else:
            grow_cell(g, cell, self.group, self.depth, self.path)
        free(near)


cdef void* gather(Table* table, int32_t* rows, int32_t m) noexcept nogil:
    """Copy the rows side by side, where the cache holds them, and point the table at the copy."""
    cdef size_t eight = <size_t>m * sizeof(int64_t)
    cdef size_t bytes_ = 2 * eight + <size_t>m * sizeof(int32_t) + <size_t>m * table.p
    cdef char* block = <char*>malloc(bytes_)
    cdef int64_t* sums = <int64_t*>block
    cdef int64_t* weights = <int64_t*>(block + eight)
    cdef int32_t* counts = <int32_t*>(block + 2 * eight)
    cdef uint8_t* codes = <uint8_t*>(counts + m)
    cdef int32_t i
    if block == NULL:
        return NULL
    for i in range(m):
        memcpy(codes + <size_t>i * table.p, table.codes + <size_t>rows[i] * table.p, table.p)
        sums[i] = table.sums[rows[i]]
        if table.counts != NULL:
            counts[i] = table.counts[rows[i]]
        if table.weights != NULL:
            weights[i] = table.weights[rows[i]]
        rows[i] = i
    table.codes = codes
    table.sums = sums
    table.counts = NULL if table.counts == NULL else counts
    table.weights = NULL if table.weights == NULL else weights
    return block


cdef object as_array(const void* data, int64_t n, int64_t width, dtype):
    """Copy C memory into a new array of `n` rows."""
    array = np.empty((n, width), dtype)
    cdef uint8_t[::1] view = array.reshape(-1).view(np.uint8)
    if view.shape[0] > 0:
        memcpy(&view[0], data, view.shape[0])
    return array


cdef Grown harvest(Grower* g, Ground ground):
    cdef Grown grown = Grown.__new__(Grown)
    cdef Task task
    cdef int32_t i
    grown.fields = as_array(g.nodes.fields, g.nodes.n, FIELDS, np.int32)
    grown.leaf_sets = as_array(g.nodes.leaf_sets, g.nodes.n_leaf_sets, 1, np.int32)[:, 0]
    grown.tasks = []
    for i in range(g.n_pending):
        task = Task.__new__(Task)
        task.ground = ground
        task.cell = g.pending[i].cell
        task.group = g.pending[i].group
        task.depth = g.pending[i].depth
        task.path = g.pending[i].path
        task.parent = g.pending[i].parent
        task.field = g.pending[i].field
        grown.tasks.append(task)
    g.n_pending = 0                   # their memory is the tasks' now
    return grown


def first_task(Ground ground, const int32_t[::1] rows, uint64_t seed):
    """Return the task that grows all trees from the root, on these rows."""
    cdef Task task = Task.__new__(Task)
    cdef int32_t i, f, m = rows.shape[0], n_sets = ground.member.shape[0]
    task.ground = ground
    task.path = seed
    task.parent = -1
    task.cell.m = m
    task.cell.rows = <int32_t*>malloc(<size_t>m * sizeof(int32_t))
    task.group = new_group(n_sets, ground.table.p)
    if task.cell.rows == NULL or task.group == NULL:
        raise MemoryError("there is not enough memory to grow the trees")
    for i in range(m):
        task.cell.rows[i] = rows[i]
        task.cell.totals.sum += ground.sums[rows[i]]
        task.cell.totals.count += 1 if ground.table.counts == NULL else ground.counts[rows[i]]
        if ground.table.weights != NULL:
            task.cell.totals.weight += ground.weights[rows[i]]
    if ground.table.weights == NULL:
        task.cell.totals.weight = task.cell.totals.count
    for i in range(n_sets):
        task.group.sets[i] = i
        for f in range(ground.table.p):
            task.group.holds[f] += ground.member[i, f]
    return task
