cimport cython
from hemlp.kernels.records cimport Rows

@cython.final
cdef class Sweep:
    cdef readonly Rows arrows, true, scored, hidden, steps
    cdef readonly const double[::1] weights
    cdef readonly int[::1] in_true, in_pred, concealed, stack
    cdef double p_weight, t_weight, c_weight
    cdef long long alone, missed
