cdef class Circulations:
    cdef readonly Py_ssize_t size, most_nodes, most_arcs
    cdef readonly const long long[::1] node_ptr, arc_ptr
    cdef readonly const int[::1] tail, head
    cdef readonly const long long[::1] lower, upper
    cdef readonly const double[::1] cost
