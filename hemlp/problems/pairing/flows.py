r"""Problem 1 with more rules: pairs, default classes and the number of pairs have capacities, and units have prices.

    min  Σ κ_ij x_ij + Σ d_p[i] u_i + Σ d_t[j] v_j + Σ_g (Σ_k each_gk · n_gk + below_g · s_g + above_g · o_g)
    s.t. α_g ≤ Σ_{y ∈ g} y + s_g − o_g ≤ β_g       for each place g
         Σ_{y ∈ g} y = Σ_k n_gk                    for each place g whose units have costs
         l_ij ≤ x_ij ≤ c_ij,  0 ≤ u_i ≤ β_p,  0 ≤ v_j ≤ β_t,  all integer

A place is a predicted class (its x and u), a true class (its x and v), a default class (all u, or all v), or the total
(all x). s_g is what is missing in it and o_g what is too many, where its bounds have prices. The problem is a
circulation of least cost (``hemlp.problems.pairing.places``), so the optimum of the linear program is integral.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, pointers
from hemlp.errors import InfeasibleModel, InvalidCost, InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.circulation import FlowNetwork
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import STATUSES, LinearProgram, ProgramResult, Status
from hemlp.optimize.provenance import CERTIFICATE, Claim, changed_rows
from hemlp.problems.pairing.flow_proof import ExactFlow, improved, is_short, prove_cheapest
from hemlp.problems.pairing.flow_words import arc_words, node_names, program_of
from hemlp.problems.pairing.paired import PairedSolution
from hemlp.problems.pairing.pairs import Pairs
from hemlp.problems.pairing.places import Circulation, Place, Role
from hemlp.problems.pairing.solution import Prices

if TYPE_CHECKING:
    import networkx

    from hemlp.kernels.flow.circulations import Circulations
    from hemlp.optimize.algebra import Algebra


@dataclass(frozen=True, eq=False, repr=False)
class FlowSolution(PairedSolution):
    """What each arc carries, for each instance of ``model``.

    ``cuts``: for instances that have no solution, nodes that must take in more than can leave them. ``hints``: numbers
    of the nodes that the solver found, if it did; the proof begins there.
    """

    model: FlowModel
    statuses: NDArray[np.int8]
    flow: IntArray = field(repr=False)
    cuts: dict[int, frozenset[int]] = field(default_factory=dict)
    hints: FloatArray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> FlowSolution:
        row = range(len(self))[row]
        at = self.model.arcs.ptr[row : row + 2]
        cuts = {0: self.cuts[row]} if row in self.cuts else {}
        flow = self.flow[at[0] : at[1]]
        return FlowSolution(self.model[row], self.statuses[row : row + 1], flow, cuts, **self._origins(row))

    @cached_property
    def objectives(self) -> FloatArray:
        """The cost of each instance, computed from its flow; nan where there is no solution."""
        return np.where(self.statuses <= STATUSES.index(Status.FEASIBLE), self.costs(), math.nan)

    def costs(self) -> FloatArray:
        """What the flow of each instance costs, whatever it is."""
        arcs = self.model.arcs
        costs = (arcs.cost * self.flow).tolist()
        totals = [math.fsum(costs[start:stop]) for start, stop in zip(arcs.ptr[:-1], arcs.ptr[1:], strict=True)]
        return np.array(totals, np.float64)

    def named_pairs(self) -> list[tuple[Label | None, Label | None, float]]:
        """(predicted, true, cost) of each pair of the only instance, as often as it is chosen; None: default."""
        self._single("named_pairs()")
        m = self.model
        found: list[tuple[Label | None, Label | None, float]] = []
        for a in np.flatnonzero((m.arcs.place <= Place.FROM_DEFAULT) & (self.flow > 0)):
            ends = (m.arcs.first[a], PRED), (m.arcs.second[a], TRUE)
            labels = [None if at < 0 else m.label(side, at) for at, side in ends]
            found += [(labels[0], labels[1], float(m.arcs.cost[a]))] * int(self.flow[a])
        return found

    def duals(self) -> Prices:
        """Prices of the classes that, with those of other places, prove the optimum; InvalidSolution if it is none."""
        found: tuple[list[float], list[float]] = [], []
        for i in range(len(self)):
            one = self.model.arcs.part(i, i + 1)
            exact, far = prove_cheapest(one, self[i].flow.tolist(), f"instance {i + 1}")
            for side, place in ((PRED, Place.PREDICTED), (TRUE, Place.TRUE)):
                prices = {}
                for a in np.flatnonzero((one.place == place) & (one.role == Role.ITSELF)):
                    price = Fraction(far[one.tail[a]] - far[one.head[a]], exact.scale)
                    prices[int(max(one.first[a], one.second[a]))] = float(price)
                found[side].extend(prices[k] for k in sorted(prices))
        return Prices(np.array(found[PRED]), np.array(found[TRUE]))

    def prices(self) -> list[tuple[str, float]]:
        """What is paid beside pairs in the only instance: for what, and how much."""
        self._single("prices()")
        m = self.model
        paid = np.flatnonzero((m.arcs.place > Place.FROM_DEFAULT) & (self.flow > 0) & (m.arcs.cost > 0))
        return [(arc_words(m, a), float(m.arcs.cost[a] * self.flow[a])) for a in paid]


@dataclass(frozen=True, eq=False, repr=False)
class FlowModel(Model[FlowSolution]):
    """Problem 1 with more rules, for each instance of a batch: ``arcs`` are its circulation."""

    title: str
    batch: Batch
    pairs: Pairs
    arcs: Circulation

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> FlowModel:
        part = self.batch[rows]
        whole = range(len(self))[rows]
        start, stop = (whole, whole + 1) if isinstance(whole, int) else (whole.start, max(whole.start, whole.stop))
        return FlowModel(self.title, part, Pairs.of(part), self.arcs.part(start, stop))

    def with_finite_costs(self) -> FlowModel:
        """This model, refused where the costs of an instance cannot be added up."""
        with np.errstate(over="ignore"):
            worst = np.bincount(self.arcs.rows, self.arcs.cost * self.arcs.upper, len(self))
        for row in np.flatnonzero(~(worst < 1e300))[:1]:
            raise InvalidCost(f"instance {row + 1}: its costs are too large to be added up; scale them down")
        return self

    # ---- the data

    @cached_property
    def variables(self) -> IntArray:
        """The arcs that are variables of the program: all but the places themselves."""
        found: IntArray = np.flatnonzero(
            (self.arcs.place <= Place.FROM_DEFAULT) | ((self.arcs.role != Role.ITSELF) & (self.arcs.role != Role.FREE))
        )
        return found

    def label(self, side: int, position: int | np.integer[Any], row: int = 0) -> Label:
        """The label of a class of a side, by its position in instance ``row``."""
        of = self.batch.sides[side]
        return self.batch.hierarchy.labels[int(of.classes[of.ptr[row] + position])]

    @property
    def cost_values(self) -> FloatArray:
        """The costs of all variables."""
        return self.arcs.cost[self.variables]

    def with_cost_values(self, values: FloatArray) -> FlowModel:
        """With other ``cost_values``."""
        cost = self.arcs.cost.copy()
        cost[self.variables] = values
        return replace(self, arcs=replace(self.arcs, cost=cost)).with_finite_costs()

    def values(self, solution: FlowSolution) -> FloatArray:
        """The variables of ``program()`` that a solution says."""
        return solution.flow[self.variables].astype(np.float64)

    # ---- the explicit models

    def program(self) -> LinearProgram:
        """The integer program of the module's docstring."""
        return program_of(self)

    def algebra(self, stage: str | None = None) -> Algebra:
        """In sums over classes."""
        from hemlp.problems.pairing.algebra import flow_algebra

        self.stage(stage)
        return flow_algebra(self)

    def plan(self) -> Plan[FlowSolution]:
        """One program."""
        return self.solution((yield self.program()))

    @cached_property
    def _first_nodes(self) -> IntArray:
        return pointers(self.arcs.nodes)

    def network(self, solution: FlowSolution | None = None) -> tuple[FlowNetwork, IntArray]:
        """The flow network, sink → source arc included, and the flow on its arcs that ``solution`` is."""
        arcs, home = self.arcs, self._first_nodes[self.arcs.rows]
        variable = np.full(arcs.cost.size, -1)
        variable[self.variables] = np.arange(self.variables.size)
        network = FlowNetwork(
            int(self._first_nodes[-1]), lambda: node_names(self), home + arcs.tail, home + arcs.head,
            arcs.lower, arcs.upper, arcs.cost, variable,
        )  # fmt: skip
        return network, np.zeros(arcs.cost.size, np.int64) if solution is None else solution.flow

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The flow network; arcs may stand side by side, so it is a ``MultiDiGraph``."""
        return self.network()[0].to_networkx()

    # ---- solutions

    def solution(self, result: ProgramResult) -> FlowSolution:
        """What the variables of ``program()`` say, with one status for all instances."""
        flow = np.zeros(self.arcs.cost.size, np.int64)
        if result.values is not None:
            flow[self.variables] = np.rint(result.values)
            self._fill_places(flow)
        return FlowSolution(self, np.full(len(self), STATUSES.index(result.status), np.int8), flow)

    def _fill_places(self, flow: IntArray) -> None:
        """What places themselves carry: of a class what is missing at its node, then what is missing anywhere else."""
        arcs, home = self.arcs, self._first_nodes[self.arcs.rows]
        itself = (arcs.place > Place.FROM_DEFAULT) & ((arcs.role == Role.ITSELF) | (arcs.role == Role.FREE))
        for chosen, inward in (
            (arcs.place == Place.PREDICTED, True), (arcs.place == Place.TRUE, False),
            (arcs.place == Place.DEFAULT_PRED, True), (arcs.place == Place.DEFAULT_TRUE, False),
            (arcs.place == Place.TOTAL, True),
        ):  # fmt: skip
            at = np.flatnonzero(chosen & itself)
            left = np.zeros(int(self._first_nodes[-1]), np.int64)
            np.add.at(left, home + arcs.head, flow)
            np.subtract.at(left, home + arcs.tail, flow)
            flow[at] = -left[(home + arcs.head)[at]] if inward else left[(home + arcs.tail)[at]]

    def unsolved(self) -> FlowSolution:
        """What is known where a limit came first."""
        return self.solution(ProgramResult(Status.UNSOLVED))

    def joined(self, solutions: list[FlowSolution]) -> FlowSolution:
        """Solutions of consecutive parts as one of the whole."""
        starts = np.cumsum([0, *map(len, solutions[:-1])]).tolist()
        cuts = {start + i: cut for start, s in zip(starts, solutions, strict=True) for i, cut in s.cuts.items()}
        statuses = np.concatenate([s.statuses for s in solutions])
        return FlowSolution(self, statuses, np.concatenate([s.flow for s in solutions]), cuts)

    # ---- what is true of a solution

    def _broken(self, solution: FlowSolution) -> None:
        """Raise InvalidSolution where a flow breaks a bound, or something is lost on the way."""
        arcs, flow = self.arcs, solution.flow
        if (flow.size, solution.statuses.size) != (arcs.cost.size, len(self)):
            raise InvalidSolution(f"the solution has {flow.size} values where {arcs.cost.size} are needed")
        solved = solution.statuses <= STATUSES.index(Status.FEASIBLE)
        out = ((flow < arcs.lower) | (flow > arcs.upper)) & solved[arcs.rows]
        for a in np.flatnonzero(out)[:1]:
            bounds = f"its bounds are {arcs.lower[a]} and {arcs.upper[a]}"
            raise InvalidSolution(f"{arc_words(self, a)} is {flow[a]}; {bounds}")
        left = np.zeros(int(self._first_nodes[-1]), np.int64)
        home = self._first_nodes[arcs.rows]
        np.add.at(left, home + arcs.head, flow)
        np.subtract.at(left, home + arcs.tail, flow)
        for node in np.flatnonzero((left != 0) & np.repeat(solved, arcs.nodes))[:1]:
            raise InvalidSolution(f"at {node_names(self)[node]} {left[node]} units too many come in")

    def check(self, solution: FlowSolution) -> bool:
        """True if flows keep every bound, and what has none a cut that shows it; else InvalidSolution."""
        self._broken(solution)
        for i in np.flatnonzero(solution.statuses == STATUSES.index(Status.INFEASIBLE)).tolist():
            if i not in solution.cuts or not is_short(self.arcs.part(i, i + 1), solution.cuts[i]):
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, without a reason that holds")
        return True

    def verify(self, solution: FlowSolution) -> bool:
        """True if each optimum, and each claim that there is no solution, is proved once more; else InvalidSolution."""
        self._broken(solution)
        for i, status in enumerate(STATUSES[code] for code in solution.statuses):
            one = self.arcs.part(i, i + 1)
            if status is Status.OPTIMAL:
                prove_cheapest(one, solution[i].flow.tolist(), f"instance {i + 1}")
            elif status is Status.INFEASIBLE and ExactFlow(one).balance() is None:
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, and has one")
        return True

    def given_data(self) -> Circulations:
        """As compiled code takes it."""
        from hemlp.kernels.flow.circulations import Circulations

        a = self.arcs
        return Circulations((self._first_nodes, a.ptr), (a.tail, a.head), (a.lower, a.upper), a.cost)

    def certify(self, solution: FlowSolution, claim: Claim) -> FlowSolution:
        """Flows that are proved to be of least cost or lowered to feasible, and a cut where there is none."""
        from hemlp.kernels.flow.circulations import cheapest_flows
        from hemlp.kernels.flow.negative_cycles import PROVED

        self._broken(solution)
        lower: dict[int, float] = {}
        others: dict[int, tuple[str, str]] = {}
        made = FlowSolution(
            self, solution.statuses.copy(), solution.flow.astype(np.int64), lower=lower,
            provenance=claim.by(CERTIFICATE, others),
        )  # fmt: skip
        solved = made.statuses <= STATUSES.index(Status.FEASIBLE)
        nodes = int(self._first_nodes[-1])
        far = np.zeros(nodes) if solution.hints is None or solution.hints.size != nodes else solution.hints
        verdicts = cheapest_flows(self.given_data(), solved, made.flow, far)
        for row in np.flatnonzero(solved & (verdicts != PROVED)).tolist():
            made.flow[self._place(row)] = improved(self.arcs.part(row, row + 1), made.flow[self._place(row)].tolist())
        made.statuses[solved] = STATUSES.index(Status.OPTIMAL)
        for row in np.flatnonzero(made.statuses == STATUSES.index(Status.INFEASIBLE)).tolist():
            if (cut := ExactFlow(self.arcs.part(row, row + 1)).balance()) is not None:
                made.cuts[row] = cut
            else:
                made.statuses[row] = STATUSES.index(Status.UNSOLVED)
        rows = changed_rows((self.arcs.ptr, solution.flow, made.flow))
        if rows.size:
            least = made.costs()
            for row in claim.accept_improvements(rows, solution.costs(), least, self.cost_values, others).tolist():
                made.flow[self._place(row)] = solution.flow[self._place(row)]
                made.statuses[row] = STATUSES.index(Status.FEASIBLE)
                lower[row] = float(least[row])
        return made

    def _place(self, row: int) -> slice:
        """Where the arcs of an instance are."""
        return slice(int(self.arcs.ptr[row]), int(self.arcs.ptr[row + 1]))

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """Why instance ``row`` (``number`` to the reader) has no solution: which rules contradict each other."""
        one = self[row]
        cut = ExactFlow(one.arcs).balance()
        if cut is None:
            return super().infeasibility(row, number)
        tail, head = (np.isin(ends, list(cut)) for ends in (one.arcs.tail, one.arcs.head))
        needs = np.flatnonzero(head & ~tail & (one.arcs.lower > 0))
        limits = np.flatnonzero(tail & ~head)
        needed, room = int(one.arcs.lower[needs].sum()), int(one.arcs.upper[limits].sum())
        what = _listed(arc_words(one, a) for a in needs)
        who = _listed(arc_words(one, a) for a in limits if one.arcs.upper[a] or not room)
        but = f"at most {room} for {who}" if who else "there is nothing that could take it"
        classes = [one.label(side, at) for a in [*needs, *limits] for side, at in _classes(one, int(a))]
        return InfeasibleModel(
            f"instance {number}: no pairing keeps all bounds: at least {needed} for {what}, and {but}",
            number, label=classes[0] if classes else None, labels=tuple(dict.fromkeys(classes)),
        )  # fmt: skip


def _listed(words: Iterable[str], most: int = 6) -> str:
    """What the first are called, and how many more there are."""
    found = list(dict.fromkeys(words))
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _classes(model: FlowModel, a: int) -> list[tuple[int, int]]:
    ends = (PRED, int(model.arcs.first[a])), (TRUE, int(model.arcs.second[a]))
    return [(side, at) for side, at in ends if at >= 0]
