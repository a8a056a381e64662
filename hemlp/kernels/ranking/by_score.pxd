cimport cython
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    BLOCK = 16  # entries that are sorted together before they are merged

@cython.final
cdef class Entries:
    cdef const double[::1] scores
    cdef const int[::1] codes
    cdef const long long[::1] ranks
    cdef double[::1] keys
    cdef long long[::1] places

cdef _sort_all(const long long[::1] ptr, long long[::1] order, Entries entries, long long[::1] aside)
cdef bint _before(long long a, long long b, Entries entries) noexcept nogil
cdef void _arrange(long long[::1] order, Py_ssize_t begin, Py_ssize_t end, Entries entries, long long[::1] aside) noexcept nogil
cdef void _insert(long long[::1] order, Py_ssize_t begin, Py_ssize_t end, Entries entries) noexcept nogil
cdef void _merge(long long[::1] order, Py_ssize_t begin, Py_ssize_t middle, Py_ssize_t end, Entries entries, long long[::1] aside) noexcept nogil
cdef bint _has_repeats(const long long[::1] ptr, const int[::1] classes, long long[::1] marks)
