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

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.costs import Pairs
from hemlp.edges import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, InvalidSolution
from hemlp.flow import FlowNetwork
from hemlp.labels import Batch, Side
from hemlp.model import Model
from hemlp.pairing_proof import Shortage, find_shortage, improved, prove_optimal, solved_exactly
from hemlp.pairing_solution import PairingSolution, Prices
from hemlp.program import STATUSES, LinearProgram, ProgramResult, Row, Status, Variable
from hemlp.vocabulary import Label

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, eq=False)
class PairingModel(Model["PairingSolution"]):
    """Problem 1 for each instance of a batch.

    Arrays have one entry for each predicted class (``lower_p``, ``upper_p``, ``default_p``), each true class, and each
    pair (``kappa``, ``serves``). ``serves``: 3 a pair counts for both its ends, 1 for its predicted, 2 for its true
    class only (pairing "nearest"), 0 there is no such pair.
    """

    title: str
    batch: Batch
    pairs: Pairs
    kappa: FloatArray
    serves: NDArray[np.uint8]
    default_p: FloatArray
    default_t: FloatArray
    lower_p: IntArray
    upper_p: IntArray
    lower_t: IntArray
    upper_t: IntArray

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> PairingModel:
        part = self.batch[rows]
        whole = range(len(self))[rows]
        start, stop = (whole, whole + 1) if isinstance(whole, int) else (whole.start, max(whole.start, whole.stop))
        x, p, t = self.places(start, stop)
        return PairingModel(
            self.title, part, Pairs.of(part), self.kappa[x], self.serves[x], self.default_p[p], self.default_t[t],
            self.lower_p[p], self.upper_p[p], self.lower_t[t], self.upper_t[t],
        )  # fmt: skip

    def places(self, start: int, stop: int) -> tuple[slice, slice, slice]:
        """Where the pairs, the predicted and the true classes of the instances from ``start`` to ``stop`` are."""
        ptrs = self.pairs.ptr, self.batch.pred.ptr, self.batch.true.ptr
        x, p, t = (slice(int(ptr[start]), int(ptr[stop])) for ptr in ptrs)
        return x, p, t

    # ---- variables

    @cached_property
    def x(self) -> IntArray:
        """Positions of the pairs that exist: the first variables of the program."""
        return np.flatnonzero(np.isfinite(self.kappa) & (self.serves > 0))

    @cached_property
    def u(self) -> IntArray:
        """Positions of the predicted classes that have a default: the next variables."""
        return np.flatnonzero(np.isfinite(self.default_p))

    @cached_property
    def v(self) -> IntArray:
        """Positions of the true classes that have a default: the last variables."""
        return np.flatnonzero(np.isfinite(self.default_t))

    @cached_property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Positions of the predicted and the true class of each pair."""
        return self.pairs.ends(self.batch)

    def _label(self, side: str, position: int | np.integer[Any]) -> Label:
        classes = self.batch.pred.classes if side == "pred" else self.batch.true.classes
        return self.batch.hierarchy.labels[int(classes[position])]

    def _codes(self, side: Side) -> list[str]:
        """The position of each class within its instance, with the instance in front where there are several."""
        rows = np.repeat(np.arange(len(self)), np.diff(side.ptr))
        inner = np.arange(side.classes.size) - side.ptr[rows]
        return [f"{i}" if len(self) == 1 else f"{r}_{i}" for r, i in zip(rows, inner, strict=True)]

    # ---- the explicit models

    def program(self) -> LinearProgram:
        """The integer program of the module's docstring."""
        p_codes, t_codes = self._codes(self.batch.pred), self._codes(self.batch.true)
        at_p, at_t = self.ends
        variables: list[Variable] = []
        rows_p: list[list[tuple[int, float]]] = [[] for _ in p_codes]
        rows_t: list[list[tuple[int, float]]] = [[] for _ in t_codes]
        for k in self.x:
            i, j = at_p[k], at_t[k]
            if self.serves[k] & 1:
                rows_p[i].append((len(variables), 1.0))
            if self.serves[k] & 2:
                rows_t[j].append((len(variables), 1.0))
            name = f"x_{p_codes[i]}_{t_codes[j].rpartition('_')[2]}"
            note = f"{self._label('pred', i)} ~ {self._label('true', j)}"
            variables.append(Variable(name, 0, 1, float(self.kappa[k]), note))
        for i in self.u:
            rows_p[i].append((len(variables), 1.0))
            note = f"{self._label('pred', i)} ~ default"
            variables.append(Variable(f"u_{p_codes[i]}", 0, int(self.upper_p[i]), float(self.default_p[i]), note))
        for j in self.v:
            rows_t[j].append((len(variables), 1.0))
            note = f"default ~ {self._label('true', j)}"
            variables.append(Variable(f"v_{t_codes[j]}", 0, int(self.upper_t[j]), float(self.default_t[j]), note))
        rows = [
            Row(f"p_{p_codes[i]}", self.lower_p[i], self.upper_p[i], terms, f"predicted {self._label('pred', i)}")
            for i, terms in enumerate(rows_p)
        ] + [
            Row(f"t_{t_codes[j]}", self.lower_t[j], self.upper_t[j], terms, f"true {self._label('true', j)}")
            for j, terms in enumerate(rows_t)
        ]
        return LinearProgram(self.title, variables, rows)

    def _nodes(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """In the flow network: the first node of the instance of each predicted and true class, and their own nodes.

        An instance has four nodes of its own: source, sink, default predicted and default true class.
        """
        pred, true = self.batch.pred, self.batch.true
        home_p = 4 * np.repeat(np.arange(len(self)), np.diff(pred.ptr))
        home_t = 4 * np.repeat(np.arange(len(self)), np.diff(true.ptr))
        own = 4 * len(self) + np.arange(pred.classes.size + true.classes.size)
        return home_p, home_t, own[: pred.classes.size], own[pred.classes.size :]

    def network(self, solution: PairingSolution | None = None) -> tuple[FlowNetwork, IntArray]:
        """The paper's flow network, sink → source edge included, and the flow on its arcs that ``solution`` is."""
        home_p, home_t, p, t = self._nodes()
        home_x = 4 * np.repeat(np.arange(len(self)), np.diff(self.pairs.ptr))[self.x]
        home = 4 * np.arange(len(self))
        at_p, at_t = self.ends[0][self.x], self.ends[1][self.x]
        kind, cost, number = self.serves[self.x], self.kappa[self.x], np.arange(self.x.size)
        both, first, second = kind == 3, kind == 1, kind == 2
        own = np.cumsum(kind != 3) - 1 + 4 * len(self) + p.size + t.size  # a pair that counts for one end has a node
        u, v, last = self.u, self.v, self.x.size + self.u.size
        found = self.solution(ProgramResult(Status.UNSOLVED)) if solution is None else solution
        x, to_p, to_t = found.chosen[self.x].astype(np.int64), found.to_default_p, found.to_default_t
        degrees_p, degrees_t = self._degrees(found, 1), self._degrees(found, 2)
        sums = {"up": self.upper_p, "ut": self.upper_t, "dp": to_p, "dt": to_t, "p": degrees_p}
        total = {
            key: _sums(a, (self.batch.true if key in ("ut", "dt") else self.batch.pred).ptr).astype(np.int64)
            for key, a in sums.items()
        }
        through = total["p"] + total["dt"] + np.bincount(home_x[second] // 4, x[second], len(self)).astype(np.int64)
        arcs: list[tuple[Any, ...]] = [  # tails, heads, lower, upper, cost, variable, flow
            (home_p, p, self.lower_p, self.upper_p, 0, -1, degrees_p),
            (home, home + 2, 0, total["ut"], 0, -1, total["dt"]),
            (p[at_p[both]], t[at_t[both]], 0, 1, cost[both], number[both], x[both]),
            (p[at_p[first]], own[first], 0, 1, cost[first], number[first], x[first]),
            (own[first], home_x[first] + 1, 0, 1, 0, -1, x[first]),
            (home_x[second], own[second], 0, 1, cost[second], number[second], x[second]),
            (own[second], t[at_t[second]], 0, 1, 0, -1, x[second]),
            (p[u], home_p[u] + 3, 0, self.upper_p[u], self.default_p[u], self.x.size + np.arange(u.size), to_p[u]),
            (home_t[v] + 2, t[v], 0, self.upper_t[v], self.default_t[v], last + np.arange(v.size), to_t[v]),
            (t, home_t + 1, self.lower_t, self.upper_t, 0, -1, degrees_t),
            (home + 3, home + 1, 0, total["up"], 0, -1, total["dp"]),
            (home + 1, home, 0, total["up"] + total["ut"], 0, -1, through),
        ]  # fmt: skip
        columns = [np.concatenate([np.broadcast_to(arc[c], arc[0].shape) for arc in arcs]) for c in range(7)]
        ints = [column.astype(np.int64) for column in columns]
        size = 4 * len(self) + p.size + t.size + int((kind != 3).sum())
        costs = columns[4].astype(np.float64)
        network = FlowNetwork(size, self._node_names, ints[0], ints[1], ints[2], ints[3], costs, ints[5])
        return network, ints[6]

    def _node_names(self) -> list[str]:
        names = []
        for i in range(len(self)):
            prefix = "" if len(self) == 1 else f"{i}_"
            names += [f"{prefix}{name}" for name in ("source", "sink", "DP", "DT")]
        names += [f"P_{code}" for code in self._codes(self.batch.pred)]
        names += [f"T_{code}" for code in self._codes(self.batch.true)]
        return names + [f"X_{k}" for k in self.x if self.serves[k] != 3]

    def to_networkx(self) -> networkx.DiGraph[Any]:
        """The flow network, with the labels of classes as ``label`` of their nodes."""
        graph = self.network()[0].to_networkx()
        for side, letter in (("pred", "P"), ("true", "T")):
            for position, code in enumerate(self._codes(getattr(self.batch, side))):
                graph.nodes[f"{letter}_{code}"]["label"] = self._label(side, position)
        return graph

    # ---- solutions

    def solution(self, result: ProgramResult) -> PairingSolution:
        """The pairing that the variables of ``program()`` say, with one status for all instances."""
        chosen = np.zeros(self.kappa.size, np.bool_)
        to_default_p = np.zeros(self.default_p.size, np.int64)
        to_default_t = np.zeros(self.default_t.size, np.int64)
        if result.values is not None:
            x, u, v = np.split(result.values, [self.x.size, self.x.size + self.u.size])
            chosen[self.x], to_default_p[self.u], to_default_t[self.v] = x > 0.5, u, v
        statuses = np.full(len(self), STATUSES.index(result.status), np.int8)
        return PairingSolution(self, statuses, chosen, to_default_p, to_default_t)

    def joined(self, solutions: list[PairingSolution]) -> PairingSolution:
        """Solutions of consecutive parts as one of the whole."""
        parts = [(s.statuses, s.chosen, s.to_default_p, s.to_default_t) for s in solutions]
        statuses, chosen, to_p, to_t = (np.concatenate(column) for column in zip(*parts, strict=True))
        starts = np.cumsum([0, *map(len, solutions[:-1])]).tolist()
        shortages = {
            start + i: why for start, s in zip(starts, solutions, strict=True) for i, why in s.shortages.items()
        }
        return PairingSolution(self, statuses, chosen, to_p, to_t, shortages)

    def costs(self, solution: PairingSolution) -> FloatArray:
        """The objective of each instance, from its pairs."""
        per_pair = np.where(solution.chosen, self.kappa, 0.0)
        per_p = np.where(solution.to_default_p > 0, self.default_p, 0.0) * np.maximum(solution.to_default_p, 1)
        per_t = np.where(solution.to_default_t > 0, self.default_t, 0.0) * np.maximum(solution.to_default_t, 1)
        return _sums(per_pair, self.pairs.ptr) + _sums(per_p, self.batch.pred.ptr) + _sums(per_t, self.batch.true.ptr)

    def check(self, solution: PairingSolution, prices: Prices | None = None) -> bool:
        """True if the pairings keep every bound, and what has none a shortage that shows it; else InvalidSolution.

        With ``prices`` also that they are optimal, by weak duality: no pairing costs less than Σ (α y⁺ − β y⁻) + Σ
        min(0, reduced cost) times the capacity. Prices are floats, so this is exact up to their rounding;
        ``verify`` needs no prices and is exact.
        """
        self._check_bounds(solution)
        for i in np.flatnonzero(solution.statuses == STATUSES.index(Status.INFEASIBLE)):
            shortage = solution.shortages.get(int(i))
            if shortage is None or not self[int(i)].is_short(shortage):
                raise InvalidSolution(f"instance {i + 1} is said to have no solution, without a reason that holds")
        if prices is not None:
            self._check_prices(solution, prices)
        return True

    def _check_bounds(self, solution: PairingSolution) -> None:
        """Raise InvalidSolution where a pairing breaks a bound."""
        sizes = (self.kappa, solution.chosen), (self.default_p, solution.to_default_p)
        for wanted, given in (*sizes, (self.default_t, solution.to_default_t), (range(len(self)), solution.statuses)):
            if len(wanted) != len(given):
                raise InvalidSolution(f"the solution has {len(given)} values where {len(wanted)} are needed")
        solved = np.isin(solution.statuses, [STATUSES.index(Status.OPTIMAL), STATUSES.index(Status.FEASIBLE)])
        if not np.isin(np.flatnonzero(solution.chosen), self.x).all():
            raise InvalidSolution("a pair is chosen that does not exist")
        for side, degrees in (("pred", self._degrees(solution, 1)), ("true", self._degrees(solution, 2))):
            lower, upper = (self.lower_p, self.upper_p) if side == "pred" else (self.lower_t, self.upper_t)
            default = self.default_p if side == "pred" else self.default_t
            taken = solution.to_default_p if side == "pred" else solution.to_default_t
            rows = np.repeat(solved, np.diff(getattr(self.batch, side).ptr))
            bad = rows & (
                (degrees < lower)
                | (degrees > upper)
                | (taken < 0)
                | (taken > upper)
                | ((taken > 0) & np.isinf(default))
            )
            for k in np.flatnonzero(bad)[:1]:
                raise InvalidSolution(
                    f"{side} class {self._label(side, k)!r} has {degrees[k]} pairs ({taken[k]} with the default); "
                    f"its bounds are {lower[k]} and {upper[k]}"
                )

    def _check_prices(self, solution: PairingSolution, prices: Prices) -> None:
        bound, size = self._exact_bound(prices)
        cost = sum(map(Fraction, self.costs(solution).tolist()))
        # what rounding prices and sums to floats can amount to
        if abs(cost - bound) > Fraction(1, 10**13) * (size + cost):
            raise InvalidSolution(f"the prices prove {float(bound)!r} and not the cost {float(cost)!r}")

    def verify(self, solution: PairingSolution) -> bool:
        """True if each optimum, and each claim that there is no solution, is proved once more; else InvalidSolution.

        In exact arithmetic, on the model's data alone, by code that no solver uses.
        """
        self._check_bounds(solution)
        for i, status in enumerate(STATUSES[code] for code in solution.statuses):
            place = f"instance {i + 1}"
            if status is Status.OPTIMAL:
                prove_optimal(self[i], solution[i], place)
            elif status is Status.INFEASIBLE and find_shortage(self[i]) is None:
                raise InvalidSolution(f"{place} is said to have no solution, and has one")
        return True

    def certified(self, solution: PairingSolution, limited: bool) -> PairingSolution:
        """Pairings that are proved to be of least cost, and a shortage for each instance that has none.

        A pairing that is not of least cost is changed until it is. What was not solved is solved here, unless a
        limit was the reason (``limited``).
        """
        from hemlp.kernels.certificate import BROKEN, PROVED, cheapest

        statuses, chosen = solution.statuses.copy(), solution.chosen.copy()
        to_p, to_t = solution.to_default_p.astype(np.int64), solution.to_default_t.astype(np.int64)
        asked = statuses <= STATUSES.index(Status.FEASIBLE)
        verdicts = cheapest(
            self.batch.pred.ptr, self.batch.true.ptr, self.pairs.ptr, self.kappa, self.serves, self.default_p,
            self.default_t, self.lower_p, self.upper_p, self.lower_t, self.upper_t, asked, chosen, to_p, to_t,
        )  # fmt: skip
        if (verdicts == BROKEN).any():
            self._check_bounds(solution)
        statuses[verdicts == PROVED] = STATUSES.index(Status.OPTIMAL)
        made = PairingSolution(self, statuses, chosen, to_p, to_t, dict(solution.shortages))
        unsolved = statuses == STATUSES.index(Status.UNSOLVED)
        for i in np.flatnonzero((asked & (verdicts != PROVED)) | (~asked & ~(unsolved & limited))):
            row = int(i)
            proved = improved(self[row], made[row]) if asked[row] else None
            shortage = None if asked[row] else find_shortage(self[row])
            if shortage is not None:
                made.shortages[row] = shortage
                statuses[row] = STATUSES.index(Status.INFEASIBLE)
                continue
            proved = proved or solved_exactly(self[row])
            x, p, t = self.places(row, row + 1)
            statuses[row] = STATUSES.index(Status.OPTIMAL)
            chosen[x], to_p[p], to_t[t] = proved.chosen, proved.to_default_p, proved.to_default_t
        return made

    def _reduced(self, prices: Prices) -> FloatArray:
        """Cost of each pair that exists, less what its ends pay for it."""
        served = self.serves[self.x]
        paid_p = np.where(served & 1, prices.predicted[self.ends[0][self.x]], 0)
        paid_t = np.where(served & 2, prices.true[self.ends[1][self.x]], 0)
        return self.kappa[self.x] - paid_p - paid_t

    def _degrees(self, solution: PairingSolution, bit: int) -> IntArray:
        """How many pairs each class of a side (1 predicted, 2 true) takes part in, defaults included."""
        counted = solution.chosen & ((self.serves & bit) > 0)
        default = solution.to_default_p if bit == 1 else solution.to_default_t
        degrees: IntArray = np.bincount(self.ends[bit - 1][counted], minlength=default.size) + default
        return degrees

    def dual_bound(self, prices: Prices) -> float:
        """What every pairing costs at least, by the prices of the classes (weak duality)."""
        return float(self._exact_bound(prices)[0])

    def _exact_bound(self, prices: Prices) -> tuple[Fraction, Fraction]:
        """The bound that prices prove, without rounding, and the size of what is added up in it."""
        y_p, y_t = (list(map(Fraction, y.tolist())) for y in (prices.predicted, prices.true))
        terms = [y * int(low if y > 0 else high) for y, low, high in zip(y_p, self.lower_p, self.upper_p, strict=True)]
        terms += [y * int(low if y > 0 else high) for y, low, high in zip(y_t, self.lower_t, self.upper_t, strict=True)]
        for k in self.x:
            i, j, serves = self.ends[0][k], self.ends[1][k], int(self.serves[k])
            terms.append(
                min(Fraction(0), Fraction(float(self.kappa[k])) - y_p[i] * (serves & 1) - y_t[j] * (serves >> 1))
            )
        for at, y, default, upper in (
            (self.u, y_p, self.default_p, self.upper_p),
            (self.v, y_t, self.default_t, self.upper_t),
        ):
            terms += [min(Fraction(0), Fraction(float(default[k])) - y[k]) * int(upper[k]) for k in at]
        return sum(terms, Fraction(0)), sum(map(abs, terms), Fraction(0))

    def is_short(self, shortage: Shortage) -> bool:
        """Whether the classes of a shortage of the only instance need more pairs than there can be."""
        side = 0 if shortage.side == "predicted" else 1
        lower, default = (self.lower_p, self.default_p) if side == 0 else (self.lower_t, self.default_t)
        most = self.upper_t if side == 0 else self.upper_p
        classes = sorted(set(shortage.classes))
        if not set(classes) <= set(range(lower.size)) or np.isfinite(default[classes]).any():  # a default takes them
            return False
        theirs = self.x[np.isin(self.ends[side][self.x], classes) & ((self.serves[self.x] >> side) & 1 > 0)]
        shared = theirs[self.serves[theirs] == 3]
        wanted = np.bincount(self.ends[1 - side][shared], minlength=most.size)
        available = int(np.minimum(wanted, most).sum()) + theirs.size - shared.size
        return bool(lower[classes].sum() > available)

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """Why instance ``row`` (``number`` to the reader) has no solution: classes whose lower bounds cannot hold."""
        one = self[row]
        shortage = find_shortage(one)
        if shortage is None:
            return super().infeasibility(row, number)
        labels = [one._label("pred" if shortage.side == "predicted" else "true", k) for k in shortage.classes]
        names = ", ".join(repr(label) for label in labels[:8]) + (f" and {len(labels) - 8} more" if labels[8:] else "")
        who, verb = (
            (f"the {shortage.side} class {names}", "needs")
            if len(labels) == 1
            else (f"the {shortage.side} classes {names}", "together need")
        )
        return InfeasibleModel(
            f"instance {number}: {who} {verb} at least {shortage.needed} pairs and can have {shortage.available} "
            f"(no common ancestor, or the bounds of others); a default class would take what is left",
            number, shortage.side, labels[0], tuple(labels),
        )  # fmt: skip


def _sums(values: FloatArray, ptr: IntArray) -> FloatArray:
    """Sums of consecutive parts, in order, each on its own (a running total would carry rounding across instances)."""
    rows = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
    return np.bincount(rows, values, len(ptr) - 1).astype(np.float64)
