cimport cython
from hemlp.kernels.bitsets cimport has
from hemlp.kernels.lca.components cimport NONE, Component
from hemlp.kernels.lca.decisions cimport CHOICE, GROUP, LAST, OWN, Decisions

cdef double LOWEST

@cython.final
cdef class LagrangianBound:
    cdef readonly double[::1] ahead, credit
    cdef readonly double common
    cdef long long p, q
    cdef long long[::1] ptr, flag, option, use, chosen, left, mutual
    cdef double[::1] draw, share, kept_share, worth, extra, kept_extra, owed, total
    cdef int _make_room(self, Component part, long long incidences) except -1 nogil
    cdef int read(self, Component part, Decisions decisions) except -1 nogil
    cdef void start(self, Component part, const long long[::1] sure, long long p, long long q) noexcept nogil
    cdef void improve(self, Component part, Decisions decisions, long long rounds) noexcept nogil
    cdef void _count_users(self, Component part) noexcept nogil
    cdef void _keep(self, Component part) noexcept nogil
    cdef void _move(self, Component part, double pace) noexcept nogil
    cdef double _evaluate(self, Component part, Decisions decisions) noexcept nogil
    cdef void _best_option(self, Component part, long long t) noexcept nogil
    cdef void look_ahead(self, Component part, Decisions decisions) noexcept nogil
    cdef void pass_step(self, Component part, long long t) noexcept nogil
    cdef void _owe(self, Component part, long long begin) noexcept nogil
