from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    BLOCK = 8  # entries that are sorted one by one before they are merged

cdef _sort_all(const long long[::1] ptr, long long[::1] order, const double[::1] scores, const long long[::1] ranks, long long[::1] aside)
cdef bint _before(long long a, long long b, const double[::1] scores, const long long[::1] ranks) noexcept nogil
cdef void _insert(long long[::1] order, Py_ssize_t begin, Py_ssize_t end, const double[::1] scores, const long long[::1] ranks) noexcept nogil
cdef void _merge(long long[::1] order, Py_ssize_t begin, Py_ssize_t middle, Py_ssize_t end, const double[::1] scores, const long long[::1] ranks, long long[::1] aside) noexcept nogil
cdef bint _has_repeats(const long long[::1] ptr, const int[::1] classes, long long[::1] marks)
