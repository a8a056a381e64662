"""Deciding: max (of losses: min) over Ŷ of E[m] = Σ_k q_k · m(T_k, Ŷ), for each instance of a batch.

What all measures share. A child says what a label set is worth, in exact fractions, and writes the program of one
instance. Its objective is E[m] times the mass of all scenarios, so that costs are integers wherever the measure's are.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, pointers, row_places
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Side
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Row, Status, Variable
from hemlp.optimize.solutions import ShownSolution
from hemlp.text.tables import Table

EQUAL = 1e-12
"""Values within this part of each other are equal."""
Answers = Side | Sequence[Sequence[int]]
Reader = Callable[[FloatArray], list[int]]
"""From the values of a program to the classes of the answer."""


@dataclass(frozen=True, eq=False, repr=False)
class DecisionSolution(ShownSolution):
    """The answer of each instance, its expected value, and the best that any answer could have."""

    model: DecisionModel
    statuses: NDArray[np.int8]
    answers: Side
    objectives: FloatArray
    bounds: FloatArray

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, row: int) -> DecisionSolution:
        row = range(len(self))[row]
        one = slice(row, row + 1)
        return DecisionSolution(
            self.model[row], self.statuses[one], self.answers.part(row, row + 1), self.objectives[one],
            self.bounds[one], provenance=self.provenance.of_row(row),
        )  # fmt: skip

    @property
    def objective(self) -> float:
        """The expected value of the only instance."""
        return float(self.objectives[0])

    def _found(self) -> Table:
        labels = (str(self.model.hierarchy.labels[c]) for c in self.answers[0])
        return Table(["answer", "expected"], [[", ".join(labels), self.objective]])


@dataclass(frozen=True, eq=False, repr=False)
class DecisionModel(Model[DecisionSolution]):
    """The best answer of each instance. ``at_least``: 1 where ∅ is no candidate."""

    title: str
    hierarchy: Hierarchy
    at_least: int
    greater_is_better: bool
    needs_judge: ClassVar[bool] = True

    @abstractmethod
    def part(self, start: int, stop: int) -> Self:
        """The model of consecutive instances."""

    @abstractmethod
    def value(self, row: int, answer: Iterable[int]) -> Fraction:
        """E[m] of a label set, by the definition; InvalidSolution if it is no answer."""

    @abstractmethod
    def instance_program(self, row: int) -> tuple[LinearProgram, Reader]:
        """The program of one instance, and a function from its values to the answer."""

    def closed(self, row: int, answer: Iterable[int], flat: bool) -> set[int]:
        """The closure of an answer; InvalidSolution unless the answer is its most specific classes."""
        given = set(answer)
        if implied := given - set(specific_classes(self.hierarchy, given, flat)):
            label = self.hierarchy.labels[min(implied)]
            raise InvalidSolution(f"instance {row + 1}: {label!r} is implied by another class")
        return closure(self.hierarchy, given, flat)

    def __getitem__(self, rows: int | slice) -> Self:
        whole = range(len(self))[rows]
        start, stop = (whole, whole + 1) if isinstance(whole, int) else (whole.start, max(whole.start, whole.stop))
        return self.part(start, stop)

    def program(self) -> LinearProgram:
        """The program of the only instance."""
        if len(self) != 1:
            raise InvalidOption(f"{len(self):,} decisions are as many programs: take that of one, model[i]")
        return self.instance_program(0)[0]

    @property
    def cost_values(self) -> FloatArray:
        """The costs of the program."""
        return np.array([v.cost for row in range(len(self)) for v in self.instance_program(row)[0].variables])

    def plan(self) -> Plan[DecisionSolution]:
        """One program for each instance."""
        found = []
        for row in range(len(self)):
            program, read = self.instance_program(row)
            result: ProgramResult = yield program
            one = self.part(row, row + 1)
            if result.values is None:
                found.append(one.unsolved())
            else:
                bound = result.bound / program.scale if result.status is Status.FEASIBLE else None
                found.append(one.solution([sorted(read(result.values))], bounds=None if bound is None else [bound]))
        return self.joined(found)

    # ---- solutions

    def solution(self, answers: Answers, values: FloatArray | None = None, bounds: Any = None) -> DecisionSolution:
        """These answers; one whose bound is not its value is feasible, all others are optimal."""
        if not isinstance(answers, Side):
            classes = np.array([c for answer in answers for c in answer], np.int32)
            answers = Side(pointers([len(answer) for answer in answers]), classes)
        if values is None:
            values = np.array([float(self.value(row, answers[row].tolist())) for row in range(len(self))])
        best = values.copy() if bounds is None else np.asarray(bounds, np.float64)
        statuses = np.where(best == values, Status.OPTIMAL, Status.FEASIBLE).astype(np.int8)
        return DecisionSolution(self, statuses, answers, values, best)

    def unsolved(self) -> DecisionSolution:
        """No answers: a limit came first."""
        nothing, size = np.full(len(self), math.nan), len(self)
        side = Side(np.zeros(size + 1, np.int64), np.empty(0, np.int32))
        return DecisionSolution(self, np.full(size, Status.UNSOLVED, np.int8), side, nothing, nothing)

    def joined(self, solutions: list[DecisionSolution]) -> DecisionSolution:
        """Solutions of consecutive parts as one of the whole."""
        if not solutions:
            return self.unsolved()
        columns = ([getattr(s, name) for s in solutions] for name in ("statuses", "objectives", "bounds"))
        statuses, objectives, bounds = map(np.concatenate, columns)
        return DecisionSolution(self, statuses, Side.concatenate([s.answers for s in solutions]), objectives, bounds)

    # ---- proofs

    def check(self, solution: DecisionSolution) -> bool:
        """True if answers are allowed and are worth what they claim, by the definition; else InvalidSolution."""
        for row in np.flatnonzero(solution.statuses <= Status.FEASIBLE).tolist():
            answer = solution.answers[row].tolist()
            if len(answer) < self.at_least:
                raise InvalidSolution(f"instance {row + 1}: the answer is empty")
            value, said = float(self.value(row, answer)), float(solution.objectives[row])
            if not math.isclose(value, said, rel_tol=1e-9, abs_tol=1e-9):
                raise InvalidSolution(f"instance {row + 1}: the answer is worth {value:g} and not {said:g}")
        return True

    def verify(self, solution: DecisionSolution) -> bool:
        """True if a solver of programs finds nothing better where something is said to be optimal."""
        return self._verify(solution, "milp")

    def _is_better(self, value: float, other: float) -> bool:
        gain = value - other if self.greater_is_better else other - value
        return gain > 1e-9 * max(1.0, abs(other))

    def refute(self, solution: DecisionSolution, row: int, best: DecisionSolution, judge: str) -> None:
        """Raise InvalidSolution if the judge's answer is better than one that is said to be optimal, or its bound."""
        if best.statuses[0] == Status.OPTIMAL and solution.statuses[row] <= Status.FEASIBLE:
            bound = solution.bounds[row]
            if not math.isnan(bound) and self._is_better(best.objective, float(bound)):
                raise InvalidSolution(f"instance {row + 1}: {judge} finds {best.objective:g}, beyond {bound:g}")

    def confirm(self, solution: DecisionSolution, reference: Callable[[], DecisionSolution]) -> DecisionSolution:
        """What is worse than the judge's answer is feasible; what is feasible has the judge's bound."""
        best = reference()
        pairs = zip(best.objectives.tolist(), solution.objectives.tolist(), strict=True)
        worse = np.array([self._is_better(value, other) for value, other in pairs], np.bool_)
        worse &= solution.statuses == Status.OPTIMAL
        statuses = np.where(worse, Status.FEASIBLE, solution.statuses).astype(np.int8)
        feasible = statuses == Status.FEASIBLE  # a stranger's bound is not proved either
        return replace(solution, statuses=statuses, bounds=np.where(feasible, best.bounds, solution.bounds))


