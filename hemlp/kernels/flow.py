"""A flow of least cost in a small network, by successive shortest paths.

Arcs that carry less than they have to are filled first, which leaves some nodes with an excess and others with a deficit.
What is too much is then sent where it is missing, along the shortest way each time. Numbers ``far`` of the nodes keep
every reduced cost, cost + far[tail] − far[head], at 0 or above where an arc can carry more; so the flow is of least cost
among those with its excesses at each step, and in the end, when there are none, of all flows. Costs are not below 0.
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
    from cython.cimports.hemlp.kernels.network import Network, lay_out, read_off
    from cython.cimports.hemlp.kernels.pairing import Chosen, Pairing
    from cython.cimports.hemlp.kernels.signals import look_for_signals
    from cython.cimports.libc.math import INFINITY
else:
    from math import inf as INFINITY

    from hemlp.kernels.network import Network, lay_out, read_off
    from hemlp.kernels.pairing import Chosen, Pairing
    from hemlp.kernels.signals import look_for_signals

    NOWHERE = -1

Array = NDArray[Any]


class Search:
    """Room for searches in networks of so many nodes and arcs.

    ``incident[first[v]:first[v + 1]]`` are the arcs at node v: twice the number of one that leaves it, and one more than
    that of one that enters it. Of the present search, ``least`` is the length of the shortest known way to a node and
    ``came`` the arc by which it comes; ``labelled`` lists the nodes that wait, ``settled`` those that are done.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.steps = self.labels = self.settles = 0
        self.excess = np.empty(nodes, np.int64)
        self.far, self.least = np.empty(nodes), np.empty(nodes)
        self.first, self.incident = np.empty(nodes + 1, np.int32), np.empty(2 * arcs, np.int32)
        self.labelled, self.settled, self.came = (np.empty(nodes, np.int32) for _ in range(3))


def augment(given: Pairing, chosen: Chosen) -> Array:
    """Choose what costs least in each instance, and find prices; which instances have a solution."""
    feasible = np.empty(given.size, np.bool_)
    nodes = 1 + given.most_pred + given.most_true
    arcs = given.most_pairs + 2 * nodes
    _augment_all(given, chosen, Network(nodes, arcs), Search(nodes, arcs), feasible.view("u1"))
    return feasible


@cython.cfunc
def _augment_all(given: Pairing, chosen: Chosen, net: Network, search: Search, feasible: cython.uchar[::1]) -> None:
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


