from hemlp.kernels.records cimport Implied, Rows, Sides
from hemlp.kernels.signals cimport look_for_signals

cdef _count_all(Sides sides, Implied implied, const int[::1] groups, long long[:, :, ::1] counts, long long[:, ::1] through)
cdef void _count(Sides sides, Implied implied, int[::1] stamp, Py_ssize_t i, const int[::1] groups, long long[:, :, ::1] counts, long long[:, ::1] through) noexcept nogil
cdef _add_all(Rows sets, Implied implied, const double[::1] values, double[:, ::1] sums, double[::1] through)
cdef void _add(double[:, ::1] sums, Py_ssize_t node, double value) noexcept nogil
