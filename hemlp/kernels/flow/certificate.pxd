from hemlp.kernels.flow.negative_cycles cimport BROKEN, PROVED, WIDE, Proof, cancel_negative_cycles, check_signals, set_potential, split_costs
from hemlp.kernels.flow.network cimport Network, build_network, read_flow
from hemlp.kernels.flow.pairing cimport Chosen, Pairing
from libc.math cimport fabs

cdef _prove_at_once(Pairing given, const unsigned char[::1] asked, Chosen chosen, Proof proof, long long[::1] degrees, unsigned char[::1] verdicts)
cdef _all_cheapest(Pairing given, const long long[::1] left, Chosen chosen, Network net, Proof proof, unsigned char[::1] verdicts)
cdef bint _proved_at_once(Pairing given, Py_ssize_t i, Chosen chosen, long long[::1] degrees) noexcept nogil
cdef bint has_few_digits(double price) noexcept nogil
cdef bint _price_fits(double price, double default, long long taken, long long degree, long long lower, long long upper) noexcept nogil
cdef void _take_prices(Pairing given, Py_ssize_t i, Chosen chosen, Proof proof) noexcept nogil
