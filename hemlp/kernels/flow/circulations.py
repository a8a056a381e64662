"""Minimum-cost circulations in many small networks that are given arc by arc, and proofs of optimality.

Instance i has the nodes from ``node_ptr[i]`` on, numbered from 0, and the arcs from ``arc_ptr[i]`` on. Costs are at
least 0. Algorithms and complexity are those of ``successive_shortest_paths`` and ``certificate``.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Circulations:
    """The arcs of all instances; ``most_…``: how many the largest has."""

    def __init__(self, ptr: tuple[Array, Array], ends: tuple[Array, Array], bounds: tuple[Array, Array], cost: Array):
        self.size = len(ptr[0]) - 1
        self.node_ptr, self.arc_ptr = ptr
        self.most_nodes, self.most_arcs = [int(np.diff(of).max(initial=0)) for of in ptr]
        self.tail, self.head = ends
        self.lower, self.upper = bounds
        self.cost = cost


def find_flows(given: Circulations, flow: Array, potential: Array) -> Array:
    """Find a minimum-cost circulation of each instance, and potentials that prove it; which have one."""
    feasible = np.zeros(given.size, np.bool_)
    net, search = Network(given.most_nodes, given.most_arcs), Dijkstra(given.most_nodes)
    _find_all(given, flow, potential, net, search, feasible.view("u1"))
    return feasible


def _find_all(given, flow, potential, net, search, feasible):
    i: cython.Py_ssize_t
    v: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            for v in range(given.arc_ptr[i], given.arc_ptr[i + 1]):
                flow[v] = 0
            _build_network(given, i, flow, net)
            feasible[i] = least_cost_flow(net, search)
            if feasible[i]:
                _read_flow(given, i, net, flow)
                for v in range(net.nodes):
                    potential[given.node_ptr[i] + v] = search.potential[v]


def cheapest_flows(given: Circulations, asked: Array, flow: Array, potential: Array) -> Array:
    """Turn the flows of the instances that are ``asked`` for into those of least cost; a verdict for each.

    PROVED: perhaps after changes. WIDE: costs are too far apart. LONG: too many changes. BROKEN: bounds are not kept.
    """
    verdicts = np.zeros(given.size, np.uint8)
    net, proof = Network(given.most_nodes, given.most_arcs), Proof(given.most_nodes, given.most_arcs)
    _improve_all(given, asked.view("u1"), flow, potential, net, proof, verdicts)
    return verdicts


def _improve_all(given, asked, flow, potential, net, proof, verdicts):
    i: cython.Py_ssize_t
    v: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if not asked[i]:
                continue
            check_signals(proof, 1 + given.arc_ptr[i + 1] - given.arc_ptr[i])
            if not _build_network(given, i, flow, net):
                verdicts[i] = BROKEN
            elif not split_costs(net, proof):
                verdicts[i] = WIDE
            else:
                for v in range(net.nodes):
                    set_potential(proof, v, potential[given.node_ptr[i] + v])
                verdicts[i] = cancel_negative_cycles(net, proof)
                if proof.cycles:
                    _read_flow(given, i, net, flow)


def _build_network(given, i, flow, net):
    """The network of instance i with its flow; whether that keeps all bounds."""
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t = given.arc_ptr[i]
    net.nodes = given.node_ptr[i + 1] - given.node_ptr[i]
    net.arcs = given.arc_ptr[i + 1] - begin
    kept: cython.bint = True
    for a in range(net.arcs):
        amount = flow[begin + a]
        net.end[2 * a] = given.head[begin + a]
        net.end[2 * a + 1] = given.tail[begin + a]
        net.cost[a] = given.cost[begin + a]
        net.residual[2 * a] = given.upper[begin + a] - amount
        net.residual[2 * a + 1] = amount - given.lower[begin + a]
        kept &= net.residual[2 * a] >= 0 and net.residual[2 * a + 1] >= 0
    return kept


def _read_flow(given, i, net, flow):
    """What flows on each arc of instance i."""
    a: cython.Py_ssize_t
    begin: cython.Py_ssize_t = given.arc_ptr[i]
    for a in range(net.arcs):
        flow[begin + a] = net.residual[2 * a + 1] + given.lower[begin + a]
