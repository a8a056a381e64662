cimport cython

@cython.final
cdef class Rows:
    cdef readonly const long long[::1] ptr
    cdef readonly const int[::1] items

@cython.final
cdef class Sides:
    cdef readonly Py_ssize_t size
    cdef readonly const long long[::1] pred_ptr, true_ptr
    cdef readonly const int[::1] pred, true

@cython.final
cdef class Implied:
    cdef readonly Py_ssize_t size
    cdef readonly const long long[::1] ptr
    cdef readonly const int[::1] nodes
    cdef readonly const unsigned char[::1] through, beyond
    cdef readonly bint with_hub
