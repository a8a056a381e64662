cdef enum:
    PLUS = 43
    MINUS = 45
    POINT = 46
    ZERO = 48
    NINE = 57

cdef bint decimal(const unsigned char* text, long long begin, long long end, double* value) noexcept nogil

cdef long long MOST_WHOLE
cdef double MOST_POWER
