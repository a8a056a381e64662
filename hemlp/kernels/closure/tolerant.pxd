cimport cython
from hemlp.kernels.records cimport Implied, Rows, Sides
from hemlp.kernels.signals cimport look_for_signals

@cython.final
cdef class Hierarchy:
    cdef Implied implied
    cdef Rows parents
    cdef Rows children
    cdef long upper
    cdef long upper_roots

@cython.final
cdef class Side:
    cdef bint with_hub
    cdef long alone
    cdef Py_ssize_t filled
    cdef int[::1] nodes
    cdef int[::1] stamp
    cdef int[::1] child_stamp

cdef _tally_all(Sides sides, Hierarchy hierarchy, double[:, ::1] counts, unsigned char[::1] equal)
cdef void _collect(Side side, const int[::1] classes, long long begin, long long end, Implied implied, int i) noexcept nogil
cdef long _compare(Side own, Side other, int node, Hierarchy hierarchy, int i) noexcept nogil
cdef void _count_children(Side own, Side other, int node, Hierarchy hierarchy, int i) noexcept nogil
