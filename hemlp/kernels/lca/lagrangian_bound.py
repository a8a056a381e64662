"""Lagrangian bound (Fisher, 1981) on the value that the remaining steps of a component can add.

Each step takes its best option by itself, at prices that never ask for more than there is to pay:

- a node that the other side cannot have costs p; the steps that can use it share that, in any proportion;
- a node that it has, or may have, is worth w = 2q − p or q − p once: w − μ in any case, and μ for each step that
  uses it.

A class that has no link yet has to take one. Shares and μ are moved by a subgradient method, which makes the bound
smaller. Invariant: with any of them it is a bound. O(steps × options × nodes) for each round.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer

LOWEST = -1e300


class LagrangianBound:
    """Bounds for one part. Node n of a side is number ``side · nodes + n``, flag f number ``2 · nodes + f``.

    ``ahead[t]`` bounds what step t and those after it add to a state that has no item; ``credit``, after
    ``pass_step(t)``, says by how much each item that it has changes that.
    """

    def __init__(self):
        self.ptr, self.flag, self.option = np.zeros((3, 64), np.int64)
        self.draw, self.ahead = np.zeros((2, 64))
        self.use, self.chosen, self.left, self.mutual = np.zeros((4, 256), np.int64)
        self.share, self.kept_share = np.zeros((2, 256))
        self.worth, self.extra, self.kept_extra, self.credit, self.owed, self.total = np.zeros((6, 256))

    def _make_room(self, part, incidences):
        if part.steps + 1 > self.flag.shape[0]:
            with cython.gil:
                self.ptr, self.flag, self.option = np.zeros((3, 2 * part.steps + 2), np.int64)
                self.draw, self.ahead = np.zeros((2, 2 * part.steps + 2))
        if incidences > self.use.shape[0]:
            with cython.gil:
                self.use = longer(self.use, incidences)
                self.share, self.kept_share = np.zeros((2, self.use.shape[0]))
        if 2 * part.nodes + part.flags > self.left.shape[0]:
            with cython.gil:
                most = 2 * (2 * part.nodes + part.flags)
                self.chosen, self.left, self.mutual = np.zeros((3, most), np.int64)
                self.worth, self.extra, self.kept_extra, self.credit, self.owed, self.total = np.zeros((6, most))
        return 0

    def read(self, part, decisions):
        """Read which step can use which node, and which class or LCA it serves."""
        self._make_room(part, part.nodes * part.steps)
        end = 0
        for t in range(part.steps):
            self.ptr[t] = end
            s = part.decision[t]
            kind = decisions.kind[s]
            self.flag[t] = NONE
            if kind == OWN or kind == LAST:
                self.flag[t] = part.drawn[decisions.of_class[s]]
            for w in range(part.node_words):
                used = cython.cast(cython.longlong, 0)
                for o in range(part.ptr[t], part.ptr[t + 1]):
                    used |= part.adds[o * part.node_words + w]
                n = decisions.side[s] * part.nodes + 62 * w
                while used:
                    if used & 1:
                        self.use[end] = n
                        end += 1
                    used >>= 1
                    n += 1
        self.ptr[part.steps] = end
        return 0

    # ---- prices

    def start(self, part, sure, p, q):
        """Set the first prices: even shares, and μ = w."""
        self.p = p
        self.q = q
        self._count_users(part)
        for side in range(2):
            for n in range(part.nodes):
                at = side * part.nodes + n
                self.mutual[at] = self.left[(1 - side) * part.nodes + n] > 0
                self.worth[at] = q - p if self.mutual[at] else -p
                if has(sure, (1 - side) * part.node_words, n):
                    self.worth[at] = 2 * q - p
                self.extra[at] = self.worth[at]  # μ, where a node is worth something
        for k in range(self.ptr[part.steps]):
            self.share[k] = 1.0 * p / self.left[self.use[k]]

    def _count_users(self, part):
        """Count the remaining steps that can use each node."""
        for n in range(2 * part.nodes):
            self.left[n] = 0
        for k in range(self.ptr[part.steps]):
            self.left[self.use[k]] += 1

    def improve(self, part, decisions, rounds):
        """Improve the prices by subgradient steps; keep those of the smallest bound."""
        self._count_users(part)
        best = self._evaluate(part, decisions)
        self._keep(part)
        pace = 0.5 * self.q
        for _ in range(rounds):
            self._move(part, pace)
            pace *= 0.93
            bound = self._evaluate(part, decisions)
            if bound < best - 1e-9:
                best = bound
                self._keep(part)
        for k in range(self.ptr[part.steps]):
            self.share[k] = self.kept_share[k]
        for n in range(2 * part.nodes):
            self.extra[n] = self.kept_extra[n]

    def _keep(self, part):
        for k in range(self.ptr[part.steps]):
            self.kept_share[k] = self.share[k]
        for n in range(2 * part.nodes):
            self.kept_extra[n] = self.extra[n]

    def _move(self, part, pace):
        """Raise the prices for steps that chose a node, lower the others; lower all if several chose it."""
        for n in range(2 * part.nodes):
            self.total[n] = 0.0
            if self.worth[n] > 0:
                self.extra[n] -= pace * (self.chosen[n] - 1)
                self.extra[n] = min(self.worth[n], max(0.0, self.extra[n]))
        for t in range(part.steps):
            for k in range(self.ptr[t], self.ptr[t + 1]):
                n = self.use[k]
                if self.worth[n] < 0:
                    took: cython.bint = self.option[t] != NONE and has(
                        part.adds, self.option[t] * part.node_words, n % part.nodes
                    )
                    self.share[k] += pace * ((1.0 if took else 0.0) - 1.0 * self.chosen[n] / self.left[n])
                    self.share[k] = max(0.0, self.share[k])
                    self.total[n] += self.share[k]
        for k in range(self.ptr[part.steps]):
            if self.worth[self.use[k]] < 0 and self.total[self.use[k]] > 0:
                self.share[k] *= self.p / self.total[self.use[k]]

    # ---- the bound

    def _evaluate(self, part, decisions):
        """The bound on all steps together; ``option``: the choice of each step, NONE for nothing."""
        bound = 0.0
        for n in range(2 * part.nodes):
            self.chosen[n] = 0
            if self.worth[n] > 0 and self.left[n]:
                bound += self.worth[n] - self.extra[n]
        for f in range(part.flags):
            self.owed[2 * part.nodes + f] = LOWEST
        for t in range(part.steps):
            kind = decisions.kind[part.decision[t]]
            self._best_option(part, t)
            at = 2 * part.nodes + self.flag[t]
            if kind == CHOICE or self.draw[t] > 0:
                bound += self.draw[t]
                if self.flag[t] != NONE:
                    self.owed[at] = 0.0
            elif self.flag[t] != NONE and self.draw[t] > self.owed[at]:
                self.owed[at] = self.draw[t]
        for t in range(part.steps):
            at = 2 * part.nodes + self.flag[t]
            must: cython.bint = self.flag[t] != NONE and self.owed[at] < 0
            if (
                decisions.kind[part.decision[t]] == CHOICE
                or self.draw[t] > 0
                or (must and self.draw[t] == self.owed[at])
            ):
                if must and self.draw[t] <= 0:
                    bound += self.owed[at]
                    self.owed[at] = 0.0
                for k in range(self.ptr[t], self.ptr[t + 1]):
                    if has(part.adds, self.option[t] * part.node_words, self.use[k] % part.nodes):
                        self.chosen[self.use[k]] += 1
            else:
                self.option[t] = NONE
        return bound

    def _best_option(self, part, t):
        """The best path of step t, if it draws one, and its value."""
        self.draw[t] = LOWEST
        self.option[t] = NONE
        for k in range(self.ptr[t], self.ptr[t + 1]):
            n = self.use[k]
            self.total[n] = -self.share[k] if self.worth[n] < 0 else self.extra[n]
        for o in range(part.ptr[t], part.ptr[t + 1]):
            if part.source[o] != NONE:
                value = 2.0 * self.q * part.gain[o] - 1.0 * self.p * (part.rest[o] + part.gain[o])
                for k in range(self.ptr[t], self.ptr[t + 1]):
                    if has(part.adds, o * part.node_words, self.use[k] % part.nodes):
                        value += self.total[self.use[k]]
                if value > self.draw[t]:
                    self.draw[t] = value
                    self.option[t] = o

    def look_ahead(self, part, decisions):
        """Fill ``ahead`` and return to before the first step."""
        self._count_users(part)
        self._evaluate(part, decisions)
        self.ahead[part.steps] = 0.0
        for t in range(part.steps - 1, -1, -1):
            kind = decisions.kind[part.decision[t]]
            value = self.draw[t] if kind == CHOICE else 0.0 if kind == GROUP else max(0.0, self.draw[t])
            self.ahead[t] = self.ahead[t + 1] + value
        for n in range(2 * part.nodes + part.flags):
            self.credit[n] = 0.0
            self.total[n] = 0.0
        for k in range(self.ptr[part.steps]):
            self.total[self.use[k]] += self.share[k]

    def pass_step(self, part, t):
        """Pass step t: ``common`` changes the bound of every state, ``credit`` that of states with an item."""
        for k in range(self.ptr[t], self.ptr[t + 1]):
            self.left[self.use[k]] -= 1
            self.total[self.use[k]] -= self.share[k]
        self.common = 0.0
        for side in range(2):
            for n in range(part.nodes):
                at = side * part.nodes + n
                other = (1 - side) * part.nodes + n
                self.credit[at] = 0.0
                if self.worth[at] < 0:
                    self.credit[at] = max(0.0, self.total[at])
                elif self.left[at]:
                    self.common += self.worth[at] - self.extra[at]
                    self.credit[at] = self.extra[at] - self.worth[at]
                if self.mutual[at] and self.left[other]:
                    self.credit[at] += self.q
        self._owe(part, t + 1)

    def _owe(self, part, begin):
        """Charge each class without a link for its cheapest one to come."""
        for f in range(2 * part.nodes, 2 * part.nodes + part.flags):
            self.owed[f] = LOWEST
        for t in range(begin, part.steps):
            if self.flag[t] != NONE:
                at = 2 * part.nodes + self.flag[t]
                self.owed[at] = max(self.owed[at], self.draw[t])
        for f in range(2 * part.nodes, 2 * part.nodes + part.flags):
            self.credit[f] = 0.0
            if LOWEST < self.owed[f] < 0:
                self.common += self.owed[f]
                self.credit[f] = -self.owed[f]
