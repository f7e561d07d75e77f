"""The growing list of nodes of one task, and the groups of leave-out sets that walk along it.

Every function that needs memory returns -1 (or NULL) when there is none.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from paribus.strata.kernel.types cimport BRANCH, COLUMN, CUT, FIELDS, LEFT, RIGHT, Split


cdef int make_room(void** block, int64_t* room, int64_t wanted, size_t size) noexcept nogil:
    """Double a block until it holds `wanted` items."""
    cdef int64_t more = room[0] if room[0] > 0 else 64
    cdef void* bigger
    if wanted <= room[0]:
        return 0
    while more < wanted:
        more *= 2
    bigger = realloc(block[0], <size_t>more * size)
    if bigger == NULL:
        return -1
    block[0] = bigger
    room[0] = more
    return 0


cdef int add_node(Nodes* nodes, int32_t parent, int field) noexcept nogil:
    """Append a node, point its parent's field at it and return its number."""
    cdef int32_t node = <int32_t>nodes.n
    cdef int32_t* fields
    if make_room(<void**>&nodes.fields, &nodes.room, nodes.n + 1, FIELDS * sizeof(int32_t)) < 0:
        return -1
    nodes.n += 1
    fields = nodes.fields + <int64_t>node * FIELDS
    fields[COLUMN] = -1
    fields[CUT] = 0
    fields[LEFT] = -1
    fields[RIGHT] = -1
    fields[BRANCH] = -1
    if parent >= 0:
        nodes.fields[<int64_t>parent * FIELDS + field] = node
    return node


cdef int make_leaf(Nodes* nodes, int32_t node, const Group* group) noexcept nogil:
    cdef int32_t* fields = nodes.fields + <int64_t>node * FIELDS
    cdef int64_t wanted = nodes.n_leaf_sets + group.n
    if make_room(<void**>&nodes.leaf_sets, &nodes.leaf_room, wanted, sizeof(int32_t)) < 0:
        return -1
    memcpy(nodes.leaf_sets + nodes.n_leaf_sets, group.sets, group.n * sizeof(int32_t))
    fields[LEFT] = <int32_t>nodes.n_leaf_sets
    fields[RIGHT] = group.n
    nodes.n_leaf_sets = wanted
    return 0


cdef void make_split(Nodes* nodes, int32_t node, int column, const Split* split) noexcept nogil:
    cdef int32_t* fields = nodes.fields + <int64_t>node * FIELDS
    fields[COLUMN] = column
    fields[CUT] = split.cut + 256 * split.missing_left


cdef void free_nodes(Nodes* nodes) noexcept nogil:
    free(nodes.fields)
    free(nodes.leaf_sets)


cdef Group* new_group(int32_t n, int32_t p) noexcept nogil:
    """Make a group of `n` sets in one block of memory: `free` is all it needs."""
    cdef Group* group = <Group*>malloc(sizeof(Group) + (<size_t>n + p) * sizeof(int32_t))
    if group == NULL:
        return NULL
    group.n = n
    group.sets = <int32_t*>(group + 1)
    group.holds = group.sets + n
    memset(group.holds, 0, p * sizeof(int32_t))
    return group


cdef Group* copy_group(const Group* group, int32_t p) noexcept nogil:
    cdef Group* copy = new_group(group.n, p)
    if copy != NULL:
        memcpy(copy.sets, group.sets, group.n * sizeof(int32_t))
        memcpy(copy.holds, group.holds, p * sizeof(int32_t))
    return copy


cdef Group* part_of(
    const Group* group, const uint8_t* member, int32_t p, int column, bint holding
) noexcept nogil:
    """Return the sets of a group that hold a column, or those that do not."""
    cdef int32_t n = group.holds[column] if holding else group.n - group.holds[column]
    cdef Group* part = new_group(n, p)
    cdef int32_t i, f, k = 0
    cdef const uint8_t* row
    if part == NULL:
        return NULL
    for i in range(group.n):
        row = member + <size_t>group.sets[i] * p
        if row[column] != holding:
            continue
        part.sets[k] = group.sets[i]
        k += 1
        for f in range(p):
            part.holds[f] += row[f]
    return part
