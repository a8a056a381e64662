cimport cython

ctypedef const unsigned char* Letters

cdef enum:
    SKIPPED = -1
    LINE_END = 10
    RETURN = 13
    SPACE = 32
    OFTEN = 16384  # cells after which signals are looked for
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

@cython.final
cdef class Lexicon:
    cdef readonly long long size
    cdef readonly unsigned char[::1] letters
    cdef readonly long long[::1] starts
    cdef readonly int[::1] columns
    cdef Letters text
    cdef long long length, bits
    cdef unsigned long long[::1] slots
    cdef unsigned long long key(self, long long begin, long long end) noexcept nogil
    cdef int code(self, unsigned long long key, long long begin, long long end, long long column) except -1 nogil
    cdef long long home(self, unsigned long long key) noexcept nogil
    cdef bint _same(self, long long begin, long long end, long long known) noexcept nogil
    cdef int _learn(self, long long begin, long long end, long long column) except -1 nogil
    cdef int _spread(self) except -1 nogil

@cython.final
cdef class Cells:
    cdef readonly Lexicon lexicon
    cdef readonly long long size, rows
    cdef readonly int[::1] codes
    cdef readonly long long[::1] ptr
    cdef Letters text
    cdef long long length
    cdef int[::1] columns
    cdef long long waiting
    cdef long long[::1] begins, ends, owners
    cdef unsigned long long[::1] keys
    cpdef split(self, long long start, sep)
    cdef int _split_words(self, long long at) except -1 nogil
    cdef int _split_cells(self, long long at, unsigned char sep) except -1 nogil
    cdef int _add(self, long long begin, long long end) except -1 nogil
    cdef int _look_up(self) except -1 nogil
    cdef int _end_row(self) except -1 nogil
