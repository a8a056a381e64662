from hemlp.kernels.records cimport Implied, Rows, Sides
from hemlp.kernels.signals cimport look_for_signals

cdef _count_all(Sides sides, Implied implied, const int[::1] groups, long long[:, :, ::1] counts, long long[:, ::1] through)
cdef void _count(Sides sides, Implied implied, int[::1] stamp, Py_ssize_t i, const int[::1] groups, long long[:, :, ::1] counts, long long[:, ::1] through) noexcept nogil
cdef _add_all(Rows sets, Implied implied, const long long[:, ::1] values, long long[:, ::1] sums, long long[:, ::1] through)
cdef void _add(long long[:, ::1] sums, Py_ssize_t node, const long long[:, ::1] values, Py_ssize_t i) noexcept nogil

cdef enum:
    HIT = 0
    TOO_GENERAL = 1
    TOO_SPECIFIC = 2
    SIBLING = 3
    SAME_BRANCH = 4
    ELSEWHERE = 5
    MEMBER = 0
    PARENT = 1
    CLOSURE = 2
    THROUGH = 0
    CLASS_BEYOND = 1
    INNER_BEYOND = 2

cdef _kinds_all(Sides sides, const int[::1] row, Implied implied, Rows parents, unsigned char[::1] pred, unsigned char[::1] true)
cdef void _mark(int c, const int[::1] row, Implied implied, Rows parents, int[:, ::1] marks, int mark, int[::1] facts) noexcept nogil
cdef unsigned char _kind(int c, const int[::1] row, Implied implied, Rows parents, int[:, ::1] marks, int mark, int[::1] facts, bint predicted) noexcept nogil
