"""Values to codes."""

from libc.stdint cimport uint8_t

from paribus.strata.kernel.types cimport MISSING

cdef enum:
    BLOCK = 64            # rows that stay in the cache while every column is coded


cdef inline int step_up(const double* edges, int k, int step, double x) noexcept nogil:
    # Arithmetic on purpose: a branch would be guessed wrong every other time.
    return k + (step & -<int>(edges[k + step - 1] < x))


cdef void encode_column(
    const double* edges, int half, const double[:, :] values, uint8_t[:, ::1] codes,
    Py_ssize_t start, Py_ssize_t stop, Py_ssize_t j
) noexcept nogil:
    """Search for four values at a time: each search waits for memory, four wait together."""
    cdef Py_ssize_t i = start
    cdef double a, b, c, d
    cdef int ka, kb, kc, kd, step
    while i + 4 <= stop:
        a = values[i, j]
        b = values[i + 1, j]
        c = values[i + 2, j]
        d = values[i + 3, j]
        ka = kb = kc = kd = 0
        step = half
        while step > 0:
            ka = step_up(edges, ka, step, a)
            kb = step_up(edges, kb, step, b)
            kc = step_up(edges, kc, step, c)
            kd = step_up(edges, kd, step, d)
            step >>= 1
        codes[i, j] = MISSING if a != a else <uint8_t>ka
        codes[i + 1, j] = MISSING if b != b else <uint8_t>kb
        codes[i + 2, j] = MISSING if c != c else <uint8_t>kc
        codes[i + 3, j] = MISSING if d != d else <uint8_t>kd
        i += 4
    while i < stop:
        a = values[i, j]
        ka = 0
        step = half
        while step > 0:
            ka = step_up(edges, ka, step, a)
            step >>= 1
        codes[i, j] = MISSING if a != a else <uint8_t>ka
        i += 1


def encode(
    const double[:, :] values, const double[:, ::1] edges, uint8_t[:, ::1] codes,
    Py_ssize_t start, Py_ssize_t stop,
):
    """Set each code to the number of edges below the value, for the rows from start to stop.

    Edges are padded with infinity to a power of two, 256 at most, by one at least: the search is
    as many steps without a branch.
    """
    cdef Py_ssize_t low = start, j
    cdef int half = edges.shape[1] >> 1
    with nogil:
        while low < stop:
            for j in range(values.shape[1]):
                encode_column(&edges[j, 0], half, values, codes, low, min(low + BLOCK, stop), j)
            low += BLOCK
