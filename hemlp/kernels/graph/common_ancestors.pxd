cimport cython
@cython.final
cdef class Ways:
    cdef readonly const double[::1] distances, gate_at, beyond, depth
    cdef readonly const double[::1] front_depth, front_beyond
