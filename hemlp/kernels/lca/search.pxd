cimport cython
from hemlp.kernels.bitsets cimport bits_of
from hemlp.kernels.lca.best_paths cimport BestPaths
from hemlp.kernels.lca.components cimport AS_LISTED, GREEDY, LAST_ORDER, NONE, Component
from hemlp.kernels.lca.decisions cimport SETTLED, Decisions
from hemlp.kernels.lca.enumerated_parts cimport EnumeratedParts
from hemlp.kernels.lca.hitting_set cimport HittingSet
from hemlp.kernels.lca.links cimport Links
from hemlp.kernels.lca.part_search cimport SOLVED, LOWEST, TOO_MANY, PartSearch
from hemlp.kernels.lca.signatures cimport Signatures
from hemlp.kernels.lca.ties cimport Ties
from hemlp.kernels.signals cimport look_for_signals

cdef enum:
    BEAM = 256
    FEW = 256
    MANY = 2048
    ROUNDS = 60

@cython.final
cdef class Search:
    cdef readonly Links links
    cdef readonly HittingSet hitting_set
    cdef readonly Signatures signatures
    cdef readonly Decisions decisions
    cdef readonly Component part
    cdef readonly PartSearch part_search
    cdef readonly EnumeratedParts enumerated
    cdef Ties ties
    cdef readonly long long most, parts, scale, drawn, drawn_nodes, present, listed
    cdef readonly long long[::1] picked, part_size, part_common, part_diff, base, outcomes, outcomes_end, out_links, out_ptr, out_nodes
    cdef long long[::1] all_known, order
    cdef long long unproved
    cdef public bint draws
    cdef bint reduce(self, long long i) except -1 nogil
    cdef void _count_certain(self) noexcept nogil
    cdef int try_all(self) except -1 nogil
    cdef bint solve(self) except -1 nogil
    cdef bint solve_part(self, long long leader, long long p, long long q, bint proves) except -1 nogil
    cdef bint _search_part(self, long long leader, long long p, long long q, bint proves) except -1 nogil
    cdef int read_part(self, long long leader) except -1 nogil
    cdef long long _worth(self, long long size, long long common, long long p, long long q) noexcept nogil
    cdef void _take(self, long long leader) noexcept nogil
    cdef void _pick(self) noexcept nogil
    cdef int _note_best(self, long long leader) except -1 nogil
    cdef bint _settle_ties(self, long long p, long long q) except -1 nogil
    cdef bint take_difference(self, long long leader, long long p, long long q, long long diff) except -1 nogil
    cdef void count(self, long long[:, ::1] table, long long i) noexcept nogil
    cdef int write(self) except -1 nogil

cdef long long _common_divisor(long long a, long long b) noexcept nogil
cdef int _search_all(Search solver, long long[:, ::1] table, long long[::1] link_ptr) except -1
