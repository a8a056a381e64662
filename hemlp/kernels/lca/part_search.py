"""Dynamic program with branch and bound: the optimal choice of one component at a ratio λ = p / q.

    max  2q · (nodes in both graphs) − p · (nodes of both graphs),  then the fewest nodes

which is one number, ``scale`` · value − nodes. Steps are gone through in turn. Invariant: what a partial choice can
still become depends only on those of its items that later steps ask about, so choices that agree in them are one state,
and the best of them stands for all. A state is cut where its Lagrangian bound is below ``floor``. O(states × options)
for each step; states can be exponentially many in the width of the order. All best choices are kept, as paths.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer

LOWEST = -(1 << 62)
"""Below everything: no floor."""


class States:
    """Partial choices after a step: their items, values, and counts."""

    def __init__(self):
        self.items = np.zeros(1024, np.int64)
        self.worth, self.size, self.diff, self.common = np.zeros((4, 256), np.int64)
        self.hope = np.zeros(256)

    def make_room(self, number, width):
        """Make room for so many states of ``width`` words."""
        if number > self.worth.shape[0]:
            with cython.gil:
                self.worth, self.size = longer(self.worth, number), longer(self.size, number)
                self.diff, self.common = longer(self.diff, number), longer(self.common, number)
                self.hope = longer(self.hope, number)
        if number * width > self.items.shape[0]:
            with cython.gil:
                self.items = longer(self.items, number * width)
        return 0


class PartSearch:
    """Searches a part step by step; ``paths`` has the optimal choices."""

    def __init__(self):
        self.old, self.new, self.bound, self.paths = States(), States(), LagrangianBound(), BestPaths()
        self.moves = self.states = 0
        self.live, self.later, self.reach, self.uniform = np.zeros((4, 256), np.int64)
        self.sure = np.zeros(16, np.int64)
        self.table = np.full(1024, EMPTY, np.int32)

    # ---- what can be known in advance

    def prepare(self, part, decisions):
        """Find the certain nodes of the other side, the items of later steps, and the nodes each side can use.

        ``uniform``: steps all of whose paths have the same gain and rest; ``reach``: the nodes of a step's options.
        """
        width = 2 * part.node_words + part.flag_words
        self._make_room(part, width)
        for w in range(2 * part.node_words):
            self.sure[w] = 0
        for n in range(part.nodes):
            for side in range(2):
                if has(decisions.certain, side * decisions.width, part.node[n]):
                    put(self.sure, side * part.node_words, n)
        for w in range(width):
            self.live[part.steps * width + w] = self.later[part.steps * width + w] = 0
        for t in range(part.steps - 1, -1, -1):
            for w in range(width):
                self.live[t * width + w] = self.live[(t + 1) * width + w]
                self.later[t * width + w] = self.later[(t + 1) * width + w]
            own = t * width + decisions.side[part.decision[t]] * part.node_words
            for w in range(part.node_words):
                self.reach[t * part.node_words + w] = 0
            last = part.ptr[t + 1] - 1
            self.uniform[t] = last > part.ptr[t] and part.source[last - 1] != EMPTY  # several paths, which stand last
            for o in range(part.ptr[t], part.ptr[t + 1]):
                if part.source[o] != EMPTY and (part.gain[o] != part.gain[last] or part.rest[o] != part.rest[last]):
                    self.uniform[t] = 0
                for w in range(part.node_words):
                    self.reach[t * part.node_words + w] |= part.adds[o * part.node_words + w]
                    self.later[own + w] |= part.adds[o * part.node_words + w]
                    self.live[t * width + w] |= part.adds[o * part.node_words + w]
                    self.live[t * width + part.node_words + w] |= part.adds[o * part.node_words + w]
                for w in range(part.flag_words):
                    asked = part.needs[o * part.flag_words + w] | part.bars[o * part.flag_words + w]
                    self.live[t * width + 2 * part.node_words + w] |= asked
        self.bound.read(part, decisions)
        return 0

    def _make_room(self, part, width):
        if 2 * part.node_words > self.sure.shape[0]:
            with cython.gil:
                self.sure = longer(self.sure, 2 * part.node_words)
        if (part.steps + 1) * width > self.live.shape[0]:
            with cython.gil:
                room = 2 * (part.steps + 1) * width
                self.live, self.later, self.reach, self.uniform = np.zeros((4, room), np.int64)
        return self.old.make_room(1, width)

    # ---- step by step

    def ask(self, part, p, q, scale):
        """Set the ratio p / q."""
        self.p = p
        self.q = q
        self.scale = scale
        self.bound.start(part, self.sure, p, q)

    def best(self, part, decisions, floor, most, beam):
        """Search the part: SOLVED, NOTHING reaches the floor, or TOO_MANY, more than ``most`` states.

        ``beam``: after each step go on with so many of the most hopeful states only (0: with all), which is fast and
        may miss the best.
        """
        width = 2 * part.node_words + part.flag_words
        self.floor = floor
        self.bounded = floor > LOWEST or beam > 0
        if self.bounded:
            self.bound.look_ahead(part, decisions)
        for w in range(width):
            self.old.items[w] = 0
        self.old.worth[0] = self.old.size[0] = self.old.diff[0] = self.old.common[0] = 0
        self.states = 1
        self.paths.start(part.steps)
        for t in range(part.steps):
            self.paths.add_layer(self.states)
            if self.bounded:
                self.bound.pass_step(part, t)
            if not self._step(part, decisions.side[part.decision[t]], t, most):
                return TOO_MANY
            self._turn(width, beam)
            if self.states == 0:
                return NOTHING
        return SOLVED

    def _step(self, part, side, t, most):
        """Apply all options to all states; False if that makes more than ``most`` states."""
        width = 2 * part.node_words + part.flag_words
        self._clear_table(min(self.states * (part.ptr[t + 1] - part.ptr[t]), most) + 1)
        self.made = 0
        for i in range(self.states):
            self.new.make_room(self.made + part.ptr[t + 1] - part.ptr[t] + 1, width)
            credit = self._credit(part, i * width, t + 1) if self.bounded else 0.0
            free = self._free_path(part, side, i * width, t) if self.uniform[t] else EMPTY
            shares: cython.bint = free == EMPTY or not self._only_costs(part, side, i * width, t, self.reach, t)
            for o in range(part.ptr[t], part.ptr[t + 1]):
                if not shares and o != free and part.source[o] != EMPTY:
                    continue
                self.moves += 1
                if self.moves % 65536 == 0:
                    look_for_signals()
                dominated: cython.bint = free != EMPTY and o != free and part.source[o] != EMPTY
                dominated = dominated and self._only_costs(part, side, i * width, t, part.adds, o)
                if not dominated and self._feasible(part, i * width, o):
                    self._apply(part, side, i, o, (t + 1) * width)
                    if self._hopeful(part, i * width, t + 1, credit) and not self._keep(i, o, width, most):
                        return False
        return True

    def _free_path(self, part, side, at, t):
        """A path of a uniform step that adds no node to the state at ``at``; EMPTY if there is none.

        It dominates those that add only nodes that the other side never has: what later steps need, they can add.
        """
        for o in range(part.ptr[t], part.ptr[t + 1]):
            adds: cython.bint = part.source[o] == EMPTY
            for w in range(part.node_words):
                mine = self.old.items[at + side * part.node_words + w]
                adds = adds or part.adds[o * part.node_words + w] & ~mine
            if not adds:
                return o
        return EMPTY

    def _only_costs(self, part, side, at, t, nodes, row):
        """Whether a row of nodes adds only some that the other side can never have."""
        words = part.node_words
        other = (1 - side) * words
        for w in range(words):
            shared = self.old.items[at + other + w] | self.sure[other + w]
            shared |= self.later[(t + 1) * (2 * words + part.flag_words) + other + w]
            if nodes[row * words + w] & ~self.old.items[at + side * words + w] & shared:
                return False
        return True

    def _feasible(self, part, at, o):
        """Whether a state has the flags that an option needs, and none that it bars."""
        for w in range(part.flag_words):
            flags = self.old.items[at + 2 * part.node_words + w]
            needs = part.needs[o * part.flag_words + w]
            if flags & needs != needs or flags & part.bars[o * part.flag_words + w]:
                return False
        return True

    def _apply(self, part, side, i, o, live):
        """Apply option ``o`` to state ``i`` and append the new state.

        Items that no later step asks about, which are not in the words at ``live``, are forgotten.
        """
        words = part.node_words
        width = 2 * words + part.flag_words
        old = i * width
        new = self.made * width
        own = side * words
        other = words - own
        fresh = part.gain[o] + part.rest[o]
        shared = part.gain[o]
        for w in range(words):
            mine = self.old.items[old + own + w]
            others = self.old.items[old + other + w]
            added = part.adds[o * words + w] & ~mine
            fresh += bits_of(added)
            shared += bits_of(added & (others | self.sure[other + w]))
            self.new.items[new + own + w] = (mine | added) & self.live[live + own + w]
            self.new.items[new + other + w] = others & self.live[live + other + w]
        for w in range(2 * words, width):
            flags = self.old.items[old + w] | part.sets[o * part.flag_words + w - 2 * words]
            self.new.items[new + w] = flags & self.live[live + w]
        self.new.size[self.made] = self.old.size[i] + fresh
        self.new.diff[self.made] = self.old.diff[i] + (fresh if side == 0 else -fresh)
        self.new.common[self.made] = self.old.common[i] + shared
        worth = (2 * self.q * shared - self.p * fresh) * self.scale - fresh
        self.new.worth[self.made] = self.old.worth[i] + worth

    def _credit(self, part, at, t):
        """The value that the items of an old state have for the steps from ``t`` on."""
        width = 2 * part.node_words + part.flag_words
        credit = 0.0
        for w in range(width):
            credit += self._credit_of(part, w, self.old.items[at + w] & self.live[t * width + w])
        return credit

    def _credit_of(self, part, w, items):
        """The value of the items of word ``w`` for later steps."""
        if w < part.node_words:
            item = 62 * w
        elif w < 2 * part.node_words:
            item = part.nodes + 62 * (w - part.node_words)
        else:
            item = 2 * part.nodes + 62 * (w - 2 * part.node_words)
        credit = 0.0
        while items:
            credit += self.bound.credit[item + bits_of((items & -items) - 1)]  # the lowest item
            items &= items - 1
        return credit

    def _hopeful(self, part, before, t, credit):
        """Whether the newest state can reach the floor; its credit is at least that of the state at ``before``."""
        if not self.bounded:
            return True
        width = 2 * part.node_words + part.flag_words
        hope = self.bound.ahead[t] + self.bound.common + credit
        for w in range(width):
            added = self.new.items[self.made * width + w] & ~self.old.items[before + w]
            if added:
                hope += self._credit_of(part, w, added)
        self.new.hope[self.made] = self.new.worth[self.made] + self.scale * hope
        return self.new.hope[self.made] >= self.floor - 0.5

    # ---- states that are one

    def _clear_table(self, states):
        size = 16
        while size < 2 * states:
            size *= 2
        if size > self.table.shape[0]:
            with cython.gil:
                self.table = np.full(size, EMPTY, np.int32)
        self.table_size = size
        for k in range(size):
            self.table[k] = EMPTY
        return 0

    def _keep(self, i, o, width, most):
        """Keep the newest state unless an equal one is as good; False if there is no room."""
        code = cython.cast(cython.longlong, 0)
        for w in range(self.made * width, (self.made + 1) * width):
            word = self.new.items[w]
            code = (code * 1000003 ^ (word & 0x7FFFFFFF) ^ (word >> 31)) & 0x7FFFFFFF
        place = (code ^ (code >> 15)) & (self.table_size - 1)
        while self.table[place] != EMPTY and not self._alike(self.table[place], width):
            place = (place + 1) & (self.table_size - 1)
        other = self.table[place]
        shift = self.new.diff[self.made] - self.old.diff[i]
        if other == EMPTY:
            if self.made == most:
                return False
            self.table[place] = self.made
            other = self.made
            self.made += 1
        elif self.new.worth[self.made] == self.new.worth[other]:
            return self.paths.add_tied(other, i, o, shift)
        elif self.new.worth[self.made] > self.new.worth[other]:
            self.new.worth[other] = self.new.worth[self.made]
            self.new.size[other] = self.new.size[self.made]
            self.new.diff[other] = self.new.diff[self.made]
            self.new.common[other] = self.new.common[self.made]
            self.new.hope[other] = self.new.hope[self.made]
        else:
            return True
        return self.paths.add(other, i, o, shift)

    def _alike(self, other, width):
        for w in range(width):
            if self.new.items[other * width + w] != self.new.items[self.made * width + w]:
                return False
        return True

    def _turn(self, width, beam):
        """Make the new states the old ones; with a ``beam`` only the most hopeful."""
        lowest = self._threshold(beam) if beam and self.made > beam else -1e300
        self.old.make_room(self.made, width)
        kept = 0
        for i in range(self.made):
            if self.new.hope[i] >= lowest:
                for w in range(width):
                    self.old.items[kept * width + w] = self.new.items[i * width + w]
                self.old.worth[kept] = self.new.worth[i]
                self.old.size[kept] = self.new.size[i]
                self.old.diff[kept] = self.new.diff[i]
                self.old.common[kept] = self.new.common[i]
                self.paths.move(i, kept)
                kept += 1
        self.states = kept
        return 0

    def _threshold(self, beam):
        """A bound that at most ``beam`` states reach, by bisection."""
        low = high = self.new.hope[0]
        for i in range(self.made):
            low = min(low, self.new.hope[i])
            high = max(high, self.new.hope[i])
        for _ in range(40):
            middle = (low + high) / 2
            count = 0
            for i in range(self.made):
                count += 1 if self.new.hope[i] >= middle else 0
            if count > beam:
                low = middle
            else:
                high = middle
        return high
