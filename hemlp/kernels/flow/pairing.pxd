cimport cython
@cython.final
cdef class Pairing:
    cdef readonly Py_ssize_t size, most_pred, most_true, most_pairs
    cdef readonly const long long[::1] pred_ptr, true_ptr, pair_ptr
    cdef readonly const double[::1] kappa
    cdef readonly const unsigned char[::1] serves
    cdef readonly bint mutual
    cdef readonly const double[::1] default_p, default_t
    cdef readonly const long long[::1] lower_p, upper_p, lower_t, upper_t

@cython.final
cdef class Chosen:
    cdef readonly unsigned char[::1] pairs
    cdef readonly long long[::1] default_p, default_t
    cdef readonly double[::1] price_p, price_t

@cython.final
cdef class Total:
    cdef double sum, lost
