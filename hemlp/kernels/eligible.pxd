cimport cython
from hemlp.kernels.distances cimport UpLists
from hemlp.kernels.records cimport Sides

cdef enum:
    NO_WAY = -1
    FOR_PRED = 1
    FOR_TRUE = 2

@cython.final
cdef class Eligible:
    cdef Sides sides
    cdef UpLists lists
    cdef const long long[::1] to_top
    cdef readonly long long size, end
    cdef readonly long long[::1] ptr, position, lca, own, length
    cdef long long _found, _mark
    cdef long long[:, ::1] _ends, _ways
    cdef long long[::1] _nearest_pred, _nearest_true, _begin, _node, _whose, _order, _above, _stamp, _seen, _where
    cdef int add(self, long long i, long long first, const double[::1] kappa) except -1 nogil
    cdef void _mark_above(self, long long t) noexcept nogil
    cdef long long _distance(self, double kappa, long long p, long long t) noexcept nogil
    cdef void _find_nearest(self, long long i, long long first, long long height, long long width, const double[::1] kappa) noexcept nogil
    cdef int _make_room(self, long long more) except -1 nogil
    cdef void _note(self, long long a, long long b, long long node, long long from_pred, long long from_true, long long whose) noexcept nogil
    cdef void _find_lcas(self, long long p, long long t, long long a, long long b, long long distance, long long whose) noexcept nogil
    cdef int _write(self, long long row, long long side, long long classes) except -1 nogil

cdef int _add_all(Eligible made, const long long[::1] pair_ptr, const double[::1] kappa) except -1
