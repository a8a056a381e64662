"""The flow network of one instance of Problem 1, and of what is chosen the flow in it.

Node 0 is source, sink and both default classes in one; then come the predicted and then the true classes. Arcs are, in
this order,

    the pairs            predicted → true class, at κ; from or to node 0 where the pair does not count for that end
    defaults             predicted class → node 0, node 0 → true class, at what the default class costs
    classes              node 0 → predicted class, true class → node 0, for nothing, within the bounds of the class

A flow is what goes round: into a class as much as out of it.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from math import inf as INFINITY


class Network:
    """Room for so many nodes and arcs, and the present network and its flow.

    An arc can be gone forward (twice its number) and back (one more): ``end`` is where that leads, and ``space`` how
    much more or less it can carry. One that does not exist has no space either way. ``leaving[first[v]:first[v + 1]]``
    are the ways from node v, once they are listed.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.nodes = self.arcs = 0
        self.cost = np.empty(arcs)
        self.end, self.space = np.empty(2 * arcs, np.int32), np.empty(2 * arcs, np.int64)
        self.first, self.leaving = np.empty(nodes + 1, np.int32), np.empty(2 * arcs, np.int32)


def lay_out(given, i, chosen, net):
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
        net.space[2 * (default + c)] = upper - taken if exists else 0
        net.space[2 * (default + c) + 1] = taken
        net.space[2 * (of_class + c)] = upper - taken
        net.space[2 * (of_class + c) + 1] = taken - (given.lower_p[at] if predicted else given.lower_t[at])
        kept &= 0 <= taken <= upper and (exists or taken == 0)
    kept &= _lay_out_pairs(given, i, chosen, net)
    for c in range(2 * (height + width)):
        kept &= net.space[2 * of_class + c] >= 0
    return kept


def _lay_out_pairs(given, i, chosen, net):
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
            net.space[2 * a] = exists and not chosen.pairs[k]
            net.space[2 * a + 1] = chosen.pairs[k]
            if chosen.pairs[k]:
                kept &= exists
                if serves & 1:
                    send(net, 2 * (of_class + row), 1)
                if serves & 2:
                    send(net, 2 * (of_class + height + column), 1)
            a += 1
            k += 1
    return kept


def read_off(given, i, net, chosen):
    """Choose what flows in the network of instance i."""
    c: cython.Py_ssize_t
    begin: cython.Py_ssize_t = given.pair_ptr[i]
    pairs: cython.Py_ssize_t = given.pair_ptr[i + 1] - begin
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    for c in range(pairs):
        chosen.pairs[begin + c] = net.space[2 * c + 1] > 0
    for c in range(height):
        chosen.default_p[given.pred_ptr[i] + c] = net.space[2 * (pairs + c) + 1]
    for c in range(given.true_ptr[i + 1] - given.true_ptr[i]):
        chosen.default_t[given.true_ptr[i] + c] = net.space[2 * (pairs + height + c) + 1]


def send(net, way, much):
    """Let an arc carry more, or less if it is gone back."""
    net.space[way] -= much
    net.space[way ^ 1] += much


def list_ways(net):
    """List the ways that leave each node, without those of arcs that have no space either way."""
    way: cython.int
    v: cython.Py_ssize_t
    for v in range(net.nodes + 1):
        net.first[v] = 0
    for way in range(2 * net.arcs):
        if net.space[way] + net.space[way ^ 1] > 0:
            net.first[net.end[way ^ 1]] += 1
    for v in range(net.nodes):
        net.first[v + 1] += net.first[v]
    for way in range(2 * net.arcs):
        if net.space[way] + net.space[way ^ 1] > 0:
            v = net.end[way ^ 1]
            net.first[v] -= 1
            net.leaving[net.first[v]] = way
