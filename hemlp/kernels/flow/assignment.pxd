cimport cython
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    UNMATCHED = -1

@cython.final
cdef class Matching:
    cdef int height, width
    cdef long long steps
    cdef double[::1] savings
    cdef double[::1] row_dual, column_dual
    cdef int[::1] column_of, row_of
    cdef double[::1] shortest, row_distance
    cdef int[::1] predecessor, free_rows, scanned_rows, columns

cdef int match(Matching m) except -1 nogil

cdef int _augmenting_row_reduction(Matching m, int many) noexcept nogil
cdef int _equal_column(Matching m, Py_ssize_t row, int at, double best) noexcept nogil
cdef void _augment(Matching m, Py_ssize_t start) noexcept nogil
