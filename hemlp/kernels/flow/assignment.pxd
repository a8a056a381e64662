cimport cython
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
