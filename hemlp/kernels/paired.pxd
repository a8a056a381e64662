from libc.math cimport NAN, isfinite, pow, rint

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

cdef int _subtract(const double[::1] first, const double[::1] second, double precision, double[::1] gaps, double[::1] terms, long long[::1] counts, double[::1] sums) noexcept nogil
cdef int _add_up(const double[::1] gaps, double[::1] terms, const long long[::1] counts, double[::1] sums) noexcept nogil
cdef double _unit(double greatest) noexcept nogil
cdef double _exact_sum(const double[::1] terms, Py_ssize_t n) noexcept nogil
cdef int _rank(const double[::1] sizes, const unsigned long long[::1] keys, long long differing, double near, long long[::1] ranks, long long[::1] ties, Py_ssize_t k) noexcept nogil
cdef int _tabulate(const double[::1] values, double mean, double[::1] table) noexcept nogil
cdef Py_ssize_t _bound_rests(const double[::1] values, const short[::1] means, double step, Py_ssize_t last, double[:, ::1] bounds, long long[::1] order) noexcept nogil
cdef Py_ssize_t _decide(double[::1] x, long long[::1] draws, Py_ssize_t left, const double[::1] bounds, const double[::1] limits, long long[::1] hits, Py_ssize_t k) noexcept nogil
cdef int _add_byte(double[::1] x, const long long[::1] draws, Py_ssize_t left, const unsigned char[::1] packed, const double[::1] table) noexcept nogil
cdef int _add_products(const short[:, ::1] plus, const short[::1] first, const short[::1] second, const short[::1] third, const short[::1] fourth, int[:, ::1] sums) noexcept nogil
