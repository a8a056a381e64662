"""All optimal choices of a component as paths of a layered graph, with their differences of sizes.

A state of the dynamic program is a node, an option that leads from one to the next an arc. A node keeps all arcs that
are equally good, so (Bellman) the best choices are exactly the paths from the first node to the last. The differences
that they have, predicted nodes less true ones, are sums along the arcs, computed from the last node back
in O(arcs × differences).
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class BestPaths:
    """A layered graph of optimal choices; ``picked[t]`` is the option after layer t on the traced path.

    Node i of layer t is number ``layer[t] + i``. The arcs into a node begin with ``arc`` of its number and go on with
    ``following``. An arc has the node ``before`` it, its ``option``, and its ``shift`` of the difference.
    ``tied``: whether there may be several paths.
    """

    def __init__(self):
        self.picked, self._layer, self._low, self._high = np.zeros((4, 64), np.int64)
        self._arc, self._slot = np.zeros((2, 1024), np.int32)
        self._before, self._option, self._following, self._shift = np.zeros((4, 1024), np.int32)
        self._reachable = np.zeros(1024, np.uint8)
        self.layers = self._arcs = self._slots = self._span = 0
        self.tied = False

    # ---- arcs

    def start(self, steps):
        """Remove all layers and make room for ``steps`` + 1."""
        if steps + 2 > self.picked.shape[0]:
            with cython.gil:
                self.picked, self._layer = np.zeros((2, 2 * steps + 2), np.int64)
        self.layers = self._arcs = 0
        self.tied = False
        return 0

    def add_layer(self, before):
        """Add a layer after one of ``before`` nodes."""
        self.layers += 1
        self._layer[self.layers] = self._layer[self.layers - 1] + before

    def add(self, node, before, option, shift):
        """Set the only arc into a node of the last layer: it beats those before."""
        at = self._layer[self.layers] + node
        if at >= self._arc.shape[0]:
            with cython.gil:
                self._arc = longer(self._arc, at + 1)
        self._arc[at] = self._arcs
        return self._write(before, option, shift, NONE)

    def add_tied(self, node, before, option, shift):
        """Add an arc that is as good as those before."""
        first = self._arc[self._layer[self.layers] + node]
        following = self._following[first]
        self._following[first] = self._arcs
        self.tied = True
        return self._write(before, option, shift, following)

    def _write(self, before, option, shift, following):
        if self._arcs == self._before.shape[0]:
            with cython.gil:
                self._before, self._option = longer(self._before, 0), longer(self._option, 0)
                self._following, self._shift = longer(self._following, 0), longer(self._shift, 0)
        self._before[self._arcs] = before
        self._option[self._arcs] = option
        self._shift[self._arcs] = shift
        self._following[self._arcs] = following
        self._arcs += 1
        return True

    def move(self, node, place):
        """Give a node of the last layer another number, which is not larger."""
        self._arc[self._layer[self.layers] + place] = self._arc[self._layer[self.layers] + node]

    def trace(self):
        """Trace the path of the first arcs into ``picked``."""
        node = 0
        for t in range(self.layers, 0, -1):
            arc = self._arc[self._layer[t] + node]
            self.picked[t - 1] = self._option[arc]
            node = self._before[arc]

    # ---- differences

    def list_differences(self, size):
        """List the differences of the paths from each node to the last; none exceeds ``size``.

        A node on a best path has a *slot*: slot s reaches d if ``_reachable[s · span + size + d]``. The last
        node has the first slot, the first node the last.
        """
        self._span = 2 * size + 1
        end = self._layer[self.layers]
        if end >= self._slot.shape[0]:
            with cython.gil:
                self._slot = longer(self._slot, end + 1)
        for at in range(end):
            self._slot[at] = NONE
        self._slot[end] = self._slots = 0
        self._add_slot(0)
        self._reachable[size] = 1
        t = self.layers
        for at in range(end, 0, -1):
            if at < self._layer[t]:
                t -= 1
            if self._slot[at] != NONE:
                arc = self._arc[at]
                while arc != NONE:
                    self._reach(self._slot[at], self._layer[t - 1] + self._before[arc], self._shift[arc])
                    arc = self._following[arc]
        return 0

    def _add_slot(self, d):
        """Add a slot that reaches only ``d``."""
        if self._slots == self._low.shape[0]:
            with cython.gil:
                self._low, self._high = longer(self._low, 0), longer(self._high, 0)
        if (self._slots + 1) * self._span > self._reachable.shape[0]:
            with cython.gil:
                self._reachable = longer(self._reachable, (self._slots + 1) * self._span)
        for x in range(self._slots * self._span, (self._slots + 1) * self._span):
            self._reachable[x] = 0
        self._low[self._slots] = self._high[self._slots] = d
        self._slots += 1
        return 0

    def _reach(self, slot, at, shift):
        """Add the differences of a slot, shifted, to those of node ``at``."""
        if self._slot[at] == NONE:
            self._slot[at] = self._slots
            self._add_slot(self._low[slot] + shift)
        mine = self._slot[at]
        self._low[mine] = min(self._low[mine], self._low[slot] + shift)
        self._high[mine] = max(self._high[mine], self._high[slot] + shift)
        zero = self._span // 2
        for d in range(self._low[slot], self._high[slot] + 1):
            self._reachable[mine * self._span + zero + d + shift] |= self._reachable[slot * self._span + zero + d]
        return 0

    def _reaches(self, slot, d):
        within: cython.bint = self._low[slot] <= d <= self._high[slot]
        return within and self._reachable[slot * self._span + self._span // 2 + d]

    def next_difference(self, d):
        """The least difference of an optimal path from ``d`` on; more than the size if there is none."""
        d = max(d, self._low[self._slots - 1])
        while d <= self._span // 2 and not self._reaches(self._slots - 1, d):
            d += 1
        return d

    def trace_to(self, d):
        """Trace the first path with this difference, after ``list_differences``."""
        node = cython.cast(cython.longlong, 0)
        for t in range(self.layers):
            at = self._layer[t + 1] - 1
            arc = cython.cast(cython.longlong, NONE)
            while arc == NONE:
                at += 1
                arc = self._arc[at] if self._slot[at] != NONE else NONE
                while arc != NONE and not (
                    self._before[arc] == node and self._reaches(self._slot[at], d - self._shift[arc])
                ):
                    arc = self._following[arc]
            self.picked[t] = self._option[arc]
            d -= self._shift[arc]
            node = at - self._layer[t + 1]
