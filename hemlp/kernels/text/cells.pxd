cimport cython
from hemlp.kernels.signals cimport look_for_signals
from hemlp.kernels.text.decimals cimport decimal
from hemlp.kernels.text.lexicon cimport LINE_END, TOGETHER, Letters, Lexicon, eight
from libc.math cimport NAN

cdef enum:
    SKIPPED = -1
    PLAIN = -2
    RETURN = 13
    SPACE = 32
    OFTEN = 16384  # cells after which signals are looked for

cdef long long _first(unsigned long long marks) noexcept nogil
cdef bint _white(unsigned char letter) noexcept nogil
cdef long long _end_of_word(Letters text, long long at, long long size) noexcept nogil
cdef long long _end_of_cell(Letters text, long long at, long long size, unsigned char sep) noexcept nogil

@cython.final
cdef class Cells:
    cdef readonly Lexicon lexicon
    cdef readonly long long size, rows, numbers
    cdef readonly int[::1] codes
    cdef readonly long long[::1] ptr
    cdef readonly double[::1] values
    cdef Letters text
    cdef long long length, of_numbers
    cdef int[::1] columns
    cpdef split(self, long long start, sep)
    cdef int _split_words(self, long long at) except -1 nogil
    cdef int _split_cells(self, long long at, unsigned char sep) except -1 nogil
    cdef int _add(self, long long begin, long long end) except -1 nogil
    cdef bint _is_number(self, long long begin, long long end) except -1 nogil
    cdef int _end_row(self) except -1 nogil

cdef unsigned long long ONES
cdef unsigned long long TOPS
cdef unsigned long long PLACES
