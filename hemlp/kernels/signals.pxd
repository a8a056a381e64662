from cpython.exc cimport PyErr_CheckSignals

cdef int look_for_signals() except -1 nogil
