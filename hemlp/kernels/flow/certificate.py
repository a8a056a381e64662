"""Proof that a flow is of least cost, or cancelling of negative cycles (Klein, 1967), in exact arithmetic.

A flow is of least cost if and only if its residual network has no cycle of negative cost, and that holds if and only if
there are potentials with potential[head] ≤ potential[tail] + cost along every residual arc. They are found by relaxing
arcs from any start (Bellman–Ford; after a few passes with a queue of nodes), in O(n · m) for n nodes and m arcs. If
that does not end, the predecessor arcs close to a negative cycle: the flow is augmented along it, and it goes on.

Nothing is rounded: a cost is the sum of two floats. One is a multiple of a unit so large that sums over the whole
network fit a float, the other is what is left, in multiples of a unit of its own, and mostly 0. Invariant: sums of
either are exact, and the sum of the two floats has the right sign, whatever is rounded.

**A pairing** is proved by complementary slackness: prices that a solver found prove the optimum if reduced costs have
the right signs, which takes O(pairs). Otherwise they are the first potentials on the network of the instance.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Proof:
    """Room for the costs of so many arcs and the potentials of so many nodes, each in two parts.

    ``wide``: second parts matter. ``cycles``: how many changes of the flow there were. ``large`` and ``small`` are
    powers of two, which sums of first and second parts stay below. ``predecessor``: the arc that
    lowered a potential last, or NO_ARC. ``queue``: the nodes that wait, in a ring.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.wide = False
        self.large = self.small = 0.0
        self.steps = self.waiting = self.cycles = 0
        self.cost, self.rest = np.empty(arcs), np.empty(arcs)
        self.potential, self.potential_rest, self.initial, self.initial_rest = [np.empty(nodes) for _ in range(4)]
        self.predecessor, self.mark = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
        self.queue, self.queued = np.empty(nodes, np.int32), np.empty(nodes, np.uint8)


def _power_above(value):
    """The least power of two that is not below a value."""
    power: cython.double = 1.0
    while power < value:
        power *= 2.0
    while power >= 2.0 * value and power > 1e-200:
        power *= 0.5
    return power


def split_costs(net, proof):
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


def set_potential(proof, v, price):
    """Have the potential of a node begin at a price, as nearly as units allow; 0 if that is out of range."""
    if not fabs(price) <= 0.125 * proof.large:
        price = 0.0
    part = (price + 2.0 * proof.large) - 2.0 * proof.large
    proof.initial[v] = part
    proof.initial_rest[v] = ((price - part) + 2.0 * proof.small) - 2.0 * proof.small if proof.wide else 0.0


def _reset(net, proof):
    """Return to the initial potentials."""
    v: cython.Py_ssize_t
    for v in range(net.nodes):
        proof.potential[v] = proof.initial[v]
        proof.potential_rest[v] = proof.initial_rest[v]
        proof.predecessor[v] = NO_ARC


def cancel_negative_cycles(net, proof):
    """Cancel negative cycles until there is none; the verdict."""
    v: cython.Py_ssize_t
    rounds: cython.int = 0
    proof.cycles = 0
    _reset(net, proof)
    while _relax(net, proof):
        check_signals(proof, net.arcs)
        rounds += 1
        node = _node_on_cycle(net, proof)
        if node != NO_ARC:
            _cancel_cycle(net, proof, node)
        elif rounds >= FEW_ROUNDS:
            list_residual_arcs(net)
            _relax_by_queue(net, proof)
        if proof.cycles > MOST_CYCLES or rounds > FEW_ROUNDS + 2 * (proof.cycles + 1):
            return LONG
    for v in range(net.nodes):
        if fabs(proof.potential[v]) > 0.25 * proof.large or fabs(proof.potential_rest[v]) > 0.25 * proof.small:
            return WIDE
    return PROVED


def check_signals(proof, steps):
    """Look for signals once in a while."""
    proof.steps += steps
    if proof.steps > 1 << 20:
        proof.steps = 0
        look_for_signals()
    return 0


def _relax(net, proof):
    """Relax all arcs once; whether a potential was lowered."""
    a: cython.Py_ssize_t
    changed: cython.bint = False
    for a in range(net.arcs):
        head = net.end[2 * a]
        tail = net.end[2 * a + 1]
        reduced = proof.cost[a] + proof.potential[tail] - proof.potential[head]
        if proof.wide:
            reduced += proof.rest[a] + proof.potential_rest[tail] - proof.potential_rest[head]
        forward: cython.bint = (reduced < 0.0) & (
            net.residual[2 * a] > 0
        )  # without branches, which nobody could foretell
        backward: cython.bint = (reduced > 0.0) & (net.residual[2 * a + 1] > 0)
        if forward | backward:
            changed = True
            if forward:
                proof.potential[head] = proof.potential[tail] + proof.cost[a]
                proof.potential_rest[head] = proof.potential_rest[tail] + proof.rest[a]
                proof.predecessor[head] = 2 * a
            else:
                proof.potential[tail] = proof.potential[head] - proof.cost[a]
                proof.potential_rest[tail] = proof.potential_rest[head] - proof.rest[a]
                proof.predecessor[tail] = 2 * a + 1
    return changed


