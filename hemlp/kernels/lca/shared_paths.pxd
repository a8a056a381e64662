cimport cython

cdef enum:
    NOWHERE = -1

@cython.final
cdef class PathFinder:
    cdef readonly unsigned char[::1] taken
    cdef int[::1] _place
    cdef long long[::1] _following, _most
    cdef Py_ssize_t find(self, const int[::1] nodes, long long begin, long long end, const int[::1] lower, const int[::1] upper, long long edge, long long last_edge) except -1 nogil
    cdef long long write(self, const int[::1] nodes, long long begin, long long end, int[::1] path, long long at) noexcept nogil

cdef long long _best_path(PathFinder finder, const int[::1] nodes, const int[::1] lower, const int[::1] upper, int[::1] path) except -1
