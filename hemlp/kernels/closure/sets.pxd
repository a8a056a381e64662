cimport cython
from hemlp.kernels.records cimport Implied, Rows, Sides
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    PRED = 1
    TRUE = 2
    BOTH = 3
    DROPPED = 4
    OFTEN = 65536  # nodes after which signals are looked for

@cython.final
cdef class Search:
    cdef Py_ssize_t size
    cdef long long farthest
    cdef bint top
    cdef long long[:, ::1] stamp
    cdef long long[::1] place
    cdef int[::1] queue
    cdef int[::1] nodes
    cdef unsigned char[::1] members
    cdef Py_ssize_t end

cdef Py_ssize_t _close_all(Sides sides, Rows arrows, Py_ssize_t start, long long room, Search search, long long[::1] ptr)
cdef _make_room(Search search)
cdef int _close(Search search, Rows arrows, const int[::1] classes, long long begin, long long end, long long i, int side) except? -1 nogil
cdef Py_ssize_t _imply(Search search, Rows arrows, long long i, int side, Py_ssize_t filled) except? -1 nogil
cdef _drop_all(const long long[::1] ptr, const int[::1] nodes, unsigned char[::1] members, Rows parents)
cdef bint _is_near(Rows parents, int node, unsigned char[::1] side_of, unsigned char side) noexcept nogil
cdef _weigh_all(const long long[::1] ptr, const int[::1] nodes, const unsigned char[::1] members, const double[::1] weights, double[:, ::1] sums, unsigned char[::1] equal)

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
