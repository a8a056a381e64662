"""Problem 2 part by part: what is certain is settled, and what is left falls into parts that share nothing.

For a ratio λ = p/q the value 2q · |G_p ∩ G_t| − p · (|G_p| + |G_t|) is a sum over the parts, so each part is solved by
itself, by the compiled search or as a program, and Dinkelbach's iteration goes over all of them. At the best λ a
solution is best if and only if each of its parts is, and the smallest of these have the fewest nodes; which differences
of sizes go together best is a sum of one number from each part. docs/exact.md has the proof.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Row, Status, Variable
from hemlp.problems.lca.links import LcaFacts

Terms = dict[int, float]
Counts = tuple[int, int, int]
"""Nodes of both graphs, common nodes, and by how many the predicted graph is larger."""
NOTHING = -1
"""The source of an option that draws no link."""


class PartProgram:
    """The choices of one part as programs: each step takes one option.

        x_t_o          step t takes option o
        g_f            flag f is set: an LCA is chosen, a side of it is served, a class is linked
        n_p_v, n_t_v   a side has node v
        s_v            both sides have node v

    A step is (slot, side, options), an option (source, nodes, needs, bars, sets, gain, rest), as the compiled search
    has them; ``sure``: the nodes that each side has in any case.
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
        """A flag is set if and only if an option that sets it is taken; options need flags, or bar them."""
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
        """A side has a node if and only if a step takes an option with it; it is shared if both sides have it."""
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

    def _program(self, title: str, goal: Terms, maximize: bool, rows: list[Row]) -> LinearProgram:
        variables = [
            Variable(v.name, v.lower, v.upper, float(goal.get(k, 0)), v.note) for k, v in enumerate(self.variables)
        ]
        return LinearProgram(title, variables, [*self.rows, *rows], maximize)

    def _value(self, f: Fraction) -> Terms:
        terms = {k: -f.numerator * c for k, c in self.size.items()}
        for k, c in self.common.items():
            terms[k] = terms.get(k, 0) + 2 * f.denominator * c
        return terms

    def best(self, f: Fraction) -> LinearProgram:
        """The greatest value at the ratio ``f``."""
        return self._program(f"a part at F = {f}", self._value(f), True, [])

    def smallest(self, f: Fraction, value: int) -> LinearProgram:
        """The fewest nodes with this value."""
        same = Row("same_value", value, value, list(self._value(f).items()))
        return self._program(f"the smallest at F = {f}", self.size, False, [same])

    def extreme(self, f: Fraction, value: int, size: int, beyond: int) -> LinearProgram:
        """The least difference above ``beyond``, with this value and so many nodes."""
        rows = [
            Row("same_value", value, value, list(self._value(f).items())),
            Row("same_size", size, size, list(self.size.items())),
            Row("beyond", beyond + 1, math.inf, list(self.difference.items())),
        ]
        return self._program(f"differences at F = {f}", self.difference, False, rows)

    # ---- solutions

    def read(self, result: ProgramResult) -> tuple[dict[int, int], Counts]:
        """Which option each slot takes, and the counts."""
        assert result.values is not None
        on = [k for k, value in enumerate(result.values) if value > 0.5]
        picked = {self.options[k][0]: self.options[k][2][0] for k in on if k < len(self.options)}
        size, common, difference = (
            int(sum(of.get(k, 0) for k in on)) for of in (self.size, self.common, self.difference)
        )
        return picked, (size, common, difference)


