cimport cython
from hemlp.kernels.lca.links cimport Links
from hemlp.kernels.lca.shared_paths cimport PathFinder
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    NO_LINK = -1

@cython.final
cdef class Greedy:
    cdef PathFinder finder
    cdef readonly long long count, paths
    cdef readonly long long[::1] kept, drawn, path_ptr, sizes
    cdef readonly int[::1] path_nodes
    cdef long long[::1] _ptr, _own, _times, _linked
    cdef unsigned char[::1] _sides
    cdef void choose(self, Links links) noexcept nogil
    cdef void _group(self, Links links) noexcept nogil
    cdef void _sort(self, Links links) noexcept nogil
    cdef bint _comes_before(self, long long a, long long b, Links links) noexcept nogil
    cdef bint _drop_redundant(self, long long at, Links links) noexcept nogil
    cdef int draw_all(self, Links links) except -1 nogil
    cdef Py_ssize_t _find_path(self, long long k, Links links) except -1 nogil
    cdef int _draw(self, long long k, Links links) except -1 nogil
    cdef int _draw_spare(self, long long a, long long side, Links links) except -1 nogil
    cdef void _measure(self, long long first, Links links) noexcept nogil

cdef int _draw_all(Greedy made, Links links, long long[:, ::1] table, long long[::1] link_ptr) except -1
cdef int _draw_over(Greedy made, Links links, const long long[::1] nodes, long long[:, ::1] table, long long[::1] link_ptr) except -1
cdef void _note(Greedy made, long long[:, ::1] table, long long i) noexcept nogil
