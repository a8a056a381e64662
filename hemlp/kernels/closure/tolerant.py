"""Sizes of the tolerant sets of many instances, and of what they share, without keeping the sets.

What is on one side only stays if it is a root or if a parent of it is on the other side. Where one side alone reaches
the hub, what stays of all that is beyond are its roots and, below the nodes of the other side, their children; nothing
else has to be looked at. One pass over the ancestor lists, O(their total length).
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def tally_tolerant(sides: Sides, implied: Implied, parents: Rows, children: Rows) -> tuple[Array, Array]:
    """The numbers of predicted, true and common nodes of each instance, and whether the sets are equal.

    Classes are rows of ``implied``.
    """
    counts, equal = np.zeros((sides.size, 3)), np.empty(sides.size, np.bool_)
    beyond = np.asarray(implied.beyond) != 0
    upper_roots = np.count_nonzero(beyond & (np.diff(parents.ptr) == 0))
    hierarchy: Hierarchy = Hierarchy(implied, parents, children, np.count_nonzero(beyond), upper_roots)
    _tally_all(sides, hierarchy, counts, equal.view(np.uint8))
    return counts, equal


class Hierarchy:
    """What implies what, and what is next to what; ``upper`` nodes are beyond the hub, ``upper_roots`` are roots."""

    def __init__(self, implied: Implied, parents: Rows, children: Rows, upper: int, upper_roots: int) -> None:
        self.implied = implied
        self.parents = parents
        self.children = children
        self.upper = upper
        self.upper_roots = upper_roots


class Side:
    """One side of an instance: its ``nodes``, without those beyond the hub if it is ``with_hub``, which has them all.

    ``alone``: how many nodes on this side only stay. Stamps are numbers of instances: ``stamp`` of each node,
    ``child_stamp`` of those nodes of the other side that were counted as children of this one's.
    """

    def __init__(self, size: int) -> None:
        self.nodes = np.empty(size, np.int32)
        self.stamp = np.full(size, -1, np.int32)
        self.child_stamp = np.full(size, -1, np.int32)


def _tally_all(sides, hierarchy, counts, equal):
    pred: Side = Side(hierarchy.implied.size)
    true: Side = Side(hierarchy.implied.size)
    common: cython.long
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            if i % 256 == 0:
                look_for_signals()
            _collect(pred, sides.pred, sides.pred_ptr[i], sides.pred_ptr[i + 1], hierarchy.implied, i)
            _collect(true, sides.true, sides.true_ptr[i], sides.true_ptr[i + 1], hierarchy.implied, i)
            common = hierarchy.upper if pred.with_hub and true.with_hub else 0
            for k in range(pred.filled):
                common += _compare(pred, true, pred.nodes[k], hierarchy, i)
            for k in range(true.filled):
                if pred.stamp[true.nodes[k]] != i:  # others are counted
                    common += _compare(true, pred, true.nodes[k], hierarchy, i)
            if pred.with_hub and not true.with_hub:
                pred.alone += hierarchy.upper_roots
            if true.with_hub and not pred.with_hub:
                true.alone += hierarchy.upper_roots
            counts[i, 0] = pred.alone + common
            counts[i, 1] = true.alone + common
            counts[i, 2] = common
            equal[i] = pred.alone == 0 and true.alone == 0


def _collect(side, classes, begin, end, implied, i):
    """The nodes of one side of instance i."""
    side.alone = 0
    side.filled = 0
    side.with_hub = False
    for c in range(begin, end):
        side.with_hub = side.with_hub or implied.through[classes[c]] != 0
    for c in range(begin, end):
        for k in range(implied.ptr[classes[c]], implied.ptr[classes[c] + 1]):
            node = implied.nodes[k]
            if side.stamp[node] != i and not (side.with_hub and implied.beyond[node]):
                side.stamp[node] = i
                side.nodes[side.filled] = node
                side.filled += 1


def _compare(own, other, node, hierarchy, i):
    """1 if the other side has a node, too; if it has not, see whether the node stays."""
    if other.with_hub and hierarchy.implied.beyond[node]:
        _count_children(own, other, node, hierarchy, i)
        return 1
    if other.stamp[node] == i:
        return 1
    stays: cython.bint = hierarchy.parents.ptr[node] == hierarchy.parents.ptr[node + 1]
    for e in range(hierarchy.parents.ptr[node], hierarchy.parents.ptr[node + 1]):
        parent = hierarchy.parents.items[e]
        stays = stays or other.stamp[parent] == i or (other.with_hub and hierarchy.implied.beyond[parent])
    own.alone += stays
    return 0


def _count_children(own, other, node, hierarchy, i):
    """What stays of the other side, which has all that is beyond the hub, because ``node`` is on this side."""
    for e in range(hierarchy.children.ptr[node], hierarchy.children.ptr[node + 1]):
        child = hierarchy.children.items[e]
        if hierarchy.implied.beyond[child] and own.stamp[child] != i and own.child_stamp[child] != i:
            own.child_stamp[child] = i
            other.alone += 1
    other.alone -= hierarchy.parents.ptr[node] == hierarchy.parents.ptr[node + 1]  # a common root is not alone
