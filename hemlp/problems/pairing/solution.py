"""Solutions of Problem 1: the pairs, who went to a default class, and the proof that nothing is cheaper.

Plain pairings are proved without their circulation, all others by the flow on its arcs. Where compiled code does not
decide, exact arithmetic does; it never solves, but improves what is off by rounding.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.optimize.program import Status
from hemlp.optimize.solutions import CERTIFICATE, Claim, LeastCostSolution, Provenance
from hemlp.problems.pairing.circulation import Circulation, Group, Role
from hemlp.problems.pairing.describe import Arcs, node_names
from hemlp.problems.pairing.pairs import check_sizes, flow_data
from hemlp.problems.pairing.proof import ExactFlow, improve, prove_cheapest
from hemlp.text.tables import Table, plural

if TYPE_CHECKING:
    from hemlp.problems.pairing.model import PairingModel


@dataclass(frozen=True, eq=False)
class Prices:
    """The dual value of each class: how fast the least cost changes with its bound. There may be other dual solutions.

    It is positive where the lower bound binds, negative where the upper one does. ``pairs``: (predicted, true) → the
    dual value, below 0, of a pair whose capacity binds. ``groups``: dual values, where they are not 0, of the rows of
    ``program()`` that are not about one class ("total", "DT", "DP") or count units of rising cost ("p_0_each").
    """

    predicted: FloatArray
    true: FloatArray
    pairs: Mapping[tuple[Label, Label], float] = field(default_factory=dict)
    groups: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, repr=False)
class PairingSolution(LeastCostSolution):
    """How often each pair is chosen, and how often each class of each side went to a default class.

    For each instance of ``model``. ``chosen`` are truth values where a pair is chosen at most once. ``flow``: what
    each arc of the circulation carries, where there are further capacities, which pairs alone do not tell. ``cuts``:
    for instances that have no solution, nodes of the circulation that must take in more than can leave them. ``hints``:
    dual values that the solver found, of predicted and true classes or of the nodes; the proof begins there.
    """

    model: PairingModel
    statuses: NDArray[np.int8]
    chosen: NDArray[Any]
    to_default: tuple[IntArray, IntArray]
    flow: IntArray | None = field(default=None, repr=False)
    cuts: dict[int, frozenset[int]] = field(default_factory=dict)
    hints: tuple[FloatArray, ...] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.model)

    def __getitem__(self, row: int) -> PairingSolution:
        row = range(len(self))[row]
        m = self.model
        predicted, true = (
            taken[half.place(row, row + 1)] for half, taken in zip(m.halves, self.to_default, strict=True)
        )
        return PairingSolution(
            m[row], self.statuses[row : row + 1], self.chosen[m.pairs.place(row, row + 1)], (predicted, true),
            None if self.flow is None else self.flow[m.circulation.place(row)],
            {0: self.cuts[row]} if row in self.cuts else {}, **self._origins(row),
        )  # fmt: skip

    def write(self, row: int, solution: PairingSolution) -> None:
        """Put the solution of one instance in its place."""
        m = self.model
        self.statuses[row] = solution.statuses[0]
        self.chosen[m.pairs.place(row, row + 1)] = solution.chosen
        for half, mine, theirs in zip(m.halves, self.to_default, solution.to_default, strict=True):
            mine[half.place(row, row + 1)] = theirs
        if self.flow is not None:
            self.flow[m.circulation.place(row)] = solution.flow

    @cached_property
    def objectives(self) -> FloatArray:
        """The cost of each instance, computed from its pairs; nan where there is no solution."""
        return np.where(self.statuses <= Status.FEASIBLE, self.model.costs(self), math.nan)

    @property
    def objective(self) -> float:
        """The cost of the only instance."""
        self._single("objective")
        return float(self.objectives[0])

    def named_pairs(self) -> list[tuple[Any, ...]]:
        """(predicted, true, cost) of each pair of the only instance, as often as it is chosen; None: a default class.

        Of a transport once each, with the mass that it carries at the end.
        """
        self._single("named_pairs()")
        m, arcs, flow = self.model, self.model.circulation, self.model.flow(self)
        pairs: list[tuple[Any, ...]] = []
        for a in np.flatnonzero((arcs.group <= Group.FROM_DEFAULT) & (flow > 0)):
            ends = (arcs.first[a], PRED), (arcs.second[a], TRUE)
            pair = *(None if at < 0 else m.label(side, at) for at, side in ends), float(arcs.cost[a])
            pairs += [pair] * int(flow[a]) if m.units is None else [(*pair, int(flow[a]) / int(m.units[0]))]
        return pairs

    def duals(self) -> Prices:
        """Dual values that prove the optimum, from shortest paths in the residual network; else InvalidSolution."""
        m, flow = self.model, self.model.flow(self)
        potential: list[Fraction] = []
        binding: dict[tuple[Label, Label], float] = {}
        for i, status in enumerate(map(Status, self.statuses)):
            if status > Status.FEASIBLE:
                raise InvalidSolution(f"instance {i + 1} is {status}: there are no dual values")
            one = m.circulation.part(i, i + 1)
            exact, scaled = self._prove(i, one, flow[m.circulation.place(i)].tolist())
            potential += (Fraction(of, exact.scale) for of in scaled)
            for a in np.flatnonzero((one.group == Group.PAIR) & (one.upper > 0)).tolist():
                reduced = exact.cost[a] + scaled[one.tail[a]] - scaled[one.head[a]]
                if reduced < 0:
                    pair = m.label_in(i, PRED, one.first[a]), m.label_in(i, TRUE, one.second[a])
                    binding[pair] = float(Fraction(reduced, exact.scale))
        tails, heads = m.circulation.ends

        def value(a: int) -> float:
            return float(potential[tails[a]] - potential[heads[a]])

        predicted, true = (np.array([value(a) for a in m.circulation.class_arcs(side)]) for side in (PRED, TRUE))
        groups = {step.name: value(step.arc) for step in _steps(m) if step.name and _may_bind(m, flow, step.arc)}
        return Prices(predicted, true, binding, {name: of for name, of in groups.items() if of})

    def _prove(self, row: int, arcs: Circulation, flow: list[int]) -> tuple[ExactFlow, list[int]]:
        """The potentials that prove an instance; rows that a user added take part in no flow."""
        try:
            return prove_cheapest(arcs, flow, f"instance {row + 1}")
        except InvalidSolution:
            if self.statuses[row] == Status.OPTIMAL and self.provenance.proved not in ("", CERTIFICATE):
                raise InvalidSolution(
                    f"instance {row + 1} has rows of your own: this is an integer program, not a flow, and has no dual "
                    "values that prove its optimum; use verify()"
                ) from None
            raise

    def prices(self) -> list[tuple[str, float]]:
        """What is paid beside pairs in the only instance: for what, and how much."""
        self._single("prices()")
        arcs, flow, of = self.model.circulation, self.model.flow(self), Arcs(self.model)
        paid = np.flatnonzero((arcs.group > Group.FROM_DEFAULT) & (flow > 0) & (arcs.cost > 0))
        return [(of.words(a), float(arcs.cost[a] * flow[a])) for a in paid.tolist()]

    def _found(self) -> Table:
        head = ["predicted", "true", "cost"] + ([] if self.model.units is None else ["mass"])
        return Table(head, [["default class" if of is None else of for of in pair] for pair in self.named_pairs()])


def check_bounds(model: PairingModel, solution: PairingSolution) -> None:
    """Raise InvalidSolution where a pairing breaks a bound, or something is lost on the way."""
    check_sizes(model, solution)
    arcs, flow = model.circulation, model.flow(solution)
    same = model.solution_of(solution.statuses, flow)
    taken = zip(same.to_default, solution.to_default, strict=True)
    if not np.array_equal(same.chosen, solution.chosen) or not all(np.array_equal(*each) for each in taken):
        raise InvalidSolution("a pair is chosen that does not exist, or is not what its arc carries")
    solved = solution.statuses <= Status.FEASIBLE
    for a in np.flatnonzero(((flow < arcs.lower) | (flow > arcs.upper)) & solved[arcs.rows])[:1].tolist():
        raise InvalidSolution(
            f"{_count(model, a, flow[a], solution)}; its bounds are {arcs.lower[a]} and {arcs.upper[a]}"
        )
    left = arcs.excess(flow)
    for node in np.flatnonzero((left != 0) & np.repeat(solved, arcs.nodes))[:1]:
        raise InvalidSolution(f"at {node_names(model)[node]} {left[node]} units too many come in")


def _count(model: PairingModel, a: int, flow: int, solution: PairingSolution) -> str:
    """How much an arc carries, in words."""
    arcs = model.circulation
    if arcs.role[a] != Role.ITSELF or arcs.group[a] not in (Group.PREDICTED, Group.TRUE):
        return f"{Arcs(model).words(a)} is {flow}"
    side, at = (PRED, arcs.first[a]) if arcs.group[a] == Group.PREDICTED else (TRUE, arcs.second[a])
    position = int(model.batch.sides[side].ptr[arcs.rows[a]] + at)
    counted = "units" if model.units is not None else f"pairs ({solution.to_default[side][position]} with the default)"
    return f"the {SIDES[side]} class {model.label(side, position)!r} has {flow} {counted}"


def certify(model: PairingModel, solution: PairingSolution, claim: Claim) -> PairingSolution:
    """Pairings that are proved to be of least cost or lowered to feasible, and a cut where there is none."""
    from hemlp.kernels.flow.certificate import BROKEN, PROVED  # type: ignore[attr-defined]

    prices = check_sizes(model, solution)
    if model.arcs is not None or (model.units is not None and solution.chosen.dtype != np.int64):
        check_bounds(model, solution)
    lower: dict[int, float] = {}
    others: dict[int, tuple[str, str]] = {}
    up, ut = solution.to_default
    solved = solution.statuses <= Status.FEASIBLE
    proved = np.zeros_like(solved)
    if model.units is not None and model.arcs is None:
        from hemlp.kernels.flow.transport import prove_transports

        proved = prove_transports(model.data, solved, solution.chosen, *prices)
    copy = not proved[solved].all()  # what is not proved may be improved
    made = PairingSolution(
        model, solution.statuses.copy(), solution.chosen.astype(np.bool_ if model.plain else np.int64, copy=copy),
        (up.astype(np.int64), ut.astype(np.int64)),
        None if solution.flow is None else solution.flow.astype(np.int64),
        hints=solution.hints, lower=lower, provenance=Provenance(claim.solver.name, CERTIFICATE, others),
    )  # fmt: skip
    left = solved & ~proved
    verdicts = _improve(model, made, left, prices) if left.any() else left
    if (verdicts == BROKEN).any():
        check_bounds(model, solution)
    for row in np.flatnonzero(left & (verdicts != PROVED)).tolist():
        one = model[row]
        flow = np.array(improve(one.circulation, one.flow(made[row]).tolist()), np.int64)
        made.write(row, one.solution_of(made.statuses[row : row + 1], flow))
    made.statuses[solved] = Status.OPTIMAL
    for row in np.flatnonzero(made.statuses == Status.INFEASIBLE).tolist():
        if (cut := ExactFlow(model[row].circulation).balance()) is not None:
            made.cuts[row] = cut
        else:
            made.statuses[row] = Status.UNSOLVED
    kept = zip((solution.chosen, *solution.to_default), (made.chosen, *made.to_default), strict=True)
    if model.arcs is None and all(np.array_equal(*each) for each in kept):
        return made
    rows = _changed_rows(model, solution, made)
    if rows.size:
        least = model.costs(made)
        for row in claim.accept_improvements(rows, model.costs(solution), least, model.cost_values, others).tolist():
            made.write(row, solution[row])
            made.statuses[row] = Status.FEASIBLE
            lower[row] = float(least[row])
    return made


def _improve(
    model: PairingModel, made: PairingSolution, left: NDArray[np.bool_], prices: tuple[FloatArray, FloatArray]
) -> Any:
    """Make solutions cheapest, where they are not, by compiled code; a verdict for each instance that is left."""
    if model.plain:
        from hemlp.kernels.flow.certificate import cheapest
        from hemlp.kernels.flow.pairing import Chosen

        return cheapest(model.data, left, Chosen(made.chosen, made.to_default, prices))
    from hemlp.kernels.flow.circulations import cheapest_flows

    if model.arcs is None:
        check_bounds(model, made)
    nodes, hints = int(model.circulation.first_nodes[-1]), made.hints
    given = hints is not None and [of.size for of in hints] == [nodes]
    potential = hints[0] if hints is not None and given else _potentials(model, *prices)
    flow = model.flow(made)
    before = flow.copy()
    verdicts = cheapest_flows(flow_data(model), left, flow, potential)
    if not np.array_equal(before, flow):
        again = model.solution_of(made.statuses, flow)
        for mine, theirs in zip((made.chosen, *made.to_default), (again.chosen, *again.to_default), strict=True):
            mine[:] = theirs
    return verdicts


def _changed_rows(model: PairingModel, first: PairingSolution, second: PairingSolution) -> IntArray:
    """The instances whose solutions differ."""
    if model.arcs is not None:
        lists = [(model.arcs.ptr, model.flow(first), model.flow(second))]
    else:
        pointers = model.pairs.ptr, model.batch.pred.ptr, model.batch.true.ptr
        chosen = first.chosen.astype(second.chosen.dtype, copy=False)
        lists = list(zip(pointers, (chosen, *first.to_default), (second.chosen, *second.to_default), strict=True))
    changed = [np.searchsorted(ptr, np.flatnonzero(old != new), side="right") - 1 for ptr, old, new in lists]
    rows: IntArray = np.unique(np.concatenate(changed))
    return rows


def _potentials(model: PairingModel, predicted: FloatArray, true: FloatArray) -> FloatArray:
    """Of all nodes of the circulation, from the prices of classes."""
    arcs, (tails, heads) = model.circulation, model.circulation.ends
    potential = np.zeros(int(arcs.first_nodes[-1]))
    potential[heads[arcs.class_arcs(PRED)]] = -predicted
    potential[tails[arcs.class_arcs(TRUE)]] = true
    return potential


@dataclass(frozen=True)
class _Step:
    """An arc whose ends differ in potential by a dual value; ``name``: of its row, "" for a class."""

    arc: int
    forward: bool
    name: str = ""


def _steps(model: PairingModel) -> list[_Step]:
    """From the source to every other node, each by an arc from (``forward``) or to a node that comes before it."""
    arcs, of = model.circulation, Arcs(model)
    steps: list[_Step] = []
    for group in (Group.TOTAL, Group.DEFAULT_TRUE, Group.DEFAULT_PRED, Group.PREDICTED, Group.TRUE):
        forward = group in (Group.DEFAULT_PRED, Group.PREDICTED)
        at = arcs.group == group
        units = np.flatnonzero(at & (arcs.role == Role.EACH) & (arcs.number == 0)).tolist()
        itself = np.flatnonzero(at & ((arcs.role == Role.ITSELF) | (arcs.role == Role.FREE))).tolist()
        counts = [_Step(a, forward, of.name(a).removesuffix("_unit1") + "_each") for a in units]
        own = [_Step(a, forward, "" if group in (Group.PREDICTED, Group.TRUE) else of.name(a)) for a in itself]
        steps += counts + own if forward else own + counts
    return steps


def _may_bind(model: PairingModel, flow: IntArray, a: int) -> bool:
    """Whether an arc may need a dual value: one without a limit does not, unless each class is full."""
    arcs = model.circulation
    return bool(arcs.role[a] != Role.FREE or (arcs.group[a] == Group.TOTAL and flow[a] == arcs.upper[a] > 0))


def _exact_potentials(model: PairingModel, prices: Prices) -> list[Fraction]:
    """Of all nodes, from all dual values: π(tail) − π(head) = y on the arc of each row, and π(source) = 0."""
    arcs, (tails, heads) = model.circulation, model.circulation.ends
    values: dict[int, float] = {}
    for side, given in ((PRED, prices.predicted), (TRUE, prices.true)):
        own = arcs.class_arcs(side).tolist()
        if len(given) != len(own):
            raise InvalidSolution(f"{plural(len(given), 'price')} for {len(own)} {SIDES[side]} classes")
        values.update(zip(own, given.tolist(), strict=True))
    steps = _steps(model)
    for name in prices.groups.keys() - {step.name for step in steps}:
        raise InvalidSolution(f"the prices name a group {name!r}, which the model does not have")
    potential = [Fraction(0)] * int(arcs.first_nodes[-1])
    for step in steps:
        tail, head = int(tails[step.arc]), int(heads[step.arc])
        value = Fraction(prices.groups.get(step.name, 0.0) if step.name else values[step.arc])
        if step.forward:
            potential[head] = potential[tail] - value
        else:
            potential[tail] = potential[head] + value
    return potential


def bound_terms(model: PairingModel, prices: Prices) -> list[Fraction]:
    """What each arc adds to the bound that prices prove, without rounding; of a transport for a mass of 1."""
    arcs, (tails, heads) = model.circulation, model.circulation.ends
    exact = _exact_potentials(model, prices)
    terms = []
    units = np.ones_like(arcs.ptr[1:]) if model.units is None else model.units
    columns = (of.tolist() for of in (tails, heads, arcs.cost, arcs.lower, arcs.upper, units[arcs.rows]))
    for tail, head, cost, low, high, scale in zip(*columns, strict=True):
        reduced = Fraction(cost) + exact[tail] - exact[head]
        terms.append(reduced * (low if reduced > 0 else high) / scale)
    return terms
