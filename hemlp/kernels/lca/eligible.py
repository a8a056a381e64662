"""Eligible pairs of class and LCA: the lowest common ancestors of the nearest pairs of classes.

O(length of the ancestor lists) for each pair of nearest classes.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer


def most_specific(ptr: Array, classes: Array, at: Array, lists: Any) -> Array:
    """Which classes of each instance have no descendant among the others; ``at``: their rows in the lists."""
    keep = np.ones(len(classes), np.bool_)
    _keep_specific(ptr, classes, at, lists, keep.view(np.uint8))
    return keep


def _keep_specific(ptr, classes, at, lists, keep):
    stamp: cython.int[::1] = np.full(len(lists.beyond), NO_WAY, np.int32)
    i: cython.Py_ssize_t
    touched: cython.longlong = 0
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if i % 256 == 0:
                look_for_signals()
            through: cython.longlong = 0  # classes that reach the hub, and one of them
            one: cython.longlong = NO_WAY
            for k in range(ptr[i], ptr[i + 1]):  # all lists come from memory at the same time
                touched ^= lists.nodes[lists.ptr[at[k]]]
            for k in range(ptr[i], ptr[i + 1]):
                for a in range(lists.ptr[at[k]], lists.ptr[at[k] + 1]):
                    if lists.nodes[a] != classes[k]:
                        stamp[lists.nodes[a]] = i
                if lists.hub_at[at[k]] != NO_WAY:
                    through += 1
                    one = classes[k]
            for k in range(ptr[i], ptr[i + 1]):
                below_hub: cython.bint = through > 1 or (through == 1 and one != classes[k])
                implied: cython.bint = stamp[classes[k]] == i or (below_hub and lists.beyond[classes[k]] != NO_WAY)
                keep[k] = not implied
    return touched


class Eligible:
    """The eligible pairs of some instances, written one after the other.

    ``ptr`` has one entry per side: pairs of predicted classes of an instance, then those of its true classes.
    ``position`` is the class's place within its side, ``label`` its place in ``LocalNumbering``, ``own`` whether the
    LCA is one of LCA(class, other side), ``length`` up(class, LCA). LCAs have the numbers of their instance.
    """

    def __init__(self, numbering: Any, to_top: Array, instances: int, room: int) -> None:
        """Make room for so many instances, and for ``room`` pairs at first."""
        self.lists, self.to_top = numbering.lists, to_top
        self.ptr = np.zeros(2 * instances + 1, np.int64)
        self.sides = self.end = 0
        self.position, self.label, self.lca, self.length = np.zeros((4, room), np.int64)
        self.own = np.zeros(room, np.uint8)
        classes = len(numbering.source)
        self._begin = np.zeros(classes + 1, np.int64)
        self._nearest_pred, self._nearest_true = np.zeros((2, classes), np.int32)
        self._distance = np.zeros(256, np.int32)
        # candidates of one instance: predicted and true class, node, lengths of both ways, for whom the LCA is own
        self._candidates = 0
        self._ends = np.zeros((2, 256), np.int64)
        self._node, self._whose, self._order = np.zeros((3, 256), np.int64)
        self._ways = np.zeros((2, 256), np.int64)
        self._mark = 0
        self._seen, self._where = np.zeros((2, numbering.top + 1), np.int64)

    def clear(self):
        """Remove all pairs."""
        self.sides = self.end = 0

    def add(self, numbering):
        """Add the pairs of the present instance."""
        self._candidates = 0
        self._find_nearest(numbering)
        entries = numbering.ptr[numbering.width + numbering.height] + 1  # more than one pair can have
        for a in range(numbering.height):
            nearest = self._nearest_pred[a]
            p = numbering.width + a
            for b in range(numbering.width):
                distance = self._distance[a * numbering.width + b]
                if distance > nearest and distance > self._nearest_true[b]:
                    continue
                whose = FOR_PRED if distance == nearest else 0
                whose += FOR_TRUE if distance == self._nearest_true[b] else 0
                if self._candidates + entries > self._node.shape[0]:
                    self._make_room(entries)
                if distance == 0:
                    self._note(a, b, numbering.nodes[numbering.ptr[p]], 0, 0, whose)
                elif numbering.kappa[a * numbering.stride + b] == distance:
                    self._find_lcas(a, b, distance, whose, numbering)
                else:
                    self._note(a, b, TOP, self.to_top[numbering.source[p]], self.to_top[numbering.source[b]], whose)
        self._write(0, numbering.height, numbering.width)
        self._write(1, numbering.width, 0)
        return 0

    def _find_nearest(self, numbering):
        """Compute the distances and minima of S_best, by way of ⊤ if there is no common ancestor."""
        if numbering.height * numbering.width > self._distance.shape[0]:
            with cython.gil:
                self._distance = np.zeros(2 * numbering.height * numbering.width, np.int32)
        for b in range(numbering.width):
            self._nearest_true[b] = FARTHEST
        for a in range(numbering.height):
            to_top = self.to_top[numbering.source[numbering.width + a]]
            nearest = cython.cast(cython.int, FARTHEST)
            for b in range(numbering.width):
                kappa = numbering.kappa[a * numbering.stride + b]
                if kappa < INFINITY:
                    distance = cython.cast(cython.int, kappa)
                else:
                    distance = cython.cast(cython.int, to_top + self.to_top[numbering.source[b]])
                self._distance[a * numbering.width + b] = distance
                nearest = min(nearest, distance)
                self._nearest_true[b] = min(self._nearest_true[b], distance)
            self._nearest_pred[a] = nearest
        return 0

    def _make_room(self, more):
        with cython.gil:
            size = 2 * (self._candidates + more)
            self._node, self._whose = longer(self._node, size), longer(self._whose, size)
            self._order = longer(self._order, size)
            self._ends = np.stack([longer(self._ends[0], size), longer(self._ends[1], size)])
            self._ways = np.stack([longer(self._ways[0], size), longer(self._ways[1], size)])
        return 0

    def _note(self, a, b, node, from_pred, from_true, whose):
        self._ends[0, self._candidates] = a
        self._ends[1, self._candidates] = b
        self._node[self._candidates] = node
        self._ways[0, self._candidates] = from_pred
        self._ways[1, self._candidates] = from_true
        self._whose[self._candidates] = whose
        self._candidates += 1

    def _find_lcas(self, a, b, distance, whose, numbering):
        """Find the common ancestors that attain the distance; each is in one of the lists, or beyond the hub."""
        p = numbering.width + a
        for k in range(numbering.ptr[p], numbering.ptr[p + 1]):
            node = numbering.nodes[k]
            way = numbering.far[k]
            if way > distance:
                break
            if node < numbering.rows and numbering.above[node * numbering.stride + b] == distance - way:
                self._note(a, b, node, way, distance - way, whose)
        if self.lists.with_hub:
            self._find_past_hub(a, b, distance, whose, numbering)

    def _find_past_hub(self, a, b, distance, whose, numbering):
        """Find LCAs in the list of one class that the other class reaches only by way of the hub."""
        p = numbering.width + a
        p_hub = self.lists.hub_at[numbering.source[p]]
        t_hub = self.lists.hub_at[numbering.source[b]]
        self._mark += 1
        for k in range(numbering.ptr[p], numbering.ptr[p + 1]):
            node = numbering.nodes[k]
            beyond = self.lists.beyond[numbering.node_of[node]]
            self._seen[node] = self._mark
            below: cython.bint = node < numbering.rows and numbering.above[node * numbering.stride + b] < INFINITY
            if t_hub != NO_WAY and beyond != NO_WAY and not below and numbering.far[k] + t_hub + beyond == distance:
                self._note(a, b, node, numbering.far[k], t_hub + beyond, whose)
        for k in range(numbering.ptr[b], numbering.ptr[b + 1]):
            node = numbering.nodes[k]
            beyond = self.lists.beyond[numbering.node_of[node]]
            if p_hub != NO_WAY and beyond != NO_WAY and self._seen[node] != self._mark:
                if p_hub + beyond + numbering.far[k] == distance:
                    self._note(a, b, node, p_hub + beyond, numbering.far[k], whose)

    def _write(self, side, classes, first):
        """Write the pairs of one side by class, each once; ``own`` if any partner makes it so."""
        mine = FOR_PRED if side == 0 else FOR_TRUE
        self._put_in_order(side, classes)
        if self.end + self._candidates > self.lca.shape[0]:
            with cython.gil:
                size = self.end + self._candidates
                self.position, self.label = longer(self.position, size), longer(self.label, size)
                self.lca, self.length = longer(self.lca, size), longer(self.length, size)
                self.own = longer(self.own, size)
        last = cython.cast(cython.longlong, NO_WAY)
        for k in range(self._candidates):
            at = self._order[k]
            node = self._node[at]
            if self._ends[side, at] != last:
                last = self._ends[side, at]
                self._mark += 1
            if self._seen[node] != self._mark:
                self._seen[node] = self._mark
                self._where[node] = self.end
                self.position[self.end] = last
                self.label[self.end] = first + last
                self.lca[self.end] = node
                self.own[self.end] = 0
                self.length[self.end] = self._ways[side, at]
                self.end += 1
            if self._whose[at] & mine:
                self.own[self._where[node]] = 1
        self.sides += 1
        self.ptr[self.sides] = self.end
        return 0

    def _put_in_order(self, side, classes):
        """Sort the candidates by the class of a side (a stable counting sort)."""
        for c in range(classes + 1):
            self._begin[c] = 0
        for k in range(self._candidates):
            self._begin[self._ends[side, k] + 1] += 1
        for c in range(classes):
            self._begin[c + 1] += self._begin[c]
        for k in range(self._candidates):
            c = self._ends[side, k]
            self._order[self._begin[c]] = k
            self._begin[c] += 1
