"""Enumeration of all choices of small components, by depth-first search, once for all ratios."""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class EnumeratedParts:
    """The outcomes of the choices of all parts: nodes, common nodes, and difference of sizes.

    Entry t has the state before step t: the open nodes of each side (predicted first), the flags, the counts, and the
    next option.
    """

    def __init__(self):
        self.number = self.tried = 0
        self.size, self.common, self.diff = np.zeros((3, 256), np.int64)
        self._size, self._common, self._diff, self._flags, self._next = np.zeros((5, MOST_STEPS + 1), np.int64)
        self._nodes, self._certain = np.zeros((2, 2 * MOST_STEPS + 2), np.int64)

    def clear(self):
        """Remove all outcomes."""
        self.number = 0

    def add(self, part, decisions, most):
        """Add the outcomes of a part; False, and none, if that takes more than ``most`` moves.

        So many states are then enough to go through it step by step, as ``PartSearch`` does where graphs are drawn.
        """
        most = min(most, MOST_TRIED)
        begin = self.number
        if part.steps > MOST_STEPS or part.node_words > 1 or part.flag_words > 1:
            return False
        for side in range(2):
            self._certain[side] = 0
            for n in range(part.nodes):
                if has(decisions.certain, side * decisions.width, part.node[n]):
                    self._certain[side] |= cython.cast(cython.longlong, 1) << n
        t = cython.cast(cython.longlong, 0)
        tried = 0
        self._next[0] = part.ptr[0]
        while t >= 0:
            o = self._next[t]
            if o == part.ptr[t + 1]:
                t -= 1
                continue
            self._next[t] += 1
            tried += 1
            if self._flags[t] & part.needs[o] == part.needs[o] and not self._flags[t] & part.bars[o]:
                self._take(part, decisions.side[part.decision[t]], t, o)
                t += 1
                if t < part.steps:
                    self._next[t] = part.ptr[t]
                else:
                    t -= 1
                    self.note(self._size[t + 1], self._common[t + 1], self._diff[t + 1])
            if tried > most:
                self.number = begin
                return False
        self.tried += tried
        return True

    def _take(self, part, side, t, o):
        """Apply option ``o`` at step t."""
        other = 1 - side
        added = part.adds[o] & ~self._nodes[2 * t + side]
        shared = added & (self._nodes[2 * t + other] | self._certain[other])
        fresh = bits_of(added) + part.gain[o] + part.rest[o]
        self._nodes[2 * t + 2 + side] = self._nodes[2 * t + side] | added
        self._nodes[2 * t + 2 + other] = self._nodes[2 * t + other]
        self._flags[t + 1] = self._flags[t] | part.sets[o]
        self._size[t + 1] = self._size[t] + fresh
        self._diff[t + 1] = self._diff[t] + (fresh if side == 0 else -fresh)
        self._common[t + 1] = self._common[t] + part.gain[o] + bits_of(shared)

    def note(self, size, common, diff):
        """Add an outcome."""
        if self.number == self.size.shape[0]:
            with cython.gil:
                self.size, self.common, self.diff = longer(self.size, 0), longer(self.common, 0), longer(self.diff, 0)
        self.size[self.number] = size
        self.common[self.number] = common
        self.diff[self.number] = diff
        self.number += 1
        return 0
