cimport cython
@cython.final
cdef class Alone:
    cdef double[::1] cost_p, cost_t
    cdef int[::1] partner_p, partner_t
