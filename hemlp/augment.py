"""Augmented sets: the closures of both sides of an instance as an explicit model.

    min  Σ z_c    s.t.  z_c = 1 for the classes of a side,  z_parent ≥ z_child,  z_c ∈ {0, 1}

is the smallest set that holds the classes and all their ancestors (its linear relaxation has an integral optimum: every
row has one +1 and one −1). For descendants the arrows are turned round; with a horizon a class implies, instead of its
parents, each ancestor that it sees; ⊤ is implied by every class of a side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hemlp.edges import FloatArray, IntArray
from hemlp.errors import InvalidSolution
from hemlp.labels import Batch
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
            for side, letter, _ in SIDES:
                place = {node: len(variables) + k for k, node in enumerate(universe)}
                own = set((self.batch.pred if side == "predicted" else self.batch.true)[i].tolist())
                for k, node in enumerate(universe):
                    name = f"z_{letter}_{prefix}{k}"
                    variables.append(Variable(name, int(node in own), 1, 1.0, f"{side} {self._label(node)}"))
                for k, (c, a) in enumerate(self._implications(i, side)):
                    note = f"{side}: {self._label(c)} implies {self._label(a)}"
                    rows.append(Row(f"{letter}_{prefix}{k}", 0, math.inf, [(place[a], 1.0), (place[c], -1.0)], note))
        return LinearProgram(self.title, variables, rows)

    # ---- solutions

    def solution(self, result: ProgramResult) -> ClosureSolution:
        """The sets that the variables of ``program()`` say."""
        ptr, nodes, members = [0], [], []
        values = iter([] if result.values is None else result.values.tolist())
        for i in range(len(self)):
            universe = self._universe(i)
            sides = [[next(values) > 0.5 for _ in universe] for _ in SIDES]
            for node, in_pred, in_true in zip(universe, *sides, strict=True):
                if in_pred or in_true:
                    nodes.append(node)
                    members.append(in_pred + 2 * in_true)
            ptr.append(len(nodes))
        arrays = np.array(ptr, np.int64), np.array(nodes, np.int32), np.array(members, np.uint8)
        statuses = np.full(len(self), STATUSES.index(result.status), np.int8)
        return self.counted(*arrays, statuses)

    def closures(self, start: int = 0, room: int = 2**62) -> Closures:
        """The closures of the instances from ``start`` on, while there is ``room`` for their nodes."""
        from hemlp.kernels.closure import closures

        pred, true = self.batch.pred, self.batch.true
        sides = pred.ptr, pred.classes, true.ptr, true.classes
        return closures(*self.arrows, *sides, start, room, self.farthest, self.has_top)

    def counted(
        self, ptr: IntArray, nodes: IntArray, members: NDArray[np.uint8], statuses: NDArray[np.int8] | None = None
    ) -> ClosureSolution:
        """The solution that these closures are: distant classes are dropped (tolerant), then all is weighed."""
        from hemlp.kernels.closure import drop_distant, tally

        h = self.batch.hierarchy
        if self.augment == "tolerant":
            drop_distant(ptr, nodes, members, h.parent_ptr, h.parent_idx)
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
        """True if each set holds its classes and what they imply, and nothing that is not implied."""
        for i in range(len(self)):
            one = solution[i]
            for side, _, bit in SIDES:
                found = set(one.nodes[(one.members & bit) > 0].tolist())
                own = set((self.batch.pred if side == "predicted" else self.batch.true)[i].tolist())
                implied = set(own)
                pairs = self._implications(i, side)
                while more := {a for c, a in pairs if c in implied} - implied:
                    implied |= more
                if found != implied:
                    odd = self._label(next(iter(found ^ implied)))
                    raise InvalidSolution(f"instance {i + 1}: the {side} set is not the closure, see {odd!r}")
            sums = self[i].counted(one.ptr, one.nodes, (one.members & 3).astype(np.uint8)).sums
            if not np.allclose(one.sums, sums, rtol=1e-12, atol=0):
                raise InvalidSolution(f"instance {i + 1}: the sets are not weighed rightly")
        return True

    def verify(self, solution: ClosureSolution) -> bool:
        """A closure that ``check`` passes is the smallest: it holds nothing that is not implied."""
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
        found = self.model.counted(*self.model.closures()).made
        assert found is not None
        return found

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
        """The number of nodes of both closures of the only instance, before any are dropped."""
        return float(sum(((self.members & bit) > 0).sum() for _, _, bit in SIDES))

    @cached_property
    def sets(self) -> tuple[frozenset[Label | Top], frozenset[Label | Top]]:
        """The augmented predicted and true sets of the only instance."""
        kept = (self.members & 4) == 0
        sides = (self.nodes[kept & ((self.members & bit) > 0)] for _, _, bit in SIDES)
        predicted, true = (frozenset(self.model._label(int(node)) for node in nodes) for nodes in sides)
        return predicted, true
