cimport cython
from hemlp.kernels.flow.network cimport Network, lay_out, list_ways, read_off, send
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    NOWHERE = -1

@cython.final
cdef class Search:
    cdef long long steps
    cdef int labels, settles
    cdef long long[::1] excess
    cdef double[::1] far, least
    cdef int[::1] labelled, settled, came

cdef int least_cost_flow(Network net, Search search) except -1 nogil

cdef _augment_all(Pairing given, Chosen chosen, Network net, Search search, unsigned char[::1] feasible)
cdef int _look_after(Search search, Py_ssize_t steps) except -1 nogil
cdef bint _fill(Network net, Search search) noexcept nogil
cdef void _find_prices(Network net, Search search) noexcept nogil
cdef void _price(Network net, Search search, int v) noexcept nogil
cdef double _toll(Network net, Search search, int v, int way) noexcept nogil
cdef void _push_along_tight_arcs(Network net, Search search) noexcept nogil
cdef int _shortest_way(Network net, Search search, int start) noexcept nogil
cdef int _look_around(Network net, Search search, int v) noexcept nogil
cdef void _push(Network net, Search search, int start, int end) noexcept nogil
