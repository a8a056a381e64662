"""Which classes of the two sides can be linked to which of their LCAs. The node n stands for ⊤."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.distances import UpLists
    from cython.cimports.hemlp.kernels.records import Sides
    from cython.cimports.hemlp.kernels.signals import look_for_signals
else:
    from hemlp.kernels.distances import UpLists
    from hemlp.kernels.records import Sides
    from hemlp.kernels.signals import look_for_signals

    NO_WAY = -1
    FOR_PRED, FOR_TRUE = 1, 2

from hemlp.kernels.words import longer

Array = NDArray[Any]


def most_specific(ptr: Array, classes: Array, at: Array, lists: UpLists) -> Array:
    """Which classes of each instance have no descendant among the others; ``at``: their numbers in the lists."""
    keep = np.ones(len(classes), np.bool_)
    _keep_specific(ptr, classes, at, lists, keep.view(np.uint8))
    return keep


@cython.cfunc
def _keep_specific(
    ptr: cython.const[cython.longlong][::1], classes: cython.const[cython.int][::1], at: cython.const[cython.int][::1],
    lists: UpLists, keep: cython.uchar[::1],
) -> None:  # fmt: skip
    stamp: cython.int[::1] = np.full(len(lists.beyond), NO_WAY, np.int32)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if i % 256 == 0:
                look_for_signals()
            through: cython.longlong = 0  # classes that reach the gate, and one of them
            one: cython.longlong = NO_WAY
            for k in range(ptr[i], ptr[i + 1]):
                for a in range(lists.ptr[at[k]], lists.ptr[at[k] + 1]):
                    if lists.nodes[a] != classes[k]:
                        stamp[lists.nodes[a]] = i
                if lists.gate_at[at[k]] != NO_WAY:
                    through += 1
                    one = classes[k]
            for k in range(ptr[i], ptr[i + 1]):
                below_gate: cython.bint = through > 1 or (through == 1 and one != classes[k])
                implied: cython.bint = stamp[classes[k]] == i or (below_gate and lists.beyond[classes[k]] != NO_WAY)
                keep[k] = not implied


class Eligible:
    """The eligible pairs of a batch, written one instance after the other.

    ``ptr`` has one entry a side: pairs of predicted classes of an instance, then those of its true classes.
    ``position`` is the class's place within its side, ``own`` whether the LCA is one of LCA(class, other side),
    ``length`` up(class, LCA).
    """

    def __init__(self, sides, lists, to_top):
        self.size = len(lists.beyond)
        self.sides, self.lists, self.to_top = sides, lists, to_top
        self.ptr = np.zeros(2 * sides.size + 1, np.int64)
        self.end = 0
        room = 1024 + 2 * (len(sides.pred) + len(sides.true))
        self.position, self.lca, self.own, self.length = np.zeros((4, room), np.int64)
        most = max((int(np.diff(ptr).max(initial=0)) for ptr in (sides.pred_ptr, sides.true_ptr)), default=0)
        self._nearest_pred, self._nearest_true, self._begin = np.zeros((3, most + 2), np.int64)
        # what one instance has: predicted and true class, node, the lengths of both ways, and for whom the LCA is own
        self._found = 0
        self._ends = np.zeros((2, 256), np.int64)
        self._node, self._whose, self._order = np.zeros((3, 256), np.int64)
        self._ways = np.zeros((2, 256), np.int64)
        self._above, self._stamp = np.zeros(self.size + 1, np.int64), np.full(self.size + 1, NO_WAY, np.int64)
        self._seen, self._where = np.full(self.size + 1, NO_WAY, np.int64), np.zeros(self.size + 1, np.int64)
        self._mark = 0

    def add(self, i, first, kappa):
        """The pairs of instance ``i``, whose distances are ``kappa`` from ``first`` on."""
        height = self.sides.pred_ptr[i + 1] - self.sides.pred_ptr[i]
        width = self.sides.true_ptr[i + 1] - self.sides.true_ptr[i]
        self._found = 0
        self._find_nearest(i, first, height, width, kappa)
        for b in range(width):
            t = self.sides.true[self.sides.true_ptr[i] + b]
            marked: cython.bint = False
            for a in range(height):
                p = self.sides.pred[self.sides.pred_ptr[i] + a]
                kept = kappa[first + a * width + b]
                distance = self._distance(kept, p, t)
                whose = FOR_PRED if distance == self._nearest_pred[a] else 0
                whose += FOR_TRUE if distance == self._nearest_true[b] else 0
                if whose:
                    self._make_room(
                        self.lists.ptr[p + 1] - self.lists.ptr[p] + self.lists.ptr[t + 1] - self.lists.ptr[t]
                    )
                    if distance == 0:
                        self._note(a, b, self.lists.nodes[self.lists.ptr[p]], 0, 0, whose)
                    elif kept == distance:
                        if not marked:
                            self._mark_above(t)
                            marked = True
                        self._find_lcas(p, t, a, b, distance, whose)
                    else:
                        self._note(a, b, self.size, self.to_top[p], self.to_top[t], whose)
        self._write(2 * i, 0, height)
        self._write(2 * i + 1, 1, width)
        return 0

    def _mark_above(self, t):
        """Mark what is above a class, with its distance."""
        self._mark += 1
        for k in range(self.lists.ptr[t], self.lists.ptr[t + 1]):
            self._above[self.lists.nodes[k]] = self.lists.distances[k]
            self._stamp[self.lists.nodes[k]] = self._mark

    def _distance(self, kappa, p, t):
        """As S_best compares them: by way of ⊤ where there is no common ancestor."""
        return self.to_top[p] + self.to_top[t] if kappa > 1e300 else cython.cast(cython.longlong, kappa)

    def _find_nearest(self, i, first, height, width, kappa):
        for a in range(height):
            p = self.sides.pred[self.sides.pred_ptr[i] + a]
            for b in range(width):
                t = self.sides.true[self.sides.true_ptr[i] + b]
                distance = self._distance(kappa[first + a * width + b], p, t)
                if b == 0 or distance < self._nearest_pred[a]:
                    self._nearest_pred[a] = distance
                if a == 0 or distance < self._nearest_true[b]:
                    self._nearest_true[b] = distance

    def _make_room(self, more):
        if self._found + more + 1 > self._node.shape[0]:
            with cython.gil:
                size = 2 * (self._found + more + 1)
                self._node, self._whose = longer(self._node, size), longer(self._whose, size)
                self._order = longer(self._order, size)
                self._ends = np.stack([longer(self._ends[0], size), longer(self._ends[1], size)])
                self._ways = np.stack([longer(self._ways[0], size), longer(self._ways[1], size)])
        return 0

    def _note(self, a, b, node, from_pred, from_true, whose):
        self._ends[0, self._found] = a
        self._ends[1, self._found] = b
        self._node[self._found] = node
        self._ways[0, self._found] = from_pred
        self._ways[1, self._found] = from_true
        self._whose[self._found] = whose
        self._found += 1

    def _find_lcas(self, p, t, a, b, distance, whose):
        """The common ancestors that attain the distance; each is in one of the lists, and may be beyond the gate."""
        p_gate = self.lists.gate_at[p]
        t_gate = self.lists.gate_at[t]
        for k in range(self.lists.ptr[p], self.lists.ptr[p + 1]):
            node = self.lists.nodes[k]
            way = self.lists.distances[k]
            if way > distance:
                break
            beyond = self.lists.beyond[node]
            if self._stamp[node] == self._mark:
                other = self._above[node]
            elif t_gate != NO_WAY and beyond != NO_WAY:
                other = t_gate + beyond
            else:
                continue
            if way + other == distance:
                self._note(a, b, node, way, other, whose)
        if p_gate == NO_WAY:
            return
        for k in range(self.lists.ptr[p], self.lists.ptr[p + 1]):  # what is in its own list was found
            self._seen[self.lists.nodes[k]] = -2 - self._mark
        for k in range(self.lists.ptr[t], self.lists.ptr[t + 1]):
            node = self.lists.nodes[k]
            beyond = self.lists.beyond[node]
            if beyond != NO_WAY and self._seen[node] != -2 - self._mark:
                if p_gate + beyond + self.lists.distances[k] == distance:
                    self._note(a, b, node, p_gate + beyond, self.lists.distances[k], whose)

    def _write(self, row, side, classes):
        """The pairs of one side, by class, each once; ``own`` if it is for any partner."""
        mine = FOR_PRED if side == 0 else FOR_TRUE
        for c in range(classes + 1):
            self._begin[c] = 0
        for k in range(self._found):
            self._begin[self._ends[side, k] + 1] += 1
        for c in range(classes):
            self._begin[c + 1] += self._begin[c]
        for k in range(self._found):
            c = self._ends[side, k]
            self._order[self._begin[c]] = k
            self._begin[c] += 1
        if self.end + self._found > self.lca.shape[0]:
            with cython.gil:
                size = self.end + self._found
                self.position, self.lca = longer(self.position, size), longer(self.lca, size)
                self.own, self.length = longer(self.own, size), longer(self.length, size)
        last = cython.cast(cython.longlong, NO_WAY)
        for k in range(self._found):
            at = self._order[k]
            node = self._node[at]
            if self._ends[side, at] != last:
                last = self._ends[side, at]
                self._mark += 1
            if self._seen[node] != self._mark:
                self._seen[node] = self._mark
                self._where[node] = self.end
                self.position[self.end] = last
                self.lca[self.end] = node
                self.own[self.end] = 0
                self.length[self.end] = self._ways[side, at]
                self.end += 1
            if self._whose[at] & mine:
                self.own[self._where[node]] = 1
        self.ptr[row + 1] = self.end
        return 0


def eligible_pairs(sides: Sides, lists: UpLists, to_top: Array, pair_ptr: Array, kappa: Array) -> tuple[Array, ...]:
    """Eligible (class, LCA) pairs of each instance, from the distances ``kappa`` of all its pairs of classes.

    Returns what ``Eligible`` describes: ptr, position, lca, own and length.
    """
    made: Eligible = Eligible(sides, lists, to_top)
    _add_all(made, pair_ptr, kappa)
    end = made.end
    position, lca = np.asarray(made.position)[:end], np.asarray(made.lca)[:end]
    own, length = np.asarray(made.own)[:end] == 1, np.asarray(made.length)[:end]
    return np.asarray(made.ptr), position, lca, own, length


def _add_all(made, pair_ptr, kappa):
    with cython.nogil:
        for i in range(pair_ptr.shape[0] - 1):
            if i % 256 == 0:
                look_for_signals()
            made.add(i, pair_ptr[i], kappa)
    return 0
