cimport cython
from hemlp.kernels.distances cimport UpLists
from hemlp.kernels.records cimport Rows

cdef enum:
    NO_WAY = -1

@cython.final
cdef class Beyond:
    cdef readonly long long gate, depth
    cdef readonly Rows below, twins
    cdef readonly const int[::1] group_of

@cython.final
cdef class PathGraphs:
    cdef UpLists lists
    cdef Rows parents
    cdef bint all_twins
    cdef readonly long long size, horizon, node_end, edge_end
    cdef readonly long long[::1] node_ptr, edge_ptr
    cdef readonly int[::1] nodes, lower, upper
    cdef long long _filled, _extras, _aparts
    cdef long long[::1] _far, _apart_in, _above, _distance, _extra, _apart
    cdef unsigned char[::1] _good
    cdef Py_ssize_t find_apart(self, long long i, long long first, long long last, const int[::1] sources, const long long[::1] targets, const long long[::1] lengths, Beyond beyond, Rows below, Rows twins) except -1 nogil
    cdef bint _to_top_by_gate(self, long long source, long long target, long long length, Beyond beyond) noexcept nogil
    cdef bint _by_gate(self, long long source, long long target, long long length) noexcept nogil
    cdef int _make_room(self, long long size) except -1 nogil
    cdef int _down_to_gate(self, long long target, Rows below) except -1 nogil
    cdef int _ways_to_top(self, long long i, long long most, Rows twins) except -1 nogil
    cdef int add(self, long long i, long long s, long long source, long long target, long long length, long long sharing, Beyond beyond, Rows below, Rows twins) except -1 nogil
    cdef int _add_short(self, long long s, long long source, long long target, long long length) except -1 nogil
    cdef int _list_above(self, long long source, long long length) except -1 nogil
    cdef int _leave(self, long long node, long long length) except -1 nogil
    cdef int _rise_from_gate(self, long long k) except -1 nogil
    cdef int _rise(self, long long k) except -1 nogil
    cdef int _write_node(self, long long node) except -1 nogil
    cdef int _write_edge(self, long long lower, long long upper) except -1 nogil

cdef int _add_all(PathGraphs made, const long long[::1] ptr, const int[::1] sources, const long long[::1] targets, const long long[::1] lengths, Beyond beyond, Rows below, Rows twins) except -1
