cimport cython
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from libc.math cimport INFINITY

@cython.final
cdef class Network:
    cdef Py_ssize_t nodes, arcs
    cdef double[::1] cost
    cdef int[::1] end, first, leaving
    cdef long long[::1] space

cdef bint lay_out(Pairing given, Py_ssize_t i, Chosen chosen, Network net) noexcept nogil
cdef void read_off(Pairing given, Py_ssize_t i, Network net, Chosen chosen) noexcept nogil
cdef void send(Network net, Py_ssize_t way, long long much) noexcept nogil
cdef void list_ways(Network net) noexcept nogil

cdef bint _lay_out_pairs(Pairing given, Py_ssize_t i, Chosen chosen, Network net) noexcept nogil
