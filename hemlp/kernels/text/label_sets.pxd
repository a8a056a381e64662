from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    NOTHING = -1

cdef int _write_all(const long long[::1] ptr, const int[::1] codes, const int[::1] numbers, const long long[::1] order, long long[::1] made_ptr, int[::1] classes) except -1
cdef int _sort(int[::1] values, long long begin, long long end) noexcept nogil
cdef long long _each_once(int[::1] values, long long begin, long long end) noexcept nogil

cdef enum:
    EMPTY = -1
    OFTEN = 65536  # values after which signals are looked for

ctypedef fused Value:
    int
    unsigned char

cdef _find_first(const long long[::1] begin, const long long[::1] end, const Value[::1] values, long long[::1] first)
cdef long long _code(const Value[::1] values, long long begin, long long end) noexcept nogil
cdef bint _equal(const long long[::1] begin, const long long[::1] end, const Value[::1] values, long long i, long long j) noexcept nogil
