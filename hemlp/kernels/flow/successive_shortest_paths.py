"""Minimum-cost flow by successive shortest paths with potentials (Jewell, 1958; Edmonds and Karp, 1972).

Lower bounds are met first, which leaves some nodes with an excess and others with a deficit. Each shortest augmenting
path (Dijkstra's algorithm on reduced costs) then takes flow from the one to the other. O(F · n²) for F units of excess
and n nodes: the networks are small and dense, so that a heap does not pay.

Invariant: the reduced cost of an arc, cost + potential[tail] − potential[head], is at least 0 where it has residual
capacity, and at most 0 where its reverse has. So the flow is of least cost among those with the same excesses, and in
the end, without excesses, among all. Reduced costs are floats, exact where sums of costs are; what rounding leaves to
improve is found by ``certificate``.

**The network** of one instance of Problem 1 has a solution as its flow, and is kept as a residual network. Node 0 is
source, sink and both default classes in one; then come the predicted and then the true classes. Arcs are, in this
order,

    the pairs            predicted → true class, at κ; from or to node 0 where the pair does not count for that end
    defaults             predicted class → node 0, node 0 → true class, at what the default class costs
    classes              node 0 → predicted class, true class → node 0, for nothing, within the bounds of the class

A solution is a circulation: at each node as much flows in as out. Invariant: the residual capacities of the two
directions of an arc add up to its upper bound less its lower bound. Everything here is linear in the number of arcs.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Dijkstra:
    """Room for shortest-path searches in networks of so many nodes, and the potentials and excesses of the present one.

    Of the present search, ``distance`` is the tentative one of each node and ``predecessor`` the arc that gives it;
    ``labelled`` lists the open nodes, ``settled`` those whose distance is final.
    """

    def __init__(self, nodes: int) -> None:
        self.steps = self.labels = self.settles = 0
        self.excess = np.empty(nodes, np.int64)
        self.potential, self.distance = np.empty(nodes), np.empty(nodes)
        self.labelled, self.settled, self.predecessor = [np.empty(nodes, np.int32) for _ in range(3)]


def successive_shortest_paths(given: Pairing, chosen: Chosen) -> Array:
    """Solve each instance, with prices that prove it; which instances have a solution."""
    feasible = np.empty(given.size, np.bool_)
    nodes = 1 + given.most_pred + given.most_true
    arcs = given.most_pairs + 2 * nodes
    _augment_all(given, chosen, Network(nodes, arcs), Dijkstra(nodes), feasible.view("u1"))
    return feasible


def _augment_all(given, chosen, net, search, feasible):
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            build_network(given, i, chosen, net)
            feasible[i] = least_cost_flow(net, search)
            if feasible[i]:
                read_flow(given, i, net, chosen)
                p: cython.Py_ssize_t = given.pred_ptr[i]
                t: cython.Py_ssize_t = given.true_ptr[i]
                height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
                for c in range(height):
                    chosen.price_p[p + c] = search.potential[0] - search.potential[1 + c]
                for c in range(given.true_ptr[i + 1] - t):
                    chosen.price_t[t + c] = search.potential[1 + height + c] - search.potential[0]


def least_cost_flow(net, search):
    """Turn a network in which nothing flows into one with a flow of least cost that keeps all bounds, if there is one.

    Returns whether there is.
    """
    v: cython.int
    _check_signals(search, net.arcs)
    if not _meet_lower_bounds(net, search):
        return False
    list_residual_arcs(net)
    _initial_potentials(net, search)
    _push_along_tight_arcs(net, search)
    for v in range(net.nodes):
        while search.excess[v] > 0:
            end = _shortest_path(net, search, v)
            if end == NO_ARC:
                return False
            _augment(net, search, v, end)
            _check_signals(search, 0)
    return True


def _check_signals(search, steps):
    """Look for signals once in a while."""
    search.steps += steps
    if search.steps > 1 << 20:
        search.steps = 0
        look_for_signals()
    return 0


def _meet_lower_bounds(net, search):
    """Let arcs carry their lower bounds, which makes excesses and deficits; whether they can."""
    a: cython.Py_ssize_t
    v: cython.Py_ssize_t
    for v in range(net.nodes):
        search.excess[v] = 0
        search.potential[v] = 0.0
    for a in range(net.arcs):
        missing = -net.residual[2 * a + 1]
        if missing > 0:
            push(net, 2 * a, missing)
            search.excess[net.end[2 * a]] += missing
            search.excess[net.end[2 * a + 1]] -= missing
            if net.residual[2 * a] < 0:
                return False
    return True


def _initial_potentials(net, search):
    """First potentials: an arc out of each node with an excess is tight, and then one into each with a deficit."""
    a: cython.Py_ssize_t
    v: cython.int
    for v in range(net.nodes):
        search.distance[v] = INFINITY
        if search.excess[v] > 0:
            _route_cheapest(net, search, v)
    for a in range(net.arcs):
        head = net.end[2 * a]
        reduced = net.cost[a] + search.potential[net.end[2 * a + 1]] - search.potential[head]
        if net.residual[2 * a] > 0 and reduced < search.distance[head]:
            search.distance[head] = reduced
    for v in range(net.nodes):
        if search.excess[v] < 0 and search.distance[v] < INFINITY:
            search.potential[v] += search.distance[v]


def _route_cheapest(net, search, v):
    """Have the cheapest arcs out of a node carry all of its excess but the last: the arc that would take that is free.

    Those that are cheaper are full then, and going back along them is not.
    """
    k: cython.int
    left = search.excess[v]
    while left > 0:
        cheapest: cython.double = INFINITY
        room: cython.longlong = 0
        for k in range(net.first[v], net.first[v + 1]):
            arc = net.outgoing[k]
            if net.residual[arc] > 0:
                reduced = _reduced_cost(net, search, v, arc)
                if reduced < cheapest:
                    cheapest = reduced
                    room = 0
                room += net.residual[arc] if reduced == cheapest else 0
        if cheapest == INFINITY:
            return
        search.potential[v] -= cheapest
        if room >= left:
            return
        left -= room
        for k in range(net.first[v], net.first[v + 1]):
            arc = net.outgoing[k]
            if net.residual[arc] > 0 and _reduced_cost(net, search, v, arc) <= 0.0:
                search.excess[net.end[arc]] += net.residual[arc]
                search.excess[v] -= net.residual[arc]
                push(net, arc, net.residual[arc])


def _reduced_cost(net, search, v, arc):
    """The reduced cost of a residual arc that leaves node v."""
    cost = -net.cost[arc >> 1] if arc & 1 else net.cost[arc >> 1]
    return cost + search.potential[v] - search.potential[net.end[arc]]


def _push_along_tight_arcs(net, search):
    """Push excesses to neighbours with deficits along arcs of reduced cost 0."""
    a: cython.Py_ssize_t
    for a in range(net.arcs):
        head = net.end[2 * a]
        tail = net.end[2 * a + 1]
        if search.excess[tail] <= 0 or search.excess[head] >= 0 or net.residual[2 * a] <= 0:
            continue
        if net.cost[a] + search.potential[tail] - search.potential[head] <= 0.0:
            most = min(net.residual[2 * a], min(search.excess[tail], -search.excess[head]))
            push(net, 2 * a, most)
            search.excess[tail] -= most
            search.excess[head] += most


def _shortest_path(net, search, start):
    """The nearest node with a deficit (Dijkstra), with potentials that make the path there tight; or NO_ARC."""
    k: cython.int
    v: cython.int
    for v in range(net.nodes):
        search.distance[v] = INFINITY
    search.distance[start] = 0.0
    search.predecessor[start] = NO_ARC
    search.labelled[0] = start
    search.labels = 1
    search.settles = 0
    while search.labels:
        best: cython.int = 0
        for k in range(1, search.labels):
            if search.distance[search.labelled[k]] < search.distance[search.labelled[best]]:
                best = k
        v = search.labelled[best]
        end: cython.int = v
        if search.excess[v] >= 0:
            search.labels -= 1
            search.labelled[best] = search.labelled[search.labels]
            search.settled[search.settles] = v
            search.settles += 1
            end = _relax(net, search, v)
        if end != NO_ARC:
            for k in range(search.settles):
                search.potential[search.settled[k]] -= search.distance[end] - search.distance[search.settled[k]]
            return end
    return NO_ARC


def _relax(net, search, v):
    """Relax the residual arcs of a settled node; a neighbour with a deficit that is no farther, if there is one."""
    k: cython.int
    search.steps += net.first[v + 1] - net.first[v]
    for k in range(net.first[v], net.first[v + 1]):
        arc = net.outgoing[k]
        if net.residual[arc] <= 0:
            continue
        other = net.end[arc]
        reduced = _reduced_cost(net, search, v, arc)
        length = search.distance[v] + (reduced if reduced > 0.0 else 0.0)
        if length < search.distance[other]:
            if search.distance[other] == INFINITY:
                search.labelled[search.labels] = other
                search.labels += 1
            search.distance[other] = length
            search.predecessor[other] = arc
            if search.excess[other] < 0 and length == search.distance[v]:
                return other
    return NO_ARC


def _augment(net, search, start, end):
    """Augment the flow along the path, by its bottleneck."""
    most: cython.longlong = min(search.excess[start], -search.excess[end])
    for turn in range(2):
        v = end
        while v != start:
            arc = search.predecessor[v]
            if turn == 0:
                most = min(most, net.residual[arc])
            else:
                push(net, arc, most)
            v = net.end[arc ^ 1]
    search.excess[start] -= most
    search.excess[end] += most


# ---- the network


class Network:
    """Room for so many nodes and arcs, and the present network and its flow.

    Arc a has two residual arcs, forward (2a) and backward (2a + 1): ``end`` is the head of each, and ``residual`` its
    residual capacity. An arc that does not exist has none either way. ``outgoing[first[v]:first[v + 1]]``
    are the residual arcs that leave node v, once they are listed.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.nodes = self.arcs = 0
        self.cost = np.empty(arcs)
        self.end, self.residual = np.empty(2 * arcs, np.int32), np.empty(2 * arcs, np.int64)
        self.first, self.outgoing = np.empty(nodes + 1, np.int32), np.empty(2 * arcs, np.int32)


