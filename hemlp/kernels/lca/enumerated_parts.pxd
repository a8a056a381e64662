cimport cython
from hemlp.kernels.bitsets cimport bits_of, has
from hemlp.kernels.lca.components cimport Component
from hemlp.kernels.lca.decisions cimport Decisions

cdef enum:
    MOST_STEPS = 24
    MOST_TRIED = 2048

@cython.final
cdef class EnumeratedParts:
    cdef readonly long long number
    cdef public long long tried
    cdef readonly long long[::1] size, common, diff
    cdef long long[::1] _size, _common, _diff, _flags, _next, _nodes, _certain
    cdef void clear(self) noexcept nogil
    cdef bint add(self, Component part, Decisions decisions, long long most) except -1 nogil
    cdef void _take(self, Component part, long long side, long long t, long long o) noexcept nogil
    cdef int note(self, long long size, long long common, long long diff) except -1 nogil
