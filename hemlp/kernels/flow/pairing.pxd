cimport cython
from hemlp.kernels.records cimport Sides
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

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

cdef _keep_nearest(const long long[::1] pred_ptr, const long long[::1] true_ptr, const long long[::1] pair_ptr, const double[::1] kappa, double[::1] default_p, double[::1] default_t, unsigned char[::1] serves)
cdef void _mark_nearest(const double[::1] kappa, Py_ssize_t begin, Py_ssize_t stride, Py_ssize_t many, double[::1] default, Py_ssize_t who, unsigned char[::1] serves, unsigned char side) noexcept nogil
cdef _add_up(Pairing given, Chosen chosen, Total total, double[::1] totals)
cdef void _add(Total total, double value) noexcept nogil
cdef _extent(const double[::1] values)
cdef _count_common(Sides sides, long long[::1] common)
