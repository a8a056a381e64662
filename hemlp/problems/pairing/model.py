r"""Problem 1: which predicted class is paired with which true class, at the least cost.

    min  Σ κ_ij x_ij + Σ d_p[i] u_i + Σ d_t[j] v_j
    s.t. α_p ≤ Σ_j x_ij + u_i ≤ β_p     for each predicted class i
         α_t ≤ Σ_i x_ij + v_j ≤ β_t     for each true class j
         x_ij ∈ {0, 1},  0 ≤ u_i ≤ β_p,  0 ≤ v_j ≤ β_t  integer

u_i and v_j are pairs with a default class. Without a default there is no such variable, and without a finite cost
there is no x_ij. Each column has at most two ones, in rows of different sides, so the matrix is totally unimodular: the
optimum of the linear program is integral, and the problem is a circulation of least cost with lower bounds.

It stays one with further capacities: of pairs, l_ij ≤ x_ij ≤ c_ij, of the default classes (all u, or all v), and of the
total (all x); and where units of a capacity group g have costs, or may be missing (s_g) or too many (o_g) at a price:

         + Σ_g (Σ_k each_gk · n_gk + below_g · s_g + above_g · o_g)
         α_g ≤ Σ_{y ∈ g} y + s_g − o_g ≤ β_g,   Σ_{y ∈ g} y = Σ_k n_gk

Transport is Problem 1, too: α = β are the units of mass that lie on a class, and a pair may carry any number of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, row_places, row_sums
from hemlp.errors import InfeasibleModel, InvalidCost, InvalidOption, InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Status
from hemlp.options import did_you_mean, plain_number
from hemlp.problems.pairing.circulation import PLAIN, TRANSPORT, Circulation, Group, Role, build_circulation
from hemlp.problems.pairing.describe import describe_shortage, to_networkx, write_program
from hemlp.problems.pairing.pairs import Pairs, SideBounds, check_sizes, closed_form, given_data
from hemlp.problems.pairing.proof import ExactFlow, is_short, prove_cheapest
from hemlp.problems.pairing.solution import PairingSolution, Prices, bound_terms, certify, check_bounds

if TYPE_CHECKING:
    import networkx

    from hemlp.optimize.exports import Algebra

EXACT = 2.0**53
"""Sums of floats that are integers are not rounded up to here."""


@dataclass(frozen=True, eq=False, repr=False)
class PairingModel(Model["PairingSolution"]):
    """Problem 1 for each instance of a batch.

    ``kappa`` and ``serves`` have one entry for each pair. ``serves``: 3 a pair counts for both its ends, 1 for its
    predicted, 2 for its true class only (pairing "nearest"), 0 there is no such pair. ``arcs``: the circulation, where
    there are further capacities or prices, or changed ones. ``units``: of a transport, how many units are a mass of 1,
    for each instance.
    """

    title: str
    batch: Batch
    pairs: Pairs
    kappa: FloatArray
    serves: NDArray[np.uint8]
    halves: tuple[SideBounds, SideBounds]
    arcs: Circulation | None = None
    units: IntArray | None = None

    data = cached_property(given_data)
    closed_form = cached_property(closed_form)

    def __getstate__(self) -> dict[str, Any]:
        """Without the record for compiled code, which is made again."""
        return {name: value for name, value in vars(self).items() if name != "data"}

    def __len__(self) -> int:
        return len(self.batch)

    plain = cached_property(lambda model: model.arcs is None and model.units is None)
    """Whether it is a pairing without further capacities, in which a pair is chosen once at most."""

    def nothing_chosen(self) -> tuple[NDArray[Any], tuple[IntArray, IntArray], tuple[FloatArray, FloatArray]]:
        """Arrays for a solver to write to: what each pair and each default class carries, and prices."""
        predicted, true = (half.default.size for half in self.halves)
        chosen: NDArray[Any] = np.zeros(self.kappa.size, np.bool_ if self.plain else np.int64)
        return chosen, (np.zeros(predicted, np.int64), np.zeros(true, np.int64)), (np.zeros(predicted), np.zeros(true))

    def __getitem__(self, rows: int | slice) -> PairingModel:
        part = self.batch[rows]
        whole = range(len(self))[rows]
        start, stop = (whole, whole + 1) if isinstance(whole, int) else (whole.start, max(whole.start, whole.stop))
        x = self.pairs.place(start, stop)
        predicted, true = (half.part(start, stop) for half in self.halves)
        arcs = None if self.arcs is None else self.arcs.part(start, stop)
        units = None if self.units is None else self.units[start:stop]
        return PairingModel(
            self.title, part, Pairs.of(part), self.kappa[x], self.serves[x], (predicted, true), arcs, units
        )

    def take(self, rows: IntArray) -> PairingModel:
        """The model of some instances, in their order, each as often as it is named."""
        if np.array_equal(rows, np.arange(len(self))):
            return self
        batch, x = self.batch.take(rows), row_places(self.pairs.ptr, rows)
        predicted, true = (half.take(rows, side) for half, side in zip(self.halves, batch.sides, strict=True))
        arcs = None if self.arcs is None else self.arcs.take(rows)
        units = None if self.units is None else self.units[rows]
        return PairingModel(
            self.title, batch, Pairs.of(batch), self.kappa[x], self.serves[x], (predicted, true), arcs, units
        )

    def with_finite_costs(self) -> PairingModel:
        """This model, refused where the costs of an instance cannot be added up."""
        from hemlp.kernels.flow.pairing import extent

        if self.arcs is None:
            most = extent(self.kappa)[2] * int(np.diff(self.pairs.ptr).max(initial=0))
            for half in self.halves:
                sizes = int(half.side.sizes.max(initial=0)) * float(half.upper.max(initial=0))
                most += extent(half.default)[2] * sizes
            if most < 1e300:
                return self
        arcs = self.circulation
        with np.errstate(over="ignore"):
            worst = np.bincount(arcs.rows, arcs.cost * arcs.upper, len(self))
        for row in np.flatnonzero(~np.isfinite(worst))[:1]:
            raise InvalidCost(f"instance {row + 1}: its costs are too large to be added up; scale them down")
        return self

    # ---- the data

    @cached_property
    def circulation(self) -> Circulation:
        """Problem 1 as a circulation; of plain pairings and transports it is built only where it is asked for."""
        if self.arcs is not None:
            return self.arcs
        bounds = PLAIN if self.units is None else TRANSPORT
        return build_circulation(self.batch, self.pairs, self.kappa, self.serves, self.halves, bounds)

    @cached_property
    def finite_pairs(self) -> IntArray:
        """Positions of the pairs that exist: the first variables of the program; then come those with a default."""
        return np.flatnonzero(np.isfinite(self.kappa) & (self.serves > 0))

    @cached_property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Positions of the predicted and the true class of each pair."""
        return self.pairs.ends(self.batch)

    @cached_property
    def variables(self) -> IntArray:
        """The arcs that are variables of the program, pairs first: all but the capacity groups themselves."""
        arcs = self.circulation
        inner = (arcs.role != Role.ITSELF) & (arcs.role != Role.FREE)
        return self._by_group(np.flatnonzero((arcs.group <= Group.FROM_DEFAULT) | inner))

    @property
    def rows(self) -> IntArray:
        """The arcs that are rows of the program: capacity groups themselves."""
        arcs = self.circulation
        return self._by_group(np.flatnonzero((arcs.group > Group.FROM_DEFAULT) & (arcs.role == Role.ITSELF)))

    def _by_group(self, at: IntArray) -> IntArray:
        ordered: IntArray = at[np.argsort(self.circulation.group[at], kind="stable")]
        return ordered

    @property
    def scale(self) -> float:
        """How many units are a mass of 1; nan where that differs between instances."""
        distinct = np.unique(1 if self.units is None else self.units)
        return int(distinct[0]) if distinct.size == 1 else math.nan if distinct.size else 1

    @property
    def greatest_value(self) -> float:
        """All units of a side, where those are masses."""
        return 0.0 if self.units is None else float(self.units.max(initial=0))

    def label(self, side: int, position: int | np.integer[Any]) -> Label:
        """The label of a class of a side."""
        return self.batch.hierarchy.labels[int(self.batch.sides[side].classes[position])]

    def label_in(self, row: int, side: int, position: int | np.integer[Any]) -> Label:
        """The label of a class of a side, by its position in instance ``row``."""
        return self.label(side, self.batch.sides[side].ptr[row] + position)

    @property
    def cost_values(self) -> FloatArray:
        if not self.plain:
            return self.circulation.cost[self.variables]
        return np.concatenate(
            [self.kappa[self.finite_pairs], *(half.default[half.with_default] for half in self.halves)]
        )

    def with_cost_values(self, values: FloatArray) -> PairingModel:
        """With other ``cost_values``."""
        if not self.plain:
            cost = self.circulation.cost.copy()
            cost[self.variables] = values
            return replace(self, arcs=replace(self.circulation, cost=cost)).with_finite_costs()
        x, u, v = np.split(values, np.cumsum([self.finite_pairs.size, self.halves[PRED].with_default.size]))
        kappa, halves = self.kappa.copy(), [replace(half, default=half.default.copy()) for half in self.halves]
        kappa[self.finite_pairs] = x
        for half, costs in zip(halves, (u, v), strict=True):
            half.default[half.with_default] = costs
        return replace(self, kappa=kappa, halves=(halves[PRED], halves[TRUE])).with_finite_costs()

    def with_costs(self, costs: Mapping[str, float]) -> PairingModel:
        values, place = self.cost_values.copy(), {v.name: k for k, v in enumerate(self.program().variables)}
        for name, cost in costs.items():
            if name not in place:
                known = did_you_mean(name, place)
                raise InvalidOption(f"there is no variable {name!r}{known}; model.to_lp() names them")
            values[place[name]] = plain_number(f"the cost of {name}", cost, 0)
            if cost is None or not np.isfinite(values[place[name]]):
                raise InvalidOption(
                    f"the cost of {name} is {cost!r}: to forbid it, add a constraint that the pair is 0"
                )
        return self.with_cost_values(values)

    # ---- the explicit models

    def program(self) -> LinearProgram:
        return self._written

    _written = cached_property(write_program)

    def algebra(self, stage: str | None = None) -> Algebra:
        from hemlp.problems.pairing.algebra import pairing_algebra

        self.stage(stage)
        return pairing_algebra(self)

    def plan(self) -> Plan[PairingSolution]:
        """One program."""
        return self.solution((yield self.program()))

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The paper's flow network, sink → source arc included; a ``MultiDiGraph`` where arcs stand side by side.

        Edges have ``lower``, ``upper`` and ``cost``, nodes the ``label`` of their class. ``networkx.network_simplex``
        solves it as it is: lower capacities are shifted into the ``demand`` of nodes, which leaves a ``capacity``, and
        each ``weight`` is an integer, the cost times ``graph.graph["scale"]``, which also counts units of mass.
        """
        return to_networkx(self)

    # ---- solutions

    def flow(self, solution: PairingSolution) -> IntArray:
        """What each arc of the circulation carries by a solution."""
        if solution.flow is not None:
            return solution.flow
        arcs = self.circulation
        flow = np.zeros(arcs.cost.size, np.int64)
        for (at, place), values in zip(self._places, (solution.chosen, *solution.to_default), strict=True):
            flow[at] = values[place]
        return self.circulation.complete(flow)

    @cached_property
    def _places(self) -> list[tuple[IntArray, IntArray]]:
        """The arcs of pairs, and of pairs with a default class, and where these are in the arrays of a solution."""
        arcs = self.circulation
        predicted, true = (side.ptr for side in self.batch.sides)
        groups = [np.flatnonzero(arcs.group == group) for group in (Group.PAIR, Group.TO_DEFAULT, Group.FROM_DEFAULT)]
        rows, (x, u, v) = arcs.rows, groups
        pair = self.pairs.ptr[rows[x]] + arcs.first[x] * np.diff(true)[rows[x]] + arcs.second[x]
        places = pair, predicted[rows[u]] + arcs.first[u], true[rows[v]] + arcs.second[v]
        return list(zip(groups, places, strict=True))

    def values(self, solution: PairingSolution) -> FloatArray:
        """The variables of ``program()`` that a solution says."""
        if not self.plain:
            return self.flow(solution)[self.variables].astype(np.float64)
        defaults = (n[half.with_default] for n, half in zip(solution.to_default, self.halves, strict=True))
        return np.concatenate([solution.chosen[self.finite_pairs], *defaults]).astype(np.float64)

    def solution(self, result: ProgramResult) -> PairingSolution:
        """The pairing that the variables of ``program()`` say, with one status for all instances."""
        flow = np.zeros(self.circulation.cost.size, np.int64)
        if result.values is not None:
            flow[self.variables] = np.rint(result.values)
            flow = self.circulation.complete(flow)
        return self.solution_of(np.full(len(self), result.status, np.int8), flow)

    def solution_of(self, statuses: NDArray[np.int8], flow: IntArray, **more: Any) -> PairingSolution:
        """The pairing that a flow of the circulation is."""
        chosen, to_default, _ = self.nothing_chosen()
        for (at, place), into in zip(self._places, (chosen, *to_default), strict=True):
            np.add.at(into, place, flow[at])
        return PairingSolution(self, statuses, chosen, to_default, None if self.arcs is None else flow, **more)

    def unsolved(self) -> PairingSolution:
        """What is known where a limit came first."""
        return self.solution(ProgramResult(Status.UNSOLVED))

    def joined(self, solutions: list[PairingSolution]) -> PairingSolution:
        starts = np.cumsum([0, *map(len, solutions[:-1])]).tolist()
        flows = [s.flow for s in solutions if s.flow is not None]
        return PairingSolution(
            self,
            np.concatenate([s.statuses for s in solutions]),
            np.concatenate([s.chosen for s in solutions]),
            (np.concatenate([s.to_default[PRED] for s in solutions]),
             np.concatenate([s.to_default[TRUE] for s in solutions])),
            np.concatenate(flows) if flows else None,
            {start + i: cut for start, s in zip(starts, solutions, strict=True) for i, cut in s.cuts.items()},
        )  # fmt: skip

    def costs(self, solution: PairingSolution) -> FloatArray:
        """What the pairs of each instance cost, whatever they are; of a transport for a mass of 1."""
        from hemlp.kernels.flow.pairing import Chosen, total_costs

        if self.plain:
            prices, (first, second) = check_sizes(self, solution), solution.to_default
            to_default = np.ascontiguousarray(first, np.int64), np.ascontiguousarray(second, np.int64)
            return total_costs(self.data, Chosen(np.ascontiguousarray(solution.chosen, np.bool_), to_default, prices))
        if self.arcs is None:
            moved = np.flatnonzero(solution.chosen)
            costs, ptr = self.kappa[moved] * solution.chosen[moved], np.searchsorted(moved, self.pairs.ptr)
        else:
            costs, ptr = self.arcs.cost * self.flow(solution), self.arcs.ptr
        if self.units is not None:
            return row_sums(costs, ptr) / self.units
        if np.array_equal(costs, np.floor(costs)) and costs.sum() < EXACT:
            return row_sums(costs, ptr)
        each = costs.tolist()
        return np.array([math.fsum(each[i:j]) for i, j in pairwise(ptr.tolist())], np.float64)

    # ---- what is true of a solution

    def check(self, solution: PairingSolution, prices: Prices | None = None) -> bool:
        """True if the pairings keep every bound, and what has none a cut that shows it; else InvalidSolution.

        With ``prices`` also that they are optimal, by weak duality: no pairing costs less than Σ (α y⁺ − β y⁻) over
        all rows + Σ min(0, reduced cost) times the capacity. Prices are floats, so this is exact up to their rounding;
        ``verify`` needs no prices and is exact.
        """
        check_bounds(self, solution)
        for i in np.flatnonzero(solution.statuses == Status.INFEASIBLE).tolist():
            if i not in solution.cuts or not is_short(self.circulation.part(i, i + 1), solution.cuts[i]):
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, without a reason that holds")
        if prices is not None:
            for i in np.flatnonzero(solution.statuses > Status.FEASIBLE)[:1].tolist():
                raise InvalidSolution(f"instance {i + 1} is {Status(solution.statuses[i])}: no prices prove a cost")
            terms = bound_terms(self, prices)
            bound, size = sum(terms, Fraction(0)), sum(map(abs, terms), Fraction(0))
            cost = sum(map(Fraction, self.costs(solution).tolist()))
            # what rounding prices and sums to floats can amount to
            if abs(cost - bound) > Fraction(1, 10**13) * (size + cost):
                raise InvalidSolution(f"the prices prove {float(bound)!r} and not the cost {float(cost)!r}")
        return True

    def verify(self, solution: PairingSolution) -> bool:
        """True if each optimum, and each claim that there is no solution, is proved once more; else InvalidSolution.

        In exact arithmetic, on the model's data alone, by code that no solver uses.
        """
        check_bounds(self, solution)
        arcs, flow = self.circulation, self.flow(solution)
        for i, status in enumerate(solution.statuses):
            if status == Status.OPTIMAL:
                prove_cheapest(arcs.part(i, i + 1), flow[arcs.place(i)].tolist(), f"instance {i + 1}")
            elif status == Status.INFEASIBLE and ExactFlow(arcs.part(i, i + 1)).balance() is None:
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, and has one")
        return True

    certify = certify

    def dual_bound(self, prices: Prices) -> float:
        """What every pairing costs at least, by these prices (weak duality)."""
        return float(sum(bound_terms(self, prices), Fraction(0)))

    def degrees(self, solution: PairingSolution, side: int) -> IntArray:
        """How many pairs each class of a side takes part in, defaults included."""
        counted = np.where((self.serves >> side & 1) > 0, solution.chosen, 0)
        default = solution.to_default[side]
        degrees: IntArray = np.bincount(self.ends[side], counted, default.size).astype(np.int64) + default
        return degrees

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        one = self[row]
        cut = ExactFlow(one.circulation).balance()
        return super().infeasibility(row, number) if cut is None else describe_shortage(one, cut, number)
