"""Hashes of rows; the readable twin is `row_hash_reference` in `strata/rows.py`."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    """Scatter 64 bits (the finaliser of splitmix64)."""
    z += <uint64_t>0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


def hash_rows(const double[:, ::1] values, uint64_t[::1] out, uint64_t missing):
    """Hash each row of `values` (n, p) into `out` (n,); every NaN has the bits `missing`."""
    cdef Py_ssize_t i, k, n = values.shape[0], p = values.shape[1]
    cdef uint64_t bits, total
    cdef double value
    with nogil:
        for i in range(n):
            total = 0
            for k in range(p):
                value = values[i, k] + 0.0
                bits = missing
                if value == value:
                    memcpy(&bits, &value, sizeof(double))
                total = mix(total ^ mix(bits))
            out[i] = total