def _relax_by_queue(net, proof):
    """Relax node by node, by a queue (Bellman–Ford–Moore), and cancel cycles as they are found.

    Where long chains have to be followed this is faster than going over all arcs each time.
    """
    v: cython.Py_ssize_t
    done: cython.Py_ssize_t = 0
    proof.waiting = 0
    for v in range(net.nodes):
        proof.queued[v] = 0
    for v in range(net.nodes):
        _enqueue(net, proof, v, 0)
    while proof.waiting and proof.cycles <= MOST_CYCLES and done // net.nodes <= net.nodes + 16 * proof.cycles:
        if done // net.nodes <= 16 + proof.cycles:
            _bring_most_lowered_first(net, proof, done)
        v = proof.queue[done % net.nodes]
        proof.queued[v] = 0
        proof.waiting -= 1
        done += 1
        _relax_node(net, proof, v, done)
        check_signals(proof, proof.waiting + net.first[v + 1] - net.first[v])
        if done % 16 == 0:
            node = _node_on_cycle(net, proof)
            if node != NO_ARC:
                v = node
                while True:  # those on the cycle have new residual arcs
                    _enqueue(net, proof, v, done)
                    v = net.end[proof.predecessor[v] ^ 1]
                    if v == node:
                        break
                _cancel_cycle(net, proof, node)
    return 0


def _enqueue(net, proof, v, first):
    """Put a node at the end of the queue that begins at ``first``, unless it waits there."""
    if not proof.queued[v]:
        proof.queued[v] = 1
        proof.queue[(first + proof.waiting) % net.nodes] = v
        proof.waiting += 1


def _bring_most_lowered_first(net, proof, first):
    """Begin the queue with the node whose potential was lowered most: from good prices on, few are met twice."""
    k: cython.Py_ssize_t
    first %= net.nodes
    best: cython.Py_ssize_t = first
    least: cython.double = INFINITY
    for k in range(first, first + proof.waiting):
        at: cython.Py_ssize_t = k if k < net.nodes else k - net.nodes
        v = proof.queue[at]
        fallen = (proof.potential[v] - proof.initial[v]) + (proof.potential_rest[v] - proof.initial_rest[v])
        if fallen < least:
            least = fallen
            best = at
    v = proof.queue[best]
    proof.queue[best] = proof.queue[first]
    proof.queue[first] = v


def _relax_node(net, proof, v, first):
    """Relax the residual arcs of node v, and enqueue the nodes whose potentials were lowered."""
    k: cython.int
    for k in range(net.first[v], net.first[v + 1]):
        arc = net.outgoing[k]
        if net.residual[arc] <= 0:
            continue
        other = net.end[arc]
        potential = proof.potential[v] - proof.cost[arc >> 1] if arc & 1 else proof.potential[v] + proof.cost[arc >> 1]
        rest = (
            proof.potential_rest[v] - proof.rest[arc >> 1]
            if arc & 1
            else proof.potential_rest[v] + proof.rest[arc >> 1]
        )
        if (potential - proof.potential[other]) + (rest - proof.potential_rest[other]) < 0.0:
            proof.potential[other] = potential
            proof.potential_rest[other] = rest
            proof.predecessor[other] = arc
            _enqueue(net, proof, other, first)


def _node_on_cycle(net, proof):
    """A node on a cycle of predecessor arcs, or NO_ARC."""
    start: cython.Py_ssize_t
    for start in range(net.nodes):
        proof.mark[start] = NO_ARC
    for start in range(net.nodes):
        node: cython.Py_ssize_t = start
        while node != NO_ARC and proof.mark[node] == NO_ARC:
            proof.mark[node] = start
            arc = proof.predecessor[node]
            node = NO_ARC if arc == NO_ARC else net.end[arc ^ 1]
        if node != NO_ARC and proof.mark[node] == start:
            return node
    return NO_ARC


def _cancel_cycle(net, proof, start):
    """Push the bottleneck round the cycle of predecessor arcs that ``start`` is on, and forget all predecessors."""
    most: cython.longlong = net.residual[proof.predecessor[start]]
    for turn in range(2):
        node: cython.Py_ssize_t = start
        while True:
            arc = proof.predecessor[node]
            if turn == 0:
                most = min(most, net.residual[arc])
            else:
                push(net, arc, most)
            node = net.end[arc ^ 1]
            if node == start:
                break
    proof.cycles += 1
    small: cython.bint = True
    for node in range(net.nodes):
        proof.predecessor[node] = NO_ARC
        small &= (
            fabs(proof.potential[node]) <= 0.125 * proof.large
            and fabs(proof.potential_rest[node]) <= 0.125 * proof.small
        )
    if not small:  # start again before potentials are too large for exact sums
        _reset(net, proof)
        proof.waiting = 0


