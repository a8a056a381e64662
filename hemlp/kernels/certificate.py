"""Is a flow of least cost? Decided by arithmetic without rounding, on the costs as they are given.

A flow is of least cost if and only if no cycle of the network, along which it could be changed, has a negative cost;
and that holds if and only if there are numbers ``far`` of the nodes with far[head] ≤ far[tail] + cost along every arc
that can carry more, and the reverse along every arc that can carry less. Such numbers are looked for by making them
smaller until they fit (Bellman, Ford). Where it begins does not matter, so it begins with prices that a solver found; a
cycle of negative cost makes the flow better, and it is looked at again.

Nothing is rounded: a cost is kept as the sum of two floats. One is a multiple of a unit so large that sums over the
whole network fit a float, the other is what is left, in multiples of a unit of its own. Mostly nothing is left. Sums of
either are exact; and the sum of two floats has the right sign, whatever is rounded.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.network import Network, lay_out, read_off, send
    from cython.cimports.hemlp.kernels.pairing import Chosen, Pairing
    from cython.cimports.hemlp.kernels.signals import look_for_signals
    from cython.cimports.libc.math import fabs
else:
    from math import fabs

    from hemlp.kernels.network import Network, lay_out, read_off, send
    from hemlp.kernels.pairing import Chosen, Pairing
    from hemlp.kernels.signals import look_for_signals

    NOT_ASKED, PROVED, WIDE, LONG, BROKEN = range(5)
    NOWHERE = -1
    MOST_CYCLES = 5_000

Array = NDArray[Any]


class Proof:
    """Room for the costs of so many arcs and the numbers of so many nodes, each in two parts.

    ``wide``: second parts matter. ``turned``: the flow was changed. ``large`` and ``small`` are powers of two, which
    sums of first and second parts stay below. ``came``: the arc by which a node was reached, twice its number, and one
    more if it is gone back; or NOWHERE.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.wide = self.turned = False
        self.large = self.small = 0.0
        self.steps = 0
        self.cost, self.rest = np.empty(arcs), np.empty(arcs)
        self.far, self.far_rest = np.empty(nodes), np.empty(nodes)
        self.came, self.mark, self.degree = (np.empty(nodes, np.int64) for _ in range(3))


def cheapest(given: Pairing, asked: Array, chosen: Chosen) -> Array:
    """Turn what is chosen in the instances that are ``asked`` for into what costs least; a verdict for each.

    PROVED: perhaps after changes. WIDE: costs are too far apart. LONG: too many changes. BROKEN: bounds are not kept.
    """
    verdicts = np.zeros(given.size, np.uint8)
    nodes = 1 + given.most_pred + given.most_true
    arcs = given.most_pairs + 2 * nodes
    _all_cheapest(given, asked.view("u1"), chosen, Network(arcs), Proof(nodes, arcs), verdicts)
    return verdicts


