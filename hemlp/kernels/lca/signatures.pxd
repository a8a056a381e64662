cimport cython
from hemlp.kernels.bitsets cimport bits_of, words_for
from hemlp.kernels.lca.links cimport Links

cdef enum:
    MOST_SIGNATURES = 400

@cython.final
cdef class Signatures:
    cdef readonly long long bits, width
    cdef readonly long long[::1] ptr, rows, plain, node_of
    cdef long long[::1] _word, _bit, _seen
    cdef long long _seen_once
    cdef int[::1] _where
    cdef long long[::1] _pool, _begin, _end
    cdef bint read(self, Links links, const long long[::1] active) except -1 nogil
    cdef int _number_nodes(self, Links links, const long long[::1] active) except -1 nogil
    cdef Py_ssize_t _of_link(self, Links links, long long link, long long length, long long at) except -1 nogil
    cdef int _make_room(self, long long size, long long at) except -1 nogil
    cdef int _start_pool(self, long long lca) except -1 nogil
    cdef bint _add_ways(self, long long n, long long node, long long above) except -1 nogil
    cdef void _keep_largest(self, long long n) noexcept nogil
