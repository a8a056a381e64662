cimport cython
from hemlp.kernels.bitsets cimport put, words_for
from hemlp.kernels.lca.decisions cimport EXTRA, GROUP, LAST, OWN, SETTLED, Decisions
from hemlp.kernels.lca.hitting_set cimport HittingSet
from hemlp.kernels.lca.links cimport Links
from hemlp.kernels.lca.signatures cimport Signatures

cdef enum:
    NONE = -1
    FEW_STEPS = 4

@cython.final
cdef class Component:
    cdef readonly long long steps, sides, nodes, flags, node_words, flag_words
    cdef readonly long long[::1] decision, ptr, source, gain, rest, adds, needs, bars, sets, node
    cdef long long[::1] number_of, chosen, served, drawn, _left, _items, _item_ptr, _users, _open, _taken, _waits
    cdef int read(self, long long leader, Decisions decisions, HittingSet hitting_set, Signatures signatures, Links links, bint in_order) except -1 nogil
    cdef int _make_room(self, Decisions decisions, Signatures signatures, Links links) except -1 nogil
    cdef void _number_nodes(self, Decisions decisions, Signatures signatures) noexcept nogil
    cdef void _number_flags(self, Decisions decisions, HittingSet hitting_set, Links links) noexcept nogil
    cdef int _list_items(self, Decisions decisions, HittingSet hitting_set, Signatures signatures) except -1 nogil
    cdef long long _list_flags(self, long long s, long long end, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef long long _list_flag(self, long long flag, long long end) noexcept nogil
    cdef void _put_in_order(self, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef bint _comes_first(self, long long o, long long s, Decisions decisions, HittingSet hitting_set) noexcept nogil
    cdef int _write_options(self, Decisions decisions, HittingSet hitting_set, Signatures signatures, Links links) except -1 nogil
    cdef int _blank(self, long long o) except -1 nogil
    cdef Py_ssize_t _write_skips(self, long long s, long long end, Decisions decisions) except -1 nogil
    cdef void _write_drawn(self, long long source, long long s, long long o, Decisions decisions, Signatures signatures) noexcept nogil
    cdef void forget(self) noexcept nogil
