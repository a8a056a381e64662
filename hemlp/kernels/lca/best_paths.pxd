cimport cython

cdef enum:
    NONE = -1

@cython.final
cdef class BestPaths:
    cdef readonly long long layers
    cdef readonly bint tied
    cdef readonly long long[::1] picked
    cdef long long _arcs, _slots, _span
    cdef long long[::1] _layer
    cdef long long[::1] _low, _high
    cdef int[::1] _arc, _slot, _before, _option, _following, _shift
    cdef unsigned char[::1] _reachable
    cdef int start(self, long long steps) except -1 nogil
    cdef void add_layer(self, long long before) noexcept nogil
    cdef bint add(self, long long node, long long before, long long option, long long shift) except -1 nogil
    cdef bint add_tied(self, long long node, long long before, long long option, long long shift) except -1 nogil
    cdef bint _write(self, long long before, long long option, long long shift, long long following) except -1 nogil
    cdef void move(self, long long node, long long place) noexcept nogil
    cdef void trace(self) noexcept nogil
    cdef int list_differences(self, long long size) except -1 nogil
    cdef int _add_slot(self, long long d) except -1 nogil
    cdef int _reach(self, long long slot, long long at, long long shift) except -1 nogil
    cdef bint _reaches(self, long long slot, long long d) noexcept nogil
    cdef long long next_difference(self, long long d) noexcept nogil
    cdef void trace_to(self, long long d) noexcept nogil
