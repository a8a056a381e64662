cimport cython
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    NO_ARC = -1

@cython.final
cdef class Dijkstra:
    cdef long long steps
    cdef int labels, settles
    cdef long long[::1] excess
    cdef double[::1] potential, distance
    cdef int[::1] labelled, settled, predecessor

cdef int least_cost_flow(Network net, Dijkstra search) except -1 nogil

cdef _augment_all(Pairing given, Chosen chosen, Network net, Dijkstra search, unsigned char[::1] feasible)
cdef int _check_signals(Dijkstra search, Py_ssize_t steps) except -1 nogil
cdef bint _meet_lower_bounds(Network net, Dijkstra search) noexcept nogil
cdef void _initial_potentials(Network net, Dijkstra search) noexcept nogil
cdef void _route_cheapest(Network net, Dijkstra search, int v) noexcept nogil
cdef double _reduced_cost(Network net, Dijkstra search, int v, int arc) noexcept nogil
cdef void _push_along_tight_arcs(Network net, Dijkstra search) noexcept nogil
cdef int _shortest_path(Network net, Dijkstra search, int start) noexcept nogil
cdef int _relax(Network net, Dijkstra search, int v) noexcept nogil
cdef void _augment(Network net, Dijkstra search, int start, int end) noexcept nogil

@cython.final
cdef class Network:
    cdef Py_ssize_t nodes, arcs
    cdef double[::1] cost
    cdef int[::1] end, first, outgoing
    cdef long long[::1] residual

cdef bint build_network(Pairing given, Py_ssize_t i, Chosen chosen, Network net) noexcept nogil
cdef void read_flow(Pairing given, Py_ssize_t i, Network net, Chosen chosen) noexcept nogil
cdef void push(Network net, Py_ssize_t arc, long long amount) noexcept nogil
cdef void list_residual_arcs(Network net) noexcept nogil

cdef bint _add_pairs(Pairing given, Py_ssize_t i, Chosen chosen, Network net) noexcept nogil
