"""The decisions of one instance of Problem 2 that reductions and dominance leave, with their options.

Which path a link takes, whether a class is linked to one of its LCAs, which link serves an LCA that no class of a side
is linked to, which LCAs a group takes: each is a *decision*, and its *options* are paths. What is on every path of a
link that is drawn in any case is *certain*, and costs nobody anything; of what is left,

- ``open`` nodes are those that other decisions can use, too, or that the other side can have, but need not;
- ``gain`` counts nodes that only this decision can use and that the other side has for certain;
- ``rest`` counts all others, which nobody shares.

Options that another one of the same decision dominates are removed until none is.
"""

from __future__ import annotations

import cython
import numpy as np


class Decisions:
    """The decisions of one instance; decision s has the options ``ptr[s]:ptr[s + 1]``.

    Kinds: CHOICE takes one option; OWN links a class to an LCA or does not, LAST has to unless an earlier decision of
    its class did; EXTRA takes one option if its LCA is chosen and no class of its side is linked to it; GROUP chooses
    LCAs; SETTLED has one option left, which is certain. The decisions before ``first`` had no more from the start.
    """

    def __init__(self, links):
        most = links.own.shape[0]
        self.role, self._sure, self._choices = np.zeros((3, 2 * most + 1), np.int64)
        self.kind, self.side, self.of_class, self.of_lca, self.leader, self._owner = np.zeros(
            (6, 4 * most + 1), np.int64
        )
        self.ptr = np.zeros(4 * most + 2, np.int64)
        self._make_room(256)
        self._make_width(8)
        self._bit_owner = np.zeros(256, np.int64)

    def _make_room(self, options):
        self.row, self.link, self.gain, self.rest, self._alive = np.zeros((5, options), np.int64)

    def _make_width(self, width):
        self.certain, self.may, self.lone, self._settled = np.zeros((4, 2 * width), np.int64)
        self._all = np.zeros(width, np.int64)

    # ---- which links there can be

    def assign_roles(self, links, hitting_set):
        """Say which links are drawn ALWAYS, which a class may choose, and which may be an LCA's extra link."""
        for c in range(links.classes):
            self._choices[c] = 0
        for a in range(2 * links.lcas):
            self._sure[a] = 0
        for k in range(links.number):
            self._choices[links.of_class[k]] += links.own[k] and hitting_set.standing[links.of_lca[k]] != OUT
        for k in range(links.number):
            possible: cython.bint = hitting_set.standing[links.of_lca[k]] != OUT
            self.role[k] = OWN_LINK if possible and links.own[k] else SPARE if possible else DROPPED
            if self.role[k] == OWN_LINK and self._choices[links.of_class[k]] == 1:
                self.role[k] = ALWAYS
                self._sure[2 * links.of_lca[k] + links.side[k]] = 1
        for k in range(links.number):
            if self.role[k] == SPARE and self._sure[2 * links.of_lca[k] + links.side[k]]:
                self.role[k] = DROPPED

    # ---- decisions and options

    def read(self, links, hitting_set, signatures):
        """Build the decisions of the links that have a role, and settle those that are certain."""
        if signatures.ptr[links.number] > self.row.shape[0]:
            with cython.gil:
                self._make_room(2 * signatures.ptr[links.number])
        if 2 * signatures.width > self.certain.shape[0]:
            with cython.gil:
                self._make_width(2 * signatures.width)
        self.width = signatures.width
        self._settle(links, signatures)
        for k in range(links.number):
            if self.role[k] == ALWAYS and signatures.ptr[k + 1] - signatures.ptr[k] > 1:
                self._add(CHOICE, links.side[k], links.of_class[k], links.of_lca[k])
                self._add_options(k, signatures)
            elif self.role[k] == OWN_LINK:
                self._choices[links.of_class[k]] -= 1
                last: cython.bint = self._choices[links.of_class[k]] == 0
                self._add(LAST if last else OWN, links.side[k], links.of_class[k], links.of_lca[k])
                self._add_options(k, signatures)
        self._add_spare(links, hitting_set, signatures)
        for g in range(hitting_set.groups):
            self._add(GROUP, 0, g, 0)
            self.ptr[self.number] = self.ptr[self.number - 1]
        while self._classify(signatures):
            pass
        self._join(links, hitting_set, signatures)

    def _settle(self, links, signatures):
        """Settle the decisions of links that are always drawn and have one path, as most have."""
        self.number = 0
        for w in range(2 * self.width):
            self._settled[w] = 0
        number = cython.cast(cython.longlong, 0)
        for k in range(links.number):
            row = signatures.ptr[k]
            if self.role[k] == ALWAYS and signatures.ptr[k + 1] - row == 1:
                side = links.side[k]
                self.kind[number] = SETTLED
                self.side[number] = side
                self.of_class[number] = links.of_class[k]
                self.of_lca[number] = links.of_lca[k]
                self.row[number] = row
                self.link[number] = k
                number += 1
                self.ptr[number] = number
                for w in range(self.width):
                    self._settled[side * self.width + w] |= signatures.rows[row * self.width + w]
        self.first = self.number = number

    def _add(self, kind, side, of_class, of_lca):
        self.kind[self.number] = kind
        self.side[self.number] = side
        self.of_class[self.number] = of_class
        self.of_lca[self.number] = of_lca
        self.number += 1
        self.ptr[self.number] = self.ptr[self.number - 1]

    def _add_options(self, k, signatures):
        """Add all paths of a link as options of the last decision."""
        end = self.ptr[self.number]
        for row in range(signatures.ptr[k], signatures.ptr[k + 1]):
            self.row[end] = row
            self.link[end] = k
            end += 1
        self.ptr[self.number] = end

    def _add_spare(self, links, hitting_set, signatures):
        """Add a decision for each side of an LCA over all links that can serve it; one must if no class does."""
        for place in range(2 * links.lcas):
            self._owner[place] = NOBODY
        for k in range(links.number):
            if self.role[k] == OWN_LINK:
                self._owner[2 * links.of_lca[k] + links.side[k]] = k
        for place in range(2 * links.lcas):
            a = place // 2
            if self._sure[place] or hitting_set.standing[a] == OUT:
                continue
            must: cython.bint = hitting_set.standing[a] == IN and self._owner[place] == NOBODY
            self._add(CHOICE if must else EXTRA, place % 2, 0, a)
            for k in range(links.number):
                if self.role[k] == SPARE and 2 * links.of_lca[k] + links.side[k] == place:
                    self._add_options(k, signatures)

    # ---- what is certain

    def _classify(self, signatures):
        """Classify the nodes of each option and mark the certain ones; whether options could be removed."""
        width = signatures.width
        self._find_certain(signatures)
        self._count_users(signatures)
        for s in range(self.first, self.number):
            own = self.side[s] * width
            other = width - own
            for o in range(self.ptr[s], self.ptr[s + 1]):
                gain = 0
                rest = signatures.plain[self.row[o]]
                for w in range(width):
                    lone = signatures.rows[self.row[o] * width + w] & ~self.certain[own + w] & self.lone[own + w]
                    gain += bits_of(lone & self.certain[other + w])
                    rest += bits_of(lone & ~self.may[other + w])
                self.gain[o] = gain
                self.rest[o] = rest
        return self._remove_worse(signatures)

    def _find_certain(self, signatures):
        """Find the nodes on all options of a decision that takes one, and on all that a class can choose."""
        width = signatures.width
        for w in range(2 * width):
            self.certain[w] = self._settled[w]
        for s in range(self.first, self.number):
            kind = self.kind[s]
            if kind != EXTRA and kind != GROUP:
                begins: cython.bint = kind <= CHOICE or s == 0 or self.kind[s - 1] != OWN
                for o in range(self.ptr[s], self.ptr[s + 1]):
                    for w in range(width):
                        word = signatures.rows[self.row[o] * width + w]
                        fresh: cython.bint = begins and o == self.ptr[s]
                        self._all[w] = word if fresh else self._all[w] & word
                if kind != OWN:
                    for w in range(width):
                        self.certain[self.side[s] * width + w] |= self._all[w]

    def _count_users(self, signatures):
        """Find the nodes that a side may have, and those that only one decision can use."""
        width = signatures.width
        for w in range(2 * width):
            self.may[w] = self._settled[w]
            self.lone[w] = 0
        for s in range(self.first, self.number):
            at = self.side[s] * width
            for w in range(width):
                used = cython.cast(cython.longlong, 0)
                for o in range(self.ptr[s], self.ptr[s + 1]):
                    used |= signatures.rows[self.row[o] * width + w]
                self.lone[at + w] = (self.lone[at + w] & ~used) | (used & ~self.may[at + w])
                self.may[at + w] |= used

    def _remove_worse(self, signatures):
        """Remove the dominated options of a decision; whether there were any."""
        end = begin = self.ptr[self.first]
        removed: cython.bint = False
        for s in range(self.first, self.number):
            stop = self.ptr[s + 1]
            for a in range(begin, stop):
                self._alive[a] = 1
            for a in range(begin, stop):
                for b in range(begin, stop):
                    if self._alive[a] and self._alive[b] and a != b and self._worse(a, b, s, signatures):
                        self._alive[a] = 0
                        removed = True
            for o in range(begin, stop):
                if self._alive[o]:
                    self.row[end] = self.row[o]
                    self.link[end] = self.link[o]
                    self.gain[end] = self.gain[o]
                    self.rest[end] = self.rest[o]
                    end += 1
            begin = stop
            self.ptr[s + 1] = end
            if self.kind[s] == CHOICE and end - self.ptr[s] == 1:
                self.kind[s] = SETTLED  # all of it is certain
        return removed

    def _worse(self, a, b, s, signatures):
        """Whether option ``b`` dominates ``a``: no open node less, no gain less, and never more new nodes."""
        if self.gain[b] < self.gain[a]:
            return False
        new = 0
        for w in range(signatures.width):
            open_a = self.open_word(a, s, w, signatures)
            open_b = self.open_word(b, s, w, signatures)
            if open_a & ~open_b:
                return False
            new += bits_of(open_b & ~open_a)
        return self.gain[b] + self.rest[b] + new <= self.gain[a] + self.rest[a]

    def open_word(self, o, s, w, signatures):
        """The w-th word of the open nodes of an option."""
        width = signatures.width
        own = self.side[s] * width + w
        other = (1 - self.side[s]) * width + w
        open_now = signatures.rows[self.row[o] * width + w] & ~self.certain[own]
        return open_now & ~(self.lone[own] & (self.certain[other] | ~self.may[other]))

    # ---- parts

    def _join(self, links, hitting_set, signatures):
        """Unite decisions that share an open node, a class, a side of an LCA or a group: each part has a leader."""
        for place in range(2 * links.lcas):
            self._owner[place] = NOBODY
        for s in range(self.first, self.number):
            self.leader[s] = s
            kind = self.kind[s]
            if kind == OWN or kind == LAST or kind == EXTRA:
                if kind != EXTRA and s > 0 and self.kind[s - 1] == OWN:  # of the same class
                    self._unite(s, s - 1)
                place = 2 * self.of_lca[s] + self.side[s]
                if not self._sure[place]:
                    if self._owner[place] != NOBODY:
                        self._unite(s, self._owner[place])
                    self._owner[place] = s
            elif kind == GROUP:
                for other in range(self.first, s):
                    group = hitting_set.group_of[self.of_lca[other]]
                    if self.kind[other] > CHOICE and self.kind[other] != GROUP and group == self.of_class[s]:
                        self._unite(s, other)
        self._join_by_nodes(signatures)
        for s in range(self.first, self.number):
            self.leader[s] = self.find(s)

    def _join_by_nodes(self, signatures):
        if signatures.bits > self._bit_owner.shape[0]:
            with cython.gil:
                self._bit_owner = np.zeros(2 * signatures.bits, np.int64)
        for b in range(signatures.bits):
            self._bit_owner[b] = NOBODY
        for s in range(self.first, self.number):
            if self.kind[s] != SETTLED:
                for w in range(signatures.width):
                    used = cython.cast(cython.longlong, 0)
                    for o in range(self.ptr[s], self.ptr[s + 1]):
                        used |= self.open_word(o, s, w, signatures)
                    b = 62 * w
                    while used:
                        if used & 1:
                            if self._bit_owner[b] != NOBODY:
                                self._unite(s, self._bit_owner[b])
                            self._bit_owner[b] = s
                        used >>= 1
                        b += 1

    def find(self, s):
        """The leader of a decision."""
        while self.leader[s] != s:
            self.leader[s] = self.leader[self.leader[s]]
            s = self.leader[s]
        return s

    def _unite(self, s, t):
        self.leader[self.find(s)] = self.find(t)