def build_network(given, i, chosen, net):
    """The network of instance i with what is chosen as its flow; whether that keeps all bounds."""
    c: cython.int
    height: cython.int = given.pred_ptr[i + 1] - given.pred_ptr[i]
    width: cython.int = given.true_ptr[i + 1] - given.true_ptr[i]
    default: cython.Py_ssize_t = given.pair_ptr[i + 1] - given.pair_ptr[i]
    of_class: cython.Py_ssize_t = default + height + width
    net.nodes = 1 + height + width
    net.arcs = of_class + height + width
    kept: cython.bint = True
    for c in range(height + width):
        predicted: cython.bint = c < height
        at: cython.Py_ssize_t = given.pred_ptr[i] + c if predicted else given.true_ptr[i] + c - height
        taken = chosen.default_p[at] if predicted else chosen.default_t[at]
        upper = given.upper_p[at] if predicted else given.upper_t[at]
        cost = given.default_p[at] if predicted else given.default_t[at]
        exists: cython.bint = cost < INFINITY
        net.end[2 * (default + c)] = net.end[2 * (of_class + c) + 1] = 0 if predicted else 1 + c
        net.end[2 * (default + c) + 1] = net.end[2 * (of_class + c)] = 1 + c if predicted else 0
        net.cost[default + c] = cost if exists else 0.0
        net.cost[of_class + c] = 0.0
        net.residual[2 * (default + c)] = upper - taken if exists else 0
        net.residual[2 * (default + c) + 1] = taken
        net.residual[2 * (of_class + c)] = upper - taken
        net.residual[2 * (of_class + c) + 1] = taken - (given.lower_p[at] if predicted else given.lower_t[at])
        kept &= 0 <= taken <= upper and (exists or taken == 0)
    kept &= _add_pairs(given, i, chosen, net)
    for c in range(2 * (height + width)):
        kept &= net.residual[2 * of_class + c] >= 0
    return kept


