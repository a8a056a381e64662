cimport cython
from libc.math cimport hypot
from hemlp.kernels.records cimport Rows
from hemlp.kernels.signals cimport look_for_signals


cdef enum:
    TOGETHER = 64  # resamples whose sums are held in the cache
    SUMS = 7

@cython.final
cdef class Sweep:
    cdef readonly Rows arrows, true, scored, hidden, steps
    cdef readonly const double[::1] weights
    cdef readonly int[::1] in_true, in_pred, concealed, stack
    cdef double p_weight, t_weight, c_weight
    cdef long long alone, missed

cdef _sweep_all(Sweep task, double[:, ::1] sums, long long[::1] counts, unsigned char[::1] equal)
cdef void _begin(Sweep task, Py_ssize_t i) noexcept nogil
cdef void _make_true(Sweep task, Py_ssize_t i, int start) noexcept nogil
cdef long long _predict(Sweep task, Py_ssize_t i, int start) noexcept nogil
cdef _reach_all(Rows arrows, Rows scored, int[::1] marks, int[::1] stack, long long[::1] ptr, int[::1] nodes, long long[::1] first, bint keep)
cdef _run(const long long[::1] begin, const long long[::1] steps, const unsigned char[::1] first, const double[:, ::1] values, double[:, ::1] state, double[:, ::1] sums)
cdef void _add(double[:, ::1] state, Py_ssize_t c, double value) noexcept nogil
cdef _resample(const long long[::1] begin, const long long[::1] units, const double[:, ::1] changes, const long long[::1] columns, const double[::1] scales, const unsigned char[:, ::1] counts, const double[::1] drawn, int kind, double[:, ::1] carried, double[:, ::1] sums, double[::1] times, double[::1] gain, double[:, ::1] best)
cdef void _look_ahead(const double[:, ::1] sums, const double[::1] drawn, int kind, const double[:, ::1] best, Py_ssize_t low, double[::1] gain) noexcept nogil
cdef void _improve(double[:, ::1] sums, Py_ssize_t r, double size, int kind, double[:, ::1] best, Py_ssize_t to) noexcept nogil
cdef double _harmonic(double p, double q) noexcept nogil
