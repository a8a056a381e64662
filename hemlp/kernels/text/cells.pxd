cimport cython
from hemlp.kernels.signals cimport look_for_signals
from hemlp.kernels.text.decimals cimport decimal
from hemlp.kernels.text.lexicon cimport LINE_END, Letters, Lexicon
from hemlp.kernels.text.words cimport BLOCK, SPACE, end_of_word, first_mark, is_white, marks_within
from libc.math cimport NAN

cdef enum:
    RETURN = 13


@cython.final
cdef class Rows:
    cdef readonly long long at, line, width, rows
    cdef readonly long long[:, ::1] begins, ends
    cdef Letters text
    cdef long long length
    cdef unsigned char sep
    cdef bint words
    cpdef scan(self, list blanks)
    cdef bint _is_blank(self, long long begin, long long end) noexcept nogil
    cdef long long _scan_cells(self) noexcept nogil
    cdef long long _scan_words(self) noexcept nogil

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
