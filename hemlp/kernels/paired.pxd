from libc.math cimport NAN, isfinite, pow

from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    INSTANCES = 0
    DIFFERING = 1
    WINS = 2
    MEAN = 0
    TOLERANCE = 1
    GREATEST = 2
    SQUARES = 3
    SCALED = 4
    SCALED_SQUARES = 5
    SPREAD = 6

cdef int _subtract(const double[::1] first, const double[::1] second, double precision, double[::1] gaps, long long[::1] counts, double[::1] sums) noexcept nogil
cdef int _add_up(const double[::1] first, const double[::1] second, const double[::1] gaps, double[::1] terms, const long long[::1] counts, double[::1] sums) noexcept nogil
cdef double _unit(double greatest) noexcept nogil
cdef double _exact_sum(const double[::1] terms, Py_ssize_t n) noexcept nogil
cdef int _rank(const double[::1] sizes, const unsigned long long[::1] keys, long long differing, double near, long long[::1] ranks, long long[::1] ties, Py_ssize_t k) noexcept nogil
cdef long long _beyond(const float[::1] sums, double low, double high, double near_low, double near_high, long long[::1] hits, Py_ssize_t k, long long[::1] at)
