r"""Problem 1: which predicted class is paired with which true class, at the least cost.

    min  Σ κ_ij x_ij + Σ d_p[i] u_i + Σ d_t[j] v_j
    s.t. α_p ≤ Σ_j x_ij + u_i ≤ β_p     for each predicted class i
         α_t ≤ Σ_i x_ij + v_j ≤ β_t     for each true class j
         x_ij ∈ {0, 1},  0 ≤ u_i ≤ β_p,  0 ≤ v_j ≤ β_t  integer

u_i and v_j are pairs with a default class. Without a default there is no such variable, and without a finite cost
there is no x_ij. Each column has at most two ones, in rows of different sides, so the matrix is totally unimodular: the
optimum of the linear program is integral, and the problem is a circulation of least cost with lower bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, row_sums
from hemlp.errors import InfeasibleModel, InvalidCost, InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Row, Status, Variable
from hemlp.optimize.provenance import CERTIFICATE, Claim, changed_rows
from hemlp.problems.pairing.data import check_sizes, chosen_data, closed_form, given_data
from hemlp.problems.pairing.pairs import Pairs
from hemlp.problems.pairing.proof import Shortage, find_shortage, improved, prove_optimal
from hemlp.problems.pairing.solution import PairingSolution, Prices
from hemlp.text.display import abbreviate
from hemlp.text.phrases import plural

if TYPE_CHECKING:
    import networkx

    from hemlp.optimize.algebra import Algebra
    from hemlp.optimize.circulation import FlowNetwork

NAMES = ("x", "u", "v"), ("p", "t")
"""How variables and rows are called: pairs and defaults of each side, classes of each side."""


@dataclass(frozen=True, eq=False)
class Half:
    """One side of Problem 1: of each class its bounds α and β, and what its default class costs (infinite: none)."""

    side: Side
    lower: IntArray
    upper: IntArray
    default: FloatArray

    @cached_property
    def with_default(self) -> IntArray:
        """Positions of the classes that have a default class."""
        return np.flatnonzero(np.isfinite(self.default))

    def part(self, start: int, stop: int) -> Half:
        """The classes of the instances from ``start`` on and before ``stop``."""
        one = self.place(start, stop)
        return Half(self.side.part(start, stop), self.lower[one], self.upper[one], self.default[one])

    def place(self, start: int, stop: int) -> slice:
        """Where those classes are."""
        return slice(int(self.side.ptr[start]), int(self.side.ptr[stop]))


@dataclass(frozen=True, eq=False, repr=False)
class PairingModel(Model["PairingSolution"]):
    """Problem 1 for each instance of a batch.

    ``kappa`` and ``serves`` have one entry for each pair. ``serves``: 3 a pair counts for both its ends, 1 for its
    predicted, 2 for its true class only (pairing "nearest"), 0 there is no such pair.
    """

    title: str
    batch: Batch
    pairs: Pairs
    kappa: FloatArray
    serves: NDArray[np.uint8]
    halves: tuple[Half, Half]

    data = cached_property(given_data)
    closed_form = cached_property(closed_form)

    def __getstate__(self) -> dict[str, Any]:
        """Without the record for compiled code, which is made again."""
        return {name: value for name, value in vars(self).items() if name != "data"}

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> PairingModel:
        part = self.batch[rows]
        whole = range(len(self))[rows]
        start, stop = (whole, whole + 1) if isinstance(whole, int) else (whole.start, max(whole.start, whole.stop))
        x = self.pairs.place(start, stop)
        predicted, true = (half.part(start, stop) for half in self.halves)
        return PairingModel(self.title, part, Pairs.of(part), self.kappa[x], self.serves[x], (predicted, true))

    def with_finite_costs(self) -> PairingModel:
        """This model, refused where the costs of an instance cannot be added up."""
        from hemlp.kernels.flow.pairing import extent

        most = extent(self.kappa)[2] * int(np.diff(self.pairs.ptr).max(initial=0))
        for half in self.halves:
            sizes = int(half.side.sizes.max(initial=0)) * float(half.upper.max(initial=0))
            most += extent(half.default)[2] * sizes
        if most < 1e300:
            return self
        with np.errstate(over="ignore"):
            total = row_sums(np.where(np.isfinite(self.kappa), self.kappa, 0.0), self.pairs.ptr)
            for half in self.halves:
                worst = np.where(np.isfinite(half.default), half.default, 0.0) * half.upper
                total += row_sums(worst, half.side.ptr)
        for row in np.flatnonzero(~np.isfinite(total))[:1]:
            raise InvalidCost(f"instance {row + 1}: its costs are too large to be added up; scale them down")
        return self

    # ---- variables

    @cached_property
    def finite_pairs(self) -> IntArray:
        """Positions of the pairs that exist: the first variables of the program; then come those with a default."""
        return np.flatnonzero(np.isfinite(self.kappa) & (self.serves > 0))

    @cached_property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Positions of the predicted and the true class of each pair."""
        return self.pairs.ends(self.batch)

    def label(self, side: int, position: int | np.integer[Any]) -> Label:
        """The label of a class of a side."""
        return self.batch.hierarchy.labels[int(self.halves[side].side.classes[position])]

    def codes(self, side: int) -> list[str]:
        """The position of each class within its instance, with the instance in front where there are several."""
        of = self.halves[side].side
        rows = np.repeat(np.arange(len(self)), np.diff(of.ptr))
        inner = np.arange(of.classes.size) - of.ptr[rows]
        return [f"{i}" if len(self) == 1 else f"{r}_{i}" for r, i in zip(rows, inner, strict=True)]

    @property
    def cost_values(self) -> FloatArray:
        """All finite costs."""
        return np.concatenate(
            [self.kappa[self.finite_pairs], *(half.default[half.with_default] for half in self.halves)]
        )

    def with_cost_values(self, values: FloatArray) -> PairingModel:
        """With other ``cost_values``."""
        x, u, v = np.split(values, np.cumsum([self.finite_pairs.size, self.halves[PRED].with_default.size]))
        kappa, halves = self.kappa.copy(), [replace(half, default=half.default.copy()) for half in self.halves]
        kappa[self.finite_pairs] = x
        for half, costs in zip(halves, (u, v), strict=True):
            half.default[half.with_default] = costs
        return replace(self, kappa=kappa, halves=(halves[PRED], halves[TRUE])).with_finite_costs()

    def values(self, solution: PairingSolution) -> FloatArray:
        """The variables of ``program()`` that a solution says."""
        taken = (n[half.with_default] for half, n in zip(self.halves, solution.to_default, strict=True))
        return np.concatenate([solution.chosen[self.finite_pairs], *taken]).astype(np.float64)

    # ---- the explicit models

    def program(self) -> LinearProgram:
        """The integer program of the module's docstring."""
        codes = self.codes(PRED), self.codes(TRUE)
        variables: list[Variable] = []
        terms: tuple[list[list[tuple[int, float]]], ...] = tuple([[] for _ in names] for names in codes)
        for k in self.finite_pairs:
            at = self.ends[PRED][k], self.ends[TRUE][k]
            for side in (PRED, TRUE):
                if self.serves[k] >> side & 1:
                    terms[side][at[side]].append((len(variables), 1.0))
            name = f"x_{codes[PRED][at[PRED]]}_{codes[TRUE][at[TRUE]].rpartition('_')[2]}"
            note = f"{self.label(PRED, at[PRED])} ~ {self.label(TRUE, at[TRUE])}"
            variables.append(Variable(name, 0, 1, float(self.kappa[k]), note))
        for side, half in enumerate(self.halves):
            for i in half.with_default:
                terms[side][i].append((len(variables), 1.0))
                name, label = f"{NAMES[0][1 + side]}_{codes[side][i]}", self.label(side, i)
                note = f"{label} ~ default" if side == PRED else f"default ~ {label}"
                variables.append(Variable(name, 0, int(half.upper[i]), float(half.default[i]), note))
        rows = [
            Row(f"{NAMES[1][side]}_{codes[side][i]}", half.lower[i], half.upper[i], terms[side][i],
                f"{SIDES[side]} {self.label(side, i)}")
            for side, half in enumerate(self.halves)
            for i in range(half.lower.size)
        ]  # fmt: skip
        return LinearProgram(self.title, variables, rows)

    def algebra(self, stage: str | None = None) -> Algebra:
        """In sums over classes."""
        from hemlp.problems.pairing.algebra import pairing_algebra

        self.stage(stage)
        return pairing_algebra(self)

    def plan(self) -> Plan[PairingSolution]:
        """One program."""
        return self.solution((yield self.program()))

    def network(self, solution: PairingSolution | None = None) -> tuple[FlowNetwork, IntArray]:
        """The paper's flow network, sink → source arc included, and the flow on its arcs that ``solution`` is."""
        from hemlp.problems.pairing.network import pairing_network

        return pairing_network(self, self.unsolved() if solution is None else solution)

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The flow network, with the labels of classes as ``label`` of their nodes."""
        graph = self.network()[0].to_networkx()
        for side, letter in ((PRED, "P"), (TRUE, "T")):
            for position, code in enumerate(self.codes(side)):
                graph.nodes[f"{letter}_{code}"]["label"] = self.label(side, position)
        return graph

    # ---- solutions

    def solution(self, result: ProgramResult) -> PairingSolution:
        """The pairing that the variables of ``program()`` say, with one status for all instances."""
        chosen = np.zeros(self.kappa.size, np.bool_)
        to_default = tuple(np.zeros(half.default.size, np.int64) for half in self.halves)
        if result.values is not None:
            at = self.finite_pairs.size, self.finite_pairs.size + self.halves[PRED].with_default.size
            x, u, v = np.split(result.values, at)
            chosen[self.finite_pairs] = x > 0.5
            for side, values in ((PRED, u), (TRUE, v)):
                to_default[side][self.halves[side].with_default] = values
        statuses = np.full(len(self), result.status, np.int8)
        return PairingSolution(self, statuses, chosen, (to_default[PRED], to_default[TRUE]))

    def unsolved(self) -> PairingSolution:
        """What is known where a limit came first."""
        return self.solution(ProgramResult(Status.UNSOLVED))

    def joined(self, solutions: list[PairingSolution]) -> PairingSolution:
        """Solutions of consecutive parts as one of the whole."""
        starts = np.cumsum([0, *map(len, solutions[:-1])]).tolist()
        return PairingSolution(
            self,
            np.concatenate([s.statuses for s in solutions]),
            np.concatenate([s.chosen for s in solutions]),
            (np.concatenate([s.to_default[PRED] for s in solutions]),
             np.concatenate([s.to_default[TRUE] for s in solutions])),
            {start + i: why for start, s in zip(starts, solutions, strict=True) for i, why in s.shortages.items()},
        )  # fmt: skip

    def costs(self, solution: PairingSolution) -> FloatArray:
        """The objective of each instance, from its pairs."""
        from hemlp.kernels.flow.pairing import total_costs

        return total_costs(self.data, chosen_data(self, solution))

    def degrees(self, solution: PairingSolution, side: int) -> IntArray:
        """How many pairs each class of a side takes part in, defaults included."""
        counted = solution.chosen & ((self.serves >> side & 1) > 0)
        default = solution.to_default[side]
        degrees: IntArray = np.bincount(self.ends[side][counted], minlength=default.size) + default
        return degrees

    # ---- what is true of a solution

    def check(self, solution: PairingSolution, prices: Prices | None = None) -> bool:
        """True if the pairings keep every bound, and what has none a shortage that shows it; else InvalidSolution.

        With ``prices`` also that they are optimal, by weak duality: no pairing costs less than Σ (α y⁺ − β y⁻) + Σ
        min(0, reduced cost) times the capacity. Prices are floats, so this is exact up to their rounding;
        ``verify`` needs no prices and is exact.
        """
        self._check_bounds(solution)
        for i in np.flatnonzero(solution.statuses == Status.INFEASIBLE):
            shortage = solution.shortages.get(int(i))
            if shortage is None or not self[int(i)].is_short(shortage):
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, without a reason that holds")
        if prices is not None:
            bound, size = self._exact_bound(prices)
            cost = sum(map(Fraction, self.costs(solution).tolist()))
            # what rounding prices and sums to floats can amount to
            if abs(cost - bound) > Fraction(1, 10**13) * (size + cost):
                raise InvalidSolution(f"the prices prove {float(bound)!r} and not the cost {float(cost)!r}")
        return True

    def _check_bounds(self, solution: PairingSolution) -> None:
        """Raise InvalidSolution where a pairing breaks a bound."""
        check_sizes(self, solution)
        if not np.isin(np.flatnonzero(solution.chosen), self.finite_pairs).all():
            raise InvalidSolution("a pair is chosen that does not exist")
        solved = solution.statuses <= Status.FEASIBLE
        for side, (half, taken) in enumerate(zip(self.halves, solution.to_default, strict=True)):
            degrees = self.degrees(solution, side)
            out = (degrees < half.lower) | (degrees > half.upper) | (taken < 0) | (taken > half.upper)
            out |= (taken > 0) & np.isinf(half.default)
            for k in np.flatnonzero(out & np.repeat(solved, half.side.sizes))[:1]:
                raise InvalidSolution(
                    f"the {SIDES[side]} class {self.label(side, k)!r} has {degrees[k]} pairs ({taken[k]} with the "
                    f"default); its bounds are {half.lower[k]} and {half.upper[k]}"
                )

    def verify(self, solution: PairingSolution) -> bool:
        """True if each optimum, and each claim that there is no solution, is proved once more; else InvalidSolution.

        In exact arithmetic, on the model's data alone, by code that no solver uses.
        """
        self._check_bounds(solution)
        for i, status in enumerate(Status(code) for code in solution.statuses):
            place = f"instance {i + 1}"
            if status is Status.OPTIMAL:
                prove_optimal(self[i], solution[i], place)
            elif status is Status.INFEASIBLE and find_shortage(self[i]) is None:
                raise InvalidSolution(f"{place} is said to have no solution, and has one")
        return True

    def certify(self, solution: PairingSolution, claim: Claim) -> PairingSolution:
        """Pairings that are proved to be of least cost or lowered to feasible, and a shortage where there is none."""
        from hemlp.kernels.flow.certificate import cheapest
        from hemlp.kernels.flow.negative_cycles import BROKEN, PROVED

        check_sizes(self, solution)
        lower: dict[int, float] = {}
        others: dict[int, tuple[str, str]] = {}
        chosen, (up, ut) = solution.chosen, solution.to_default
        made = PairingSolution(
            self, solution.statuses.copy(), chosen.astype(np.bool_), (up.astype(np.int64), ut.astype(np.int64)),
            hints=solution.hints, lower=lower, provenance=claim.by(CERTIFICATE, others),
        )  # fmt: skip
        solved = made.statuses <= Status.FEASIBLE
        verdicts = cheapest(self.data, solved, chosen_data(self, made))
        if (verdicts == BROKEN).any():
            self._check_bounds(solution)
        for row in np.flatnonzero(solved & (verdicts != PROVED)).tolist():
            made.write(row, improved(self[row], made[row]))
        made.statuses[solved] = Status.OPTIMAL
        for row in np.flatnonzero(made.statuses == Status.INFEASIBLE).tolist():
            if (shortage := find_shortage(self[row])) is not None:
                made.shortages[row] = shortage
            else:
                made.statuses[row] = Status.UNSOLVED
        rows = changed_rows(
            (self.pairs.ptr, chosen.astype(np.bool_, copy=False), made.chosen),
            (self.batch.pred.ptr, up, made.to_default[PRED]), (self.batch.true.ptr, ut, made.to_default[TRUE]),
        )  # fmt: skip
        if rows.size:
            least = self.costs(made)
            for row in claim.accept_improvements(rows, self.costs(solution), least, self.cost_values, others).tolist():
                made.write(row, solution[row])
                made.statuses[row] = Status.FEASIBLE
                lower[row] = float(least[row])
        return made

    def dual_bound(self, prices: Prices) -> float:
        """What every pairing costs at least, by the prices of the classes (weak duality)."""
        return float(self._exact_bound(prices)[0])

    def _exact_bound(self, prices: Prices) -> tuple[Fraction, Fraction]:
        """The bound that prices prove, without rounding, and the size of what is added up in it."""
        y = [list(map(Fraction, of.tolist())) for of in (prices.predicted, prices.true)]
        nothing, terms = Fraction(0), []
        for half, of in zip(self.halves, y, strict=True):
            bounds = zip(of, half.lower, half.upper, strict=True)
            terms += [price * int(low if price > 0 else high) for price, low, high in bounds]
            terms += [
                min(nothing, Fraction(float(half.default[k])) - of[k]) * int(half.upper[k]) for k in half.with_default
            ]
        for k in self.finite_pairs:
            paid = sum(y[side][self.ends[side][k]] * int(self.serves[k] >> side & 1) for side in (PRED, TRUE))
            terms.append(min(nothing, Fraction(float(self.kappa[k])) - paid))
        return sum(terms, nothing), sum(map(abs, terms), nothing)

    def is_short(self, shortage: Shortage) -> bool:
        """Whether the classes of a shortage of the only instance need more pairs than there can be."""
        side = SIDES.index(shortage.side)
        half, others = self.halves[side], self.halves[1 - side]
        classes = sorted(set(shortage.classes))
        if not set(classes) <= set(range(half.lower.size)) or np.isfinite(half.default[classes]).any():
            return False  # a default class would take them
        theirs = self.finite_pairs[
            np.isin(self.ends[side][self.finite_pairs], classes) & ((self.serves[self.finite_pairs] >> side) & 1 > 0)
        ]
        shared = theirs[self.serves[theirs] == 3]
        wanted = np.bincount(self.ends[1 - side][shared], minlength=others.upper.size)
        available = int(np.minimum(wanted, others.upper).sum()) + theirs.size - shared.size
        return bool(half.lower[classes].sum() > available)

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """Why instance ``row`` (``number`` to the reader) has no solution: classes whose lower bounds cannot hold."""
        one = self[row]
        shortage = find_shortage(one)
        if shortage is None:
            return super().infeasibility(row, number)
        labels = [one.label(SIDES.index(shortage.side), k) for k in shortage.classes]
        alone = len(labels) == 1
        who = f"the {shortage.side} class{'' if alone else 'es'} {abbreviate(map(repr, labels))}"
        return InfeasibleModel(
            f"instance {number}: {who} {'needs' if alone else 'together need'} at least "
            f"{plural(shortage.needed, 'pair')} and can have {shortage.available} (no common "
            f"ancestor, or the bounds of others); a default class would take what is left",
            number, shortage.side, labels[0], tuple(labels),
        )  # fmt: skip
