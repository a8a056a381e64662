from hemlp.kernels.records cimport Implied, Sides
from hemlp.kernels.signals cimport look_for_signals

cdef _tally_all(Sides sides, Implied implied, const double[::1] weights, bint uniform, double upper, bint top, double[:, ::1] sums, unsigned char[::1] equal)
cdef bint _count(Sides sides, Implied implied, int[::1] stamp, Py_ssize_t i, double[:, ::1] sums) noexcept nogil
cdef bint _weigh(Sides sides, Implied implied, const double[::1] weights, double upper, int[::1] stamp, Py_ssize_t i, double[:, ::1] sums) noexcept nogil
cdef void _add_top(Sides sides, double weight, Py_ssize_t i, double[:, ::1] sums) noexcept nogil
