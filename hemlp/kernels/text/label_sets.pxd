from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    NOTHING = -1

cdef int _write_all(const long long[::1] ptr, const int[::1] codes, const int[::1] numbers, const long long[::1] order, long long[::1] made_ptr, int[::1] classes) except -1
cdef int _sort(int[::1] values, long long begin, long long end) noexcept nogil
cdef long long _each_once(int[::1] values, long long begin, long long end) noexcept nogil