@dataclass(frozen=True, eq=False, repr=False)
class PoolDecision(DecisionModel):
    """The best of a pool, whose values the measure has computed: max Σ value_i y_i, Σ y_i = 1.

    Exact where the pool holds a best answer (accuracy: the likeliest scenario), else feasible. Instance i has the
    answers ``first[i]`` to ``first[i + 1]`` of ``pool``; of equal ones the first wins. ``limits``: the best that any
    answer can have, nan where that is not known. ``counts``: how many answers there were before bounds ruled some out.
    """

    first: IntArray
    pool: Side
    values: FloatArray
    limits: FloatArray
    counts: IntArray

    def __len__(self) -> int:
        return len(self.first) - 1

    def part(self, start: int, stop: int) -> PoolDecision:
        """The model of consecutive instances."""
        begin, end = int(self.first[start]), int(self.first[stop])
        return replace(
            self, first=self.first[start : stop + 1] - begin, pool=self.pool.part(begin, end),
            values=self.values[begin:end], limits=self.limits[start:stop], counts=self.counts[start:stop],
        )  # fmt: skip

    def value(self, row: int, answer: Iterable[int]) -> Fraction:
        """As the measure says."""
        wanted = sorted(answer)
        for k in range(self.first[row], self.first[row + 1]):
            if self.pool[k].tolist() == wanted:
                return Fraction(float(self.values[k]))
        raise InvalidSolution(f"instance {row + 1}: the answer is not in the pool")

    def instance_program(self, row: int) -> tuple[LinearProgram, Reader]:
        """One of the pool."""
        own = range(self.first[row], self.first[row + 1])
        sets, labels = [self.pool[k].tolist() for k in own], self.hierarchy.labels
        variables = [
            Variable(f"y_{k}", 0, 1, float(self.values[at]), ", ".join(str(labels[c]) for c in sets[k]) or "nothing")
            for k, at in enumerate(own)
        ]
        rows = [Row("one", 1, 1, [(k, 1.0) for k in range(len(sets))], "one answer")]
        program = LinearProgram(self.title, variables, rows, self.greater_is_better)
        return program, lambda values: sets[int(np.argmax(values))]

    def best(self, row: int) -> int:
        """The place of the best answer in the pool; of equal ones the first."""
        own = slice(self.first[row], self.first[row + 1])
        values = self.values[own] if self.greater_is_better else -self.values[own]
        good = values >= values.max() - EQUAL * abs(values.max())
        return int(self.first[row] + np.argmax(good))

    def solution(self, answers: Answers, values: FloatArray | None = None, bounds: Any = None) -> DecisionSolution:
        """With the limits for bounds."""
        return super().solution(answers, values, self.limits)


