cimport cython
from hemlp.kernels.signals cimport look_for_signals
from hemlp.kernels.text.lexicon cimport BLOCK, LINE_END, Column, Letters, Lexicon, eight
from libc.string cimport memcpy, memset

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define hemlp_first(marks) __builtin_ctzll(marks)
    #else
    static int hemlp_first(unsigned long long marks) {
        int k = 0;
        while (!(marks >> k & 1)) k++;
        return k;
    }
    #endif
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif
    static unsigned long long hemlp_marks(const unsigned char* text, unsigned char a, unsigned char b) {
        unsigned long long marks = 0;
        for (int k = 0; k < 64; k += 16) {
    #if defined(__SSE2__)
            __m128i x = _mm_loadu_si128((const __m128i*)(text + k));
            __m128i same = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8((char)a)), _mm_cmpeq_epi8(x, _mm_set1_epi8((char)b)));
            marks |= (unsigned long long)(unsigned)_mm_movemask_epi8(same) << k;
    #else
            for (int i = k; i < k + 16; i++)
                marks |= (unsigned long long)(text[i] == a || text[i] == b) << i;
    #endif
        }
        return marks;
    }
    """
    int first_mark "hemlp_first"(unsigned long long marks) noexcept nogil
    unsigned long long marks_of_64 "hemlp_marks"(const unsigned char* text, unsigned char a, unsigned char b) noexcept nogil

cdef inline unsigned long long marks_within(Letters text, long long at, long long size, unsigned char sep) noexcept nogil:
    """Which of the 64 bytes from ``at`` on are separators or line ends; beyond the end of the text there are line ends."""
    cdef unsigned char tail[64]
    if at + 64 <= size:
        return marks_of_64(text + at, sep, LINE_END)
    memset(tail, LINE_END, 64)
    memcpy(tail, text + at, size - at)
    return marks_of_64(tail, sep, LINE_END)

cdef enum:
    SPACE = 32
    COLON = 58
    RETURN = 13

cdef long long _first(unsigned long long marks) noexcept nogil
cdef bint is_white(unsigned char letter) noexcept nogil
cdef long long end_of_word(Letters text, long long at, long long size) noexcept nogil

@cython.final
cdef class Words:
    cdef readonly Lexicon lexicon
    cdef readonly long long size, rows
    cdef readonly int[::1] codes
    cdef readonly long long[::1] ptr
    cdef Letters text
    cdef long long length
    cdef long long[::1] begins, ends
    cpdef split(self, long long start)
    cdef int _split(self, long long at) except -1 nogil
    cdef int _look_up(self, long long count) except -1 nogil
    cdef int _end_row(self) except -1 nogil

@cython.final
cdef class Tags:
    cdef readonly Lexicon lexicon
    cdef readonly long long size
    cdef readonly int[::1] codes
    cdef readonly long long[::1] starts, stops
    cdef Letters text
    cdef long long length, at
    cdef long long[::1] begins, ends
    cpdef split(self)
    cdef int _split_block(self) except -1 nogil

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

cdef long long _copy(Letters text, const long long[::1] begins, const long long[::1] ends, unsigned char[::1] made) noexcept
cdef _trim(Letters text, long long[::1] begins, long long[::1] ends)
cdef _look_up(Lexicon lexicon, const long long[::1] begins, const long long[::1] ends, int[::1] codes)

cdef unsigned long long ONES
cdef unsigned long long TOPS
cdef unsigned long long PLACES
