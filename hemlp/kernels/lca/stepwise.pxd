from hemlp.kernels.lca.decisions cimport SETTLED
from hemlp.kernels.lca.search cimport Search
