from hemlp.kernels.lca.links cimport Links
from hemlp.kernels.signals cimport look_for_signals

cdef _count_all(Links links, long long[:, ::1] table, unsigned char[::1] sides)
cdef void _count_nodes(Links links, long long[:, ::1] table, Py_ssize_t i, unsigned char[::1] sides) noexcept nogil
