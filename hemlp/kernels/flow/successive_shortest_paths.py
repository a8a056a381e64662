"""Minimum-cost flow by successive shortest paths with potentials (Jewell, 1958; Edmonds and Karp, 1972).

Lower bounds are met first, which leaves some nodes with an excess and others with a deficit. Each shortest augmenting
path (Dijkstra's algorithm on reduced costs) then takes flow from the one to the other. O(F · n²) for F units of excess
and n nodes: the networks are small and dense, so that a heap does not pay.

Invariant: the reduced cost of an arc, cost + potential[tail] − potential[head], is at least 0 where it has residual
capacity, and at most 0 where its reverse has. So the flow is of least cost among those with the same excesses, and in
the end, without excesses, among all. Reduced costs are floats, exact where sums of costs are; what rounding leaves to
improve is found by ``negative_cycles``.
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
        self.labelled, self.settled, self.predecessor = (np.empty(nodes, np.int32) for _ in range(3))


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
