cimport cython

cdef enum:
    NOT_SEEN = -1

@cython.final
cdef class Links:
    cdef readonly long long size, first, number, predicted, classes, lcas
    cdef readonly const long long[::1] ptr, all_position, all_lca, all_length, node_ptr, edge_ptr, pred_ptr, true_ptr
    cdef readonly const unsigned char[::1] all_own
    cdef readonly const int[::1] nodes, lower, upper
    cdef readonly long long[::1] of_class, of_lca, lca_nodes, length, own, side
    cdef int[::1] _place
    cdef void read(self, long long i) noexcept nogil
