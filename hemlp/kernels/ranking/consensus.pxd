cimport cython
from hemlp.kernels.flow.assignment cimport Matching, match
from hemlp.kernels.records cimport Rows
from hemlp.kernels.signals cimport look_for_signals


@cython.final
cdef class Consensus:
    cdef readonly Rows sets, above
    cdef readonly const long long[::1] first, size_ptr
    cdef readonly const double[::1] mass, sizes
    cdef readonly const int[::1] size_of
    cdef double[::1] matrix, worth, inverse
    cdef int[::1] place, nodes, group, state, stack, example, number, order, table
    cdef Py_ssize_t union, groups, width, begin
    cdef double beta2
    cdef int top, least

cdef _decide_all(Consensus task, double[::1] values, unsigned char[::1] close, long long[::1] ptr, int[::1] nodes)
cdef void _fill(Consensus task, Py_ssize_t i) noexcept nogil
cdef void _make_groups(Consensus task) noexcept nogil
cdef bint _same(Consensus task, Py_ssize_t u, Py_ssize_t v) noexcept nogil
cdef void _weigh(Consensus task, Py_ssize_t p) noexcept nogil
cdef Py_ssize_t _decide(Consensus task, Py_ssize_t i, double[::1] values, unsigned char[::1] close, int[::1] nodes, Py_ssize_t begin) noexcept nogil
cdef Py_ssize_t _choose(Consensus task, Py_ssize_t i, Py_ssize_t p, unsigned char[::1] close, int[::1] nodes, Py_ssize_t begin) noexcept nogil
cdef Py_ssize_t _add_closed(Consensus task, Py_ssize_t start, Py_ssize_t room) noexcept nogil

@cython.final
cdef class Savings:
    cdef readonly Py_ssize_t candidates
    cdef readonly const long long[::1] widths
    cdef readonly const double[::1] values, mass
    cdef Matching room

cdef double _saved(Savings given, const long long[::1] chosen) except? -1
