"""What the kernel's modules hand to each other."""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define PARIBUS_PREFETCH(address) __builtin_prefetch(address)
    #else
    #define PARIBUS_PREFETCH(address) ((void)0)
    #endif
    """
    void PARIBUS_PREFETCH(const void* address) noexcept nogil

cdef enum:
    BINS = 256            # one byte a value
    MISSING = 255         # the code of a missing value
    LIST_ROWS = 256       # a cell of at most so many rows is kept as lists: a row is a byte
    COUNT_BITS = 11       # of a packed value: the low bits count rows, the others sum the target
    LIST_COUNT = 2047     # 2**COUNT_BITS - 1

# The columns of the node array.
cdef enum:
    COLUMN = 0            # the column split on; -1 in a leaf
    CUT = 1               # codes up to the cut go left; + 256 when missing values do too
    LEFT = 2              # a leaf: where its sets start in the list of leaf sets
    RIGHT = 3             # a leaf: how many sets end here
    BRANCH = 4            # where the sets that leave COLUMN out go on; -1 when there are none
    FIELDS = 5

cdef struct Totals:
    int64_t sum           # fixed-point target
    int64_t count         # rows, repeated rows counted again
    int64_t weight        # equal to the count when there are no weights

cdef struct Level:        # one distinct code inside a cell
    int64_t sum
    int64_t count
    int64_t weight
    int32_t code

cdef struct Split:
    double gain           # -1: not looked at, 0: the column cannot split the cell
    Totals left
    int32_t cut
    int32_t missing_left

cdef struct Bin:
    int64_t sum
    int64_t count

cdef struct Table:        # what is grown on; every pointer is borrowed
    const uint8_t* codes       # (n, p), row by row
    const int64_t* sums        # (n,) fixed-point target times count (times weight)
    const int32_t* counts      # (n,) or NULL: every row once
    const int64_t* weights     # (n,) weight times count, or NULL: the counts
    int32_t p


cdef inline bint goes_left(int code, int cut, bint missing_left) noexcept nogil:
    return code <= cut or (missing_left and code == MISSING)
