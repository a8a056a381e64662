from hemlp.kernels.signals cimport look_for_signals

cdef int _hash_all(const unsigned char[::1] letters, const long long[::1] ptr, const unsigned int[::1] rounds, const unsigned int[::1] start, unsigned int[::1] words) except -1
cdef void _fill(const unsigned char[::1] letters, long long begin, long long end, long long block, bint last, unsigned int[::1] schedule) noexcept nogil
cdef void _compress(const unsigned int[::1] rounds, unsigned int[::1] schedule, unsigned int[::1] state) noexcept nogil
cdef unsigned int _turned(unsigned int word, int places) noexcept nogil
