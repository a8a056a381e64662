"""One connected component of the decisions, in an elimination order that keeps few items open.

A partial choice is a set of *items*: open nodes that a side has, LCAs that are chosen, sides of LCAs that have a link,
classes that have one. An option adds items, and may need some or forbid some. The order is greedy (least growth of the
frontier, as for variable elimination), O(steps² × items); better ones are looked for by simulated annealing
(Kirkpatrick et al., 1983), always with the same random numbers, O(items) for each of its moves.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class Component:
    """A part: its decisions in order, and their options.

    Step t decides on ``decision[t]`` with the options ``ptr[t]:ptr[t + 1]``. Option o ``adds`` nodes (``node_words``
    words from o · node_words on) to the side of its decision, ``sets`` flags (``flag_words`` words), ``needs`` some and
    ``bars`` others. ``source``: the option of ``Decisions`` that it is, NONE if nothing is drawn. Node n is bit
    ``node[n]`` of the instance.

    Orders: AS_LISTED, GREEDY, and annealed ones up to LAST_ORDER. For even ones items count nearly alike, for odd ones
    much less where their decisions have few options. ``order``: the one that is known of each leader's part, or NONE.
    """

    def __init__(self, decisions):
        self.decision, self.ptr, self._listed, self._turn, self._waits = np.zeros((5, decisions + 1), np.int64)
        self.order, self._place = np.zeros((2, decisions), np.int64)
        self.source, self.gain, self.rest = np.zeros((3, 256), np.int64)
        self.adds, self.needs, self.bars, self.sets = np.zeros((4, 256), np.int64)
        self.node, self._items, self._item_ptr, self._users, self._open = np.zeros((5, 256), np.int64)
        self.number_of = np.full(256, NONE, np.int64)
        self.chosen, self.served, self.drawn = np.full((3, 64), NONE, np.int64)

    # ---- numbers for nodes and flags

    def read(self, leader, decisions, hitting_set, signatures, links, order):
        """Read the part of the decision ``leader`` in this order."""
        self._make_room(signatures, links)
        self.steps = 0
        self.sides = 0
        for s in range(decisions.first, decisions.number):
            if decisions.leader[s] == leader and decisions.kind[s] == GROUP:  # before its links
                self.decision[self.steps] = s
                self.steps += 1
        for s in range(decisions.first, decisions.number):
            if decisions.leader[s] == leader and decisions.kind[s] != SETTLED and decisions.kind[s] != GROUP:
                self.decision[self.steps] = s
                self.steps += 1
                self.sides |= 1 + decisions.side[s]
        self._number_nodes(decisions, signatures)
        self._number_flags(decisions, hitting_set, links)
        if order != AS_LISTED and self.steps > FEW_STEPS:
            for t in range(self.steps):
                self._listed[t] = self.decision[t]
            if self.order[leader] != order:
                self._list_items(decisions, hitting_set, signatures)
                self._put_in_order(decisions, hitting_set)
                if order != GREEDY:
                    self._weigh_items(decisions, hitting_set, 1 if order % 2 else UNIT // 2)
                    self._anneal(decisions, hitting_set, order)
                for t in range(self.steps):
                    self._place[self._listed[self._turn[t]]] = t
                self.order[leader] = order
            for t in range(self.steps):
                self.decision[self._place[self._listed[t]]] = self._listed[t]
        self._write_options(decisions, hitting_set, signatures, links)

    def _make_room(self, signatures, links):
        if signatures.bits > self.number_of.shape[0]:
            with cython.gil:
                self.node = np.zeros(2 * signatures.bits, np.int64)
                self.number_of = np.full(2 * signatures.bits, NONE, np.int64)
        if 2 * links.lcas > self.served.shape[0] or links.classes > self.served.shape[0]:
            with cython.gil:
                most = 4 * links.lcas + 2 * links.classes
                self.chosen, self.served, self.drawn = np.full((3, most), NONE, np.int64)

    def _number_nodes(self, decisions, signatures):
        """Number the open nodes."""
        self.nodes = 0
        for t in range(self.steps):
            s = self.decision[t]
            for w in range(signatures.width):
                used = cython.cast(cython.longlong, 0)
                for o in range(decisions.ptr[s], decisions.ptr[s + 1]):
                    used |= decisions.open_word(o, s, w, signatures)
                bit = 62 * w
                while used:
                    if used & 1 and self.number_of[bit] == NONE:
                        self.number_of[bit] = self.nodes
                        self.node[self.nodes] = bit
                        self.nodes += 1
                    used >>= 1
                    bit += 1
        self.node_words = words_for(self.nodes)

    def _number_flags(self, decisions, hitting_set, links):
        """Number the flags: LCAs of groups, sides of LCAs with an EXTRA decision, classes with a choice."""
        self.flags = 0
        for t in range(self.steps):
            s = self.decision[t]
            kind = decisions.kind[s]
            if kind == GROUP:
                for a in range(links.lcas):
                    if hitting_set.group_of[a] == decisions.of_class[s]:
                        self.chosen[a] = self.flags
                        self.flags += 1
            elif kind == EXTRA:
                self.served[2 * decisions.of_lca[s] + decisions.side[s]] = self.flags
                self.flags += 1
            elif kind == LAST:
                self.drawn[decisions.of_class[s]] = self.flags
                self.flags += 1
        self.flag_words = words_for(self.flags)

    # ---- the order

    def _list_items(self, decisions, hitting_set, signatures):
        """List the items of each decision, nodes first, and count the decisions of each item."""
        items = self.nodes + self.flags
        if items > self._users.shape[0]:
            with cython.gil:
                self._users, self._open = longer(self._users, items), longer(self._open, items)
        if self.steps + 1 > self._item_ptr.shape[0]:
            with cython.gil:
                self._item_ptr = longer(self._item_ptr, self.steps + 1)
        for item in range(items):
            self._users[item] = 0
        end = 0
        for t in range(self.steps):
            self._item_ptr[t] = end
            s = self.decision[t]
            if end + items > self._items.shape[0]:
                with cython.gil:
                    self._items = longer(self._items, end + items)
            for n in range(self.nodes):
                bit = self.node[n]
                uses: cython.bint = False
                for o in range(decisions.ptr[s], decisions.ptr[s + 1]):
                    uses = uses or (decisions.open_word(o, s, bit // 62, signatures) >> (bit % 62)) & 1
                if uses:
                    self._items[end] = n
                    end += 1
            end = self._list_flags(s, end, decisions, hitting_set)
            for k in range(self._item_ptr[t], end):
                self._users[self._items[k]] += 1
        self._item_ptr[self.steps] = end

    def _list_flags(self, s, end, decisions, hitting_set):
        kind = decisions.kind[s]
        if kind == GROUP:
            for a in range(self.chosen.shape[0]):
                if self.chosen[a] != NONE and hitting_set.group_of[a] == decisions.of_class[s]:
                    end = self._list_flag(self.chosen[a], end)
        elif kind == OWN or kind == LAST or kind == EXTRA:
            end = self._list_flag(self.chosen[decisions.of_lca[s]], end)
            end = self._list_flag(self.served[2 * decisions.of_lca[s] + decisions.side[s]], end)
            if kind != EXTRA:
                end = self._list_flag(self.drawn[decisions.of_class[s]], end)
        return end

    def _list_flag(self, flag, end):
        if flag == NONE:
            return end
        self._items[end] = self.nodes + flag
        return end + 1

    def _put_in_order(self, decisions, hitting_set):
        """Order the decisions greedily: of those allowed next, the one that opens fewest items and closes most.

        Ties go to more open items, then to new items that fewer others have.
        A group comes before its links, EXTRA after the links that could serve its LCA, LAST after those of its class.
        """
        for t in range(self.steps):
            self._waits[t] = 0
            for other in range(self.steps):
                self._waits[t] += self._comes_first(self._listed[other], self._listed[t], decisions, hitting_set)
        for item in range(self.nodes + self.flags):
            self._open[item] = 0
        for step in range(self.steps):
            best = NONE
            least = 0
            for t in range(self.steps):
                if self._waits[t] == 0:
                    change = 0
                    for k in range(self._item_ptr[t], self._item_ptr[t + 1]):
                        change += 0 if self._open[self._items[k]] else 256
                        change -= 256 if self._users[self._items[k]] == 1 else 0
                        change += -2 if self._open[self._items[k]] else self._users[self._items[k]]
                    if best == NONE or change < least:
                        best = t
                        least = change
            self._turn[step] = best
            self._waits[best] = NONE
            for t in range(self.steps):
                self._waits[t] -= self._comes_first(self._listed[best], self._listed[t], decisions, hitting_set)
            for k in range(self._item_ptr[best], self._item_ptr[best + 1]):
                self._users[self._items[k]] -= 1
                self._open[self._items[k]] = 1

    def _weigh_items(self, decisions, hitting_set, least):
        """Weigh the items into ``_users``: a UNIT at most, and the logarithm of the options of no decision in all."""
        for item in range(self.nodes + self.flags):
            self._users[item] = UNIT
        for t in range(self.steps):
            s = self._listed[t]
            options = decisions.ptr[s + 1] - decisions.ptr[s] + (1 if decisions.kind[s] > CHOICE else 0)
            if decisions.kind[s] == GROUP:
                options = hitting_set.set_ptr[decisions.of_class[s] + 1] - hitting_set.set_ptr[decisions.of_class[s]]
            power = cython.cast(cython.longlong, 1)
            weight = 0
            while options > 2 * power:
                power *= 2
                weight += UNIT
            weight += UNIT * (options - power) // power
            for k in range(self._item_ptr[t], self._item_ptr[t + 1]):
                item = self._items[k]
                share = max(least, weight // (self._item_ptr[t + 1] - self._item_ptr[t]))
                self._users[item] = min(self._users[item], share)

    def _anneal(self, decisions, hitting_set, seed):
        """Move decisions to other turns as long as that is not much worse, less and less; keep the best order."""
        now: cython.double = self._measure_order()
        least: cython.double = now
        for t in range(self.steps):
            self.decision[t] = self._turn[t]
        for move in range(MOVES):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            begin: cython.longlong = (seed >> 8) % self.steps
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            end: cython.longlong = self._move(begin, (seed >> 8) % self.steps, decisions, hitting_set)
            if end == begin:
                continue
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            chance: cython.double = (seed >> 8) / 8388608.0
            cost: cython.double = self._measure_order()
            if cost <= now * (1 + 0.35 * chance * chance * (MOVES - move) / MOVES):
                now = cost
                if cost < least:
                    least = cost
                    for t in range(self.steps):
                        self.decision[t] = self._turn[t]
            else:
                self._move(end, begin, decisions, hitting_set)
        for t in range(self.steps):
            self._turn[t] = self.decision[t]

    def _move(self, begin, end, decisions, hitting_set):
        """Move a turn towards another one, as far as decisions that must precede others allow; where it ends."""
        moved = self._turn[begin]
        while begin != end:
            at = begin + 1 if begin < end else begin - 1
            other = self._turn[at]
            first = moved if begin < end else other
            if self._comes_first(self._listed[first], self._listed[moved + other - first], decisions, hitting_set):
                break
            self._turn[begin] = other
            begin = at
        self._turn[begin] = moved
        return begin

    def _measure_order(self):
        """Estimate the states: 2 to the weight of the open items, added up over the turns."""
        for item in range(self.nodes + self.flags):
            self._open[item] = NONE
        for t in range(self.steps):
            self._waits[t] = 0
        for t in range(self.steps):
            for k in range(self._item_ptr[self._turn[t]], self._item_ptr[self._turn[t] + 1]):
                item = self._items[k]
                begin = t if self._open[item] == NONE else self._open[item]
                self._waits[begin] += self._users[item]
                self._waits[t] -= self._users[item]
                self._open[item] = t
        cost: cython.double = 0.0
        weight: cython.longlong = 0
        for t in range(self.steps):
            weight += self._waits[t]
            power: cython.longlong = cython.cast(cython.longlong, 1) << min(weight // UNIT, 60)
            cost += power * (1 + 1.0 * (weight % UNIT) / UNIT)
        return cost

    def _comes_first(self, o, s, decisions, hitting_set):
        """Whether decision ``o`` must precede ``s``."""
        kind = decisions.kind[s]
        before = decisions.kind[o]
        links: cython.bint = before == OWN or before == LAST
        if before == GROUP and (kind == OWN or kind == LAST or kind == EXTRA):
            return hitting_set.group_of[decisions.of_lca[s]] == decisions.of_class[o]
        if kind == EXTRA and links:
            return decisions.of_lca[o] == decisions.of_lca[s] and decisions.side[o] == decisions.side[s]
        return kind == LAST and before == OWN and decisions.of_class[o] == decisions.of_class[s]

    # ---- options

    def _write_options(self, decisions, hitting_set, signatures, links):
        end = 0
        for t in range(self.steps):
            self.ptr[t] = end
            s = self.decision[t]
            kind = decisions.kind[s]
            if kind == GROUP:
                group = decisions.of_class[s]
                for k in range(hitting_set.set_ptr[group], hitting_set.set_ptr[group + 1]):
                    self._blank(end)
                    for a in range(links.lcas):
                        if hitting_set.group_of[a] == group and (hitting_set.sets[k] >> hitting_set.bit_of[a]) & 1:
                            put(self.sets, end * self.flag_words, self.chosen[a])
                    end += 1
                continue
            end = self._write_skips(s, end, decisions)
            for o in range(decisions.ptr[s], decisions.ptr[s + 1]):
                self._blank(end)
                self._write_drawn(o, s, end, decisions, signatures)
                end += 1
        self.ptr[self.steps] = end

    def _blank(self, o):
        """An option that changes nothing."""
        if o + 1 >= self.source.shape[0]:
            with cython.gil:
                self.source, self.gain, self.rest = longer(self.source, 0), longer(self.gain, 0), longer(self.rest, 0)
        if (o + 1) * max(self.node_words, self.flag_words) > self.adds.shape[0]:
            with cython.gil:
                most = (o + 1) * max(self.node_words, self.flag_words)
                self.adds, self.needs = longer(self.adds, most), longer(self.needs, most)
                self.bars, self.sets = longer(self.bars, most), longer(self.sets, most)
        self.source[o] = NONE
        self.gain[o] = self.rest[o] = 0
        for w in range(self.node_words):
            self.adds[o * self.node_words + w] = 0
        for w in range(self.flag_words):
            self.needs[o * self.flag_words + w] = 0
            self.bars[o * self.flag_words + w] = 0
            self.sets[o * self.flag_words + w] = 0

    def _write_skips(self, s, end, decisions):
        """Write the options that draw nothing: the class can wait or has a link; the LCA has one or is not chosen."""
        kind = decisions.kind[s]
        if kind == OWN or kind == LAST:
            self._blank(end)
            if kind == LAST:
                put(self.needs, end * self.flag_words, self.drawn[decisions.of_class[s]])
            end += 1
        elif kind == EXTRA:
            self._blank(end)
            put(self.needs, end * self.flag_words, self.served[2 * decisions.of_lca[s] + decisions.side[s]])
            end += 1
            if self.chosen[decisions.of_lca[s]] != NONE:
                self._blank(end)
                put(self.bars, end * self.flag_words, self.chosen[decisions.of_lca[s]])
                end += 1
        return end

    def _write_drawn(self, source, s, o, decisions, signatures):
        """Write option ``source`` of the decision, which draws a path."""
        kind = decisions.kind[s]
        self.source[o] = source
        self.gain[o] = decisions.gain[source]
        self.rest[o] = decisions.rest[source]
        for w in range(signatures.width):
            used = decisions.open_word(source, s, w, signatures)
            bit = 62 * w
            while used:
                if used & 1:
                    put(self.adds, o * self.node_words, self.number_of[bit])
                used >>= 1
                bit += 1
        if kind == OWN or kind == LAST or kind == EXTRA:
            chosen = self.chosen[decisions.of_lca[s]]
            served = self.served[2 * decisions.of_lca[s] + decisions.side[s]]
            if chosen != NONE:
                put(self.needs, o * self.flag_words, chosen)
            if kind == EXTRA:
                put(self.bars, o * self.flag_words, served)
            elif served != NONE:
                put(self.sets, o * self.flag_words, served)
            if kind != EXTRA:
                put(self.sets, o * self.flag_words, self.drawn[decisions.of_class[s]])

    def forget(self):
        """Clear the numbers before the next part is read."""
        for n in range(self.nodes):
            self.number_of[self.node[n]] = NONE
        for k in range(self.chosen.shape[0]):
            self.chosen[k] = self.served[k] = self.drawn[k] = NONE
