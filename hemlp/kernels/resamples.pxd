from hemlp.kernels.signals cimport look_for_signals

cdef _count(const long long[::1] numbers, const unsigned short[::1] drawn, int shift, unsigned char[:, ::1] counts)
