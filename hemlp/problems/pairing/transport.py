r"""Transport: each side's mass of 1 lies on its classes; what does it cost at least to move one to the other?

    min  Σ κ_ij x_ij
    s.t. Σ_j x_ij = a_i     for each predicted class i
         Σ_i x_ij = b_j     for each true class j
         x_ij ≥ 0 integer

in units of mass: where it lies evenly, lcm(M, N) of them are 1, a_i = lcm / M and b_j = lcm / N; where it lies by
weights of classes, ``hemlp.problems.pairing.masses`` says how many. Unlike a pair of Problem 1, one of these
can carry any mass. Without a finite cost there is no x_ij. The matrix is totally unimodular, and the problem a flow of
least cost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, row_sums
from hemlp.errors import InfeasibleModel, InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import LETTERS, PRED, SIDES, TRUE
from hemlp.optimize.circulation import FlowNetwork
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import STATUSES, LinearProgram, ProgramResult, Row, Status, Variable, exact_integers
from hemlp.optimize.provenance import CERTIFICATE, Claim, changed_rows
from hemlp.optimize.solution_display import LeastCostSolution
from hemlp.problems.pairing.masses import Masses, even_masses, weighed_masses
from hemlp.problems.pairing.network import Arcs
from hemlp.problems.pairing.pairs import Pairs
from hemlp.problems.pairing.shipping import improved, prove_cheapest, shortage
from hemlp.text.display import few
from hemlp.text.tables import Table

if TYPE_CHECKING:
    import networkx

    from hemlp.optimize.algebra import Algebra

ROOM = 61
"""Bits that the cost of a way may take."""


@dataclass(frozen=True, eq=False, repr=False)
class TransportSolution(LeastCostSolution):
    """How many units move along each pair, for each instance of ``model``."""

    model: TransportModel
    statuses: NDArray[np.int8]
    moved: IntArray = field(repr=False)

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> TransportSolution:
        row = range(len(self))[row]
        place = self.model.pairs.place(row, row + 1)
        return TransportSolution(self.model[row], self.statuses[row : row + 1], self.moved[place], **self._origins(row))

    @cached_property
    def objectives(self) -> FloatArray:
        """What it costs to move a mass of 1, for each instance; nan where there is no solution."""
        m = self.model
        total = row_sums(np.where(self.moved > 0, m.kappa, 0.0) * self.moved, m.pairs.ptr) / m.units
        return np.where(self.statuses <= STATUSES.index(Status.FEASIBLE), total, math.nan)

    @property
    def objective(self) -> float:
        """The cost of the only instance."""
        return float(self.objectives[0])

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        return STATUSES[int(self.statuses[0])]

    def named_pairs(self) -> list[tuple[Label, Label, float, float]]:
        """(predicted, true, κ, mass) of each pair of the only instance that carries some."""
        m = self.model
        return [
            (m.label(PRED, m.ends[PRED][k]), m.label(TRUE, m.ends[TRUE][k]), float(m.kappa[k]),
             int(self.moved[k]) / int(m.units[0]))
            for k in np.flatnonzero(self.moved)
        ]  # fmt: skip

    def _found(self) -> Table:
        return Table(["predicted", "true", "cost", "mass"], self.named_pairs())


@dataclass(frozen=True, eq=False, repr=False)
class TransportModel(Model[TransportSolution]):
    """The transport of each instance of a batch. An instance with one empty side has no solution.

    ``weights`` of all classes, by which masses lie on them; None: evenly.
    """

    title: str
    batch: Batch
    pairs: Pairs
    kappa: FloatArray
    weights: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> TransportModel:
        part = self.batch[rows]
        whole = range(len(self))[rows]
        start, stop = (whole, whole + 1) if isinstance(whole, int) else (whole.start, max(whole.start, whole.stop))
        kappa = self.kappa[self.pairs.place(start, stop)]
        return TransportModel(self.title, part, Pairs.of(part), kappa, self.weights)

    # ---- the data

    @property
    def units(self) -> IntArray:
        """How many units are a mass of 1, for each instance."""
        return self._lying[0]

    @property
    def masses(self) -> tuple[IntArray, IntArray]:
        """The units of each class of both sides."""
        return self._lying[1]

    @cached_property
    def _lying(self) -> Masses:
        return even_masses(self.batch) if self.weights is None else weighed_masses(self.batch, self.weights)

    @cached_property
    def x(self) -> IntArray:
        """Positions of the pairs that exist: the variables of the program."""
        return np.flatnonzero(np.isfinite(self.kappa))

    @cached_property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Positions of the predicted and the true class of each pair."""
        return self.pairs.ends(self.batch)

    def label(self, side: int, position: int | np.integer[Any]) -> Label:
        """The label of a class of a side."""
        return self.batch.hierarchy.labels[int(self.batch.sides[side].classes[position])]

    def codes(self, side: int) -> list[str]:
        """The position of each class within its instance, with the instance in front where there are several."""
        of = self.batch.sides[side]
        rows = np.repeat(np.arange(len(self)), np.diff(of.ptr))
        inner = np.arange(of.classes.size) - of.ptr[rows]
        return [f"{i}" if len(self) == 1 else f"{r}_{i}" for r, i in zip(rows, inner, strict=True)]

    @property
    def cost_values(self) -> FloatArray:
        """All finite costs."""
        return self.kappa[self.x]

    @property
    def greatest_value(self) -> float:
        """All units of a side."""
        return float(self.units.max(initial=0))

    def with_cost_values(self, values: FloatArray) -> TransportModel:
        """With other ``cost_values``."""
        kappa = self.kappa.copy()
        kappa[self.x] = values
        return replace(self, kappa=kappa)

    def values(self, solution: TransportSolution) -> FloatArray:
        """The variables of ``program()`` that a solution says."""
        return solution.moved[self.x].astype(np.float64)

    @cached_property
    def room(self) -> IntArray:
        """How much a pair can carry: what its smaller end has."""
        return np.minimum(*(self.masses[side][self.ends[side]] for side in (PRED, TRUE)))

    # ---- the explicit models

    def program(self) -> LinearProgram:
        """The integer program of the module's docstring."""
        codes = self.codes(PRED), self.codes(TRUE)
        terms: tuple[list[list[tuple[int, float]]], ...] = tuple([[] for _ in names] for names in codes)
        variables = []
        for position, k in enumerate(self.x):
            at = self.ends[PRED][k], self.ends[TRUE][k]
            for side in (PRED, TRUE):
                terms[side][at[side]].append((position, 1.0))
            name = f"x_{codes[PRED][at[PRED]]}_{codes[TRUE][at[TRUE]].rpartition('_')[2]}"
            note = f"{self.label(PRED, at[PRED])} → {self.label(TRUE, at[TRUE])}"
            variables.append(Variable(name, 0, int(self.room[k]), float(self.kappa[k]), note))
        rows = [
            Row(f"{LETTERS[side]}_{codes[side][i]}", mass, mass, terms[side][i], f"{SIDES[side]} {self.label(side, i)}")
            for side in (PRED, TRUE)
            for i, mass in enumerate(self.masses[side].tolist())
        ]
        return LinearProgram(self.title, variables, rows, scale=self.scale)

    @property
    def scale(self) -> float:
        """How many units are a mass of 1; nan where that differs between instances."""
        distinct = np.unique(self.units)
        return int(distinct[0]) if distinct.size == 1 else math.nan if distinct.size else 1

    def algebra(self, stage: str | None = None) -> Algebra:
        """In sums over classes."""
        from hemlp.problems.pairing.algebra import transport_algebra

        self.stage(stage)
        return transport_algebra(self)

    def plan(self) -> Plan[TransportSolution]:
        """One program."""
        return self.solution((yield self.program()))

    def network(self) -> tuple[FlowNetwork, IntArray]:
        """Source → predicted class → true class → sink → source, and a flow of nothing."""
        size, home = len(self), 2 * np.arange(len(self))
        counts = [side.classes.size for side in self.batch.sides]
        nodes = np.split(2 * size + np.arange(sum(counts)), [counts[PRED]])
        homes = [2 * np.repeat(np.arange(size), side.sizes) for side in self.batch.sides]
        x, (supply, demand) = self.x, self.masses
        arcs = Arcs()
        arcs.add(homes[PRED], nodes[PRED], (supply, supply), 0)
        at = [nodes[side][self.ends[side][x]] for side in (PRED, TRUE)]
        arcs.add(at[PRED], at[TRUE], (0, self.room[x]), 0, self.kappa[x], np.arange(x.size))
        arcs.add(nodes[TRUE], homes[TRUE] + 1, (demand, demand), 0)
        arcs.add(home + 1, home, (0, self.units), 0)
        tails, heads, lower, upper = (arcs.column(k) for k in range(4))
        network = FlowNetwork(
            2 * size + sum(counts), self._names, tails, heads, lower, upper, arcs.column(4, np.float64), arcs.column(5)
        )
        return network, arcs.column(6)

    def _names(self) -> list[str]:
        own = [f"{name}" if len(self) == 1 else f"{i}_{name}" for i in range(len(self)) for name in ("source", "sink")]
        return own + [f"P_{code}" for code in self.codes(PRED)] + [f"T_{code}" for code in self.codes(TRUE)]

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The flow network, with the labels of classes as ``label`` of their nodes; ``scale`` counts units of mass."""
        graph = self.network()[0].to_networkx()
        graph.graph["scale"] *= self.scale
        for side, letter in ((PRED, "P"), (TRUE, "T")):
            for position, code in enumerate(self.codes(side)):
                graph.nodes[f"{letter}_{code}"]["label"] = self.label(side, position)
        return graph

    # ---- solutions

    def solution(self, result: ProgramResult) -> TransportSolution:
        """What the variables of ``program()`` say, with one status for all instances."""
        moved = np.zeros(self.kappa.size, np.int64)
        if result.values is not None:
            moved[self.x] = np.rint(result.values)
        return TransportSolution(self, np.full(len(self), STATUSES.index(result.status), np.int8), moved)

    def unsolved(self) -> TransportSolution:
        """What is known where a limit came first."""
        return self.solution(ProgramResult(Status.UNSOLVED))

    def joined(self, solutions: list[TransportSolution]) -> TransportSolution:
        """Solutions of consecutive parts as one of the whole."""
        statuses = np.concatenate([s.statuses for s in solutions])
        return TransportSolution(self, statuses, np.concatenate([s.moved for s in solutions]))

    def integer_costs(self) -> IntArray | None:
        """All costs as integers over one power of two, FORBIDDEN where infinite; None if they are too far apart."""
        from hemlp.kernels.flow.transport import FORBIDDEN

        distinct, place = np.unique(self.cost_values, return_inverse=True)
        sizes = self.batch.pred.sizes + self.batch.true.sizes
        longest = int(sizes.max(initial=0)) // 2 + 2  # of a way, in pairs
        scaled = exact_integers(distinct, digits=ROOM - longest.bit_length())
        if scaled is None:
            return None
        costs = np.full(self.kappa.size, FORBIDDEN, np.int64)
        costs[self.x] = np.array(scaled[0], np.int64)[place]
        return costs

    def settled(self, moved: IntArray, started: NDArray[np.bool_]) -> TransportSolution:
        """The least cost of all instances; those that are ``started`` are solved already, and improved if need be."""
        from hemlp.kernels.flow.transport import Shipments, settle

        costs = self.integer_costs()
        if costs is None:
            places = (self.pairs.place(i, i + 1) for i in range(len(self)))
            return self.joined([improved(self[i], moved[at], bool(started[i])) for i, at in enumerate(places)])
        flow, sides = moved.copy(), self.batch.sides
        left = [mass.copy() for mass in self.masses]
        for side in (PRED, TRUE):
            left[side][np.repeat(started, np.diff(sides[side].ptr))] = 0
        flow[~np.repeat(started, np.diff(self.pairs.ptr))] = 0
        ptr = sides[PRED].ptr, sides[TRUE].ptr, self.pairs.ptr
        feasible = settle(Shipments(ptr, costs, (left[PRED], left[TRUE]), flow))
        codes = np.where(feasible, STATUSES.index(Status.OPTIMAL), STATUSES.index(Status.INFEASIBLE))
        return TransportSolution(self, codes.astype(np.int8), flow)

    # ---- what is true of a solution

    def check(self, solution: TransportSolution) -> bool:
        """True if all masses arrive where they should; else InvalidSolution."""
        wanted = self.kappa.size, len(self)
        if (solution.moved.size, solution.statuses.size) != wanted:
            raise InvalidSolution(f"the solution has {solution.moved.size} values where {wanted[0]} are needed")
        solved = solution.statuses <= STATUSES.index(Status.FEASIBLE)
        if (solution.moved < 0).any() or (solution.moved[np.isinf(self.kappa)] != 0).any():
            raise InvalidSolution("a mass is below 0, or moves along a pair that does not exist")
        for side, masses in enumerate(self.masses):
            total = np.bincount(self.ends[side], solution.moved, masses.size)
            wrong = (total != masses) & np.repeat(solved, np.diff(self.batch.sides[side].ptr))
            for k in np.flatnonzero(wrong)[:1]:
                who = f"the {SIDES[side]} class {self.label(side, k)!r}"
                raise InvalidSolution(f"{who} moves {total[k]:g} units and has {masses[k]}")
        return True

    def verify(self, solution: TransportSolution) -> bool:
        """True if each optimum, and each claim that there is no solution, is proved once more; else InvalidSolution."""
        self.check(solution)
        for i, status in enumerate(STATUSES[code] for code in solution.statuses):
            if status is Status.OPTIMAL:
                prove_cheapest(self[i], solution[i].moved, f"instance {i + 1}")
            elif status is Status.INFEASIBLE and improved(self[i], None).status is Status.OPTIMAL:
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, and has one")
        return True

    def certify(self, solution: TransportSolution, claim: Claim) -> TransportSolution:
        """Transports that are proved to be of least cost or lowered to feasible, and where there is none, the proof."""
        self.check(solution)
        solved = solution.statuses <= STATUSES.index(Status.FEASIBLE)
        claimed = solution.statuses == STATUSES.index(Status.INFEASIBLE)
        given = np.where(np.repeat(solved, np.diff(self.pairs.ptr)), solution.moved, 0).astype(np.int64)
        best = self.settled(given, ~claimed)
        unsolved = ~solved & (best.statuses == STATUSES.index(Status.OPTIMAL))  # nothing moves, or everything could
        statuses = np.where(unsolved, STATUSES.index(Status.UNSOLVED), best.statuses).astype(np.int8)
        lower: dict[int, float] = {}
        others: dict[int, tuple[str, str]] = {}
        provenance = claim.by(CERTIFICATE, others)
        made = TransportSolution(self, statuses, best.moved, lower=lower, provenance=provenance)
        rows = changed_rows((self.pairs.ptr, given, best.moved))
        rows = rows[solved[rows]]
        if rows.size:
            least, paid = best.objectives, replace(solution, moved=given).objectives
            for row in claim.accept_improvements(rows, paid, least, self.cost_values, others).tolist():
                place = self.pairs.place(row, row + 1)
                made.moved[place], statuses[row] = given[place], STATUSES.index(Status.FEASIBLE)
                lower[row] = float(least[row])
        return made

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """Why instance ``row`` (``number`` to the reader) has no solution: whose mass has nowhere to go."""
        one = self[row]
        if not all(mass.any() for mass in one.masses):
            return InfeasibleModel(f"instance {number}: a side is empty, or weighs nothing", number)
        stuck, reached = shortage(one)
        if not stuck:
            return super().infeasibility(row, number)
        labels = [[one.label(side, k) for k in of] for side, of in ((PRED, stuck), (TRUE, reached))]
        held, room = (sum(int(one.masses[side][k]) for k in of) for side, of in ((PRED, stuck), (TRUE, reached)))
        units = int(one.units[0])
        where = f" ({few(map(repr, labels[TRUE]))})" if reached else ""
        return InfeasibleModel(
            f"instance {number}: the mass of the predicted classes {few(map(repr, labels[PRED]))} is "
            f"{held / units:.4g} and reaches only {room / units:.4g} of the true mass{where}: "
            f"other pairs have no finite cost, as without a common ancestor",
            number, label=labels[PRED][0], labels=tuple(labels[PRED]),
        )  # fmt: skip
