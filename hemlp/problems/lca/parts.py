"""Problem 2 by decomposition: reductions leave parts that share nothing, which are solved one by one.

For a ratio λ = p/q the value 2q · |G_p ∩ G_t| − p · (|G_p| + |G_t|) is a sum over the parts, so each part is solved by
itself, by the compiled search or as a program, and Dinkelbach's iteration goes over all of them. At the best λ a
solution is best if and only if each of its parts is, and the smallest of these have the fewest nodes; which differences
of sizes go together best is a sum of one number from each part. docs/exact.md has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, Row, Status, Variable
from hemlp.problems.lca.links import LcaFacts

Terms = dict[int, float]
Counts = tuple[int, int, int]
"""Nodes of both graphs, common nodes, and by how many the predicted graph is larger."""


class PartProgram:
    """The programs of one part: each step takes one option.

        x_t_o          step t takes option o
        g_f            flag f is set: an LCA is chosen, a side of it is served, a class is linked
        n_p_v, n_t_v   a side has node v
        s_v            both sides have node v

    A step is (slot, side, options), an option (source, nodes, needs, bars, sets, gain, rest), as in the compiled
    search; ``sure``: the nodes that each side always has.
    """

    def __init__(self, steps: list[Any], sure: list[list[int]]) -> None:
        self.steps, self.sure = steps, sure
        self.options = [(slot, side, option) for slot, side, options in steps for option in options]
        self.variables: list[Variable] = []
        self.rows: list[Row] = []
        for t, (_, _, options) in enumerate(steps):
            self._row([(self._variable(f"x_{t}_{o}"), 1.0) for o in range(len(options))], 1, 1)
        self._add_flags()
        self.size: Terms = {}
        self.common: Terms = {}
        self.difference: Terms = {}
        for k, (_, side, (*_, gain, rest)) in enumerate(self.options):
            self.size[k], self.common[k] = gain + rest, gain
            self.difference[k] = (1 - 2 * side) * (gain + rest)
        self._add_nodes()

    def _variable(self, name: str) -> int:
        self.variables.append(Variable(name, 0, 1, 0.0, name))
        return len(self.variables) - 1

    def _row(self, terms: list[tuple[int, float]], lower: float, upper: float) -> None:
        self.rows.append(Row(f"r_{len(self.rows)}", lower, upper, terms))

    def _add_flags(self) -> None:
        """A flag is set iff an option that sets it is taken; options need flags, or bar them."""
        setters: dict[int, list[int]] = {}
        for k, (_, _, option) in enumerate(self.options):
            for flag in option[4]:
                setters.setdefault(flag, []).append(k)
        asked = sorted({flag for _, _, option in self.options for flag in (*option[2], *option[3])})
        place = {flag: self._variable(f"g_{flag}") for flag in asked}
        for flag, at in place.items():
            self._row([(at, -1.0), *((k, 1.0) for k in setters.get(flag, ()))], 0, math.inf)
            for k in setters.get(flag, ()):
                self._row([(at, 1.0), (k, -1.0)], 0, 1)
        for k, (_, _, option) in enumerate(self.options):
            for flag in option[2]:
                self._row([(place[flag], 1.0), (k, -1.0)], 0, 1)
            for flag in option[3]:
                self._row([(place[flag], 1.0), (k, 1.0)], 0, 1)

    def _add_nodes(self) -> None:
        """A side has a node iff a step takes an option with it; the node is common if both sides have it."""
        users: dict[tuple[int, int], list[list[int]]] = {}
        first = 0
        for _, side, options in self.steps:
            mine: dict[int, list[int]] = {}
            for k, option in enumerate(options, first):
                for node in option[1]:
                    mine.setdefault(node, []).append(k)
            for node, taken in mine.items():
                users.setdefault((node, side), []).append(taken)
            first += len(options)
        place: dict[tuple[int, int], int] = {}
        for (node, side), steps in sorted(users.items()):
            at = place[node, side] = self._variable(f"n_{'pt'[side]}_{node}")
            for taken in steps:
                self._row([(at, 1.0), *((k, -1.0) for k in taken)], 0, 1)
            self._row([(at, -1.0), *((k, 1.0) for k in chain(*steps))], 0, math.inf)
            self.size[at], self.difference[at] = 1, 1 - 2 * side
            if node in self.sure[1 - side]:
                self.common[at] = 1
        for node, side in list(place):
            if side == 0 and (node, 1) in place:
                both = self._variable(f"s_{node}")
                for at in (place[node, 0], place[node, 1]):
                    self._row([(at, 1.0), (both, -1.0)], 0, 1)
                self.common[both] = 1

    # ---- programs

    def value(self, f: Fraction) -> Terms:
        """2q · common − p · size at ``f`` = p/q, as terms."""
        terms = {k: -f.numerator * c for k, c in self.size.items()}
        for k, c in self.common.items():
            terms[k] = terms.get(k, 0) + 2 * f.denominator * c
        return terms

    def best(self, f: Fraction) -> LinearProgram:
        """Maximize the value at the ratio ``f``, then minimize the nodes, which weigh less than any value."""
        scale = self.scale
        goal = {k: scale * c - self.size.get(k, 0) for k, c in self.value(f).items()}
        variables = [replace(v, cost=float(goal.get(k, 0))) for k, v in enumerate(self.variables)]
        return LinearProgram(f"a part at F = {f}", variables, self.rows, maximize=True)

    @property
    def scale(self) -> int:
        """A bound above the nodes of any choice."""
        return 1 + sum(map(int, self.size.values()))

    # ---- solutions

    def read(self, values: Iterable[float]) -> tuple[dict[int, int], Counts]:
        """The option of each slot, and the counts, from the values of a program."""
        on = [k for k, value in enumerate(values) if value > 0.5]
        picked = {self.options[k][0]: self.options[k][2][0] for k in on if k < len(self.options)}
        size, common, difference = (
            sum(int(of.get(k, 0)) for k in on) for of in (self.size, self.common, self.difference)
        )
        return picked, (size, common, difference)


def most_equal(parts: list[PartProgram], f: Fraction, chosen: list[Counts], sums: Sequence[int]) -> LinearProgram:
    """Among the best choices of some parts, which have these counts, find the most equal sizes of both graphs.

    The other parts come to one of ``sums``. As in ``GraphProgram.ties``, a difference d costs 2|d|, and 1 less where
    the predicted graph is the smaller one.
    """
    variables = [Variable(f"u_{k}", 0, 1, 0.0, f"the other parts come to {d}") for k, d in enumerate(sums)]
    rows = [Row("one_sum", 1, 1, [(k, 1.0) for k in range(len(sums))])]
    total = [(k, float(d)) for k, d in enumerate(sums)]
    for number, (part, (size, common, _)) in enumerate(zip(parts, chosen, strict=True)):
        at = len(variables)
        variables += [replace(v, name=f"{v.name}_{number}") for v in part.variables]
        for row in part.rows:
            rows.append(replace(row, name=f"{row.name}_{number}", terms=[(at + k, c) for k, c in row.terms]))
        for name, terms, count in (("size", part.size, size), ("common", part.common, common)):
            rows.append(Row(f"{name}_{number}", count, count, [(at + k, float(c)) for k, c in terms.items()]))
        total += [(at + k, float(c)) for k, c in part.difference.items()]
    at, room = len(variables), sum(abs(int(c)) for _, c in total)
    variables += [
        Variable("more_p", 0, room, 2.0, "nodes that the predicted graph has more"),
        Variable("more_t", 0, room, 2.0, "nodes that the true graph has more"),
        Variable("less_p", 0, 1, -1.0, "the predicted graph is smaller"),
    ]
    rows.append(Row("difference", 0, 0, [*total, (at, -1.0), (at + 1, 1.0)]))
    rows.append(Row("smaller", 0, math.inf, [(at + 1, 1.0), (at + 2, -1.0)]))
    return LinearProgram(f"the most equal sizes at F = {f}", variables, rows)


@dataclass
class ByParts:
    """One instance in parts. ``search``, the compiled search, keeps the best choice of each part so far."""

    search: Any
    leaders: list[int]
    programs: dict[int, PartProgram] = field(default_factory=dict)
    """The programs of the parts that the search leaves."""

    @classmethod
    def of(cls, facts: LcaFacts, states: int) -> ByParts | None:
        """Reduce the instance to parts; None if it is too large."""
        from hemlp.kernels.lca.search import Search
        from hemlp.kernels.lca.stepwise import begin

        search = Search(facts, len(facts.batch.hierarchy), states)
        leaders = begin(search)
        return None if leaders is None else cls(search, leaders)

    def totals(self) -> Counts:
        """The counts of all parts together."""
        from hemlp.kernels.lca.stepwise import counts

        parts = (counts(self.search, leader) for leader in self.leaders)
        size, common, difference = map(sum, zip(self.certain(), *parts, strict=True))
        return size, common, difference

    def certain(self) -> Counts:
        """The counts of what is certain before any choice."""
        predicted, true, common = (int(x) for x in self.search.base)
        return predicted + true, common, predicted - true

    def plan(self) -> Plan[tuple[bool, Fraction]]:
        """Optimize all parts by Dinkelbach's iteration; whether that is proved, and a bound on F."""
        size, common, _ = self.certain()
        f = Fraction(2 * common, size) if size else Fraction(1, 2)
        while True:
            room = Fraction(0)  # what unproved parts could add
            for leader in self.leaders:
                room += yield from self._best(leader, f)
            size, common, _ = self.totals()
            value = 2 * f.denominator * common - f.numerator * size
            if room > 0:
                least = self.certain()[0] or 1
                now = Fraction(2 * common, size)
                return False, max(now, f + Fraction(value + room) / (f.denominator * least))
            if value == 0:
                break
            f = Fraction(2 * common, size)
        proved = yield from self._settle_ties(f)
        return proved, f

    def _best(self, leader: int, f: Fraction) -> Plan[Fraction]:
        """Optimize a part at ``f``, the fewest nodes first among ties; the gap to its bound, 0 if proved."""
        from hemlp.kernels.lca.stepwise import counts, describe, solve_part, take

        if leader not in self.programs:
            if solve_part(self.search, leader, f.numerator, f.denominator):
                return Fraction(0)
            self.programs[leader] = PartProgram(*describe(self.search, leader))
        program = self.programs[leader]

        def worth(counts: Counts) -> int:
            size, common, _ = counts
            return (2 * f.denominator * common - f.numerator * size) * program.scale - size

        known = counts(self.search, leader)
        result = yield program.best(f)
        if result.values is not None:
            picked, better = program.read(result.values)
            if known[0] < 0 or worth(better) > worth(known):
                take(self.search, leader, picked, better)
        best = worth(counts(self.search, leader))
        if result.status is Status.OPTIMAL or result.bound < best + 1 - 1e-6:
            return Fraction(0)
        return Fraction(10**9) if not math.isfinite(result.bound) else Fraction(result.bound - best) / program.scale

    def _settle_ties(self, f: Fraction) -> Plan[bool]:
        """Break ties: sizes of the graphs as equal as possible, then fewer predicted nodes."""
        from hemlp.kernels.lca.stepwise import counts, differences, take, take_difference

        sums: dict[int, dict[int, int]] = {self.certain()[2]: {}}
        for leader in self.leaders:
            if leader not in self.programs:
                options = differences(self.search, leader)
                sums = {total + d: {**picks, leader: d} for total, picks in sums.items() for d in options}
        best = min(sums, key=lambda total: (abs(total), total))
        if self.programs:
            parts, totals = list(self.programs.values()), sorted(sums)
            chosen = [counts(self.search, leader) for leader in self.programs]
            result = yield most_equal(parts, f, chosen, totals)
            if result.status is not Status.OPTIMAL or result.values is None:
                return False
            best = totals[int(np.argmax(result.values[: len(totals)]))]
            at = len(totals)
            for leader, part in self.programs.items():
                take(self.search, leader, *part.read(result.values[at : at + len(part.variables)]))
                at += len(part.variables)
        for leader, d in sums[best].items():
            if d != counts(self.search, leader)[2]:
                take_difference(self.search, leader, f.numerator, f.denominator, d)
        return True
