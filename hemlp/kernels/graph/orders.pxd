from hemlp.kernels.records cimport Rows
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    UNSEEN = 0
    ON_PATH = 1
    FINISHED = 2

cdef _search_depth_first(Rows graph, const long long[::1] starts, int[::1] postorder, unsigned char[::1] closing, int[::1] cycle, long long[::1] sizes)
cdef Py_ssize_t _copy_cycle(int[::1] path, Py_ssize_t length, int node, int[::1] cycle) noexcept nogil
cdef _measure_depths(const int[::1] order, Rows parents, const double[::1] lengths, double[::1] depth)
