"""Which column a cell is split on, and how."""

from libc.stdint cimport uint64_t

from paribus.strata.kernel.grow cimport Cell, Grower
from paribus.strata.kernel.nodes cimport Group
from paribus.strata.kernel.types cimport Split

cdef uint64_t mix(uint64_t z) noexcept nogil
cdef int choose(
    Grower* g, const Cell* cell, const Group* group, double* gains, uint64_t path, Split* split
) noexcept nogil