@cython.cfunc
def _all_cheapest(
    given: Pairing, asked: cython.const[cython.uchar][::1], chosen: Chosen, net: Network, proof: Proof,
    verdicts: cython.uchar[::1],
) -> None:  # fmt: skip
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if not asked[i]:
                continue
            proof.steps += 1 + given.pair_ptr[i + 1] - given.pair_ptr[i]
            if proof.steps > 1 << 20:
                proof.steps = 0
                look_for_signals()
            if _proved_at_once(given, i, chosen, proof):
                verdicts[i] = PROVED
            elif not lay_out(given, i, chosen, net):
                verdicts[i] = BROKEN
            elif not _split_costs(net, proof):
                verdicts[i] = WIDE
            else:
                _begin_with_prices(given, i, chosen, proof)
                verdicts[i] = _improve(net, proof)
                if proof.turned:
                    read_off(given, i, net, chosen)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _proved_at_once(given: Pairing, i: cython.Py_ssize_t, chosen: Chosen, proof: Proof) -> cython.bint:
    """Whether the prices of a solver fit as they are, which is seen without the network.

    For pairs that count for both their ends, and prices of few digits, so that the sum of two is exact; in comparisons
    nothing is rounded.
    """
    c: cython.Py_ssize_t
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t = given.pair_ptr[i]
    p: cython.Py_ssize_t = given.pred_ptr[i]
    t: cython.Py_ssize_t = given.true_ptr[i]
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - t
    fits: cython.bint = given.mutual
    for c in range(width):
        proof.degree[c] = chosen.default_t[t + c]
        fits &= _has_few_digits(chosen.price_t[t + c])
    for row in range(height):
        degree = chosen.default_p[p + row]
        price = chosen.price_p[p + row]
        fits &= _has_few_digits(price)
        if not fits:
            return False
        for c in range(width):
            over = given.kappa[k + c] - (price + chosen.price_t[t + c])
            picked = chosen.pairs[k + c]
            degree += picked
            proof.degree[c] += picked
            fits &= (over <= 0.0) if picked else (over >= 0.0)
        k += width
        lower, upper = given.lower_p[p + row], given.upper_p[p + row]
        fits &= _price_fits(price, given.default_p[p + row], chosen.default_p[p + row], degree, lower, upper)
    for c in range(width):
        lower, upper, degree = given.lower_t[t + c], given.upper_t[t + c], proof.degree[c]
        fits &= _price_fits(
            chosen.price_t[t + c], given.default_t[t + c], chosen.default_t[t + c], degree, lower, upper
        )
    return fits


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_few_digits(price: cython.double) -> cython.bint:
    """Whether a price is a multiple of 2⁻²⁰ below 2³¹, so that the sum of two such prices is exact."""
    return fabs(price) < 2147483648.0 and (price + 8589934592.0) - 8589934592.0 == price


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _price_fits(
    price: cython.double, default: cython.double, taken: cython.longlong, degree: cython.longlong,
    lower: cython.longlong, upper: cython.longlong,
) -> cython.bint:  # fmt: skip
    """Whether a class keeps its bounds, and its price neither lets it take more nor less, also of its default class."""
    kept: cython.bint = lower <= degree <= upper and 0 <= taken <= upper
    more: cython.bint = (degree == upper or price >= 0.0) and (taken == upper or price <= default)
    less: cython.bint = (degree == lower or price <= 0.0) and (taken == 0 or price >= default)
    return kept and more and less


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _power_above(value: cython.double) -> cython.double:
    """The least power of two that is not below a value."""
    power: cython.double = 1.0
    while power < value:
        power *= 2.0
    while power >= 2.0 * value and power > 1e-200:
        power *= 0.5
    return power


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _split_costs(net: Network, proof: Proof) -> cython.bint:
    """Cut each cost in two parts; whether sums of either have room in a float.

    Sums along a path, and what they begin with, are below an eighth of ``large``. Adding a number that is so large to a
    cost and taking it away again leaves the multiples of its last digit.
    """
    a: cython.Py_ssize_t
    most: cython.double = 0.0
    for a in range(net.arcs):
        most = net.cost[a] if net.cost[a] > most else most
    headroom = _power_above(16.0 * net.nodes)
    proof.large = headroom * _power_above(most) if most > 0.0 else 1.0
    proof.small = headroom * proof.large / 4503599627370496.0  # 2 to the 52nd
    left: cython.bint = False
    for a in range(net.arcs):
        part = (net.cost[a] + proof.large) - proof.large
        proof.cost[a] = part
        proof.rest[a] = net.cost[a] - part
        left |= net.cost[a] != part
    proof.wide = left
    for a in range(net.arcs if left else 0):
        left &= (proof.rest[a] + 2.0 * proof.small) - 2.0 * proof.small == proof.rest[a]
    return left == proof.wide and 1e-250 < proof.large < 1e300


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _begin_with_prices(given: Pairing, i: cython.Py_ssize_t, chosen: Chosen, proof: Proof) -> cython.void:
    """Begin with what a solver found; what is no price at all is left out."""
    c: cython.Py_ssize_t
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - given.true_ptr[i]
    proof.far[0] = proof.far_rest[0] = 0.0
    proof.came[0] = NOWHERE
    for c in range(height + width):
        price = -chosen.price_p[given.pred_ptr[i] + c] if c < height else chosen.price_t[given.true_ptr[i] + c - height]
        if not fabs(price) <= 0.125 * proof.large:
            price = 0.0
        part = (price + 2.0 * proof.large) - 2.0 * proof.large
        proof.far[1 + c] = part
        proof.far_rest[1 + c] = ((price - part) + 2.0 * proof.small) - 2.0 * proof.small if proof.wide else 0.0
        proof.came[1 + c] = NOWHERE


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def _improve(net: Network, proof: Proof) -> cython.int:
    """Change the flow along cycles of negative cost until there is none; the verdict."""
    rounds: cython.Py_ssize_t = 0
    cycles: cython.Py_ssize_t = 0
    v: cython.Py_ssize_t
    proof.turned = False
    while _relax(net, proof):
        proof.steps += net.arcs
        if proof.steps > 1 << 20:
            proof.steps = 0
            look_for_signals()
        rounds += 1
        node = _node_on_cycle(net, proof)
        if node != NOWHERE:
            cycles += 1
            _turn(net, proof, node)
            proof.turned = True
            rounds = 0
            for v in range(net.nodes):
                proof.far[v] = proof.far_rest[v] = 0.0
                proof.came[v] = NOWHERE
        if cycles > MOST_CYCLES or rounds > net.nodes:
            return LONG
    for v in range(net.nodes):
        if fabs(proof.far[v]) > 0.25 * proof.large or fabs(proof.far_rest[v]) > 0.25 * proof.small:
            return WIDE
    return PROVED


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _relax(net: Network, proof: Proof) -> cython.bint:
    """Make the number of a node smaller wherever an arc demands it; whether one did."""
    a: cython.Py_ssize_t
    changed: cython.bint = False
    for a in range(net.arcs):
        head = net.end[2 * a]
        tail = net.end[2 * a + 1]
        reduced = proof.cost[a] + proof.far[tail] - proof.far[head]
        if proof.wide:
            reduced += proof.rest[a] + proof.far_rest[tail] - proof.far_rest[head]
        forward: cython.bint = (reduced < 0.0) & (net.space[2 * a] > 0)  # without branches, which nobody could foretell
        backward: cython.bint = (reduced > 0.0) & (net.space[2 * a + 1] > 0)
        if forward | backward:
            changed = True
            if forward:
                proof.far[head] = proof.far[tail] + proof.cost[a]
                proof.far_rest[head] = proof.far_rest[tail] + proof.rest[a]
                proof.came[head] = 2 * a
            else:
                proof.far[tail] = proof.far[head] - proof.cost[a]
                proof.far_rest[tail] = proof.far_rest[head] - proof.rest[a]
                proof.came[tail] = 2 * a + 1
    return changed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _node_on_cycle(net: Network, proof: Proof) -> cython.Py_ssize_t:
    """A node on a cycle of the ways by which nodes were reached, or NOWHERE."""
    start: cython.Py_ssize_t
    for start in range(net.nodes):
        proof.mark[start] = NOWHERE
    for start in range(net.nodes):
        node: cython.Py_ssize_t = start
        while node != NOWHERE and proof.mark[node] == NOWHERE:
            proof.mark[node] = start
            way = proof.came[node]
            node = NOWHERE if way == NOWHERE else net.end[way ^ 1]
        if node != NOWHERE and proof.mark[node] == start:
            return node
    return NOWHERE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _turn(net: Network, proof: Proof, start: cython.Py_ssize_t) -> cython.void:
    """Send as much as there is room for round the cycle that ``start`` is on."""
    most: cython.longlong = net.space[proof.came[start]]
    for turn in range(2):
        node: cython.Py_ssize_t = start
        while True:
            way = proof.came[node]
            if turn == 0:
                most = min(most, net.space[way])
            else:
                send(net, way, most)
            node = net.end[way ^ 1]
            if node == start:
                break
