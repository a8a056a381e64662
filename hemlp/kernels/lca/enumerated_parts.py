"""Exhaustive enumeration of components that leave few choices, by depth-first search, once for all ratios."""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from hemlp.kernels.bitsets import bits_of, has

    MOST_STEPS, MOST_TRIED = 24, 2048

from hemlp.kernels.bitsets import longer


class EnumeratedParts:
    """The nodes, the common nodes and the difference of sizes that choices come to, of one part after the other.

    What has been decided before step t is at t: what each side has of the open nodes (the predicted one first), the
    flags, the counts so far, and the option that is next.
    """

    def __init__(self):
        self.number = self.tried = 0
        self.size, self.common, self.diff = np.zeros((3, 256), np.int64)
        self._size, self._common, self._diff, self._flags, self._next = np.zeros((5, MOST_STEPS + 1), np.int64)
        self._nodes, self._certain = np.zeros((2, 2 * MOST_STEPS + 2), np.int64)

    def clear(self):
        """Forget all of them."""
        self.number = 0

    def add(self, part, decisions, most):
        """Those of a part; False, and none, if that takes more than ``most`` moves.

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
        """What is decided after step t has taken option ``o``."""
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
        """What a choice comes to."""
        if self.number == self.size.shape[0]:
            with cython.gil:
                self.size, self.common, self.diff = longer(self.size, 0), longer(self.common, 0), longer(self.diff, 0)
        self.size[self.number] = size
        self.common[self.number] = common
        self.diff[self.number] = diff
        self.number += 1
        return 0
