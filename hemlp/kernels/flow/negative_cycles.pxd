cimport cython
from hemlp.kernels.flow.network cimport Network, list_ways, send
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY, fabs

cpdef enum:
    NOT_ASKED, PROVED, WIDE, LONG, BROKEN

cdef enum:
    NOWHERE = -1
    FEW_ROUNDS = 10
    MOST_CYCLES = 5000

@cython.final
cdef class Proof:
    cdef bint wide
    cdef double large, small
    cdef long long steps, cycles
    cdef Py_ssize_t waiting
    cdef double[::1] cost, rest
    cdef double[::1] far, far_rest, start, start_rest
    cdef long long[::1] came, mark
    cdef int[::1] queue
    cdef unsigned char[::1] waits

cdef bint split_costs(Network net, Proof proof) noexcept nogil
cdef void set_price(Proof proof, Py_ssize_t v, double price) noexcept nogil
cdef int improve(Network net, Proof proof) except -1 nogil
cdef int look_after(Proof proof, Py_ssize_t steps) except -1 nogil

cdef double _power_above(double value) noexcept nogil
cdef void _begin(Network net, Proof proof) noexcept nogil
cdef bint _relax(Network net, Proof proof) noexcept nogil
cdef int _relax_in_turn(Network net, Proof proof) except -1 nogil
cdef void _wait(Network net, Proof proof, Py_ssize_t v, Py_ssize_t first) noexcept nogil
cdef void _put_most_urgent_first(Network net, Proof proof, Py_ssize_t first) noexcept nogil
cdef void _relax_from(Network net, Proof proof, Py_ssize_t v, Py_ssize_t first) noexcept nogil
cdef Py_ssize_t _node_on_cycle(Network net, Proof proof) noexcept nogil
cdef void _turn(Network net, Proof proof, Py_ssize_t start) noexcept nogil