def node_variables(
    h: Hierarchy, nodes: Sequence[int], costs: Iterable[float], letter: str = "z", end: str = ""
) -> list[Variable]:
    """A binary variable for each class, its note with ``end``."""
    named = enumerate(zip(nodes, costs, strict=True))
    return [Variable(f"{letter}_{k}", 0, 1, cost, f"{h.labels[node]}{end}") for k, (node, cost) in named]


def closed_rows(h: Hierarchy, nodes: Sequence[int], begin: int, name: str) -> list[Row]:
    """z_parent ≥ z_child for classes whose variables begin at ``begin``."""
    place = {node: begin + k for k, node in enumerate(nodes)}
    edges = [(int(p), c) for c in nodes for p in h.parent_idx[h.parent_ptr[c] : h.parent_ptr[c + 1]]]
    return [
        Row(f"{name}_{k}", 0, math.inf, [(place[p], 1.0), (place[c], -1.0)], f"{h.labels[c]} implies {h.labels[p]}")
        for k, (p, c) in enumerate(edges)
    ]


def roots(hierarchy: Hierarchy, flat: bool) -> IntArray:
    """The classes that can be an answer alone without implying another."""
    return np.arange(len(hierarchy)) if flat else np.flatnonzero(np.diff(hierarchy.parent_ptr) == 0)


def closure(hierarchy: Hierarchy, classes: Iterable[int], flat: bool = False) -> set[int]:
    """Classes and their ancestors; the classes themselves where measures are flat."""
    nodes = set(classes)
    waiting = [] if flat else list(nodes)
    while waiting:
        node = waiting.pop()
        parents = hierarchy.parent_idx[hierarchy.parent_ptr[node] : hierarchy.parent_ptr[node + 1]].tolist()
        waiting += [parent for parent in parents if parent not in nodes]
        nodes.update(parents)
    return nodes


def specific_classes(hierarchy: Hierarchy, classes: Iterable[int], flat: bool = False) -> list[int]:
    """The classes that are no ancestors of others; all of them where measures are flat."""
    own = sorted(classes)
    parents = [] if flat else hierarchy.parent_idx[row_places(hierarchy.parent_ptr, np.array(own, np.int64))].tolist()
    above = closure(hierarchy, parents)
    return [v for v in own if v not in above]
