cimport cython
from hemlp.kernels.bitsets cimport bits_of
from hemlp.kernels.lca.links cimport Links

cdef enum:
    OUT = 0
    IN = 1
    MAYBE = 2
    NO_GROUP = -1
    GROUP_SIZE = 62
    MOST_SETS = 8192
    MOST_STEPS = 100000

@cython.final
cdef class HittingSet:
    cdef readonly long long fewest, groups, few
    cdef readonly long long[::1] count, masks, leader, group_of, bit_of, set_ptr, sets, stack, served, standing
    cpdef make_room(self, long long classes, long long lcas)
    cdef bint settle(self, Links links) except -1 nogil
    cdef void _force(self, Links links) noexcept nogil
    cdef void _join(self, Links links) noexcept nogil
    cdef long long _largest_group(self, Links links) noexcept nogil
    cdef long long find(self, long long a) noexcept nogil
    cdef bint _settle_group(self, long long leader, Links links) noexcept nogil
    cdef long long _distinct_masks(self, long long classes) noexcept nogil
    cdef long long _find_sets(self, long long masks, long long begin) noexcept nogil
    cdef long long _sets_of_size(self, long long size, long long masks, long long begin) noexcept nogil
