cimport cython
cdef long long FAR, NOBODY

@cython.final
cdef class Shipments:
    cdef readonly Py_ssize_t size
    cdef readonly const long long[::1] pred_ptr, true_ptr, pair_ptr, costs
    cdef readonly long long[::1] supply, demand, flow, far, came
