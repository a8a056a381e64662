cimport cython
from hemlp.kernels.lca.eligible cimport Eligible
from hemlp.kernels.lca.local_numbering cimport LocalNumbering
from hemlp.kernels.lca.path_graphs cimport PathGraphs
from hemlp.kernels.signals cimport look_for_signals

@cython.final
cdef class LinkFinder:
    cdef readonly LocalNumbering numbering
    cdef readonly Eligible pairs
    cdef readonly PathGraphs graphs
    cdef int _add(self, long long i) except -1 nogil
    cdef void _name(self, long long links, long long nodes, long long edges) noexcept nogil
