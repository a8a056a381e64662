cimport cython
from hemlp.kernels.records cimport Rows
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    OFTEN = 65536  # steps after which signals are looked for

cdef double INFINITY

@cython.final
cdef class ReachLists:
    cdef int[::1] nodes, distances

cdef tuple _reach_all(Rows graph, const int[::1] sources, long long room, long long farthest, long long[::1] ptr, int[::1] seen, ReachLists lists)
cdef Py_ssize_t _reach_one(Rows graph, int s, int source, long long farthest, int[::1] seen, ReachLists lists, Py_ssize_t begin) except? -1 nogil
cdef int _make_room(ReachLists lists, Py_ssize_t size) except -1 nogil
cdef _relax_all(Rows graph, const double[::1] lengths, Rows lists, double[::1] distances)
cdef void _relax_one(Rows graph, const double[::1] lengths, Rows lists, Py_ssize_t s, double[::1] best, int[::1] waiting, int[::1] queue) noexcept nogil
