from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    EMPTY = -1
    OFTEN = 65536  # values after which signals are looked for

ctypedef fused Value:
    int
    unsigned char

cdef _find_first(const long long[::1] begin, const long long[::1] end, const Value[::1] values, long long[::1] first)
cdef long long _code(const Value[::1] values, long long begin, long long end) noexcept nogil
cdef bint _equal(const long long[::1] begin, const long long[::1] end, const Value[::1] values, long long i, long long j) noexcept nogil
