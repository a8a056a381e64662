cdef inline long long words_for(long long size) noexcept nogil:
    return 1 if size < 1 else (size + 61) // 62

cdef inline long long bits_of(unsigned long long word) noexcept nogil:
    """Neighbours added up, then pairs of them, then the sums of eight bits by one multiplication."""
    word = word - ((word >> 1) & 0x5555555555555555ULL)
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL
    return (word * 0x0101010101010101ULL) >> 56

cdef inline void put(long long[::1] words, long long start, long long number) noexcept nogil:
    words[start + number // 62] |= <long long> 1 << (number % 62)

cdef inline bint has(const long long[::1] words, long long start, long long number) noexcept nogil:
    return (words[start + number // 62] >> (number % 62)) & 1
