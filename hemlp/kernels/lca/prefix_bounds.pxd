cimport cython
from hemlp.kernels.graph.distances cimport UpLists
from hemlp.kernels.records cimport Rows, Sides
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    FAR = 0x20000000

@cython.final
cdef class PrefixBounds:
    cdef readonly UpLists lists
    cdef readonly Rows parents, steps
    cdef readonly Sides sides
    cdef const long long[::1] to_top
    cdef int[::1] in_true, in_pred, on_chain, leaf, slot, links, where, leaves, up, reached, shared
    cdef int[::1] distance, from_pred, from_true, nearest, own, others
    cdef long long tops, width, closure, count, alone, missed, marked, common
    cdef bint changed

cdef _bound_all(PrefixBounds task, double[:, ::1] sums)
cdef int _row(PrefixBounds task, Py_ssize_t i, Py_ssize_t number) noexcept nogil
cdef _begin(PrefixBounds task, Py_ssize_t i)
cdef int _make_room(PrefixBounds task) except -1
cdef void _predict(PrefixBounds task, Py_ssize_t i, Py_ssize_t number) noexcept nogil
cdef void _meet(PrefixBounds task, Py_ssize_t at, Py_ssize_t up, int far) noexcept nogil
cdef void _drop_leaf(PrefixBounds task, Py_ssize_t i, int node) noexcept nogil
cdef void _climb(PrefixBounds task, Py_ssize_t i, int node, int change) noexcept nogil
cdef void _settle_own(PrefixBounds task, Py_ssize_t i, Py_ssize_t row, Py_ssize_t at) noexcept nogil
cdef void _find_nearest(PrefixBounds task, Py_ssize_t i, Py_ssize_t b) noexcept nogil
cdef void _come_near(PrefixBounds task, Py_ssize_t i, Py_ssize_t b, Py_ssize_t number) noexcept nogil
cdef void _mark(PrefixBounds task, Py_ssize_t i, Py_ssize_t row, int height) noexcept nogil
cdef void _count_shared(PrefixBounds task) noexcept nogil
