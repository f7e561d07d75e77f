"""Sorting a column: exact quantiles of every row, whatever their order."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    DIGIT = 11            # bits a pass: 2048 places fit the cache
    PASSES = 6
    PLACES = 2048

cdef uint64_t SIGN = (<uint64_t>1) << 63


cdef inline uint64_t to_key(double x) noexcept nogil:
    """Map a number to an integer in the same order."""
    cdef uint64_t bits
    memcpy(&bits, &x, 8)
    return ~bits if bits & SIGN else bits | SIGN


cdef inline double from_key(uint64_t key) noexcept nogil:
    cdef double x
    cdef uint64_t bits = key ^ SIGN if key & SIGN else ~key
    memcpy(&x, &bits, 8)
    return x


cdef void sort_keys(
    uint64_t* keys, uint64_t* other, Py_ssize_t n, Py_ssize_t* place
) noexcept nogil:
    """Sort by the lowest digit first; the result is in `keys`, since the passes are even."""
    cdef Py_ssize_t i, start, size
    cdef Py_ssize_t* count
    cdef uint64_t* swap
    cdef int k, digit
    memset(place, 0, PASSES * PLACES * sizeof(Py_ssize_t))
    for i in range(n):
        for k in range(PASSES):
            place[k * PLACES + ((keys[i] >> (k * DIGIT)) & (PLACES - 1))] += 1
    for k in range(PASSES):
        count = place + k * PLACES
        start = 0
        for digit in range(PLACES):
            size = count[digit]
            count[digit] = start
            start += size
        for i in range(n):
            digit = (keys[i] >> (k * DIGIT)) & (PLACES - 1)
            other[count[digit]] = keys[i]
            count[digit] += 1
        swap = keys
        keys = other
        other = swap


def sort_values(const double[:] values, double[::1] out):
    """Write the values that are not missing in ascending order; return how many there are."""
    cdef Py_ssize_t i, n = 0
    cdef uint64_t* keys = <uint64_t*>malloc(2 * <size_t>values.shape[0] * sizeof(uint64_t))
    cdef Py_ssize_t* place = <Py_ssize_t*>malloc(PASSES * PLACES * sizeof(Py_ssize_t))
    try:
        if keys == NULL or place == NULL:
            raise MemoryError("there is not enough memory to sort a column")
        with nogil:
            for i in range(values.shape[0]):
                if values[i] == values[i]:
                    keys[n] = to_key(values[i] + 0.0)     # minus zero is zero
                    n += 1
            sort_keys(keys, keys + n, n, place)
            for i in range(n):
                out[i] = from_key(keys[i])
    finally:
        free(keys)
        free(place)
    return n
