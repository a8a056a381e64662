"""Subset sums by dynamic programming: the best choices with the most equal sizes of both graphs.

A part has a few *differences*: predicted nodes less true ones. Their sums are computed part by part, in
O(parts × sums × differences).
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class Ties:
    """The differences that each undecided part can have: part k is ``part[k]`` with ``diff[ptr[k]:ptr[k + 1]]``.

    ``lean``: the difference of all that is decided.
    """

    def __init__(self, most):
        self.part, self.ptr = np.zeros((2, most + 1), np.int64)
        self.diff, self._reach = np.zeros(64, np.int64), np.zeros(1024, np.uint8)

    def start(self, lean):
        """Remove all parts."""
        self.lean = lean
        self.parts = 0

    def add(self, part):
        """Add an undecided part, with no difference so far."""
        self.part[self.parts] = part
        self.parts += 1
        self.ptr[self.parts] = self.ptr[self.parts - 1] if self.parts > 1 else 0

    def note(self, diff):
        """Add a difference that the last part can have, unless it is known."""
        end = self.ptr[self.parts]
        for d in range(self.ptr[self.parts - 1], end):
            if self.diff[d] == diff:
                return 0
        if end == self.diff.shape[0]:
            with cython.gil:
                self.diff = longer(self.diff, 0)
        self.diff[end] = diff
        self.ptr[self.parts] = end + 1
        return 0

    def settle(self):
        """Decide the last part if it has only one difference."""
        first = self.ptr[self.parts - 1]
        if self.ptr[self.parts] == first + 1:
            self.lean += self.diff[first]
            self.parts -= 1

    def most_equal(self):
        """The sum of one difference per undecided part that makes the sizes most equal."""
        self._span = 0
        for d in range(self.ptr[self.parts]):
            self._span += abs(self.diff[d])
        width = 2 * self._span + 1
        if (self.parts + 1) * width > self._reach.shape[0]:
            with cython.gil:
                self._reach = np.zeros(2 * (self.parts + 1) * width, np.uint8)
        for x in range((self.parts + 1) * width):
            self._reach[x] = 0
        self._reach[self._span] = 1
        for k in range(self.parts):
            for x in range(width):
                if self._reach[k * width + x]:
                    for d in range(self.ptr[k], self.ptr[k + 1]):
                        self._reach[(k + 1) * width + x + self.diff[d]] = 1
        seen: cython.bint = False
        best = 0
        for x in range(width):
            total = self.lean + x - self._span
            if self._reach[self.parts * width + x] and (not seen or abs(total) < abs(self.lean + best)):
                seen = True
                best = x - self._span
        return best

    def reaches(self, k, total):
        """Whether the first ``k`` parts can have this sum."""
        within: cython.bint = -self._span <= total <= self._span
        return within and self._reach[k * (2 * self._span + 1) + total + self._span]