@dataclass
class ByParts:
    """One instance, begun by the compiled search. ``search`` keeps what each part has chosen so far."""

    search: Any
    leaders: list[int]

    @classmethod
    def of(cls, facts: LcaFacts, states: int) -> ByParts | None:
        """None if the instance is too large to be reduced."""
        from hemlp.kernels.lca.search import Search
        from hemlp.kernels.lca.stepwise import begin

        search = Search(facts, len(facts.batch.hierarchy), states)
        leaders = begin(search)
        return None if leaders is None else cls(search, leaders)

    def totals(self) -> Counts:
        """Nodes, common nodes and difference of sizes of the whole."""
        from hemlp.kernels.lca.stepwise import counts

        parts = (counts(self.search, leader) for leader in self.leaders)
        size, common, difference = map(sum, zip(self.certain(), *parts, strict=True))
        return size, common, difference

    def plan(self) -> Plan[tuple[bool, Fraction]]:
        """Choose the best in all parts; whether that is proved, and a bound on F."""
        size, common, _ = self.certain()
        f = Fraction(2 * common, size) if size else Fraction(1, 2)
        while True:
            room = Fraction(0)  # what parts that are not proved could add
            for leader in self.leaders:
                room += yield from self._best(leader, f)
            size, common, _ = self.totals()
            reached = 2 * f.denominator * common - f.numerator * size
            if room > 0:
                least = self.certain()[0] or 1
                now = Fraction(2 * common, size)
                return False, max(now, f + Fraction(reached + room) / (f.denominator * least))
            if reached == 0:
                break
            f = Fraction(2 * common, size)
        proved = yield from self._settle_ties(f)
        return proved, f

    def certain(self) -> Counts:
        """The counts before any choice."""
        predicted, true, common = (int(x) for x in self.search.base)
        return predicted + true, common, predicted - true

    def _value(self, leader: int, f: Fraction) -> int:
        from hemlp.kernels.lca.stepwise import counts

        size, common, _ = counts(self.search, leader)
        return 2 * f.denominator * common - f.numerator * size

    def _program(self, leader: int) -> PartProgram:
        from hemlp.kernels.lca.stepwise import describe

        return PartProgram(*describe(self.search, leader))

    def _best(self, leader: int, f: Fraction) -> Plan[Fraction]:
        """Have a part choose the best at ``f``, and of that the smallest; how much better it could be if unproved."""
        from hemlp.kernels.lca.stepwise import counts, solve_part, take

        if solve_part(self.search, leader, f.numerator, f.denominator):
            return Fraction(0)
        known = counts(self.search, leader)
        program = self._program(leader)
        result = yield program.best(f)
        if result.values is not None:
            picked, found = program.read(result)
            if known[0] < 0 or 2 * f.denominator * (found[1] - known[1]) > f.numerator * (found[0] - known[0]):
                take(self.search, leader, picked, found)
        value = self._value(leader, f)
        bound = result.bound if math.isfinite(result.bound) else math.inf
        if result.status is not Status.OPTIMAL and bound >= value + 1 - 1e-6:
            return Fraction(10**9) if math.isinf(bound) else Fraction(math.floor(bound + 1e-6) - value)
        smaller = yield program.smallest(f, value)
        if smaller.status is Status.OPTIMAL:
            take(self.search, leader, *program.read(smaller))
            return Fraction(0)
        return Fraction(1, 10**9)

    def _settle_ties(self, f: Fraction) -> Plan[bool]:
        """Of the best choices those whose sides are most equal, then with fewer predicted nodes."""
        from hemlp.kernels.lca.stepwise import counts, take

        sums: dict[int, dict[int, Any]] = {self.certain()[2]: {}}
        for leader in self.leaders:
            choices = yield from self._differences(leader, f)
            if choices is None:
                return False
            sums = {
                total + diff: {**picks, leader: choice}
                for total, picks in sums.items()
                for diff, choice in choices.items()
            }
        best = min(sums, key=lambda total: (abs(total), total))
        for leader, choice in sums[best].items():
            if choice is not None and choice[1] != counts(self.search, leader):
                take(self.search, leader, *choice)
        return True

    def _differences(self, leader: int, f: Fraction) -> Plan[dict[int, Any] | None]:
        """difference → (picked, counts) of the best choices of a part, None instead for what it has chosen already."""
        from hemlp.kernels.lca.stepwise import counts, differences, take_difference

        size, _, difference = counts(self.search, leader)
        found = differences(self.search, leader, f.numerator, f.denominator)
        if found is not None and len(found) == 1:
            return {difference: None}
        choices: dict[int, Any] = {}
        if found is not None:
            for diff in found:
                take_difference(self.search, leader, f.numerator, f.denominator, diff)
                choices[diff] = (self._picked(leader), counts(self.search, leader))
            return choices
        program, beyond = self._program(leader), -size - 1
        while True:
            result = yield program.extreme(f, self._value(leader, f), size, beyond)
            if result.status is Status.INFEASIBLE:
                return choices
            if result.status is not Status.OPTIMAL:
                return None
            picked, found_counts = program.read(result)
            beyond = found_counts[2]
            choices[beyond] = (picked, found_counts)

    def _picked(self, leader: int) -> dict[int, int]:
        decisions = self.search.decisions
        mine = (s for s in range(decisions.number) if decisions.leader[s] == leader)
        return {s: int(self.search.picked[s]) for s in mine}
