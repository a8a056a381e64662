cimport cython
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

@cython.final
cdef class Alone:
    cdef double[::1] cost_p, cost_t
    cdef int[::1] partner_p, partner_t

cdef _all_pairings(Pairing given, bint cover, Chosen chosen, Matching m, Alone alone, unsigned char[::1] feasible)
cdef _all_matches(Pairing given, bint side, Chosen chosen, Alone alone, unsigned char[::1] feasible)
cdef Py_ssize_t _place(Pairing given, Py_ssize_t i, Py_ssize_t row, Py_ssize_t column) noexcept nogil
cdef bint _alone(Pairing given, Py_ssize_t i, bint cover, Alone alone) noexcept nogil
cdef void _set_savings(Pairing given, Py_ssize_t i, Alone alone, Matching m) noexcept nogil
cdef void _write(Pairing given, Py_ssize_t i, Alone alone, Matching m, Chosen chosen) noexcept nogil
cdef void _choose(Pairing given, Py_ssize_t i, Py_ssize_t row, Py_ssize_t column, Chosen chosen) noexcept nogil

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