def _add_pairs(given, i, chosen, net):
    """The arcs of pairs, and what they take of the room of their classes; whether all that are chosen exist."""
    row: cython.int
    column: cython.int
    kept: cython.bint = True
    height: cython.int = given.pred_ptr[i + 1] - given.pred_ptr[i]
    width: cython.int = given.true_ptr[i + 1] - given.true_ptr[i]
    of_class: cython.Py_ssize_t = given.pair_ptr[i + 1] - given.pair_ptr[i] + height + width
    a: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t = given.pair_ptr[i]
    for row in range(height):
        for column in range(width):
            serves = given.serves[k]
            exists: cython.bint = serves != 0 and given.kappa[k] < INFINITY
            net.end[2 * a + 1] = 1 + row if serves & 1 else 0
            net.end[2 * a] = 1 + height + column if serves & 2 else 0
            net.cost[a] = given.kappa[k] if exists else 0.0
            net.residual[2 * a] = exists and not chosen.pairs[k]
            net.residual[2 * a + 1] = chosen.pairs[k]
            if chosen.pairs[k]:
                kept &= exists
                if serves & 1:
                    push(net, 2 * (of_class + row), 1)
                if serves & 2:
                    push(net, 2 * (of_class + height + column), 1)
            a += 1
            k += 1
    return kept


def read_flow(given, i, net, chosen):
    """Choose what flows in the network of instance i."""
    c: cython.Py_ssize_t
    begin: cython.Py_ssize_t = given.pair_ptr[i]
    pairs: cython.Py_ssize_t = given.pair_ptr[i + 1] - begin
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    for c in range(pairs):
        chosen.pairs[begin + c] = net.residual[2 * c + 1] > 0
    for c in range(height):
        chosen.default_p[given.pred_ptr[i] + c] = net.residual[2 * (pairs + c) + 1]
    for c in range(given.true_ptr[i + 1] - given.true_ptr[i]):
        chosen.default_t[given.true_ptr[i] + c] = net.residual[2 * (pairs + height + c) + 1]


def push(net, arc, amount):
    """Push flow along a residual arc."""
    net.residual[arc] -= amount
    net.residual[arc ^ 1] += amount


def list_residual_arcs(net):
    """List the residual arcs that leave each node, without arcs that have no capacity either way."""
    arc: cython.int
    v: cython.Py_ssize_t
    for v in range(net.nodes + 1):
        net.first[v] = 0
    for arc in range(2 * net.arcs):
        if net.residual[arc] + net.residual[arc ^ 1] > 0:
            net.first[net.end[arc ^ 1]] += 1
    for v in range(net.nodes):
        net.first[v + 1] += net.first[v]
    for arc in range(2 * net.arcs):
        if net.residual[arc] + net.residual[arc ^ 1] > 0:
            v = net.end[arc ^ 1]
            net.first[v] -= 1
            net.outgoing[net.first[v]] = arc
