cimport cython
from hemlp.kernels.bitsets cimport bits_of, has, put
from hemlp.kernels.lca.best_paths cimport BestPaths
from hemlp.kernels.lca.components cimport Component
from hemlp.kernels.lca.decisions cimport Decisions
from hemlp.kernels.lca.lagrangian_bound cimport LagrangianBound
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    SOLVED = 0
    TOO_MANY = 1
    NOTHING = 2
    EMPTY = -1

cdef long long LOWEST

@cython.final
cdef class States:
    cdef readonly long long[::1] items, worth, size, diff, common
    cdef readonly double[::1] hope
    cdef int make_room(self, long long number, long long width) except -1 nogil

@cython.final
cdef class PartSearch:
    cdef readonly States old, new
    cdef readonly LagrangianBound bound
    cdef readonly long long states, made, moves
    cdef long long p, q, scale, floor, table_size
    cdef readonly BestPaths paths
    cdef bint bounded
    cdef readonly long long[::1] sure
    cdef long long[::1] live, later, reach, uniform
    cdef int[::1] table
    cdef int prepare(self, Component part, Decisions decisions) except -1 nogil
    cdef int _make_room(self, Component part, long long width) except -1 nogil
    cdef void ask(self, Component part, long long p, long long q, long long scale) noexcept nogil
    cdef int best(self, Component part, Decisions decisions, long long floor, long long most, long long beam) except -1 nogil
    cdef bint _step(self, Component part, long long side, long long t, long long most) except -1 nogil
    cdef long long _free_path(self, Component part, long long side, long long at, long long t) noexcept nogil
    cdef bint _only_costs(self, Component part, long long side, long long at, long long t, const long long[::1] nodes, long long row) noexcept nogil
    cdef bint _feasible(self, Component part, long long at, long long o) noexcept nogil
    cdef void _apply(self, Component part, long long side, long long i, long long o, long long live) noexcept nogil
    cdef double _credit(self, Component part, long long at, long long t) noexcept nogil
    cdef double _credit_of(self, Component part, long long w, long long items) noexcept nogil
    cdef bint _hopeful(self, Component part, long long before, long long t, double credit) noexcept nogil
    cdef int _clear_table(self, long long states) except -1 nogil
    cdef bint _keep(self, long long i, long long o, long long width, long long most) except -1 nogil
    cdef bint _alike(self, long long other, long long width) noexcept nogil
    cdef int _turn(self, long long width, long long beam) except -1 nogil
    cdef double _threshold(self, long long beam) noexcept nogil
