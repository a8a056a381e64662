cimport cython
from hemlp.kernels.records cimport Implied, Sides
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

@cython.final
cdef class Ways:
    cdef readonly const double[::1] distances, hub_at, beyond, depth
    cdef readonly const double[::1] front_depth, front_beyond

cdef _write_greatest(Sides sides, const long long[::1] pair_ptr, Implied above, const double[::1] values, double upper, double[::1] greatest)
cdef void _write_instance(Sides sides, Py_ssize_t i, long long first, Implied above, const double[::1] values, double upper, int[::1] stamp, double[::1] greatest) noexcept nogil
cdef _measure_similarities(Sides sides, const long long[::1] pair_ptr, Implied above, Ways ways, double[::1] similarity)
cdef void _measure_instance(Sides sides, Py_ssize_t i, long long first, Implied above, Ways ways, int[::1] stamp, double[::1] far, double[::1] similarity) noexcept nogil
cdef double _past_hub(int p, int t, Implied above, Ways ways) noexcept nogil
cdef double _ratio(double depth, double way) noexcept nogil
cdef _climb(const int[::1] order, const long long[::1] child_ptr, const int[::1] child_idx, const double[::1] lengths, double[::1] height)
