cimport cython
from hemlp.kernels.bitsets cimport has
from hemlp.kernels.lca.components cimport NONE, Part
from hemlp.kernels.lca.decisions cimport CHOICE, GROUP, LAST, OWN, Slots

cdef double LOWEST

@cython.final
cdef class Prices:
    cdef readonly double[::1] ahead, credit
    cdef readonly double common
    cdef long long p, q
    cdef long long[::1] ptr, flag, option, use, chosen, left, mutual
    cdef double[::1] draw, share, kept_share, worth, extra, kept_extra, owed, total
    cdef int _make_room(self, Part part, long long incidences) except -1 nogil
    cdef int read(self, Part part, Slots slots) except -1 nogil
    cdef void start(self, Part part, const long long[::1] sure, long long p, long long q) noexcept nogil
    cdef void improve(self, Part part, Slots slots, long long rounds) noexcept nogil
    cdef void _count_users(self, Part part) noexcept nogil
    cdef void _keep(self, Part part) noexcept nogil
    cdef void _move(self, Part part, double pace) noexcept nogil
    cdef double _evaluate(self, Part part, Slots slots) noexcept nogil
    cdef void _best_option(self, Part part, long long t) noexcept nogil
    cdef void look_ahead(self, Part part, Slots slots) noexcept nogil
    cdef void pass_step(self, Part part, long long t) noexcept nogil
    cdef void _owe(self, Part part, long long begin) noexcept nogil
