"""Augmented sets: the closures of both sides of an instance as an explicit model.

    min  Σ z_c    s.t.  z_c = 1 for the classes of a side,  z_parent ≥ z_child,  z_c ∈ {0, 1}

is the smallest set that holds the classes and all their ancestors (its linear relaxation has an integral optimum: every
row has one +1 and one −1). For descendants the arrows are turned round; with a horizon a class implies, instead of its
parents, each ancestor that it sees; ⊤ is implied by every class of a side.

Tolerant sets drop from each side what is not on the other side and has parents, none of which is there. What stays is
one more variable a class and side,

    max  Σ k_c    s.t.  k_c ≤ z_c,  k_c ≤ z'_c + Σ z'_parent unless c has no parents     (z' of the other side)

in the same program, in which each z costs more than all k together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hemlp.edges import FloatArray, IntArray
from hemlp.errors import InvalidSolution
from hemlp.labels import Batch, pointers
from hemlp.model import Model
from hemlp.program import STATUSES, LinearProgram, ProgramResult, Row, Status, Variable
from hemlp.reach import Reach, flat_lists
from hemlp.vocabulary import TOP, Label, Top

SIDES = (("predicted", "p", 1), ("true", "t", 2))
Closures = tuple[IntArray, IntArray, NDArray[np.uint8]]


@dataclass(frozen=True, eq=False)
class ClosureModel(Model["ClosureSolution"]):
    """Both closures of each instance of a batch.

    ``augment``: "ancestors", "descendants", "tolerant" (ancestors, then distant classes are dropped) or "none".
    ``weights`` of all classes and, last, of ⊤. With a ``horizon`` each class sees what is fewer levels up.
    """

    title: str
    batch: Batch
    augment: str
    top: bool
    horizon: int | None
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> ClosureModel:
        return replace(self, batch=self.batch[rows])

    @property
    def has_top(self) -> bool:
        """Whether ⊤ belongs to each side that is not empty."""
        return self.top or self.horizon is not None

    @property
    def arrows(self) -> tuple[IntArray, IntArray]:
        """CSR of the classes that a class implies: its parents, its children, or none."""
        h = self.batch.hierarchy
        if self.augment == "none":
            return np.zeros(len(h) + 1, np.int64), np.empty(0, np.int32)
        return (h.child_ptr, h.child_idx) if self.augment == "descendants" else (h.parent_ptr, h.parent_idx)

    @property
    def farthest(self) -> int:
        """How many steps a closure goes."""
        size = len(self.batch.hierarchy)
        return size if self.horizon is None else min(self.horizon - 1, size)

    # ---- the explicit model

    def lists(self) -> Reach:
        """Lists of what each class of the batch implies."""
        h, classes = self.batch.hierarchy, np.concatenate([self.batch.pred.classes, self.batch.true.classes])
        if self.augment == "none":
            return flat_lists(len(h), classes)
        if self.horizon is not None:
            return h.upward.within(classes, self.farthest)
        return (h.downward if self.augment == "descendants" else h.upward).lists(classes)

    def reached(self, sources: IntArray) -> tuple[IntArray, IntArray]:
        """What each source implies, itself first, in full (CSR: ptr, nodes)."""
        from hemlp.kernels.graph import reach

        ptr, idx = self.arrows
        _, list_ptr, nodes, _ = reach(ptr, idx, sources.astype(np.int32), 2**62, self.farthest)
        return list_ptr, nodes

    def _universe(self, row: int) -> list[int]:
        """The nodes that either side of an instance can imply, ⊤ last."""
        _, nodes = self.reached(np.concatenate([self.batch.pred[row], self.batch.true[row]]))
        return sorted(set(nodes.tolist())) + ([len(self.batch.hierarchy)] if self.has_top else [])

    def _implications(self, row: int, side: str) -> list[tuple[int, int]]:
        """(class, node that it implies) of one side of an instance."""
        top = len(self.batch.hierarchy)
        own = (self.batch.pred if side == "predicted" else self.batch.true)[row]
        pairs = [(int(c), top) for c in own] if self.has_top else []
        if self.horizon is not None:
            ptr, nodes = self.reached(own)
            return pairs + [(int(c), int(a)) for k, c in enumerate(own) for a in nodes[ptr[k] + 1 : ptr[k + 1]]]
        arrows_ptr, arrows = self.arrows
        universe = self._universe(row)
        return pairs + [(c, int(a)) for c in universe if c != top for a in arrows[arrows_ptr[c] : arrows_ptr[c + 1]]]

    def _label(self, node: int) -> Label | Top:
        return TOP if node == len(self.batch.hierarchy) else self.batch.hierarchy.labels[node]

    def program(self) -> LinearProgram:
        """The integer program of the module's docstring, over all that either side can imply."""
        variables: list[Variable] = []
        rows: list[Row] = []
        for i in range(len(self)):
            prefix = "" if len(self) == 1 else f"{i}_"
            universe = self._universe(i)
            cost = self._node_cost(universe)
            places = []
            for side, letter, _ in SIDES:
                place = {node: len(variables) + k for k, node in enumerate(universe)}
                places.append(place)
                own = set((self.batch.pred if side == "predicted" else self.batch.true)[i].tolist())
                for k, node in enumerate(universe):
                    name = f"z_{letter}_{prefix}{k}"
                    variables.append(Variable(name, int(node in own), 1, cost, f"{side} {self._label(node)}"))
                for k, (c, a) in enumerate(self._implications(i, side)):
                    note = f"{side}: {self._label(c)} implies {self._label(a)}"
                    rows.append(Row(f"{letter}_{prefix}{k}", 0, math.inf, [(place[a], 1.0), (place[c], -1.0)], note))
            if self.augment == "tolerant":
                self._add_dropping(universe, places, prefix, variables, rows)
        return LinearProgram(self.title, variables, rows)

    def _node_cost(self, universe: list[int]) -> float:
        """What a node of a closure costs: 1, or more than all classes that stay in tolerant sets are worth."""
        return 2.0 * len(universe) + 1 if self.augment == "tolerant" else 1.0

    def _add_dropping(
        self, universe: list[int], places: list[dict[int, int]], prefix: str, variables: list[Variable], rows: list[Row]
    ) -> None:
        """What stays of each side."""
        for (side, letter, _), own, other in zip(SIDES, places, places[::-1], strict=True):
            for k, node in enumerate(universe):
                at, name = len(variables), self._label(node)
                variables.append(Variable(f"k_{letter}_{prefix}{k}", 0, 1, -1.0, f"{side} {name} stays"))
                note = f"{side}: {name} stays only if it is there"
                rows.append(Row(f"s_{letter}_{prefix}{k}", 0, math.inf, [(own[node], 1.0), (at, -1.0)], note))
                if parents := self._parents(node):
                    near = [(other[v], 1.0) for v in (node, *parents)]
                    note = f"{side}: {name} is dropped unless the other side has it or a parent of it"
                    rows.append(Row(f"d_{letter}_{prefix}{k}", 0, math.inf, [*near, (at, -1.0)], note))

    def _parents(self, node: int) -> list[int]:
        h = self.batch.hierarchy
        parents: list[int] = h.parent_idx[h.parent_ptr[node] : h.parent_ptr[node + 1]].tolist()
        return parents

    # ---- solutions

    def solution(self, result: ProgramResult) -> ClosureSolution:
        """The sets that the variables of ``program()`` say. A set that is not the smallest is no closure."""
        if result.values is None or result.status is not Status.OPTIMAL:
            ptr, nothing = np.zeros(len(self) + 1, np.int64), np.zeros(0, np.int32)
            unsolved = np.full(len(self), STATUSES.index(Status.UNSOLVED), np.int8)
            return self.counted(ptr, nothing, nothing.astype(np.uint8), unsolved)
        lengths: list[int] = []
        nodes: list[int] = []
        members: list[int] = []
        values = iter((result.values > 0.5).tolist())
        for i in range(len(self)):
            universe = self._universe(i)
            sides = [[next(values) for _ in universe] for _ in SIDES]
            stays = [[next(values) for _ in universe] for _ in SIDES] if self.augment == "tolerant" else sides
            before = len(nodes)
            for node, in_pred, in_true, stays_p, stays_t in zip(universe, *sides, *stays, strict=True):
                if in_pred or in_true:
                    nodes.append(node)
                    members.append(in_pred + 2 * in_true + 4 * (stays_p + stays_t == 0))
            lengths.append(len(nodes) - before)
        return self.counted(pointers(lengths), np.array(nodes, np.int32), np.array(members, np.uint8))

    def closures(self, start: int = 0, room: int = 2**62) -> Closures:
        """The closures of the instances from ``start`` on, while there is ``room`` for their nodes."""
        from hemlp.kernels.closure import closures

        pred, true = self.batch.pred, self.batch.true
        sides = pred.ptr, pred.classes, true.ptr, true.classes
        return closures(*self.arrows, *sides, start, room, self.farthest, self.has_top)

    def dropped(self, ptr: IntArray, nodes: IntArray, members: NDArray[np.uint8]) -> Closures:
        """Closures in which distant classes are marked as dropped, if the sets are tolerant."""
        from hemlp.kernels.closure import drop_distant

        if self.augment == "tolerant":
            drop_distant(ptr, nodes, members, self.batch.hierarchy.parent_ptr, self.batch.hierarchy.parent_idx)
        return ptr, nodes, members

    def counted(
        self, ptr: IntArray, nodes: IntArray, members: NDArray[np.uint8], statuses: NDArray[np.int8] | None = None
    ) -> ClosureSolution:
        """The solution that these sets are."""
        from hemlp.kernels.closure import tally

        sums, equal = tally(ptr, nodes, members, self.weights)
        codes = np.zeros(len(ptr) - 1, np.int8) if statuses is None else statuses
        return ClosureSolution(self, codes, sums, equal, (ptr, nodes, members))

    def joined(self, solutions: list[ClosureSolution]) -> ClosureSolution:
        """Solutions of consecutive parts as one of the whole."""
        parts = [s.closures for s in solutions]
        sizes = np.concatenate([[0], *(np.diff(ptr) for ptr, _, _ in parts)])
        return ClosureSolution(
            self,
            np.concatenate([s.statuses for s in solutions]),
            np.concatenate([s.sums for s in solutions]),
            np.concatenate([s.equal for s in solutions]),
            (
                np.cumsum(sizes).astype(np.int64),
                np.concatenate([nodes for _, nodes, _ in parts]),
                np.concatenate([members for _, _, members in parts]),
            ),
        )

    def check(self, solution: ClosureSolution) -> bool:
        """True if the sets are what their definition says, and are weighed and compared rightly; else InvalidSolution.

        By code that no solver uses.
        """
        for i, status in enumerate(STATUSES[code] for code in solution.statuses):
            place = f"instance {i + 1}"
            if status is Status.UNSOLVED:
                continue
            if status is not Status.OPTIMAL:
                raise InvalidSolution(f"{place}: closures always exist, and it is said to be {status}")
            sides = self.defined_sets(i)
            for (side, _, _), found, meant in zip(SIDES, solution[i].kept(), sides, strict=True):
                if found != meant:
                    odd = self._label(next(iter(found ^ meant)))
                    raise InvalidSolution(f"{place}: the {side} set is not the closure, see {odd!r}")
            sums = [math.fsum(self.weights[sorted(nodes)]) for nodes in (*sides, sides[0] & sides[1])]
            if not np.allclose(solution.sums[i], sums, rtol=1e-12, atol=0):
                raise InvalidSolution(f"{place}: the sets are not weighed rightly")
            if bool(solution.equal[i]) != (sides[0] == sides[1]):
                raise InvalidSolution(f"{place}: whether the two sets are equal is said wrongly")
        return True

    def defined_sets(self, row: int) -> tuple[set[int], set[int]]:
        """The augmented sets of an instance, word for word and slowly."""
        sides = []
        for name, own in (("predicted", self.batch.pred[row]), ("true", self.batch.true[row])):
            implied = set(own.tolist())
            pairs = self._implications(row, name)
            while more := {a for c, a in pairs if c in implied} - implied:
                implied |= more
            sides.append(implied)
        if self.augment != "tolerant":
            return sides[0], sides[1]

        def near(node: int, other: set[int]) -> bool:
            parents = self._parents(node)
            return node in other or not parents or any(parent in other for parent in parents)

        return {c for c in sides[0] if near(c, sides[1])}, {c for c in sides[1] if near(c, sides[0])}

    def verify(self, solution: ClosureSolution) -> bool:
        """A set that ``check`` passes is the one that the definition says: there is nothing more to prove."""
        return self.check(solution)


