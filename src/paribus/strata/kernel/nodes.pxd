"""The growing list of nodes of one task."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from paribus.strata.kernel.types cimport FIELDS, Split

cdef struct Group:        # leave-out sets that still share their way
    int32_t n
    int32_t* sets              # (n,) ascending
    int32_t* holds             # (p,) how many of the sets hold each column

cdef struct Nodes:
    int32_t* fields            # (n, FIELDS)
    int64_t n, room
    int32_t* leaf_sets
    int64_t n_leaf_sets, leaf_room

cdef int add_node(Nodes* nodes, int32_t parent, int field) noexcept nogil
cdef int make_leaf(Nodes* nodes, int32_t node, const Group* group) noexcept nogil
cdef void make_split(Nodes* nodes, int32_t node, int column, const Split* split) noexcept nogil
cdef void free_nodes(Nodes* nodes) noexcept nogil

cdef Group* new_group(int32_t n, int32_t p) noexcept nogil
cdef Group* copy_group(const Group* group, int32_t p) noexcept nogil
cdef Group* part_of(
    const Group* group, const uint8_t* member, int32_t p, int column, bint holding
) noexcept nogil
