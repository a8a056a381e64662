cimport cython
from hemlp.kernels.graph.distances cimport UpLists
from hemlp.kernels.lca.local_numbering cimport TOP, LocalNumbering
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    NO_WAY = -1
    FARTHEST = 0x7FFFFFFF
    FOR_PRED = 1
    FOR_TRUE = 2

@cython.final
cdef class Eligible:
    cdef UpLists lists
    cdef const long long[::1] to_top
    cdef readonly long long sides, end
    cdef readonly long long[::1] ptr, position, label, lca, length
    cdef readonly unsigned char[::1] own
    cdef long long _candidates, _mark
    cdef long long[:, ::1] _ends, _ways
    cdef int[::1] _nearest_pred, _nearest_true, _distance
    cdef long long[::1] _begin, _node, _whose, _order, _seen, _where
    cdef void clear(self) noexcept nogil
    cdef int add(self, LocalNumbering numbering) except -1 nogil
    cdef int _find_nearest(self, LocalNumbering numbering) except -1 nogil
    cdef int _make_room(self, long long more) except -1 nogil
    cdef void _note(self, long long a, long long b, long long node, long long from_pred, long long from_true, long long whose) noexcept nogil
    cdef void _find_lcas(self, long long a, long long b, long long distance, long long whose, LocalNumbering numbering) noexcept nogil
    cdef void _find_past_hub(self, long long a, long long b, long long distance, long long whose, LocalNumbering numbering) noexcept nogil
    cdef int _write(self, long long side, long long classes, long long first) except -1 nogil
    cdef void _put_in_order(self, long long side, long long classes) noexcept nogil

cdef long long _keep_specific(const long long[::1] ptr, const int[::1] classes, const int[::1] at, UpLists lists, unsigned char[::1] keep)
