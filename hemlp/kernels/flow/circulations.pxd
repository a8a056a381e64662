from hemlp.kernels.flow.certificate cimport BROKEN, WIDE, Proof, cancel_negative_cycles, check_signals, set_potential, split_costs
from hemlp.kernels.flow.successive_shortest_paths cimport Dijkstra, Network, least_cost_flow

cdef class Circulations:
    cdef readonly Py_ssize_t size, most_nodes, most_arcs
    cdef readonly const long long[::1] node_ptr, arc_ptr
    cdef readonly const int[::1] tail, head
    cdef readonly const long long[::1] lower, upper
    cdef readonly const double[::1] cost

cdef _find_all(Circulations given, long long[::1] flow, double[::1] potential, Network net, Dijkstra search, unsigned char[::1] feasible)
cdef _improve_all(Circulations given, const unsigned char[::1] asked, long long[::1] flow, const double[::1] potential, Network net, Proof proof, unsigned char[::1] verdicts)
cdef bint _build_network(Circulations given, Py_ssize_t i, const long long[::1] flow, Network net) noexcept nogil
cdef void _read_flow(Circulations given, Py_ssize_t i, Network net, long long[::1] flow) noexcept nogil
