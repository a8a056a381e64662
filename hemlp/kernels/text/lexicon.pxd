cimport cython
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport NAN
from libc.string cimport memcmp, memcpy

ctypedef const unsigned char* Letters

cdef enum:
    LINE_END = 10
    PLUS = 43
    MINUS = 45
    POINT = 46
    ZERO = 48
    NINE = 57
    BLOCK = 1024  # words or rows between two looks at signals
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
cdef unsigned long long _hash(unsigned long long key) noexcept nogil

@cython.final
cdef class Lexicon:
    cdef readonly long long size
    cdef readonly unsigned char[::1] letters
    cdef readonly long long[::1] starts
    cdef unsigned long long[::1] keys, hashes
    cdef Letters text
    cdef long long length, bits
    cdef bint frozen
    cdef unsigned long long[::1] slots
    cdef int look_up(self, const long long[::1] begins, const long long[::1] ends, long long count, int[::1] codes, long long at) except -1 nogil
    cdef bint _equal(self, long long begin, long long end, long long other, long long other_end) noexcept nogil
    cdef unsigned long long _key(self, long long begin, long long end) noexcept nogil
    cdef long long _home(self, unsigned long long code) noexcept nogil
    cdef int _number(self, unsigned long long key, unsigned long long code, long long begin, long long end) except? -1 nogil
    cdef bint _same(self, long long begin, long long end, long long known) noexcept nogil
    cdef int _learn(self, long long begin, long long end) except -1 nogil
    cdef int _spread(self) except -1 nogil

@cython.final
cdef class Column:
    cdef readonly Lexicon lexicon
    cdef readonly long long size, odd_size
    cdef readonly int[::1] codes
    cdef readonly double[::1] values
    cdef readonly long long[::1] odd
    cdef bint numbers
    cdef Letters text
    cdef long long[::1] odd_begins, odd_ends
    cpdef extend(self, const long long[::1] begins, const long long[::1] ends, long long count, long long room)

cdef bint decimal(Letters text, long long begin, long long end, double* value) noexcept nogil

cdef unsigned long long FACTOR
cdef long long NUMBER
cdef long long MOST_WHOLE
cdef double MOST_POWER
