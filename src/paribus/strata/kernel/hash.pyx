"""Hashes of rows; the readable twin is `row_hash_reference` in `strata/rows.py`."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef enum:
    AT_ONCE = 64          # rows: each column is mixed into many, for one row's mixing has to wait


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    z += <uint64_t>0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


def hash_rows(const double[:, ::1] values, uint64_t[::1] out, uint64_t missing):
    """Hash each row of `values` (n, p) into `out` (n,); every NaN has the bits `missing`."""
    cdef Py_ssize_t i, k, start = 0, stop, n = values.shape[0], p = values.shape[1]
    cdef uint64_t bits
    cdef double value
    with nogil:
        while start < n:
            stop = min(start + AT_ONCE, n)
            for i in range(start, stop):
                out[i] = 0
            for k in range(p):
                for i in range(start, stop):
                    value = values[i, k] + 0.0
                    bits = missing
                    if value == value:
                        memcpy(&bits, &value, sizeof(double))
                    out[i] = mix(out[i] ^ mix(bits))
            start = stop
