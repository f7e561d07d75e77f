"""The recursion that grows a family of trees."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from paribus.strata.kernel.lists cimport Lists
from paribus.strata.kernel.nodes cimport Group, Nodes
from paribus.strata.kernel.types cimport Bin, Table, Totals

cdef enum:
    WHOLE = 32768         # rows up to which a task grows all there is below its cell

cdef struct Cell:         # rows that have gone the same way
    Totals totals
    int32_t m                  # distinct rows
    int32_t* rows              # (m,) while they are many
    Bin* bins                  # their histogram, or NULL when not wanted
    bint owns_bins             # may be written over
    int32_t block              # -1, or which block of sorted lists holds them
    int32_t start              # and where

cdef struct Options:
    int64_t min_leaf
    int32_t max_depth
    int32_t max_features

cdef struct Pending:      # a child left for another task
    Cell cell
    Group* group
    int32_t depth
    uint64_t path
    int32_t parent
    int32_t field

cdef struct Ranked:       # a column and its turn at a node
    uint64_t turn
    int32_t column

cdef struct Grower:
    Table table
    Options options
    const uint8_t* member      # (n_sets, p) 1 where a set holds a column
    Nodes nodes
    Lists lists
    int32_t* spare             # (m,) for partitions
    Ranked* order              # (p,)
    Bin** idle                 # histograms to use again
    int32_t n_idle, idle_room
    Pending* pending           # children put off, when they are to be
    int32_t n_pending, pending_room
    bint put_off
    bint failed                # memory ran out

cdef void grow_cell(
    Grower* g, Cell cell, const Group* group, int32_t depth, uint64_t path
) noexcept nogil
cdef void free_grower(Grower* g) noexcept nogil
