"""Rows to strata, all leave-out sets in one pass down the nodes."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from paribus.strata.kernel.nodes cimport Group, new_group, part_of
from paribus.strata.kernel.partition cimport partition
from paribus.strata.kernel.types cimport BRANCH, COLUMN, CUT, FIELDS, LEFT, RIGHT

cdef struct Walk:
    const uint8_t* codes
    int32_t p
    const int32_t* fields
    const int32_t* leaf_sets
    const int32_t* numbers
    const uint8_t* member
    const int32_t* slot        # (n_sets,) the output column of a set
    int32_t n_slots
    int32_t* spare
    int32_t* out
    bint failed


cdef void arrive(
    Walk* walk, const int32_t* node, const int32_t* rows, int32_t m, const Group* group
) noexcept nogil:
    """Write the stratum's number in each set of the group; both lists of sets ascend."""
    cdef int32_t i, k, at = node[LEFT]
    cdef int32_t number, column
    for k in range(group.n):
        while walk.leaf_sets[at] != group.sets[k]:
            at += 1
        number = walk.numbers[at]
        column = walk.slot[group.sets[k]]
        for i in range(m):
            walk.out[<size_t>rows[i] * walk.n_slots + column] = number


cdef void branch_off(
    Walk* walk, int32_t node, const int32_t* rows, int32_t m, const Group* group
) noexcept nogil:
    cdef const int32_t* fields = walk.fields + <size_t>node * FIELDS
    cdef Group* gone = part_of(group, walk.member, walk.p, fields[COLUMN], True)
    cdef int32_t* copy = <int32_t*>malloc(<size_t>m * sizeof(int32_t))
    if gone == NULL or copy == NULL:
        walk.failed = True
    else:
        memcpy(copy, rows, <size_t>m * sizeof(int32_t))
        descend(walk, fields[BRANCH], copy, m, gone)
    free(gone)
    free(copy)


cdef void descend(
    Walk* walk, int32_t node, int32_t* rows, int32_t m, const Group* group
) noexcept nogil:
    cdef Group* own = NULL
    cdef Group* rest
    cdef const int32_t* fields
    cdef int32_t column, n_left
    while m > 0 and not walk.failed:
        fields = walk.fields + <size_t>node * FIELDS
        column = fields[COLUMN]
        if column < 0:
            arrive(walk, fields, rows, m, group)
            break
        if group.holds[column] == group.n:
            node = fields[BRANCH]
            continue
        if group.holds[column] > 0:
            branch_off(walk, node, rows, m, group)
            rest = part_of(group, walk.member, walk.p, column, False)
            free(own)
            group = own = rest
            if rest == NULL:
                walk.failed = True
                break
        n_left = partition(
            walk.codes, walk.p, rows, m, walk.spare, column,
            fields[CUT] & 255, fields[CUT] >> 8,
        )
        if n_left <= m - n_left:
            descend(walk, fields[LEFT], rows, n_left, group)
            node = fields[RIGHT]
            rows += n_left
            m -= n_left
        else:
            descend(walk, fields[RIGHT], rows + n_left, m - n_left, group)
            node = fields[LEFT]
            m = n_left
    free(own)


def apply(
    const uint8_t[:, ::1] codes, const int32_t[:, ::1] fields, const int32_t[::1] leaf_sets,
    const int32_t[::1] numbers, const uint8_t[:, ::1] member, const int32_t[::1] wanted,
    const int32_t[::1] slot, int32_t root, int32_t[::1] rows, int32_t[:, ::1] out,
):
    """Write the strata of the rows (an array that is shuffled) for the wanted, ascending sets."""
    cdef Walk walk
    cdef Group* group
    cdef int32_t i, f, m = rows.shape[0]
    if m == 0 or wanted.shape[0] == 0:
        return
    memset(&walk, 0, sizeof(Walk))
    walk.codes = &codes[0, 0]
    walk.p = codes.shape[1]
    walk.fields = &fields[0, 0]
    walk.leaf_sets = &leaf_sets[0]
    walk.numbers = &numbers[0]
    walk.member = &member[0, 0]
    walk.slot = &slot[0]
    walk.n_slots = out.shape[1]
    walk.out = &out[0, 0]
    walk.spare = <int32_t*>malloc(<size_t>m * sizeof(int32_t))
    group = new_group(wanted.shape[0], walk.p)
    try:
        if walk.spare == NULL or group == NULL:
            raise MemoryError("there is not enough memory to find the strata")
        for i in range(group.n):
            group.sets[i] = wanted[i]
            for f in range(walk.p):
                group.holds[f] += member[wanted[i], f]
        with nogil:
            descend(&walk, root, &rows[0], m, group)
        if walk.failed:
            raise MemoryError("there is not enough memory to find the strata")
    finally:
        free(walk.spare)
        free(group)


def number_leaves(
    const int32_t[:, ::1] fields, const int32_t[::1] leaf_sets, const int32_t[::1] roots,
    int32_t[::1] numbers, int32_t[::1] n_strata,
):
    """Give each set's leaves numbers from 0, left before right, in the last two arrays."""
    cdef size_t room = fields.shape[0] + roots.shape[0]
    cdef int32_t* stack = <int32_t*>malloc(room * sizeof(int32_t))
    cdef Py_ssize_t top = 0
    cdef int32_t node, i, one
    if stack == NULL:
        raise MemoryError("there is not enough memory to number the strata")
    with nogil:
        for i in range(roots.shape[0]):
            stack[top] = roots[roots.shape[0] - 1 - i]
            top += 1
        while top > 0:
            top -= 1
            node = stack[top]
            if fields[node, COLUMN] < 0:
                for i in range(fields[node, LEFT], fields[node, LEFT] + fields[node, RIGHT]):
                    one = leaf_sets[i]
                    numbers[i] = n_strata[one]
                    n_strata[one] += 1
                continue
            stack[top] = fields[node, RIGHT]
            stack[top + 1] = fields[node, LEFT]
            top += 2
            if fields[node, BRANCH] >= 0:
                stack[top] = fields[node, BRANCH]
                top += 1
    free(stack)
