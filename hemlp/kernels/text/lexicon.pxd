cimport cython
from libc.string cimport memcmp, memcpy

ctypedef const unsigned char* Letters

cdef enum:
    LINE_END = 10
    TOGETHER = 32  # cells that are looked up together

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define hemlp_prefetch(address) __builtin_prefetch(address)
    #else
    #define hemlp_prefetch(address) (void)(address)
    #endif
    """
    void prefetch "hemlp_prefetch"(const void* address) noexcept nogil

cdef inline unsigned long long eight(Letters text, long long at, long long size) noexcept nogil:
    """The eight bytes from ``at`` on, the first one lowest; beyond the end of the text there are line ends."""
    cdef unsigned long long found = 0x0A0A0A0A0A0A0A0A
    if at + 8 <= size:
        memcpy(&found, text + at, 8)
    else:
        memcpy(&found, text + at, size - at)
    return found

cdef unsigned long long _mixed(unsigned long long code, unsigned long long more) noexcept nogil

@cython.final
cdef class Lexicon:
    cdef readonly long long size
    cdef readonly unsigned char[::1] letters
    cdef readonly long long[::1] starts
    cdef readonly int[::1] columns
    cdef long long waiting
    cdef long long[::1] begins, ends, owners, places
    cdef unsigned long long[::1] keys
    cdef Letters text
    cdef long long length, bits
    cdef unsigned long long[::1] slots
    cdef int look_up(self, int[::1] codes) except -1 nogil
    cdef unsigned long long _key(self, long long begin, long long end) noexcept nogil
    cdef long long _home(self, unsigned long long key) noexcept nogil
    cdef int _number(self, unsigned long long key, long long begin, long long end, long long column) except -1 nogil
    cdef bint _same(self, long long begin, long long end, long long known) noexcept nogil
    cdef int _learn(self, long long begin, long long end, long long column) except -1 nogil
    cdef int _spread(self) except -1 nogil

cdef unsigned long long FACTOR
cdef long long NUMBER
