cimport cython
from hemlp.kernels.signals cimport look_for_signals
from hemlp.kernels.text.lexicon cimport TOGETHER, Letters, eight, prefetch
from libc.string cimport memcmp

cdef enum:
    UNKNOWN = -1

@cython.final
cdef class Vocabulary:
    cdef readonly const unsigned char[::1] letters
    cdef readonly const long long[::1] ptr
    cdef unsigned long long[::1] slots
    cdef readonly int[::1] first
    cdef int shift
    cdef int _walk(self, const unsigned char[::1] letters, const long long[::1] ptr, int[::1] codes, bint learn) except -1
    cdef long long _find(self, const unsigned char[::1] letters, long long begin, long long end, unsigned long long key, long long slot, long long number) noexcept nogil

cdef unsigned long long _mixed(unsigned long long code, unsigned long long more) noexcept nogil
cdef unsigned long long _key(Letters text, long long begin, long long end, long long length) noexcept nogil

cdef unsigned long long FACTOR
cdef long long NUMBER
