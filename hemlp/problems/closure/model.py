"""Closures of both sides of an instance as an explicit model.

    min  Σ z_c    s.t.  z_c = 1 for the classes of a side,  z_parent ≥ z_child,  z_c ∈ {0, 1}

is the smallest set that holds the classes and all their ancestors (its linear relaxation has an integral optimum: every
row has one +1 and one −1). For descendants the arrows are turned round; with a horizon a class implies, instead of its
parents, each ancestor that it sees; ⊤ is implied by every class of a side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, entry_rows, pointers
from hemlp.errors import InvalidSolution
from hemlp.hierarchy.labels import TOP, Label, Top
from hemlp.hierarchy.reach import Reach, flat_lists
from hemlp.instances.batch import Batch
from hemlp.instances.sides import LETTERS, PRED, SIDES, TRUE
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Row, Status, Variable
from hemlp.optimize.solutions import ShownSolution

if TYPE_CHECKING:
    from hemlp.optimize.exports import Algebra
    from hemlp.problems.closure.variants import PrefixModel

Closures = tuple[IntArray, IntArray, NDArray[np.uint8]]
"""CSR pointers, nodes, and on which sides they are: 1 predicted, 2 true, 3 both, and 4 more if it was dropped."""
BOTH, DROPPED = 3, 4


@dataclass(frozen=True, eq=False, repr=False)
class ClosureSolution(ShownSolution):
    """Weights of the predicted, true and common nodes of each instance (``sums``), and whether the sets are ``equal``.

    ``made``: the sets themselves; those that a solver has not made are computed on demand.
    """

    model: ClosureModel | PrefixModel
    statuses: NDArray[np.int8]
    sums: FloatArray
    equal: NDArray[np.bool_]
    made: Closures | None = None
    columns: ClassVar[Mapping[str, FloatArray]] = MappingProxyType({})
    """What is known of each instance beside the weights: nothing."""

    @property
    def sets_of(self) -> ClosureModel:
        """The model whose sets these are: prefixes are instances of their own."""
        model: Any = self.model
        expanded: ClosureModel = getattr(model, "expanded", model)
        return expanded

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
        return ClosureSolution(
            self.sets_of[row], self.statuses[one], self.sums[one], self.equal[one], made,
            provenance=self.provenance.of_row(row),
        )  # fmt: skip

    @cached_property
    def closures(self) -> Closures:
        """Pointers, nodes and members."""
        return self.sets_of.closures() if self.made is None else self.made

    @property
    def objective(self) -> float:
        """The objective of the program of the only instance; nan where nothing was found."""
        return math.nan if self.statuses[0] > Status.FEASIBLE else self.sets_of.objective(self)

    def kept(self) -> tuple[set[int], set[int]]:
        """The augmented predicted and true sets of the only instance, as numbers of nodes."""
        _, nodes, members = self.closures
        stays = (members & DROPPED) == 0
        predicted, true = (set(nodes[stays & (members >> side & 1 > 0)].tolist()) for side in (PRED, TRUE))
        return predicted, true

    @cached_property
    def sets(self) -> tuple[frozenset[Label | Top], frozenset[Label | Top]]:
        """The augmented predicted and true sets of the only instance."""
        predicted, true = (frozenset(map(self.sets_of.label, nodes)) for nodes in self.kept())
        return predicted, true

    @property
    def dropped(self) -> frozenset[Label | Top]:
        """What was dropped from tolerant sets of the only instance."""
        _, nodes, members = self.closures
        return frozenset(map(self.sets_of.label, nodes[(members & DROPPED) > 0].tolist()))


Direction = Literal["up", "down", "none"]


@dataclass(frozen=True, eq=False, repr=False)
class ClosureModel(Model[ClosureSolution]):
    """Both closures of each instance of a batch.

    ``direction``: what a class implies: its ancestors ("up"), its descendants ("down"), or nothing ("none").
    ``weights`` of all classes and, last, of ⊤. With ``top`` each side that is not empty has ⊤; with a ``horizon`` each
    class sees what is fewer levels up, and ⊤. ``shared`` nodes (CSR: ptr, nodes) belong to the predicted set, whatever
    implies them. ``ignored`` nodes are dropped from both sets in the end.
    """

    title: str
    batch: Batch
    direction: Direction
    weights: FloatArray
    top: bool = False
    horizon: int | None = None
    shared: tuple[IntArray, IntArray] | None = None
    ignored: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> ClosureModel:
        batch, shared = self.batch[rows], self.shared
        if shared is not None:
            of = range(len(self))[rows if isinstance(rows, slice) else slice(rows, rows + 1 or None)]
            ptr = shared[0][of.start : of.start + len(of) + 1]
            shared = ptr - ptr[0], shared[1][ptr[0] : ptr[-1]]
        return replace(self, batch=batch, shared=shared)

    def _given(self, row: int, side: int) -> set[int]:
        """The nodes of a side of an instance that need nobody to imply them."""
        own = set(self.batch.sides[side][row].tolist())
        if self.shared is not None and side == PRED:
            ptr, nodes = self.shared
            own |= set(nodes[ptr[row] : ptr[row + 1]].tolist())
        return own

    @property
    def has_top(self) -> bool:
        """Whether ⊤ belongs to each side that is not empty."""
        return self.top or self.horizon is not None

    @property
    def arrows(self) -> tuple[IntArray, IntArray]:
        """CSR of the classes that a class implies: its parents, its children, or none."""
        h = self.batch.hierarchy
        if self.direction == "none":
            return np.zeros(len(h) + 1, np.int64), np.empty(0, np.int32)
        return (h.child_ptr, h.child_idx) if self.direction == "down" else (h.parent_ptr, h.parent_idx)

    @property
    def farthest(self) -> int:
        """How many steps a closure goes."""
        size = len(self.batch.hierarchy)
        return size if self.horizon is None else min(self.horizon - 1, size)

    # ---- what is implied

    def lists(self) -> Reach:
        """Lists of what each class of the batch implies."""
        h, classes = self.batch.hierarchy, np.concatenate([self.batch.pred.classes, self.batch.true.classes])
        if self.direction == "none":
            return flat_lists(len(h), classes)
        if self.horizon is not None:
            return h.upward.within(classes, self.farthest)
        return (h.downward if self.direction == "down" else h.upward).lists(classes)

    def reached(self, sources: IntArray) -> tuple[IntArray, IntArray]:
        """What each source implies, itself first, in full (CSR: ptr, nodes)."""
        from hemlp.kernels.graph.reach import reach
        from hemlp.kernels.records import Rows

        _, list_ptr, nodes, _ = reach(Rows(*self.arrows), sources.astype(np.int32), 2**62, self.farthest)
        return list_ptr, nodes

    def universe(self, row: int) -> list[int]:
        """The nodes that either side of an instance can imply, ⊤ last."""
        _, nodes = self.reached(np.concatenate([side[row] for side in self.batch.sides]))
        return sorted(set(nodes.tolist())) + ([len(self.batch.hierarchy)] if self.has_top else [])

    def implications(self, row: int, side: int) -> list[tuple[int, int]]:
        """(class, node that it implies) of one side of an instance."""
        top = len(self.batch.hierarchy)
        own = self.batch.sides[side][row]
        pairs = [(int(c), top) for c in own] if self.has_top else []
        if self.horizon is not None:
            ptr, nodes = self.reached(own)
            return pairs + [(int(c), int(a)) for k, c in enumerate(own) for a in nodes[ptr[k] + 1 : ptr[k + 1]]]
        arrows_ptr, arrows = self.arrows
        below = [c for c in self.universe(row) if c != top]
        return pairs + [(c, int(a)) for c in below for a in arrows[arrows_ptr[c] : arrows_ptr[c + 1]]]

    def label(self, node: int) -> Label | Top:
        """The label of a node, TOP for ⊤."""
        return TOP if node == len(self.batch.hierarchy) else self.batch.hierarchy.labels[node]

    # ---- the explicit model

    def program(self) -> LinearProgram:
        """The integer program of the module's docstring, over all that either side can imply."""
        variables: list[Variable] = []
        rows: list[Row] = []
        for i in range(len(self)):
            self.write_instance(i, "" if len(self) == 1 else f"{i}_", variables, rows)
        return LinearProgram(self.title, variables, rows)

    def algebra(self, stage: str | None = None) -> Algebra:
        """The smallest sets that hold the classes and what they imply (Equations 2 and 3)."""
        from hemlp.optimize.exports import Algebra, Line

        self.check_stage(stage)
        lines = [Line("2, 3", "z_c = 1", "for each class c of the side")]
        if self.horizon is not None:
            seen = f"for each class c of the side and each ancestor a fewer than {self.horizon} levels up"
            lines.append(Line("2, 3", r"z_a \ge z_c", seen))
        elif self.direction != "none":
            whom = "child" if self.direction == "down" else "parent"
            lines.append(Line("2, 3", r"z_a \ge z_c", f"for each class c and each {whom} a of it"))
        if self.has_top:
            lines.append(Line("", r"z_\top \ge z_c", "for each class c of the side"))
        if self.shared is not None:
            lines.append(Line("", "z_c = 1", "for each predicted class c that the closures shared before"))
        if self.ignored is not None:
            lines.append(Line("", "", "classes that are ignored are taken out of both sets in the end"))
        lines.append(Line("", r"z_c \in \{0, 1\}"))
        words = [("z_c", "class c is in the augmented set of the side; each side has its own")]
        return Algebra(self.title, "min", r"\sum_c z_c", lines, words)

    def write_instance(
        self, row: int, prefix: str, variables: list[Variable], rows: list[Row], cost: float = 1.0
    ) -> list[dict[int, int]]:
        """Variables and rows of one instance; where the variables of the nodes of each side are."""
        universe = self.universe(row)
        places = []
        for side, (name, letter) in enumerate(zip(SIDES, LETTERS, strict=True)):
            place = {node: len(variables) + k for k, node in enumerate(universe)}
            own = self._given(row, side)
            for k, node in enumerate(universe):
                note = f"{name} {self.label(node)}"
                variables.append(Variable(f"z_{letter}_{prefix}{k}", int(node in own), 1, cost, note))
            for k, (c, a) in enumerate(self.implications(row, side)):
                note = f"{name}: {self.label(c)} implies {self.label(a)}"
                rows.append(Row(f"{letter}_{prefix}{k}", 0, math.inf, [(place[a], 1.0), (place[c], -1.0)], note))
            places.append(place)
        return places

    def plan(self) -> Plan[ClosureSolution]:
        """One program."""
        return self.solution((yield self.program()))

    # ---- solutions

    def solution(self, result: ProgramResult) -> ClosureSolution:
        """The sets that the variables of ``program()`` say. A set that is not the smallest is no closure."""
        if result.values is None or result.status is not Status.OPTIMAL:
            return self.unsolved()
        values = iter((result.values > 0.5).tolist())
        instances = [self.read_instance(i, values) for i in range(len(self))]
        nodes = np.array([node for of in instances for node, _ in of], np.int32)
        members = np.array([member for of in instances for _, member in of], np.uint8)
        return self.counted(pointers([len(of) for of in instances]), nodes, self._drop_ignored(nodes, members))

    def read_instance(self, row: int, values: Iterator[bool]) -> list[tuple[int, int]]:
        """(node, its membership) of one instance, from the next of the ``values`` of the program."""
        universe = self.universe(row)
        predicted, true = ([next(values) for _ in universe] for _ in SIDES)
        members = [p + 2 * t for p, t in zip(predicted, true, strict=True)]
        return [(node, member) for node, member in zip(universe, members, strict=True) if member]

    def unsolved(self) -> ClosureSolution:
        """What is known where a limit came first."""
        ptr, nothing = np.zeros(len(self) + 1, np.int64), np.zeros(0, np.int32)
        solution = self.counted(ptr, nothing, nothing.astype(np.uint8))
        return replace(solution, statuses=np.full(len(self), Status.UNSOLVED, np.int8))

    def closures(self, start: int = 0, room: int = 2**62) -> Closures:
        """The sets of the instances from ``start`` on, while there is ``room`` for their nodes."""
        from hemlp.kernels.closure.sets import closures
        from hemlp.kernels.records import Rows, Sides

        pred, true = self.batch.sides
        sides = Sides(pred.ptr, pred.classes, true.ptr, true.classes)
        ptr, nodes, members = closures(sides, Rows(*self.arrows), start, room, self.farthest, self.has_top)
        if self.shared is not None:
            size = len(self.batch.hierarchy) + 1
            shared = entry_rows(self.shared[0]) * size + self.shared[1]
            members[np.isin((entry_rows(ptr) + start) * size + nodes, shared)] |= 1 << PRED
        return ptr, nodes, self._drop_ignored(nodes, members)

    def _drop_ignored(self, nodes: IntArray, members: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The members, with ignored nodes marked as dropped."""
        return members if self.ignored is None else np.where(self.ignored[nodes], members | DROPPED, members)

    def counted(self, ptr: IntArray, nodes: IntArray, members: NDArray[np.uint8]) -> ClosureSolution:
        """The solution that these sets are."""
        from hemlp.kernels.closure.sets import weigh

        sums, equal = weigh(ptr, nodes, members, self.weights)
        return ClosureSolution(self, np.zeros(len(ptr) - 1, np.int8), sums, equal, (ptr, nodes, members))

    def joined(self, solutions: list[ClosureSolution]) -> ClosureSolution:
        columns: Any = zip(*((s.statuses, s.sums, s.equal, *s.closures) for s in solutions), strict=True)
        statuses, sums, equal, ptrs, *sets = map(list, columns)
        ptr = pointers(np.concatenate([np.diff(of) for of in ptrs]))
        nodes, members = map(np.concatenate, sets)
        first, second, third = map(np.concatenate, (statuses, sums, equal))
        return ClosureSolution(self, first, second, third, (ptr, nodes, members))

    def objective(self, solution: ClosureSolution) -> float:
        """Of the program of the only instance: how many nodes both closures have."""
        _, _, members = solution.closures
        return float(sum(int((members >> side & 1).sum()) for side in (PRED, TRUE)))

    # ---- what is true of a solution

    def check(self, solution: ClosureSolution) -> bool:
        """True if the sets are what their definition says, and are weighed and compared rightly; else InvalidSolution.

        By code that no solver uses.
        """
        for i, status in enumerate(Status(code) for code in solution.statuses):
            place = f"instance {i + 1}"
            if status is Status.UNSOLVED:
                continue
            if status is not Status.OPTIMAL:
                raise InvalidSolution(f"{place}: closures always exist, so it cannot be {status}")
            sides = self.sets_by_definition(i)
            for name, said, meant in zip(SIDES, solution[i].kept(), sides, strict=True):
                if said != meant:
                    odd = self.label(next(iter(said ^ meant)))
                    raise InvalidSolution(f"{place}: the {name} set is not the closure, see {odd!r}")
            sums = [math.fsum(self.weights[sorted(nodes)]) for nodes in (*sides, sides[PRED] & sides[TRUE])]
            if not np.allclose(solution.sums[i], sums, rtol=1e-12, atol=0):
                raise InvalidSolution(f"{place}: the weights of the sets are wrong")
            if bool(solution.equal[i]) != (sides[PRED] == sides[TRUE]):
                raise InvalidSolution(f"{place}: the claim whether the two sets are equal is wrong")
        return True

    verify = check  # a set that passes is the one that the definition says: there is nothing more to prove

    def sets_by_definition(self, row: int) -> tuple[set[int], set[int]]:
        """The augmented sets of an instance, word for word and slowly."""
        dropped = set() if self.ignored is None else set(np.flatnonzero(self.ignored).tolist())
        predicted, true = (self._closed(row, side) - dropped for side in (PRED, TRUE))
        return predicted, true

    def _closed(self, row: int, side: int) -> set[int]:
        implied, pairs = self._given(row, side), self.implications(row, side)
        while more := {a for c, a in pairs if c in implied} - implied:
            implied |= more
        return implied
