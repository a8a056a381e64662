"""A flow of least cost in a small network, by successive shortest paths.

Arcs that have to carry something are filled first, which leaves some nodes with an excess and others with a deficit.
What is too much is then sent where it is missing, along the shortest way each time. Numbers ``far`` of the nodes keep
every toll, cost + far[tail] − far[head], at 0 or above where an arc can carry more (and at 0 or below where it can
carry less); so the flow is of least cost among those with its excesses at each step, and in the end, when there are
none, of all. Tolls are floats, and exact where sums of costs are; what rounding leaves to improve is found by the
certificate.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array

if not cython.compiled:
    from math import inf as INFINITY

    from hemlp.kernels.flow.network import Network, lay_out, list_ways, read_off, send
    from hemlp.kernels.flow.pairing import Chosen, Pairing
    from hemlp.kernels.signals import look_for_signals

    NOWHERE = -1


class Search:
    """Room for searches in networks of so many nodes.

    Of the present search, ``least`` is the length of the shortest known way to each node and ``came`` its last step;
    ``labelled`` lists the nodes that wait, ``settled`` those that are done.
    """

    def __init__(self, nodes: int) -> None:
        self.steps = self.labels = self.settles = 0
        self.excess = np.empty(nodes, np.int64)
        self.far, self.least = np.empty(nodes), np.empty(nodes)
        self.labelled, self.settled, self.came = (np.empty(nodes, np.int32) for _ in range(3))


def augment(given: Pairing, chosen: Chosen) -> Array:
    """Choose what costs least in each instance, and find prices; which instances have a solution."""
    feasible = np.empty(given.size, np.bool_)
    nodes = 1 + given.most_pred + given.most_true
    arcs = given.most_pairs + 2 * nodes
    _augment_all(given, chosen, Network(nodes, arcs), Search(nodes), feasible.view("u1"))
    return feasible


def _augment_all(given, chosen, net, search, feasible):
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            lay_out(given, i, chosen, net)
            feasible[i] = least_cost_flow(net, search)
            if feasible[i]:
                read_off(given, i, net, chosen)
                p: cython.Py_ssize_t = given.pred_ptr[i]
                t: cython.Py_ssize_t = given.true_ptr[i]
                height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
                for c in range(height):
                    chosen.price_p[p + c] = search.far[0] - search.far[1 + c]
                for c in range(given.true_ptr[i + 1] - t):
                    chosen.price_t[t + c] = search.far[1 + height + c] - search.far[0]


def least_cost_flow(net, search):
    """Turn a network in which nothing flows into one with a flow of least cost that keeps all bounds, if there is one.

    Returns whether there is.
    """
    v: cython.int
    _look_after(search, net.arcs)
    if not _fill(net, search):
        return False
    list_ways(net)
    _find_prices(net, search)
    _push_along_tight_arcs(net, search)
    for v in range(net.nodes):
        while search.excess[v] > 0:
            end = _shortest_way(net, search, v)
            if end == NOWHERE:
                return False
            _push(net, search, v, end)
            _look_after(search, 0)
    return True


def _look_after(search, steps):
    """Look for signals once in a while."""
    search.steps += steps
    if search.steps > 1 << 20:
        search.steps = 0
        look_for_signals()
    return 0


def _fill(net, search):
    """Let arcs carry at least what they have to, whatever their ends say; whether they can."""
    a: cython.Py_ssize_t
    v: cython.Py_ssize_t
    for v in range(net.nodes):
        search.excess[v] = 0
        search.far[v] = 0.0
    for a in range(net.arcs):
        missing = -net.space[2 * a + 1]
        if missing > 0:
            send(net, 2 * a, missing)
            search.excess[net.end[2 * a]] += missing
            search.excess[net.end[2 * a + 1]] -= missing
            if net.space[2 * a] < 0:
                return False
    return True


def _find_prices(net, search):
    """Make an arc out of each node with an excess free, and then the cheapest into each with a deficit."""
    a: cython.Py_ssize_t
    v: cython.int
    for v in range(net.nodes):
        search.least[v] = INFINITY
        if search.excess[v] > 0:
            _price(net, search, v)
    for a in range(net.arcs):
        head = net.end[2 * a]
        reduced = net.cost[a] + search.far[net.end[2 * a + 1]] - search.far[head]
        if net.space[2 * a] > 0 and reduced < search.least[head]:
            search.least[head] = reduced
    for v in range(net.nodes):
        if search.excess[v] < 0 and search.least[v] < INFINITY:
            search.far[v] += search.least[v]


def _price(net, search, v):
    """Have the cheapest arcs out of a node carry all of its excess but the last: the arc that would take that is free.

    Those that are cheaper are full then, and going back along them is not.
    """
    k: cython.int
    left = search.excess[v]
    while left > 0:
        cheapest: cython.double = INFINITY
        space: cython.longlong = 0
        for k in range(net.first[v], net.first[v + 1]):
            way = net.leaving[k]
            if net.space[way] > 0:
                toll = _toll(net, search, v, way)
                if toll < cheapest:
                    cheapest = toll
                    space = 0
                space += net.space[way] if toll == cheapest else 0
        if cheapest == INFINITY:
            return
        search.far[v] -= cheapest
        if space >= left:
            return
        left -= space
        for k in range(net.first[v], net.first[v + 1]):
            way = net.leaving[k]
            if net.space[way] > 0 and _toll(net, search, v, way) <= 0.0:
                search.excess[net.end[way]] += net.space[way]
                search.excess[v] -= net.space[way]
                send(net, way, net.space[way])


def _toll(net, search, v, way):
    """The reduced cost of a way that leaves node v."""
    cost = -net.cost[way >> 1] if way & 1 else net.cost[way >> 1]
    return cost + search.far[v] - search.far[net.end[way]]


def _push_along_tight_arcs(net, search):
    """Send what is too much to neighbours that miss it, where that is free."""
    a: cython.Py_ssize_t
    for a in range(net.arcs):
        head = net.end[2 * a]
        tail = net.end[2 * a + 1]
        if search.excess[tail] <= 0 or search.excess[head] >= 0 or net.space[2 * a] <= 0:
            continue
        if net.cost[a] + search.far[tail] - search.far[head] <= 0.0:
            most = min(net.space[2 * a], min(search.excess[tail], -search.excess[head]))
            send(net, 2 * a, most)
            search.excess[tail] -= most
            search.excess[head] += most


def _shortest_way(net, search, start):
    """The nearest node with a deficit (Dijkstra), with prices changed so that the way there is free; or NOWHERE."""
    k: cython.int
    v: cython.int
    for v in range(net.nodes):
        search.least[v] = INFINITY
    search.least[start] = 0.0
    search.came[start] = NOWHERE
    search.labelled[0] = start
    search.labels = 1
    search.settles = 0
    while search.labels:
        best: cython.int = 0
        for k in range(1, search.labels):
            if search.least[search.labelled[k]] < search.least[search.labelled[best]]:
                best = k
        v = search.labelled[best]
        end: cython.int = v
        if search.excess[v] >= 0:
            search.labels -= 1
            search.labelled[best] = search.labelled[search.labels]
            search.settled[search.settles] = v
            search.settles += 1
            end = _look_around(net, search, v)
        if end != NOWHERE:
            for k in range(search.settles):
                search.far[search.settled[k]] -= search.least[end] - search.least[search.settled[k]]
            return end
    return NOWHERE


def _look_around(net, search, v):
    """Label the neighbours of a node that is settled; one with a deficit that is no farther, if there is such a one."""
    k: cython.int
    search.steps += net.first[v + 1] - net.first[v]
    for k in range(net.first[v], net.first[v + 1]):
        way = net.leaving[k]
        if net.space[way] <= 0:
            continue
        other = net.end[way]
        toll = _toll(net, search, v, way)
        length = search.least[v] + (toll if toll > 0.0 else 0.0)
        if length < search.least[other]:
            if search.least[other] == INFINITY:
                search.labelled[search.labels] = other
                search.labels += 1
            search.least[other] = length
            search.came[other] = way
            if search.excess[other] < 0 and length == search.least[v]:
                return other
    return NOWHERE


def _push(net, search, start, end):
    """Send as much as there is room for along the way that was found."""
    most: cython.longlong = min(search.excess[start], -search.excess[end])
    for turn in range(2):
        v = end
        while v != start:
            way = search.came[v]
            if turn == 0:
                most = min(most, net.space[way])
            else:
                send(net, way, most)
            v = net.end[way ^ 1]
    search.excess[start] -= most
    search.excess[end] += most
