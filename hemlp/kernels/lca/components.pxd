cimport cython
from hemlp.kernels.bitsets cimport put, words_for
from hemlp.kernels.lca.decisions cimport CHOICE, EXTRA, GROUP, LAST, OWN, SETTLED, Decisions
from hemlp.kernels.lca.hitting_set cimport HittingSet
from hemlp.kernels.lca.links cimport Links
from hemlp.kernels.lca.signatures cimport Signatures

cdef enum:
    NONE = -1
    FEW_STEPS = 4
    AS_LISTED = 0
    GREEDY = 1
    LAST_ORDER = 5
    MOVES = 3000
    UNIT = 64

@cython.final
cdef class Component:
    cdef readonly long long steps, sides, nodes, flags, node_words, flag_words
    cdef readonly long long[::1] decision, ptr, source, gain, rest, adds, needs, bars, sets, node
    cdef long long[::1] number_of, chosen, served, drawn, _listed, _place, _items, _item_ptr, _users, _open, _turn, _waits
    cdef long long[::1] order
    cdef int read(self, long long leader, Decisions decisions, HittingSet hitting_set, Signatures signatures, Links links, long long order) except -1 nogil
    cdef int _make_room(self, Signatures signatures, Links links) except -1 nogil
    cdef void _number_nodes(self, Decisions decisions, Signatures signatures) noexcept nogil
    cdef void _number_flags(self, Decisions decisions, HittingSet hitting_set, Links links) noexcept nogil
    cdef int _list_items(self, Decisions decisions, HittingSet hitting_set, Signatures signatures) except -1 nogil
    cdef long long _list_flags(self, long long s, long long end, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef long long _list_flag(self, long long flag, long long end) noexcept nogil
    cdef void _put_in_order(self, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef void _weigh_items(self, Decisions decisions, HittingSet hitting_set, long long least) noexcept nogil
    cdef void _anneal(self, Decisions decisions, HittingSet hitting_set, long long seed) noexcept nogil
    cdef long long _move(self, long long begin, long long end, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef double _measure_order(self) noexcept nogil
    cdef bint _comes_first(self, long long o, long long s, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef int _write_options(self, Decisions decisions, HittingSet hitting_set, Signatures signatures, Links links) except -1 nogil
    cdef int _blank(self, long long o) except -1 nogil
    cdef Py_ssize_t _write_skips(self, long long s, long long end, Decisions decisions) except -1 nogil
    cdef void _write_drawn(self, long long source, long long s, long long o, Decisions decisions, Signatures signatures) noexcept nogil
    cdef void forget(self) noexcept nogil
