"""The flow network of one instance of Problem 1, with a solution as its flow, as a residual network.

Node 0 is source, sink and both default classes in one; then come the predicted and then the true classes. Arcs are, in
this order,

    the pairs            predicted → true class, at κ; from or to node 0 where the pair does not count for that end
    defaults             predicted class → node 0, node 0 → true class, at what the default class costs
    classes              node 0 → predicted class, true class → node 0, for nothing, within the bounds of the class

A solution is a circulation: at each node as much flows in as out. Invariant: the residual capacities of the two
directions of an arc add up to its upper bound less its lower bound. Everything here is linear in the number of arcs.
"""

from __future__ import annotations

import cython
import numpy as np


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
