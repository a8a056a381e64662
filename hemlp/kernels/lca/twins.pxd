from hemlp.kernels.lca.links cimport Links

cdef set _private_nodes(Links links)
cdef dict _inner_lcas(Links links, set private)
cdef _write(const int[::1] nodes, Py_ssize_t begin, Py_ssize_t end, set private, dict names, list code)
