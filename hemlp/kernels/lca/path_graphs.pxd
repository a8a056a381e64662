cimport cython
from hemlp.kernels.graph.distances cimport UpLists
from hemlp.kernels.lca.eligible cimport Eligible
from hemlp.kernels.lca.local_numbering cimport TOP, LocalNumbering
from hemlp.kernels.records cimport Rows

cdef enum:
    NO_WAY = -1
    PARTED = -2
    NOT_YET = 0
    SHORT_LIST = 256

@cython.final
cdef class Beyond:
    cdef readonly long long hub, depth
    cdef readonly Rows below, twins
    cdef readonly const int[::1] group_of

@cython.final
cdef class PathGraphs:
    cdef UpLists lists
    cdef Rows parents, below, twins
    cdef Beyond beyond
    cdef bint all_twins
    cdef readonly long long horizon, links, node_end, edge_end
    cdef readonly long long[::1] node_ptr, edge_ptr
    cdef readonly int[::1] nodes, lower, upper
    cdef long long _filled, _extras, _aparts, _sharing, _touched
    cdef int[::1] _far
    cdef short[::1] _below, _root
    cdef long long[::1] _apart_in, _above, _distance, _extra, _apart
    cdef unsigned char[::1] _good, _visited
    cdef void clear(self) noexcept nogil
    cdef void fetch(self, LocalNumbering numbering) noexcept nogil
    cdef int find_apart(self, long long i, long long first, Eligible pairs, LocalNumbering numbering) except -1 nogil
    cdef bint _to_top_by_hub(self, long long source, long long target, long long length) noexcept nogil
    cdef bint _by_hub(self, long long source, long long target, long long length, LocalNumbering numbering) noexcept nogil
    cdef int _make_room(self, long long size) except -1 nogil
    cdef int _down_to_hub(self, long long target) except -1 nogil
    cdef int _ways_to_top(self, long long i) except -1 nogil
    cdef int add(self, long long i, long long label, long long target, long long length, LocalNumbering numbering) except -1 nogil
    cdef long long _lower_end(self, long long label, long long target, long long length, LocalNumbering numbering) noexcept nogil
    cdef void _look_below(self, long long label, LocalNumbering numbering) noexcept nogil
    cdef int _add_path(self, long long label, long long target, long long length, long long lower, LocalNumbering numbering) except -1 nogil
    cdef int _make_place(self, long long size) except -1 nogil
    cdef int _add_graph(self, long long i, long long label, long long target, long long length, LocalNumbering numbering) except -1 nogil
    cdef int _list_above(self, long long label, long long length, LocalNumbering numbering) except -1 nogil
    cdef int _leave(self, long long number, long long node, long long length, LocalNumbering numbering) except -1 nogil
    cdef long long _how_far(self, long long node, LocalNumbering numbering) noexcept nogil
    cdef int _rise_from_hub(self, long long k, LocalNumbering numbering) except -1 nogil
    cdef int _rise(self, long long k, long long node, LocalNumbering numbering) except -1 nogil
    cdef int _write_node(self, long long node) except -1 nogil
    cdef int _write_edge(self, long long lower, long long upper) except -1 nogil
