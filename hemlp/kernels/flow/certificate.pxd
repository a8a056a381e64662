cimport cython
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from hemlp.kernels.flow.successive_shortest_paths cimport Network, build_network, list_residual_arcs, push, read_flow
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY, fabs

cpdef enum:
    NOT_ASKED, PROVED, WIDE, LONG, BROKEN

cdef enum:
    NO_ARC = -1
    FEW_ROUNDS = 10
    MOST_CYCLES = 5000

@cython.final
cdef class Proof:
    cdef bint wide
    cdef double large, small
    cdef long long steps, cycles
    cdef Py_ssize_t waiting
    cdef double[::1] cost, rest
    cdef double[::1] potential, potential_rest, initial, initial_rest
    cdef long long[::1] predecessor, mark
    cdef int[::1] queue
    cdef unsigned char[::1] queued

cdef bint split_costs(Network net, Proof proof) noexcept nogil
cdef void set_potential(Proof proof, Py_ssize_t v, double price) noexcept nogil
cdef int cancel_negative_cycles(Network net, Proof proof) except -1 nogil
cdef int check_signals(Proof proof, Py_ssize_t steps) except -1 nogil

cdef double _power_above(double value) noexcept nogil
cdef void _reset(Network net, Proof proof) noexcept nogil
cdef bint _relax(Network net, Proof proof) noexcept nogil
cdef int _relax_by_queue(Network net, Proof proof) except -1 nogil
cdef void _enqueue(Network net, Proof proof, Py_ssize_t v, Py_ssize_t first) noexcept nogil
cdef void _bring_most_lowered_first(Network net, Proof proof, Py_ssize_t first) noexcept nogil
cdef void _relax_node(Network net, Proof proof, Py_ssize_t v, Py_ssize_t first) noexcept nogil
cdef Py_ssize_t _node_on_cycle(Network net, Proof proof) noexcept nogil
cdef void _cancel_cycle(Network net, Proof proof, Py_ssize_t start) noexcept nogil

cdef _prove_at_once(Pairing given, const unsigned char[::1] asked, Chosen chosen, Proof proof, long long[::1] degrees, unsigned char[::1] verdicts)
cdef _all_cheapest(Pairing given, const long long[::1] left, Chosen chosen, Network net, Proof proof, unsigned char[::1] verdicts)
cdef bint _proved_at_once(Pairing given, Py_ssize_t i, Chosen chosen, long long[::1] degrees) noexcept nogil
cdef bint has_few_digits(double price) noexcept nogil
cdef bint _price_fits(double price, double default, long long taken, long long degree, long long lower, long long upper) noexcept nogil
cdef void _take_prices(Pairing given, Py_ssize_t i, Chosen chosen, Proof proof) noexcept nogil
