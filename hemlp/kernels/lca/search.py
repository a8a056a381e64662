"""Problem 2 for a batch: reductions, then Dinkelbach's algorithm (1967) over the components of each instance.

For a ratio λ = p / q the value 2q · common − p · size is a sum over the components, so each is solved by itself. Solve
for a λ, take the ratio of the solution, until no value is above 0: λ grows at each iteration, in few of them. There,
only best choices of each component matter, and of those the smallest; which of them together have the most equal sizes
is decided last. (docs/exact.md has the proof.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class Search:
    """Solves one instance after the other."""

    def __init__(self, facts: Any, size: int, most: int) -> None:
        self.links = Links(facts, size)
        self.hitting_set, self.signatures, self.decisions = HittingSet(), Signatures(self.links), Decisions(self.links)
        self.part_search, self.enumerated = PartSearch(), EnumeratedParts()
        self.most = most  # states, for one step of one part
        self.present = NONE  # the part that was read last
        self.listed = NONE  # the part whose best choices are known with their differences of sizes
        self.draws = False  # whether choices are wanted, or only what they come to
        decisions = self.decisions.kind.shape[0]
        self.part = Component(decisions)
        self.order = np.zeros(decisions, np.int64)  # that each part is searched in
        self.picked = np.zeros(decisions, np.int64)  # the option that each decision takes, NONE: nothing is drawn
        # by the leader of a part
        self.part_size, self.part_common, self.part_diff = np.zeros((3, decisions), np.int64)
        self.outcomes, self.outcomes_end = np.zeros((2, decisions), np.int64)  # those of its best choices, or of all
        self.all_known = np.zeros(decisions, np.int64)  # whether these are all
        self.base = np.zeros(3, np.int64)  # predicted, true and common nodes that are certain
        self.out_links, self.out_ptr, self.out_nodes = np.zeros((3, 1024), np.int64)
        self.drawn = self.drawn_nodes = 0
        self.ties = Ties(decisions)

    # ---- one instance

    def reduce(self, i):
        """Reduce instance ``i`` to its choices; False if it is too large."""
        self.links.read(i)
        self.present = self.listed = NONE
        self.enumerated.clear()
        if not self.hitting_set.settle(self.links):
            return False
        self.decisions.assign_roles(self.links, self.hitting_set)
        if not self.signatures.read(self.links, self.decisions.role):
            return False
        self.decisions.read(self.links, self.hitting_set, self.signatures)
        self._count_certain()
        return True

    def _count_certain(self):
        width = self.signatures.width
        self.base[0] = self.base[1] = self.base[2] = 0
        for w in range(width):
            self.base[0] += bits_of(self.decisions.certain[w])
            self.base[1] += bits_of(self.decisions.certain[width + w])
            self.base[2] += bits_of(self.decisions.certain[w] & self.decisions.certain[width + w])
        self.parts = 0
        self.scale = 2 * self.signatures.bits + 2  # more than the nodes of any part
        for s in range(self.decisions.first, self.decisions.number):
            most = cython.cast(cython.longlong, 0)
            for o in range(self.decisions.ptr[s], self.decisions.ptr[s + 1]):
                most = max(most, self.decisions.rest[o] + self.decisions.gain[o])
            self.scale += most
            self.parts += self.decisions.leader[s] == s and self.decisions.kind[s] != SETTLED
            self.part_size[s] = NONE
            self.all_known[s] = 0
            self.order[s] = GREEDY
            self.part.order[s] = NONE
        for s in range(self.decisions.number):
            if self.decisions.kind[s] == SETTLED:
                self.picked[s] = self.decisions.ptr[s]
                self.base[self.decisions.side[s]] += self.signatures.plain[self.decisions.row[self.decisions.ptr[s]]]

    def try_all(self):
        """Enumerate the outcomes of all parts with few choices."""
        for s in range(self.decisions.first, self.decisions.number):
            if self.decisions.leader[s] == s and self.decisions.kind[s] != SETTLED:
                self.part.read(s, self.decisions, self.hitting_set, self.signatures, self.links, AS_LISTED)
                self.outcomes[s] = self.enumerated.number
                self.all_known[s] = self.enumerated.add(self.part, self.decisions, self.most)
                self.outcomes_end[s] = self.enumerated.number
                self.part.forget()
        return 0

    def solve(self):
        """Solve the reduced instance; False if a part has too many choices.

        As long as the ratio grows, good choices are enough; only those at the last one have to be the best.
        """
        size = self.base[0] + self.base[1]
        common = self.base[2]
        tried = self.enumerated.number
        proves: cython.bint = False
        while self.parts:  # the first guess is the ratio of what is certain
            divisor = _common_divisor(2 * common, size)
            p = 2 * common // divisor if divisor else 1
            q = size // divisor if divisor else 2
            size = self.base[0] + self.base[1]
            common = self.base[2]
            self.unproved = 0
            self.enumerated.number = tried
            for s in range(self.decisions.first, self.decisions.number):
                if self.decisions.leader[s] == s and self.decisions.kind[s] != SETTLED:
                    if not self.solve_part(s, p, q, proves):
                        return False
                    size += self.part_size[s]
                    common += self.part_common[s]
            if 2 * q * common == p * size:
                if self.unproved == 0:
                    return self._settle_ties(p, q)
                proves = True
        return True

    def solve_part(self, leader, p, q, proves):
        """Find the best choice of a part at p / q, or a good one unless ``proves``; False if it has too many."""
        if not self.all_known[leader]:
            return self._search_part(leader, p, q, proves)
        best = LOWEST
        for k in range(self.outcomes[leader], self.outcomes_end[leader]):
            worth = self._worth(self.enumerated.size[k], self.enumerated.common[k], p, q)
            if worth > best:
                best = worth
                self.part_size[leader] = self.enumerated.size[k]
                self.part_common[leader] = self.enumerated.common[k]
                self.part_diff[leader] = self.enumerated.diff[k]
        return True

    def _search_part(self, leader, p, q, proves):
        """Search a part, whether with success; its best choice so far is a floor.

        First by simple bounds, which is enough for most parts; then by better ones, from what a narrow search finds.
        An order that comes to many states gives way to the next one; only the last two may use all of them.
        """
        self.listed = NONE
        status = TOO_MANY
        while status == TOO_MANY:
            known: cython.bint = self.part_size[leader] != NONE
            floor = self._worth(self.part_size[leader], self.part_common[leader], p, q) if known else LOWEST
            self.read_part(leader)
            self.part_search.ask(self.part, p, q, self.scale)
            status = self.part_search.best(self.part, self.decisions, floor, min(FEW, self.most), 0)
            if status == TOO_MANY:
                self.part_search.bound.improve(self.part, self.decisions, ROUNDS)
                if not known or not proves:
                    if self.part_search.best(self.part, self.decisions, floor, 1 << 20, BEAM) == SOLVED:
                        floor = self.part_search.old.worth[0]
                        self._take(leader)
                    if not proves:
                        self.unproved += 1
                        return True
                limit = min(MANY << 2 * (self.order[leader] // 2), self.most)
                if self.order[leader] >= LAST_ORDER - 1:
                    limit = self.most
                status = self.part_search.best(self.part, self.decisions, floor, limit, 0)
            if status == TOO_MANY:
                if self.order[leader] == LAST_ORDER:
                    return False
                self.order[leader] += 1
                self.present = NONE
        if status == SOLVED:
            self._take(leader)
            self._note_best(leader)
        return status == SOLVED

    def read_part(self, leader):
        """Make a part the present one."""
        if self.present != leader:
            self.part.read(leader, self.decisions, self.hitting_set, self.signatures, self.links, self.order[leader])
            self.part_search.prepare(self.part, self.decisions)
            self.part.forget()
            self.present = leader
            self.listed = NONE
        return 0

    def _worth(self, size, common, p, q):
        """The value of a choice at p / q; of equal values the smaller size wins."""
        return (2 * q * common - p * size) * self.scale - size

    def _take(self, leader):
        """Keep the best choice of the search."""
        self.part_size[leader] = self.part_search.old.size[0]
        self.part_common[leader] = self.part_search.old.common[0]
        self.part_diff[leader] = self.part_search.old.diff[0]
        self.part_search.paths.trace()
        self._pick()

    def _pick(self):
        for t in range(self.part.steps):
            self.picked[self.part.decision[t]] = self.part.source[self.part_search.paths.picked[t]]

    # ---- ties

    def _note_best(self, leader):
        """Note the differences of all best choices of a part: they agree in size and common nodes."""
        self.outcomes[leader] = self.enumerated.number
        size = self.part_size[leader]
        if self.part_search.paths.tied and self.part.sides == 3:
            self.listed = leader
            self.part_search.paths.list_differences(size)
            diff = self.part_search.paths.next_difference(-size)
            while diff <= size:
                self.enumerated.note(size, self.part_common[leader], diff)
                diff = self.part_search.paths.next_difference(diff + 1)
        else:
            self.enumerated.note(size, self.part_common[leader], self.part_diff[leader])
        self.outcomes_end[leader] = self.enumerated.number
        return 0

    def _settle_ties(self, p, q):
        """Break ties: sizes of the two graphs as equal as possible, then fewer predicted nodes."""
        self.ties.start(self.base[0] - self.base[1])
        for s in range(self.decisions.first, self.decisions.number):
            if self.decisions.leader[s] == s and self.decisions.kind[s] != SETTLED:
                self.ties.add(s)
                for k in range(self.outcomes[s], self.outcomes_end[s]):
                    alike: cython.bint = self.enumerated.size[k] == self.part_size[s]
                    if alike and self.enumerated.common[k] == self.part_common[s]:
                        self.ties.note(self.enumerated.diff[k])
                self.ties.settle()
        if self.ties.parts == 0:
            return True
        wanted = self.ties.most_equal()
        for k in range(self.ties.parts - 1, -1, -1):
            for d in range(self.ties.ptr[k], self.ties.ptr[k + 1]):
                if self.ties.reaches(k, wanted - self.ties.diff[d]):
                    wanted -= self.ties.diff[d]
                    if not self.take_difference(self.ties.part[k], p, q, self.ties.diff[d]):
                        return False
                    break
        return True

    def take_difference(self, leader, p, q, diff):
        """Take a best choice of a part with this difference of sizes; the choices are often still listed."""
        if self.draws and diff != self.part_diff[leader]:
            if self.listed != leader and not self._search_part(leader, p, q, True):
                return False
            self.part_search.paths.trace_to(diff)
            self._pick()
        self.part_diff[leader] = diff
        return True

    # ---- results

    def count(self, table, i):
        """Write |Z|, |G_p|, |G_t| and |G_p ∩ G_t| to the table."""
        size = cython.cast(cython.longlong, 0)
        diff = cython.cast(cython.longlong, 0)
        common = self.base[2]
        for s in range(self.decisions.first, self.decisions.number):
            if self.decisions.leader[s] == s and self.decisions.kind[s] != SETTLED:
                size += self.part_size[s]
                diff += self.part_diff[s]
                common += self.part_common[s]
        table[i, 1] = self.hitting_set.fewest
        table[i, 2] = self.base[0] + (size + diff) // 2
        table[i, 3] = self.base[1] + (size - diff) // 2
        table[i, 4] = common

    def write(self):
        """Write the drawn links, each with the nodes that its path must have."""
        width = self.signatures.width
        for s in range(self.decisions.number):
            option = self.picked[s]
            if option == NONE:
                continue
            if self.drawn + 2 > self.out_links.shape[0]:
                with cython.gil:
                    self.out_links, self.out_ptr = longer(self.out_links, 0), longer(self.out_ptr, 0)
            if self.drawn_nodes + self.signatures.bits > self.out_nodes.shape[0]:
                with cython.gil:
                    self.out_nodes = longer(self.out_nodes, self.drawn_nodes + self.signatures.bits)
            for w in range(width):
                nodes = self.signatures.rows[self.decisions.row[option] * width + w]
                bit = 62 * w
                while nodes:
                    if nodes & 1:
                        self.out_nodes[self.drawn_nodes] = self.signatures.node_of[bit]
                        self.drawn_nodes += 1
                    nodes >>= 1
                    bit += 1
            self.out_links[self.drawn] = self.links.first + self.decisions.link[option]
            self.drawn += 1
            self.out_ptr[self.drawn] = self.drawn_nodes
        return 0


def _common_divisor(a, b):
    while b:
        rest = a % b
        a = b
        b = rest
    return a


def search(blocks: Iterable[Any], size: int, most: int) -> Any:
    """Solve all instances whose parts have at most ``most`` states after a step; ``blocks``: their links.

    A table: 1 if solved, |Z|, |G_p|, |G_t|, what they share, states looked at.
    """
    tables, solver = [np.zeros((0, 6), np.int64)], None
    for facts in blocks:
        if solver is None or not solver.links.look_at(facts):
            solver = Search(facts, size, most)
        table = np.zeros((len(facts), 6), np.int64)
        _search_all(solver, table, np.zeros(0, np.int64))
        tables.append(table)
    return np.concatenate(tables)


def draw_graphs(facts: Any, size: int, most: int) -> Any:
    """The table, and the drawn links of each solved instance with the nodes that their paths must have.

    That is a pointer into links, the links, a pointer into nodes, the nodes.
    """
    table, link_ptr = np.zeros((len(facts), 6), np.int64), np.zeros(len(facts) + 1, np.int64)
    solver: Search = Search(facts, size, most)
    _search_all(solver, table, link_ptr)
    return graph_arrays(solver, table, link_ptr)


def graph_arrays(solver: Any, table: Any, link_ptr: Any) -> Any:
    """The arrays that ``draw_graphs`` returns, from a solver that has written its choices."""
    links, nodes = np.asarray(solver.out_links), np.asarray(solver.out_nodes)
    node_ptr = np.asarray(solver.out_ptr)[: solver.drawn + 1].copy()
    return table, link_ptr, links[: solver.drawn].copy(), node_ptr, nodes[: solver.drawn_nodes].copy()


def _search_all(solver, table, link_ptr):
    """Solve all instances, and write their drawn links if ``link_ptr`` has room."""
    draws: cython.bint = link_ptr.shape[0] > 0
    with cython.nogil:
        for i in range(table.shape[0]):
            if i % 64 == 0:
                look_for_signals()
            solver.part_search.moves = solver.enumerated.tried = 0
            predicted = solver.links.pred_ptr[i + 1] - solver.links.pred_ptr[i]
            true = solver.links.true_ptr[i + 1] - solver.links.true_ptr[i]
            if predicted == 0 or true == 0:
                table[i, 0] = 1
                table[i, 2] = predicted
                table[i, 3] = true
            elif solver.most > 0 and solver.reduce(i):
                solver.draws = draws
                if not draws:
                    solver.try_all()
                if solver.solve():
                    table[i, 0] = 1
                    solver.count(table, i)
                    if draws:
                        solver.write()
            table[i, 5] = solver.part_search.moves + solver.enumerated.tried
            if draws:
                link_ptr[i + 1] = solver.drawn
    return 0
