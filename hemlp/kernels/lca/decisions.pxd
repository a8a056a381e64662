cimport cython
from hemlp.kernels.bitsets cimport bits_of
from hemlp.kernels.lca.hitting_set cimport IN, OUT, HittingSet
from hemlp.kernels.lca.links cimport Links
from hemlp.kernels.lca.signatures cimport Signatures

cdef enum:  # roles of links
    DROPPED = 0
    ALWAYS = 1
    OWN_LINK = 2
    SPARE = 3

cdef enum:  # kinds of decisions
    SETTLED = 0
    CHOICE = 1
    OWN = 2
    LAST = 3
    EXTRA = 4
    GROUP = 5

cdef enum:
    NOBODY = -1

@cython.final
cdef class Decisions:
    cdef readonly long long first, number, width
    cdef readonly long long[::1] role, kind, side, of_class, of_lca, leader, ptr, row, link, gain, rest, certain, may, lone
    cdef long long[::1] _sure, _alive, _choices, _owner, _all, _bit_owner, _settled
    cpdef _make_room(self, long long options)
    cpdef _make_width(self, long long width)
    cdef void assign_roles(self, Links links, HittingSet hitting_set) noexcept nogil
    cdef int read(self, Links links, HittingSet hitting_set, Signatures signatures) except -1 nogil
    cdef void _settle(self, Links links, Signatures signatures) noexcept nogil
    cdef void _add(self, long long kind, long long side, long long of_class, long long of_lca) noexcept nogil
    cdef void _add_options(self, long long k, Signatures signatures) noexcept nogil
    cdef void _add_spare(self, Links links, HittingSet hitting_set, Signatures signatures) noexcept nogil
    cdef bint _classify(self, Signatures signatures) noexcept nogil
    cdef void _find_certain(self, Signatures signatures) noexcept nogil
    cdef void _count_users(self, Signatures signatures) noexcept nogil
    cdef bint _remove_worse(self, Signatures signatures) noexcept nogil
    cdef bint _worse(self, long long a, long long b, long long s, Signatures signatures) noexcept nogil
    cdef long long open_word(self, long long o, long long s, long long w, Signatures signatures) noexcept nogil
    cdef int _join(self, Links links, HittingSet hitting_set, Signatures signatures) except -1 nogil
    cdef int _join_by_nodes(self, Signatures signatures) except -1 nogil
    cdef long long find(self, long long s) noexcept nogil
    cdef void _unite(self, long long s, long long t) noexcept nogil