@dataclass(frozen=True, eq=False)
class ClosureSolution:
    """Weights of the predicted, true and common nodes of each instance (``sums``), and whether the sets are ``equal``.

    ``closures`` are the sets themselves, as pointers, nodes and members (1 predicted, 2 true, 4 dropped); those that a
    solver has not made are computed on demand.
    """

    model: ClosureModel
    statuses: NDArray[np.int8]
    sums: FloatArray
    equal: NDArray[np.bool_]
    made: Closures | None = None

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, row: int) -> ClosureSolution:
        row = range(len(self))[row]
        one = slice(row, row + 1)
        made = None
        if self.made is not None:
            ptr, nodes, members = self.made
            part = slice(ptr[row], ptr[row + 1])
            made = np.array([0, part.stop - part.start]), nodes[part], members[part]
        return ClosureSolution(self.model[row], self.statuses[one], self.sums[one], self.equal[one], made)

    @cached_property
    def closures(self) -> Closures:
        """Pointers, nodes and members."""
        if self.made is not None:
            return self.made
        return self.model.dropped(*self.model.closures())

    @property
    def ptr(self) -> IntArray:
        """Where the nodes of each instance begin."""
        return self.closures[0]

    @property
    def nodes(self) -> IntArray:
        """The nodes of both sides."""
        return self.closures[1]

    @property
    def members(self) -> NDArray[np.uint8]:
        """On which sides the nodes are."""
        return self.closures[2]

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        return STATUSES[int(self.statuses[0])]

    @property
    def objective(self) -> float:
        """Of the program of the only instance: how many nodes both closures have, at what each of them costs, less
        what stays in tolerant sets."""
        nodes = float(sum(((self.members & bit) > 0).sum() for _, _, bit in SIDES))
        if self.model.augment != "tolerant":
            return nodes
        return nodes * self.model._node_cost(self.model._universe(0)) - sum(map(len, self.kept()))

    def kept(self) -> tuple[set[int], set[int]]:
        """The augmented predicted and true sets of the only instance, as numbers of nodes."""
        stays = (self.members & 4) == 0
        predicted, true = (set(self.nodes[stays & ((self.members & bit) > 0)].tolist()) for _, _, bit in SIDES)
        return predicted, true

    @cached_property
    def sets(self) -> tuple[frozenset[Label | Top], frozenset[Label | Top]]:
        """The augmented predicted and true sets of the only instance."""
        predicted, true = (frozenset(map(self.model._label, nodes)) for nodes in self.kept())
        return predicted, true
