"""Flows without cycles of negative cost, by arithmetic without rounding.

A flow is of least cost if and only if no cycle of the network, along which it could be changed, has a negative cost;
and that holds if and only if there are numbers ``far`` of the nodes with far[head] ≤ far[tail] + cost along every arc
that can carry more, and the reverse along every arc that can carry less. Such numbers are looked for by making them
smaller until they fit (Bellman, Ford), from any start. If they never fit, the ways by which they became smaller close
to a cycle of negative cost: along that the flow is changed for the better, and it goes on.

Nothing is rounded: a cost is kept as the sum of two floats. One is a multiple of a unit so large that sums over the
whole network fit a float, the other is what is left, in multiples of a unit of its own. Mostly nothing is left. Sums of
either are exact; and the sum of two floats has the right sign, whatever is rounded.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from math import fabs
    from math import inf as INFINITY

    from hemlp.kernels.flow.network import list_ways, send
    from hemlp.kernels.signals import look_for_signals

    NOT_ASKED, PROVED, WIDE, LONG, BROKEN = range(5)
    NOWHERE, FEW_ROUNDS, MOST_CYCLES = -1, 10, 5_000


class Proof:
    """Room for the costs of so many arcs and the numbers of so many nodes, each in two parts; they begin at ``start``.

    ``wide``: second parts matter. ``cycles``: how many changes of the flow there were. ``large`` and ``small`` are
    powers of two, which sums of first and second parts stay below. ``came``: the way by which a node was reached, or
    NOWHERE. ``queue``: the nodes that wait, in a ring.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.wide = False
        self.large = self.small = 0.0
        self.steps = self.waiting = self.cycles = 0
        self.cost, self.rest = np.empty(arcs), np.empty(arcs)
        self.far, self.far_rest, self.start, self.start_rest = (np.empty(nodes) for _ in range(4))
        self.came, self.mark = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
        self.queue, self.waits = np.empty(nodes, np.int32), np.empty(nodes, np.uint8)


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


def set_price(proof, v, price):
    """Have the number of a node begin at a price, as nearly as units allow; what can be no price is left out."""
    if not fabs(price) <= 0.125 * proof.large:
        price = 0.0
    part = (price + 2.0 * proof.large) - 2.0 * proof.large
    proof.start[v] = part
    proof.start_rest[v] = ((price - part) + 2.0 * proof.small) - 2.0 * proof.small if proof.wide else 0.0


def _begin(net, proof):
    """Go to the start."""
    v: cython.Py_ssize_t
    for v in range(net.nodes):
        proof.far[v] = proof.start[v]
        proof.far_rest[v] = proof.start_rest[v]
        proof.came[v] = NOWHERE


def improve(net, proof):
    """Change the flow along cycles of negative cost until there is none; the verdict."""
    v: cython.Py_ssize_t
    rounds: cython.int = 0
    proof.cycles = 0
    _begin(net, proof)
    while _relax(net, proof):
        look_after(proof, net.arcs)
        rounds += 1
        node = _node_on_cycle(net, proof)
        if node != NOWHERE:
            _turn(net, proof, node)
        elif rounds >= FEW_ROUNDS:
            list_ways(net)
            _relax_in_turn(net, proof)
        if proof.cycles > MOST_CYCLES or rounds > FEW_ROUNDS + 2 * (proof.cycles + 1):
            return LONG
    for v in range(net.nodes):
        if fabs(proof.far[v]) > 0.25 * proof.large or fabs(proof.far_rest[v]) > 0.25 * proof.small:
            return WIDE
    return PROVED


def look_after(proof, steps):
    """Look for signals once in a while."""
    proof.steps += steps
    if proof.steps > 1 << 20:
        proof.steps = 0
        look_for_signals()
    return 0


def _relax(net, proof):
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


def _relax_in_turn(net, proof):
    """The same node by node, as long as ways from it may demand it, with changes of the flow where they are found.

    Where long chains have to be followed this is faster than going over all arcs each time.
    """
    v: cython.Py_ssize_t
    done: cython.Py_ssize_t = 0
    proof.waiting = 0
    for v in range(net.nodes):
        proof.waits[v] = 0
    for v in range(net.nodes):
        _wait(net, proof, v, 0)
    while proof.waiting and proof.cycles <= MOST_CYCLES and done // net.nodes <= net.nodes + 16 * proof.cycles:
        if done // net.nodes <= 16 + proof.cycles:
            _put_most_urgent_first(net, proof, done)
        v = proof.queue[done % net.nodes]
        proof.waits[v] = 0
        proof.waiting -= 1
        done += 1
        _relax_from(net, proof, v, done)
        look_after(proof, proof.waiting + net.first[v + 1] - net.first[v])
        if done % 16 == 0:
            node = _node_on_cycle(net, proof)
            if node != NOWHERE:
                v = node
                while True:  # those on the cycle have new ways
                    _wait(net, proof, v, done)
                    v = net.end[proof.came[v] ^ 1]
                    if v == node:
                        break
                _turn(net, proof, node)
    return 0


def _wait(net, proof, v, first):
    """Put a node at the end of the queue that begins at ``first``, unless it waits there."""
    if not proof.waits[v]:
        proof.waits[v] = 1
        proof.queue[(first + proof.waiting) % net.nodes] = v
        proof.waiting += 1


def _put_most_urgent_first(net, proof, first):
    """Begin the queue with the node whose number has fallen most: from good prices on, few are met more than once."""
    k: cython.Py_ssize_t
    first %= net.nodes
    best: cython.Py_ssize_t = first
    least: cython.double = INFINITY
    for k in range(first, first + proof.waiting):
        at: cython.Py_ssize_t = k if k < net.nodes else k - net.nodes
        v = proof.queue[at]
        fallen = (proof.far[v] - proof.start[v]) + (proof.far_rest[v] - proof.start_rest[v])
        if fallen < least:
            least = fallen
            best = at
    v = proof.queue[best]
    proof.queue[best] = proof.queue[first]
    proof.queue[first] = v


def _relax_from(net, proof, v, first):
    """Make the numbers of neighbours of node v smaller where they have to be, and put them at the end of the queue."""
    k: cython.int
    for k in range(net.first[v], net.first[v + 1]):
        way = net.leaving[k]
        if net.space[way] <= 0:
            continue
        other = net.end[way]
        far = proof.far[v] - proof.cost[way >> 1] if way & 1 else proof.far[v] + proof.cost[way >> 1]
        rest = proof.far_rest[v] - proof.rest[way >> 1] if way & 1 else proof.far_rest[v] + proof.rest[way >> 1]
        if (far - proof.far[other]) + (rest - proof.far_rest[other]) < 0.0:
            proof.far[other] = far
            proof.far_rest[other] = rest
            proof.came[other] = way
            _wait(net, proof, other, first)


def _node_on_cycle(net, proof):
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


def _turn(net, proof, start):
    """Send as much as there is room for round the cycle that ``start`` is on, and forget how nodes were reached."""
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
    proof.cycles += 1
    small: cython.bint = True
    for node in range(net.nodes):
        proof.came[node] = NOWHERE
        small &= fabs(proof.far[node]) <= 0.125 * proof.large and fabs(proof.far_rest[node]) <= 0.125 * proof.small
    if not small:  # begin anew, before numbers are too large for exact sums
        _begin(net, proof)
        proof.waiting = 0