@cython.cfunc
@cython.nogil
@cython.exceptval(-1, check=False)
def least_cost_flow(net: Network, search: Search) -> cython.int:
    """Turn the flow into one of least cost that keeps all bounds; whether there is one."""
    v: cython.int
    if not _fill(net, search):
        return False
    _find_prices(net, search)
    _push_along_tight_arcs(net, search)
    _list_arcs(net, search)
    for v in range(net.nodes):
        while search.excess[v] > 0:
            end = _shortest_way(net, search, v)
            if end == NOWHERE:
                return False
            _push(net, search, v, end)
            if search.steps > 1 << 18:
                search.steps = 0
                look_for_signals()
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(net: Network, search: Search) -> cython.bint:
    """Let arcs carry at least what they have to, whatever their ends say; whether they can."""
    a: cython.Py_ssize_t
    v: cython.Py_ssize_t
    for v in range(net.nodes):
        search.excess[v] = 0
        search.far[v] = 0.0
    for a in range(net.arcs):
        missing = -net.back[a]
        if missing > 0:
            net.back[a] = 0
            net.room[a] -= missing
            search.excess[net.tail[a]] -= missing
            search.excess[net.head[a]] += missing
            if net.room[a] < 0:
                return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _find_prices(net: Network, search: Search) -> cython.void:
    """Make the cheapest arc out of each node with an excess free, and then the cheapest into each with a deficit."""
    a: cython.Py_ssize_t
    v: cython.Py_ssize_t
    for v in range(net.nodes):
        search.least[v] = INFINITY
    for a in range(net.arcs):
        if net.room[a] > 0 and net.cost[a] < search.least[net.tail[a]]:
            search.least[net.tail[a]] = net.cost[a]
    for v in range(net.nodes):
        if search.excess[v] > 0 and search.least[v] < INFINITY:
            search.far[v] = -search.least[v]
        search.least[v] = INFINITY
    for a in range(net.arcs):
        reduced = net.cost[a] + search.far[net.tail[a]] - search.far[net.head[a]]
        if net.room[a] > 0 and reduced < search.least[net.head[a]]:
            search.least[net.head[a]] = reduced
    for v in range(net.nodes):
        if search.excess[v] < 0 and search.least[v] < INFINITY:
            search.far[v] += search.least[v]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push_along_tight_arcs(net: Network, search: Search) -> cython.void:
    """Send what is too much to neighbours that miss it, where that is free."""
    a: cython.Py_ssize_t
    for a in range(net.arcs):
        tail = net.tail[a]
        head = net.head[a]
        if search.excess[tail] > 0 and search.excess[head] < 0 and net.room[a] > 0:
            if net.cost[a] + search.far[tail] - search.far[head] == 0.0:
                most = min(net.room[a], min(search.excess[tail], -search.excess[head]))
                net.room[a] -= most
                net.back[a] += most
                search.excess[tail] -= most
                search.excess[head] += most


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _list_arcs(net: Network, search: Search) -> cython.void:
    """The arcs at each node, without those that can carry neither more nor less."""
    a: cython.int
    v: cython.Py_ssize_t
    for v in range(net.nodes + 1):
        search.first[v] = 0
    for a in range(net.arcs):
        if net.room[a] + net.back[a] > 0:
            search.first[net.tail[a]] += 1
            search.first[net.head[a]] += 1
    for v in range(net.nodes):
        search.first[v + 1] += search.first[v]
    for a in range(net.arcs):
        if net.room[a] + net.back[a] > 0:
            search.first[net.tail[a]] -= 1
            search.incident[search.first[net.tail[a]]] = 2 * a
            search.first[net.head[a]] -= 1
            search.incident[search.first[net.head[a]]] = 2 * a + 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shortest_way(net: Network, search: Search, start: cython.int) -> cython.int:
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
        if search.excess[v] < 0:
            for k in range(search.settles):
                search.far[search.settled[k]] -= search.least[v] - search.least[search.settled[k]]
            return v
        search.labels -= 1
        search.labelled[best] = search.labelled[search.labels]
        search.settled[search.settles] = v
        search.settles += 1
        _look_around(net, search, v)
    return NOWHERE


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _look_around(net: Network, search: Search, v: cython.int) -> cython.void:
    """Label the neighbours of a node that is settled."""
    k: cython.int
    for k in range(search.first[v], search.first[v + 1]):
        way = search.incident[k]
        a = way >> 1
        leaving: cython.bint = way & 1 == 0
        other = net.head[a] if leaving else net.tail[a]
        reduced = (net.cost[a] if leaving else -net.cost[a]) + search.far[v] - search.far[other]
        length = search.least[v] + (reduced if reduced > 0.0 else 0.0)
        if length < search.least[other] and (net.room[a] if leaving else net.back[a]) > 0:
            if search.least[other] == INFINITY:
                search.labelled[search.labels] = other
                search.labels += 1
            search.least[other] = length
            search.came[other] = way
    search.steps += search.first[v + 1] - search.first[v]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _push(net: Network, search: Search, start: cython.int, end: cython.int) -> cython.void:
    """Send as much as there is room for along the way that was found."""
    most: cython.longlong = min(search.excess[start], -search.excess[end])
    for turn in range(2):
        v = end
        while v != start:
            a = search.came[v] >> 1
            leaving: cython.bint = search.came[v] & 1 == 0
            if turn == 0:
                most = min(most, net.room[a] if leaving else net.back[a])
            else:
                net.room[a] -= most if leaving else -most
                net.back[a] += most if leaving else -most
            v = net.tail[a] if leaving else net.head[a]
    search.excess[start] -= most
    search.excess[end] += most
