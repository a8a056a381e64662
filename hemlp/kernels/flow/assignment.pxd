cimport cython
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    ALONE = -1

@cython.final
cdef class Matching:
    cdef int height, width
    cdef long long steps
    cdef double[::1] savings
    cdef double[::1] row_price, column_price
    cdef int[::1] column_of, row_of
    cdef double[::1] least, reached
    cdef int[::1] came_from, waiting, rows, columns

cdef int match(Matching m) except -1 nogil

cdef int _take_best(Matching m, int many) noexcept nogil
cdef int _as_good(Matching m, Py_ssize_t row, int at, double best) noexcept nogil
cdef void _augment(Matching m, Py_ssize_t start) noexcept nogil
