"""Closures and more: tolerant sets, sets with what their classes imply as a user says, and closures of prefixes.

**Tolerant sets** are closures, from which each side drops what is far from the other side: a class is dropped if the
other side has neither it nor one of its parents; a class without parents stays. What stays is one more variable per
class and side, in the program of the closures, in which each z costs more than all k together are worth:

    max  Σ k_c    s.t.  k_c ≤ z_c,  k_c ≤ z'_c + Σ z'_parent unless c has no parents     (z' of the other side)

**Prefixes**: a threshold predicts the first classes of an instance, greatest score first, so curves, Fmax and measures
at k ask for the closures of many prefixes of one ranking. Each prefix, beside the truth, is an instance of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import IntArray, pointers, row_sums
from hemlp.errors import InvalidSolution
from hemlp.hierarchy.reach import Adjacency, Reach, ReachTable
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import LETTERS, PRED, SIDES, TRUE
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.closure.model import DROPPED, ClosureModel, Closures, ClosureSolution

if TYPE_CHECKING:
    from hemlp.optimize.exports import Algebra


@dataclass(frozen=True, eq=False, repr=False)
class TolerantModel(ClosureModel):
    """Ancestor closures, and what stays of them."""

    def write_instance(
        self, row: int, prefix: str, variables: list[Variable], rows: list[Row], cost: float = 1.0
    ) -> list[dict[int, int]]:
        places = super().write_instance(row, prefix, variables, rows, self._node_cost(row))
        for side, (name, letter) in enumerate(zip(SIDES, LETTERS, strict=True)):
            own, other = places[side], places[1 - side]
            for k, node in enumerate(own):
                at, label = len(variables), self.label(node)
                variables.append(Variable(f"k_{letter}_{prefix}{k}", 0, 1, -1.0, f"{name} {label} stays"))
                note = f"{name}: {label} stays only if it is there"
                rows.append(Row(f"s_{letter}_{prefix}{k}", 0, math.inf, [(own[node], 1.0), (at, -1.0)], note))
                if parents := self._parents(node):
                    near = [(other[v], 1.0) for v in (node, *parents)]
                    note = f"{name}: {label} is dropped unless the other side has it or a parent of it"
                    rows.append(Row(f"d_{letter}_{prefix}{k}", 0, math.inf, [*near, (at, -1.0)], note))
        return places

    def algebra(self, stage: str | None = None) -> Algebra:
        """Closures, and what stays of them (Equations 4 and 5)."""
        from hemlp.optimize.exports import Line

        closed = super().algebra(stage)
        lines = [
            *closed.lines[:-1],
            Line("4, 5", r"k_c \le z_c", "what stays was there"),
            Line("4, 5", r"k_c \le z'_c + \sum_{a \in Pa(c)} z'_a", "unless c has no parents"),
            Line("", r"z_c, k_c \in \{0, 1\}"),
        ]
        words = [("k_c", "class c stays"), ("z'", "z of the other side"), ("n", "all nodes, of both sides")]
        goal = r"(n + 1) \sum_c z_c - \sum_c k_c"
        return replace(closed, goal=goal, lines=lines, words=[*closed.words, *words])

    def _node_cost(self, row: int) -> float:
        """What a node of a closure costs: more than all that can stay."""
        return 2.0 * len(self.universe(row)) + 1

    def _parents(self, node: int) -> list[int]:
        h = self.batch.hierarchy
        parents: list[int] = h.parent_idx[h.parent_ptr[node] : h.parent_ptr[node + 1]].tolist()
        return parents

    def read_instance(self, row: int, values: Iterator[bool]) -> list[tuple[int, int]]:
        """(node, its membership) of one instance; what stays on neither side was dropped."""
        members = super().read_instance(row, values)
        universe = self.universe(row)
        stays = dict.fromkeys(universe, False)
        for _ in SIDES:
            for node in universe:
                stays[node] |= next(values)
        return [(node, member + DROPPED * (not stays[node])) for node, member in members]

    def closures(self, start: int = 0, room: int = 2**62) -> Closures:
        from hemlp.kernels.closure.sets import drop_distant
        from hemlp.kernels.records import Rows

        closures = super().closures(start, room)
        drop_distant(*closures, Rows(self.batch.hierarchy.parent_ptr, self.batch.hierarchy.parent_idx))
        return closures

    def objective(self, solution: ClosureSolution) -> float:
        """Of the program of the only instance: what the nodes of both closures cost, less what stays."""
        return super().objective(solution) * self._node_cost(0) - sum(map(len, solution.kept()))

    def sets_by_definition(self, row: int) -> tuple[set[int], set[int]]:
        closed = super().sets_by_definition(row)

        def near(node: int, other: set[int]) -> bool:
            parents = self._parents(node)
            return node in other or not parents or any(parent in other for parent in parents)

        predicted, true = ({c for c in closed[side] if near(c, closed[1 - side])} for side in (PRED, TRUE))
        return predicted, true


@dataclass(frozen=True, eq=False, repr=False)
class ImpliedModel(ClosureModel):
    """Sets with all that each of their classes implies at once; ``implied``: these classes, as CSR arrays."""

    implied: tuple[IntArray, IntArray] = (np.zeros(1, np.int64), np.empty(0, np.int32))

    @property
    def arrows(self) -> tuple[IntArray, IntArray]:
        return self.implied

    @property
    def farthest(self) -> int:
        """What is implied implies nothing."""
        return 1

    def lists(self) -> Reach:
        classes = np.concatenate([side.classes for side in self.batch.sides])
        return ReachTable(Adjacency(*self.implied, None), None).within(classes, self.farthest)

    def implications(self, row: int, side: int) -> list[tuple[int, int]]:
        ptr, implied = self.implied
        return [(int(c), int(a)) for c in self.batch.sides[side][row] for a in implied[ptr[c] : ptr[c + 1]]]

    def algebra(self, stage: str | None = None) -> Algebra:
        """Nobody knows what the classes imply in sums."""
        return Model.algebra(self, stage)


@dataclass(frozen=True, eq=False, repr=False)
class PrefixModel(Model[ClosureSolution]):
    """The closures of ``sizes`` many first classes of the ``ranked`` ones, beside the true side of ``base``.

    Both are rows (CSR): row i of ``sizes`` has the lengths of the prefixes of row i of ``ranked``, from small to large.
    ``hidden``: rows of nodes that do not count, though what they imply may.
    """

    base: ClosureModel
    ranked: tuple[IntArray, IntArray]
    sizes: tuple[IntArray, IntArray]
    hidden: tuple[IntArray, IntArray] | None = None

    @property
    def batch(self) -> Batch:
        """The instances, with all ranked classes."""
        return self.base.batch

    @property
    def rows(self) -> IntArray:
        """The instance of each prefix."""
        return np.repeat(np.arange(len(self.sizes[0]) - 1), np.diff(self.sizes[0]))

    @cached_property
    def expanded(self) -> ClosureModel:
        """Each prefix as an instance of its own."""
        (first, ranked), rows, batch = self.ranked, self.rows, self.batch
        sizes = self.sizes[1].astype(np.int64)
        ptr = pointers(sizes)
        at = np.repeat(first[:-1][rows] - ptr[:-1], sizes) + np.arange(ptr[-1])
        keys = np.sort(np.repeat(np.arange(sizes.size), sizes) * len(batch.hierarchy) + ranked[at])
        pred = Side(ptr, (keys % max(1, len(batch.hierarchy))).astype(np.int32))
        return replace(self.base, batch=replace(batch, true=batch.true.take(rows), pred=pred, ids=None))

    def __len__(self) -> int:
        return len(self.sizes[1])

    def __getitem__(self, rows: int | slice) -> ClosureModel:
        return self.expanded[rows]

    def program(self) -> LinearProgram:
        return self.expanded.program()

    def plan(self) -> Plan[ClosureSolution]:
        return self._without_hidden((yield from self.expanded.plan()))

    def unsolved(self) -> ClosureSolution:
        """What is known where a limit came first."""
        return self.expanded.unsolved()

    def joined(self, solutions: list[ClosureSolution]) -> ClosureSolution:
        return self._without_hidden(self.expanded.joined(solutions))

    def _without_hidden(self, solution: ClosureSolution) -> ClosureSolution:
        """The sets without what does not count."""
        if self.hidden is None:
            return solution
        (ptr, nodes, members), (hidden_ptr, hidden), size = (
            solution.closures,
            self.hidden,
            len(self.batch.hierarchy) + 1,
        )
        keys = np.repeat(np.arange(len(hidden_ptr) - 1), np.diff(hidden_ptr)) * size + hidden
        counts = ~np.isin(np.repeat(self.rows, np.diff(ptr)) * size + nodes, keys)
        kept = pointers(row_sums(counts, ptr)), nodes[counts], members[counts]
        return replace(self.expanded.counted(*kept), statuses=solution.statuses)

    def check(self, solution: ClosureSolution) -> bool:
        if self.hidden is None:
            return self.expanded.check(replace(solution, model=self.expanded))
        whole = self.expanded.counted(*self.expanded.closures())
        meant = self._without_hidden(whole)
        equal = np.array_equal(solution.equal, meant.equal)
        if not equal or not np.allclose(solution.sums, meant.sums, rtol=1e-12, atol=0):
            raise InvalidSolution("the prefixes are not weighed rightly without what does not count")
        return self.expanded.check(whole)

    verify = check
