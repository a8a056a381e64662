cimport cython
from hemlp.kernels.flow.network cimport Network

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
