cimport cython
from hemlp.kernels.graph.distances cimport Targets, UpLists, instance_distances
from hemlp.kernels.records cimport Sides
from libc.math cimport INFINITY

cdef enum:
    TOP = 0
    LANES = 16

@cython.final
cdef class LocalNumbering:
    cdef readonly Sides sides
    cdef readonly UpLists lists
    cdef readonly int count
    cdef readonly long long top, rows, height, width, stride
    cdef readonly long long[::1] source, ptr, begin, size
    cdef readonly int[::1] node_of, nodes, far
    cdef readonly float[::1] above, kappa
    cdef int _base
    cdef long long _touched
    cdef int[::1] _place
    cdef Targets _targets
    cdef double[::1] _distances
    cdef int number(self, long long node) except -1 nogil
    cdef int find(self, long long node) noexcept nogil
    cdef int read(self, long long i) except -1 nogil
    cdef void _forget(self) noexcept nogil
    cdef void _fetch(self) noexcept nogil
    cdef int _list(self, long long first, long long last) except -1 nogil
    cdef void _copy(self, long long begin, long long size, long long end) noexcept nogil
    cdef int _lay_out(self) except -1 nogil
    cdef void _measure(self) noexcept nogil
    cdef void _nearer(self, long long row, long long pair, float far) noexcept nogil
    cdef int _measure_past_hub(self, long long i) except -1 nogil
