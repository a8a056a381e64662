"""Tolerant sets: closures, from which each side drops what is far from the other side.

A class is dropped if the other side has neither it nor one of its parents; a class without parents stays. What stays is
one more variable a class and side,

    max  Σ k_c    s.t.  k_c ≤ z_c,  k_c ≤ z'_c + Σ z'_parent unless c has no parents     (z' of the other side)

in the program of the closures, in which each z costs more than all k together are worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hemlp.instances.sides import LETTERS, PRED, SIDES, TRUE
from hemlp.optimize.program import Row, Variable
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.solution import DROPPED, Closures, ClosureSolution

if TYPE_CHECKING:
    from hemlp.optimize.algebra import Algebra


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
        from hemlp.optimize.algebra import Line

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
