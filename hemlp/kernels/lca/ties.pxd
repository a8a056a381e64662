cimport cython

@cython.final
cdef class Ties:
    cdef readonly long long parts, lean
    cdef readonly long long[::1] part, ptr, diff
    cdef long long _span
    cdef unsigned char[::1] _reach
    cdef void start(self, long long lean) noexcept nogil
    cdef void add(self, long long part) noexcept nogil
    cdef int note(self, long long diff) except -1 nogil
    cdef void settle(self) noexcept nogil
    cdef Py_ssize_t most_equal(self) except? -1 nogil
    cdef bint reaches(self, long long k, long long total) noexcept nogil
