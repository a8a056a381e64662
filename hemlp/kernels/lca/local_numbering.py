"""Local numbers of the ancestors of one instance's classes, and the distances of its pairs of classes.

A hierarchy may have a hundred thousand nodes, an instance has a hundred of them: numbered from 0 on, all that is kept
for each node stays in the processor's cache. O(length of the lists × true classes), LANES of these at a time.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels.bitsets import longer
from hemlp.kernels.graph.distances import Targets


class LocalNumbering:
    """The classes of an instance, true ones first, and their ancestors. ⊤ has the number TOP.

    ``node_of``: the node of each number. ``source``: the number of each class in ``lists``, where its list has ``size``
    entries from ``begin`` on. Nearest first, it is ``nodes[ptr[c]:ptr[c + 1]]``, by numbers, with distances ``far``.

    ``above``: how far each true class is below a node, one row of ``stride`` a node; only the first ``rows`` nodes are
    above any. ``kappa``: the distances of all pairs, one row of ``stride`` a predicted class. Infinite: not at all.
    Distances are whole numbers, which floats hold up to 2²⁴.
    """

    def __init__(self, sides: Any, lists: Any) -> None:
        self.sides, self.lists, self.top = sides, lists, len(lists.beyond)
        heights, widths = np.diff(sides.pred_ptr), np.diff(sides.true_ptr)
        classes = int((heights + widths).max(initial=0))
        self.source, self.ptr, self.begin, self.size = np.zeros((4, 2 + classes), np.int64)
        self._touched = 0
        self.node_of = np.zeros(1024, np.int32)
        self.nodes, self.far = np.zeros((2, 1024), np.int32)
        self.above, self.kappa = np.zeros((2, 1024 * LANES), np.float32)
        self._place, self._base = np.zeros(self.top + 1, np.int32), 1
        self.count = self.rows = self.height = self.width = self.stride = 0
        if lists.with_hub:
            self._targets, self._distances = Targets(lists), np.zeros(int((heights * widths).max(initial=0)))

    def number(self, node):
        """The number of a node; a new one if it has none."""
        number = self._place[node] - self._base
        if number < 0:
            if self.count == self.node_of.shape[0]:
                with cython.gil:
                    self.node_of = longer(self.node_of, 0)
            number = self.count
            self._place[node] = self._base + number
            self.node_of[number] = node
            self.count += 1
        return number

    def find(self, node):
        """The number of a node, less than 0 if it has none."""
        return self._place[node] - self._base

    def read(self, i):
        """Make ``i`` the present instance."""
        self._forget()
        self.height = self.sides.pred_ptr[i + 1] - self.sides.pred_ptr[i]
        self.width = self.sides.true_ptr[i + 1] - self.sides.true_ptr[i]
        self.stride = (self.width + LANES - 1) // LANES * LANES
        for b in range(self.width):
            self.source[b] = self.sides.true[self.sides.true_ptr[i] + b]
        for a in range(self.height):
            self.source[self.width + a] = self.sides.pred[self.sides.pred_ptr[i] + a]
        self._fetch()
        self.number(self.top)
        self._list(0, self.width)
        self._lay_out()
        self._list(self.width, self.width + self.height)
        if self.lists.with_hub:
            self._measure_past_hub(i)
        else:
            self._measure()
        return 0

    def _forget(self):
        self._base += self.count
        self.count = 0
        if self._base > 1 << 30:
            self._base = 1
            for node in range(self._place.shape[0]):
                self._place[node] = 0

    def _fetch(self):
        """Prefetch the lists of all classes."""
        for c in range(self.width + self.height):
            self.begin[c] = self.lists.ptr[self.source[c]]
            self.size[c] = self.lists.ptr[self.source[c] + 1] - self.begin[c]
        for c in range(self.width + self.height):
            last = self.begin[c] + self.size[c] - 1
            self._touched ^= self.lists.nodes[self.begin[c]] ^ self.lists.nodes[last]
            self._touched ^= self.lists.distances[self.begin[c]] ^ self.lists.distances[last]

    def _list(self, first, last):
        """Number the ancestors of some classes."""
        end = self.ptr[first] if first else 0
        for c in range(first, last):
            self.ptr[c] = end
            begin = self.begin[c]
            size = self.size[c]
            if end + size > self.nodes.shape[0]:
                with cython.gil:
                    self.nodes, self.far = longer(self.nodes, end + size), longer(self.far, end + size)
            if self.count + size > self.node_of.shape[0]:
                with cython.gil:
                    self.node_of = longer(self.node_of, self.count + size)
            self._copy(begin, size, end)
            end += size
        self.ptr[last] = end
        return 0

    def _copy(self, begin, size, end):
        """Copy a list by local numbers, as ``number`` gives them."""
        base = self._base
        count = self.count
        for k in range(size):
            node = self.lists.nodes[begin + k]
            number = self._place[node] - base
            if number < 0:
                number = count
                self._place[node] = base + count
                self.node_of[count] = node
                count += 1
            self.nodes[end + k] = number
        self.count = count
        for k in range(size):
            self.far[end + k] = self.lists.distances[begin + k]

    def _lay_out(self):
        """Write the distances of true classes to the nodes numbered so far."""
        self.rows = self.count
        if self.rows * self.stride > self.above.shape[0]:
            with cython.gil:
                self.above = longer(self.above, self.rows * self.stride)
        for k in range(self.rows * self.stride):
            self.above[k] = INFINITY
        for b in range(self.width):
            for k in range(self.ptr[b], self.ptr[b + 1]):
                self.above[self.nodes[k] * self.stride + b] = self.far[k]
        if self.height * self.stride > self.kappa.shape[0]:
            with cython.gil:
                self.kappa = longer(self.kappa, self.height * self.stride)
        return 0

    def _measure(self):
        for k in range(self.height * self.stride):
            self.kappa[k] = INFINITY
        for a in range(self.height):
            for k in range(self.ptr[self.width + a], self.ptr[self.width + a + 1]):
                if self.nodes[k] < self.rows:
                    for block in range(self.stride // LANES):
                        first = block * LANES
                        self._nearer(self.nodes[k] * self.stride + first, a * self.stride + first, self.far[k])

    def _nearer(self, row, pair, far):
        """Lower the distances by way of a node ``far`` above a predicted class, some lanes at a time."""
        for lane in range(LANES):
            way: cython.float = self.above[row + lane] + far
            self.kappa[pair + lane] = way if way < self.kappa[pair + lane] else self.kappa[pair + lane]

    def _measure_past_hub(self, i):
        """Lower the distances by way of the hub: few lists have what is beyond it."""
        instance_distances(self.lists, self._targets, self.sides, i, 0, self._distances)
        for a in range(self.height):
            for b in range(self.width):
                self.kappa[a * self.stride + b] = self._distances[a * self.width + b]
        return 0
