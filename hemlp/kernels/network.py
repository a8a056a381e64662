"""The flow network of one instance of Problem 1, and of what is chosen the flow in it.

Node 0 is source, sink and both default classes in one; then come the predicted and then the true classes. Arcs are, in
this order,

    the pairs            predicted → true class, at κ; from or to node 0 where the pair does not count for that end
    defaults             predicted class → node 0, node 0 → true class, at what the default class costs
    classes              node 0 → predicted class, true class → node 0, for nothing, within the bounds of the class

A flow is what goes round: into a class as much as out of it.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

import numpy as np

if cython.compiled:
    from cython.cimports.hemlp.kernels.pairing import Chosen, Pairing
    from cython.cimports.libc.math import INFINITY
else:
    from math import inf as INFINITY

    from hemlp.kernels.pairing import Chosen, Pairing


class Network:
    """Room for so many nodes and arcs, and the present network and its flow.

    ``room``: how much more an arc can carry, ``back``: how much less. An arc that does not exist has neither.
    """

    def __init__(self, nodes: int, arcs: int) -> None:
        self.nodes = self.arcs = 0
        self.tail, self.head = np.empty(arcs, np.int32), np.empty(arcs, np.int32)
        self.room, self.back = np.empty(arcs, np.int64), np.empty(arcs, np.int64)
        self.cost = np.empty(arcs)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def lay_out(given: Pairing, i: cython.Py_ssize_t, chosen: Chosen, net: Network) -> cython.bint:
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
        net.tail[default + c] = net.head[of_class + c] = 1 + c if predicted else 0
        net.head[default + c] = net.tail[of_class + c] = 0 if predicted else 1 + c
        at: cython.Py_ssize_t = given.pred_ptr[i] + c if predicted else given.true_ptr[i] + c - height
        taken = chosen.default_p[at] if predicted else chosen.default_t[at]
        cost = given.default_p[at] if predicted else given.default_t[at]
        exists: cython.bint = cost < INFINITY
        upper = given.upper_p[at] if predicted else given.upper_t[at]
        net.cost[default + c] = cost if exists else 0.0
        net.room[default + c] = upper - taken if exists else 0
        net.back[default + c] = taken
        net.cost[of_class + c] = 0.0
        net.room[of_class + c] = upper - taken
        net.back[of_class + c] = taken - (given.lower_p[at] if predicted else given.lower_t[at])
        kept &= 0 <= taken <= upper and (exists or taken == 0)
    kept &= _lay_out_pairs(given, i, chosen, net)
    for c in range(height + width):
        kept &= net.room[of_class + c] >= 0 and net.back[of_class + c] >= 0
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lay_out_pairs(given: Pairing, i: cython.Py_ssize_t, chosen: Chosen, net: Network) -> cython.bint:
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
            net.tail[a] = 1 + row if serves & 1 else 0
            net.head[a] = 1 + height + column if serves & 2 else 0
            net.cost[a] = given.kappa[k] if exists else 0.0
            net.room[a] = exists and not chosen.pairs[k]
            net.back[a] = chosen.pairs[k]
            if chosen.pairs[k]:
                kept &= exists
                net.room[of_class + row] -= serves & 1
                net.back[of_class + row] += serves & 1
                net.room[of_class + height + column] -= serves >> 1
                net.back[of_class + height + column] += serves >> 1
            a += 1
            k += 1
    return kept


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def read_off(given: Pairing, i: cython.Py_ssize_t, net: Network, chosen: Chosen) -> cython.void:
    """Choose what flows in the network of instance i."""
    c: cython.Py_ssize_t
    begin: cython.Py_ssize_t = given.pair_ptr[i]
    pairs: cython.Py_ssize_t = given.pair_ptr[i + 1] - begin
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    for c in range(pairs):
        chosen.pairs[begin + c] = net.back[c] > 0
    for c in range(height):
        chosen.default_p[given.pred_ptr[i] + c] = net.back[pairs + c]
    for c in range(given.true_ptr[i + 1] - given.true_ptr[i]):
        chosen.default_t[given.true_ptr[i] + c] = net.back[pairs + height + c]
