cimport cython
from hemlp.kernels.flow.closed_forms cimport Matching, match
from hemlp.kernels.records cimport Rows
from hemlp.kernels.signals cimport look_for_signals


@cython.final
cdef class Consensus:
    cdef readonly Rows sets, above
    cdef readonly const long long[::1] first, size_ptr
    cdef readonly const double[::1] mass, sizes
    cdef readonly const int[::1] size_of
    cdef double[::1] matrix, worth, inverse
    cdef int[::1] place, nodes, state, stack, order
    cdef Py_ssize_t union, width, begin
    cdef double beta2
    cdef int top, least

@cython.locals(i=Py_ssize_t, size=Py_ssize_t)
cdef _decide_all(Consensus task, double[::1] values, unsigned char[::1] close, long long[::1] ptr, int[::1] nodes)
@cython.locals(k=Py_ssize_t, node=int)
cdef void _fill(Consensus task, Py_ssize_t i) noexcept nogil
@cython.locals(k=Py_ssize_t)
cdef bint _same(Consensus task, Py_ssize_t u, Py_ssize_t v) noexcept nogil
@cython.locals(k=Py_ssize_t, g=Py_ssize_t, j=Py_ssize_t, size=double, total=double, row=Py_ssize_t, one=int)
cdef void _weigh(Consensus task, Py_ssize_t p) noexcept nogil
@cython.locals(k=Py_ssize_t, p=Py_ssize_t, best=double, best_p=Py_ssize_t, value=double, most=double, each=double, left=Py_ssize_t, taken=Py_ssize_t)
cdef Py_ssize_t _decide(Consensus task, Py_ssize_t i, double[::1] values, unsigned char[::1] close, int[::1] nodes, Py_ssize_t begin) noexcept nogil
@cython.locals(v=Py_ssize_t, limit=double, tied=Py_ssize_t, rival=bint, first=Py_ssize_t, left=Py_ssize_t, worth=double, least=int, at=Py_ssize_t, end=Py_ssize_t)
cdef Py_ssize_t _choose(Consensus task, Py_ssize_t i, Py_ssize_t p, unsigned char[::1] close, int[::1] nodes, Py_ssize_t begin) noexcept nogil
@cython.locals(k=Py_ssize_t, height=Py_ssize_t, done=Py_ssize_t, node=int, other=int)
cdef Py_ssize_t _add_closed(Consensus task, Py_ssize_t start, Py_ssize_t room) noexcept nogil

@cython.final
cdef class Savings:
    cdef readonly Py_ssize_t candidates
    cdef readonly const long long[::1] widths
    cdef readonly const double[::1] values, mass
    cdef Matching room

@cython.locals(k=Py_ssize_t, row=Py_ssize_t, column=Py_ssize_t, begin=Py_ssize_t, total=double, height=Py_ssize_t, width=Py_ssize_t, turned=bint, at=Py_ssize_t, own=double)
cdef double _saved(Savings given, const long long[::1] chosen) except? -1
