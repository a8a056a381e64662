from hemlp.kernels.signals cimport look_for_signals

cdef Py_ssize_t _count(long long[::1] missing, const unsigned short[::1] words, unsigned char[:, ::1] counts) except -1