# ---- pairings


def cheapest(given: Pairing, asked: Array, chosen: Chosen) -> Array:
    """Turn what is chosen in the instances that are ``asked`` for into what costs least; a verdict for each.

    PROVED: perhaps after changes. WIDE: costs are too far apart. LONG: too many changes. BROKEN: bounds are not kept.
    """
    verdicts = np.zeros(given.size, np.uint8)
    _prove_at_once(given, asked.view("u1"), chosen, Proof(0, 0), np.empty(given.most_true, np.int64), verdicts)
    left = np.flatnonzero(asked & (verdicts != PROVED))
    if left.size:  # few are, and a network takes several times the memory of the costs
        heights, widths = np.diff(given.pred_ptr)[left], np.diff(given.true_ptr)[left]
        nodes = 1 + int((heights + widths).max())
        arcs = int((heights * widths).max()) + 2 * nodes
        _all_cheapest(given, left, chosen, Network(nodes, arcs), Proof(nodes, arcs), verdicts)
    return verdicts


def _prove_at_once(given, asked, chosen, proof, degrees, verdicts):
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if asked[i]:
                check_signals(proof, 1 + given.pair_ptr[i + 1] - given.pair_ptr[i])
                if _proved_at_once(given, i, chosen, degrees):
                    verdicts[i] = PROVED


def _all_cheapest(given, left, chosen, net, proof, verdicts):
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(left.shape[0]):
            i: cython.Py_ssize_t = left[k]
            check_signals(proof, 1 + given.pair_ptr[i + 1] - given.pair_ptr[i])
            if not build_network(given, i, chosen, net):
                verdicts[i] = BROKEN
            elif not split_costs(net, proof):
                verdicts[i] = WIDE
            else:
                _take_prices(given, i, chosen, proof)
                verdicts[i] = cancel_negative_cycles(net, proof)
                if proof.cycles:
                    read_flow(given, i, net, chosen)


def _proved_at_once(given, i, chosen, degrees):
    """Whether the prices of a solver fit as they are, which is seen without the network.

    For pairs that count for both their ends, and prices whose sums are exact: they have few digits, or those of one
    side are 0. In comparisons nothing is rounded.
    """
    c: cython.Py_ssize_t
    row: cython.Py_ssize_t
    k: cython.Py_ssize_t = given.pair_ptr[i]
    p: cython.Py_ssize_t = given.pred_ptr[i]
    t: cython.Py_ssize_t = given.true_ptr[i]
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - t
    fits: cython.bint = given.mutual
    few: cython.bint = True
    free: cython.bint = True
    for c in range(width):
        degrees[c] = chosen.default_t[t + c]
        few &= has_few_digits(chosen.price_t[t + c])
        free &= chosen.price_t[t + c] == 0.0
    for row in range(height):
        degree = chosen.default_p[p + row]
        price = chosen.price_p[p + row]
        fits &= (few and has_few_digits(price)) or free or price == 0.0
        if not fits:
            return False
        for c in range(width):
            over = given.kappa[k + c] - (price + chosen.price_t[t + c])
            picked = chosen.pairs[k + c]
            degree += picked
            degrees[c] += picked
            fits &= (over <= 0.0) if picked else (over >= 0.0)
        k += width
        lower, upper = given.lower_p[p + row], given.upper_p[p + row]
        fits &= _price_fits(price, given.default_p[p + row], chosen.default_p[p + row], degree, lower, upper)
    for c in range(width):
        lower, upper, degree = given.lower_t[t + c], given.upper_t[t + c], degrees[c]
        fits &= _price_fits(
            chosen.price_t[t + c], given.default_t[t + c], chosen.default_t[t + c], degree, lower, upper
        )
    return fits


def has_few_digits(price):
    """Whether a price is a multiple of 2⁻²⁰ below 2³¹, so that the sum of two such prices is exact."""
    return fabs(price) < 2147483648.0 and (price + 8589934592.0) - 8589934592.0 == price


def _price_fits(price, default, taken, degree, lower, upper):
    """Whether a class keeps its bounds, and its price neither lets it take more nor less, also of its default class."""
    kept: cython.bint = lower <= degree <= upper and 0 <= taken <= upper
    more: cython.bint = (degree == upper or price >= 0.0) and (taken == upper or price <= default)
    less: cython.bint = (degree == lower or price <= 0.0) and (taken == 0 or price >= default)
    return kept and more and less


def _take_prices(given, i, chosen, proof):
    """Begin with the prices that a solver found."""
    c: cython.Py_ssize_t
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    set_potential(proof, 0, 0.0)
    for c in range(height):
        set_potential(proof, 1 + c, -chosen.price_p[given.pred_ptr[i] + c])
    for c in range(given.true_ptr[i + 1] - given.true_ptr[i]):
        set_potential(proof, 1 + height + c, chosen.price_t[given.true_ptr[i] + c])
