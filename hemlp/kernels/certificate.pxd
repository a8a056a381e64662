cpdef enum:
    NOT_ASKED, PROVED, WIDE, LONG, BROKEN

cdef enum:
    NOWHERE = -1
    MOST_CYCLES = 5000

cdef class Proof:
    cdef bint wide, turned
    cdef double large, small
    cdef long long steps
    cdef double[::1] cost, rest
    cdef double[::1] far, far_rest
    cdef long long[::1] came, mark, degree
