cdef long long ODD, PAIRS, FOURS

cdef long long words_for(long long size) noexcept nogil
cdef long long bits_of(long long word) noexcept nogil
cdef void put(long long[::1] words, long long start, long long number) noexcept nogil
cdef bint has(const long long[::1] words, long long start, long long number) noexcept nogil
