cimport cython
from hemlp.kernels.flow.certificate cimport has_few_digits
from hemlp.kernels.flow.pairing cimport Pairing
from hemlp.kernels.signals cimport look_for_signals
from libc.math cimport INFINITY

cdef enum:
    NO_NODE = -1
    PIVOTS_PER_NODE = 2000

@cython.final
cdef class Tree:
    cdef int height, width, root
    cdef double[::1] cost, price, arc_cost
    cdef int[::1] parent, depth, child, next, before
    cdef long long[::1] flow, left

cdef _move_all(Pairing given, long long[::1] flow, double[::1] price_p, double[::1] price_t, Tree tree, unsigned char[::1] feasible)
cdef void _write(Pairing given, Py_ssize_t i, Tree tree, long long[::1] flow, double[::1] price_p, double[::1] price_t) noexcept nogil
cdef double _set_costs(Pairing given, Py_ssize_t i, Tree tree) noexcept nogil
cdef bint _first_tree(Pairing given, Py_ssize_t i, Tree tree) noexcept nogil
cdef int _nearest_open(Tree tree, int row) noexcept nogil
cdef void _attach(Tree tree, int v, int parent, long long flow, double cost) noexcept nogil
cdef void _detach(Tree tree, int v) noexcept nogil
cdef void _relabel(Tree tree, int top) noexcept nogil
cdef int _simplex(Tree tree, double tolerance) except -1 nogil
cdef bint _leads_up(Tree tree, int v) noexcept nogil
cdef void _pivot(Tree tree, int row, int column) noexcept nogil
cdef void _hang(Tree tree, int inner, int parent, int leaving, long long flow, double cost) noexcept nogil
cdef _prove_all(Pairing given, const unsigned char[::1] asked, const long long[::1] flow, const double[::1] price_p, const double[::1] price_t, long long[::1] arrived, unsigned char[::1] proved)
cdef bint _is_proved(Pairing given, Py_ssize_t i, const long long[::1] flow, const double[::1] price_p, const double[::1] price_t, long long[::1] arrived) noexcept nogil
