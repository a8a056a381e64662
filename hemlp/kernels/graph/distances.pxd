cimport cython
from hemlp.kernels.records cimport Sides
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    LANES = 16

@cython.final
cdef class UpLists:
    cdef readonly const long long[::1] ptr
    cdef readonly const int[::1] nodes, distances, hub_at, beyond
    cdef readonly bint with_hub

@cython.final
cdef class WeightedUpLists:
    cdef readonly const long long[::1] ptr
    cdef readonly const int[::1] nodes
    cdef readonly const double[::1] distances, hub_at, beyond
    cdef readonly bint with_hub

ctypedef fused Lists:
    UpLists
    WeightedUpLists

@cython.final
cdef class Targets:
    cdef int base, rows
    cdef long long steps
    cdef int[::1] place
    cdef double[::1] above, from_hub, to_hub
    cdef readonly double[::1] nearest

cdef void set_targets(Lists lists, Targets targets, const int[::1] classes, Py_ssize_t first, Py_ssize_t last) noexcept nogil
cdef void measure_from(Lists lists, Targets targets, Py_ssize_t c) noexcept nogil
cdef int instance_distances(Lists lists, Targets targets, Sides sides, Py_ssize_t i, Py_ssize_t begin, double[::1] kappa) except -1 nogil

cdef void _forget(Targets targets) noexcept nogil
cdef double _to_hub(Lists lists, Py_ssize_t c) noexcept nogil
cdef _all_distances(lists, Targets targets, Sides sides, const long long[::1] pair_ptr, double[::1] kappa)
