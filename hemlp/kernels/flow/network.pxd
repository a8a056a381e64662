cimport cython
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from libc.math cimport INFINITY

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
