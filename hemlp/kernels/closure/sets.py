"""Closures of both sides of many instances, by breadth-first search within a horizon. O(nodes + edges) per instance.

**Tolerant sets** are counted without being kept: their sizes, and of what they share. What is on one side only stays if
it is a root or if a parent of it is on the other side. Where one side alone reaches the hub, what stays of all that is
beyond are its roots and, below the nodes of the other side, their children; nothing else has to be looked at. One pass
over the ancestor lists, O(their total length).
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.arrays import enlarge
from hemlp.kernels import Array


def closures(sides: Sides, arrows: Rows, start: int, room: int, farthest: int, top: bool) -> tuple[Array, Array, Array]:
    """For the instances from ``start`` on: all nodes within ``farthest`` steps of a class, and on which sides they are.

    Stops once there are ``room`` nodes. With ``top`` every side that is not empty has one node more, the number of
    classes. Returns the lists as CSR: ptr, nodes, and members (1 predicted, 2 true, 3 both).
    """
    ptr = np.zeros(sides.size - start + 1, np.int64)
    search: Search = Search(len(arrows.ptr) - 1, farthest, top)
    done = _close_all(sides, arrows, start, room, search, ptr)
    nodes, members = np.asarray(search.nodes), np.asarray(search.members)
    return ptr[: done + 1], nodes[: ptr[done]].copy(), members[: ptr[done]].copy()


class Search:
    """What is found, and scratch: of ``size`` nodes and ⊤ the last instance that had each of them on a side."""

    def __init__(self, size: int, farthest: int, top: bool) -> None:
        self.size = size
        self.farthest = farthest
        self.top = top
        self.stamp = np.full((2, size + 1), -1, np.int64)
        self.place = np.empty(size + 1, np.int64)
        self.queue = np.empty(size + 1, np.int32)
        self.nodes = np.empty(2 * (size + 1), np.int32)
        self.members = np.empty(2 * (size + 1), np.uint8)
        self.end = 0


def _close_all(sides, arrows, start, room, search, ptr):
    """How many instances are done."""
    looked: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(start, sides.size):
            if search.end >= room:
                return i - start
            if search.end + 2 * (search.size + 1) > search.nodes.shape[0]:
                with cython.gil:
                    _make_room(search)
            if search.end > looked + OFTEN:
                look_for_signals()
                looked = search.end
            _close(search, arrows, sides.pred, sides.pred_ptr[i], sides.pred_ptr[i + 1], i, 0)
            _close(search, arrows, sides.true, sides.true_ptr[i], sides.true_ptr[i + 1], i, 1)
            ptr[i - start + 1] = search.end
    return sides.size - start


def _make_room(search):
    """For one more instance."""
    needed = search.end + 2 * (search.size + 1)
    search.nodes = enlarge(np.asarray(search.nodes), needed)
    search.members = enlarge(np.asarray(search.members), needed)


def _close(search, arrows, classes, begin, end, i, side):
    """Add one side of instance i."""
    filled: cython.Py_ssize_t = 0
    for c in range(begin, end):
        search.queue[filled] = classes[c]
        search.stamp[side, classes[c]] = i
        filled += 1
    filled = _imply(search, arrows, i, side, filled)
    if search.top and filled > 0:
        search.queue[filled] = search.size
        search.stamp[side, search.size] = i
        filled += 1
    for k in range(filled):
        node = search.queue[k]
        if side == 1 and search.stamp[0, node] == i:
            search.members[search.place[node]] = BOTH
        else:
            search.place[node] = search.end
            search.nodes[search.end] = node
            search.members[search.end] = PRED if side == 0 else TRUE
            search.end += 1
    return 0


def _imply(search, arrows, i, side, filled):
    """Add what the nodes of the queue imply to it, level by level; how many there are."""
    reached: cython.Py_ssize_t = 0
    level: cython.longlong = 0
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    while reached < filled and level < search.farthest:
        level_end = filled
        for k in range(reached, level_end):
            for e in range(arrows.ptr[search.queue[k]], arrows.ptr[search.queue[k] + 1]):
                node = arrows.items[e]
                if search.stamp[side, node] != i:
                    search.stamp[side, node] = i
                    search.queue[filled] = node
                    filled += 1
            if k % OFTEN == OFTEN - 1:
                look_for_signals()
        reached = level_end
        level += 1
    return filled


def drop_distant(ptr: Array, nodes: Array, members: Array, parents: Rows) -> None:
    """Mark as dropped what is on one side only and has parents, none of which is on the other side."""
    _drop_all(ptr, nodes, members, parents)


def _drop_all(ptr, nodes, members, parents):
    side_of: cython.uchar[::1] = np.zeros(parents.ptr.shape[0] - 1, np.uint8)
    looked: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if ptr[i] > looked + OFTEN:
                look_for_signals()
                looked = ptr[i]
            for k in range(ptr[i], ptr[i + 1]):
                side_of[nodes[k]] = members[k]
            for k in range(ptr[i], ptr[i + 1]):
                if members[k] != BOTH and not _is_near(parents, nodes[k], side_of, BOTH - members[k]):
                    members[k] += DROPPED
            for k in range(ptr[i], ptr[i + 1]):
                side_of[nodes[k]] = 0


def _is_near(parents, node, side_of, side):
    """Whether a node has a parent on a side, or none at all."""
    for e in range(parents.ptr[node], parents.ptr[node + 1]):
        if side_of[parents.items[e]] & side:
            return True
    return parents.ptr[node] == parents.ptr[node + 1]


def weigh(ptr: Array, nodes: Array, members: Array, weights: Array) -> tuple[Array, Array]:
    """Weight of the predicted, the true and the common nodes of each instance, and whether the two sets are equal."""
    sums, equal = np.zeros((ptr.size - 1, 3)), np.ones(ptr.size - 1, np.bool_)
    _weigh_all(ptr, nodes, members, weights, sums, equal.view(np.uint8))
    return sums, equal


def _weigh_all(ptr, nodes, members, weights, sums, equal):
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            for k in range(ptr[i], ptr[i + 1]):
                weight = weights[nodes[k]]
                if members[k] == PRED:
                    sums[i, 0] += weight
                    equal[i] = False
                elif members[k] == TRUE:
                    sums[i, 1] += weight
                    equal[i] = False
                elif members[k] == BOTH:
                    sums[i, 0] += weight
                    sums[i, 1] += weight
                    sums[i, 2] += weight


# ---- tolerant sets


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
