"""All minimum hitting sets: the fewest LCAs that serve every class of an instance.

Reductions first: an LCA that alone can serve a class is in every set, an LCA that serves no class left is in none, and
a class whose LCAs contain those of another is dominated. What is left falls into *groups* (connected components, by
union-find) with sets of their own, enumerated by branching on an unmet class in order of size. Exponential in the
size of a group, with limits; where a group is large, one LCA of each orbit of twins stands for all.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.lca.twins import keep_first_twins

FEW = 8
"""So many LCAs of a group are gone through rather than looked at for twins."""


class HittingSet:
    """The minimum hitting sets of an instance. An LCA is OUT of all, IN all, or MAYBE: its group decides.

    ``sets[set_ptr[g]:set_ptr[g + 1]]`` are the choices of group g, as bits: LCA a is bit ``bit_of[a]`` of
    ``group_of[a]``.
    """

    def __init__(self):
        self.few = FEW
        self.make_room(64, 64)
        self.stack = np.empty(8 * GROUP_SIZE * GROUP_SIZE, np.int64)

    def make_room(self, classes, lcas):
        """Make room for so many classes and LCAs."""
        self.count = np.zeros(classes, np.int64)
        self.served = np.zeros(classes, np.int64)
        self.masks = np.zeros(classes, np.int64)
        self.standing = np.zeros(lcas, np.int64)
        self.leader = np.zeros(lcas, np.int64)
        self.group_of = np.zeros(lcas, np.int64)
        self.bit_of = np.zeros(lcas, np.int64)
        self.set_ptr = np.zeros(lcas + 2, np.int64)
        self.sets = np.zeros(MOST_SETS * (lcas // 16 + 1), np.int64)

    def settle(self, links):
        """Find all minimum sets for the own links of an instance; False if they exceed the limits."""
        if links.classes > self.served.shape[0] or links.lcas > self.standing.shape[0]:
            with cython.gil:
                self.make_room(2 * links.classes, 2 * links.lcas)
        self._force(links)
        self._join(links)
        if self._largest_group(links) > self.few:
            with cython.gil:
                keep_first_twins(links)
            self._force(links)
            self._join(links)
        self.fewest = 0
        self.groups = 0
        for a in range(links.lcas):
            self.fewest += self.standing[a] == IN
        for a in range(links.lcas):
            if self.standing[a] == MAYBE and self.leader[a] == a and not self._settle_group(a, links):
                return False
        return True

    def _force(self, links):
        """Find the LCAs that are in all sets, and those that may be in one."""
        for c in range(links.classes):
            self.count[c] = 0
            self.served[c] = 0
        for a in range(links.lcas):
            self.standing[a] = OUT
            self.leader[a] = a
            self.group_of[a] = NO_GROUP
        for k in range(links.number):
            self.count[links.of_class[k]] += links.own[k]
        for k in range(links.number):
            if links.own[k] and self.count[links.of_class[k]] == 1:
                self.standing[links.of_lca[k]] = IN
        for k in range(links.number):
            if links.own[k] and self.standing[links.of_lca[k]] == IN:
                self.served[links.of_class[k]] = 1
        for k in range(links.number):
            if links.own[k] and not self.served[links.of_class[k]]:
                self.standing[links.of_lca[k]] = MAYBE

    def _join(self, links):
        """Give all LCAs of a group one leader. The links of a class stand together."""
        before = -1
        for k in range(links.number):
            if links.own[k] and not self.served[links.of_class[k]]:
                if before >= 0 and links.of_class[before] == links.of_class[k]:
                    self.leader[self.find(links.of_lca[k])] = self.find(links.of_lca[before])
                before = k
        for a in range(links.lcas):
            self.leader[a] = self.find(a)

    def _largest_group(self, links):
        """The number of LCAs of the largest group."""
        largest = cython.cast(cython.longlong, 0)
        for a in range(links.lcas):
            self.bit_of[a] = 0
        for a in range(links.lcas):
            if self.standing[a] == MAYBE:
                self.bit_of[self.leader[a]] += 1
                largest = max(largest, self.bit_of[self.leader[a]])
        return largest

    def find(self, a):
        """The leader of an LCA."""
        while self.leader[a] != a:
            self.leader[a] = self.leader[self.leader[a]]
            a = self.leader[a]
        return a

    def _settle_group(self, leader, links):
        """Find the minimum sets of a group; one that leaves no choice is settled at once."""
        size = 0
        for a in range(links.lcas):
            if self.standing[a] == MAYBE and self.leader[a] == leader:
                self.bit_of[a] = size
                size += 1
        if size > GROUP_SIZE:
            return False
        for c in range(links.classes):
            self.masks[c] = 0
        for k in range(links.number):
            a = links.of_lca[k]
            if links.own[k] and not self.served[links.of_class[k]] and self.leader[a] == leader:
                self.masks[links.of_class[k]] |= cython.cast(cython.longlong, 1) << self.bit_of[a]
        begin = 0 if self.groups == 0 else self.set_ptr[self.groups]
        number = self._find_sets(self._distinct_masks(links.classes), begin)
        if number == 0:
            return False
        self.fewest += bits_of(self.sets[begin])
        everywhere = self.sets[begin]
        somewhere = self.sets[begin]
        for s in range(begin + 1, begin + number):
            everywhere &= self.sets[s]
            somewhere |= self.sets[s]
        for a in range(links.lcas):
            if self.standing[a] == MAYBE and self.leader[a] == leader:
                bit = cython.cast(cython.longlong, 1) << self.bit_of[a]
                if everywhere & bit:
                    self.standing[a] = IN
                elif not somewhere & bit:
                    self.standing[a] = OUT
                else:
                    self.group_of[a] = self.groups
        if number > 1:
            self.groups += 1
            self.set_ptr[self.groups] = begin + number
        return True

    def _distinct_masks(self, classes):
        """Move the minimal masks, without empty ones, to the front; how many there are."""
        some = 0
        for c in range(classes):
            if self.masks[c]:
                self.masks[some] = self.masks[c]
                some += 1
        for c in range(some):
            self.count[c] = 1
            for other in range(some):
                if other != c and self.masks[other] & ~self.masks[c] == 0:
                    if self.masks[other] != self.masks[c] or other < c:
                        self.count[c] = 0
        kept = 0
        for c in range(some):
            if self.count[c]:
                self.masks[kept] = self.masks[c]
                kept += 1
        return kept

    def _find_sets(self, masks, begin):
        """Write all minimum sets that hit the masks from ``begin`` on; how many, 0 if too many."""
        least = 0  # masks that have nothing in common need as many bits
        used = cython.cast(cython.longlong, 0)
        for m in range(masks):
            if self.masks[m] & used == 0:
                used |= self.masks[m]
                least += 1
        for size in range(least, masks + 1):
            number = self._sets_of_size(size, masks, begin)
            if number != 0:
                return number if number > 0 else 0
        return 0

    def _sets_of_size(self, size, masks, begin):
        """Write the hitting sets of this size; how many, less than 0 if too many or too slow."""
        stack = self.stack
        number = 0
        steps = 0
        top = 1
        stack[0] = stack[1] = 0
        while top > 0:
            steps += 1
            top -= 1
            chosen = stack[2 * top]
            excluded = stack[2 * top + 1]
            unmet = cython.cast(cython.longlong, 0)
            for m in range(masks):
                if self.masks[m] & chosen == 0:
                    unmet = self.masks[m]
                    break
            if unmet == 0:
                if number == MOST_SETS or begin + number >= self.sets.shape[0]:
                    return -1
                self.sets[begin + number] = chosen
                number += 1
                continue
            if bits_of(chosen) == size:
                continue
            rest = unmet & ~excluded
            if steps > MOST_STEPS or 2 * (top + GROUP_SIZE) > stack.shape[0]:
                return -1
            while rest:
                low = rest & -rest
                rest ^= low
                stack[2 * top] = chosen | low
                stack[2 * top + 1] = excluded
                excluded |= low
                top += 1
        return number
