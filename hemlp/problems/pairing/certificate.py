"""Whether pairings that somebody claims to be cheapest keep all bounds, and the proof that nothing is cheaper.

Plain pairings are proved without their circulation, all others by the flow on its arcs. Where compiled code does not
decide, exact arithmetic does; it never solves, but improves what is off by rounding.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray
from hemlp.errors import InvalidSolution
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.optimize.program import Status
from hemlp.optimize.solution_display import CERTIFICATE, Claim, Provenance
from hemlp.problems.pairing.circulation import Group, Role
from hemlp.problems.pairing.describe import Arcs, node_names
from hemlp.problems.pairing.pairs import check_sizes, chosen_data, flow_data
from hemlp.problems.pairing.proof import ExactFlow, improve
from hemlp.problems.pairing.solution import PairingSolution, Prices

if TYPE_CHECKING:
    from hemlp.problems.pairing.model import PairingModel


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
    from hemlp.kernels.flow.negative_cycles import BROKEN, PROVED

    check_sizes(model, solution)
    if model.arcs is not None:
        check_bounds(model, solution)
    lower: dict[int, float] = {}
    others: dict[int, tuple[str, str]] = {}
    up, ut = solution.to_default
    made = PairingSolution(
        model, solution.statuses.copy(), solution.chosen.astype(np.bool_ if model.arcs is None else np.int64),
        (up.astype(np.int64), ut.astype(np.int64)),
        None if solution.flow is None else solution.flow.astype(np.int64),
        hints=solution.hints, lower=lower, provenance=Provenance(claim.solver.name, CERTIFICATE, others),
    )  # fmt: skip
    solved = made.statuses <= Status.FEASIBLE
    verdicts = _improve(model, made, solved)
    if (verdicts == BROKEN).any():
        check_bounds(model, solution)
    for row in np.flatnonzero(solved & (verdicts != PROVED)).tolist():
        one = model[row]
        flow = np.array(improve(one.circulation, one.flow(made[row]).tolist()), np.int64)
        made.write(row, one.solution_of(made.statuses[row : row + 1], flow))
    made.statuses[solved] = Status.OPTIMAL
    for row in np.flatnonzero(made.statuses == Status.INFEASIBLE).tolist():
        if (cut := ExactFlow(model[row].circulation).balance()) is not None:
            made.cuts[row] = cut
        else:
            made.statuses[row] = Status.UNSOLVED
    rows = _changed_rows(model, solution, made)
    if rows.size:
        least = model.costs(made)
        for row in claim.accept_improvements(rows, model.costs(solution), least, model.cost_values, others).tolist():
            made.write(row, solution[row])
            made.statuses[row] = Status.FEASIBLE
            lower[row] = float(least[row])
    return made


def _improve(model: PairingModel, made: PairingSolution, solved: NDArray[np.bool_]) -> Any:
    """Make solutions cheapest, where they are not, by compiled code; a verdict for each instance."""
    if model.arcs is None:
        from hemlp.kernels.flow.certificate import cheapest

        return cheapest(model.data, solved, chosen_data(model, made))
    from hemlp.kernels.flow.circulations import cheapest_flows

    nodes, hints = int(model.arcs.first_nodes[-1]), made.hints
    dual = np.zeros(nodes) if hints is None or [of.size for of in hints] != [nodes] else hints[0]
    assert made.flow is not None
    before = made.flow.copy()
    verdicts = cheapest_flows(flow_data(model), solved, made.flow, dual)
    if not np.array_equal(before, made.flow):
        again = model.solution_of(made.statuses, made.flow)
        for mine, theirs in zip((made.chosen, *made.to_default), (again.chosen, *again.to_default), strict=True):
            mine[:] = theirs
    return verdicts


def _changed_rows(model: PairingModel, first: PairingSolution, second: PairingSolution) -> IntArray:
    """The instances whose solutions differ."""
    if model.arcs is not None:
        lists = [(model.arcs.ptr, model.flow(first), model.flow(second))]
    else:
        pointers = model.pairs.ptr, model.batch.pred.ptr, model.batch.true.ptr
        chosen = first.chosen.astype(np.bool_, copy=False)
        lists = list(zip(pointers, (chosen, *first.to_default), (second.chosen, *second.to_default), strict=True))
    changed = [
        np.searchsorted(ptr, np.flatnonzero(before != after), side="right") - 1
        for ptr, before, after in lists
        if not np.array_equal(before, after)
    ]
    rows: IntArray = np.unique(np.concatenate(changed)) if changed else np.empty(0, np.int64)
    return rows


def bound_terms(model: PairingModel, prices: Prices) -> list[Fraction]:
    """What each arc adds to the bound that prices prove, without rounding."""
    arcs = model.circulation
    potential, (tails, heads) = np.zeros(int(arcs.first_nodes[-1])), arcs.ends
    potential[heads[arcs.class_arcs(PRED)]] = -prices.predicted
    potential[tails[arcs.class_arcs(TRUE)]] = prices.true
    exact = list(map(Fraction, potential.tolist()))
    terms = []
    columns = (of.tolist() for of in (tails, heads, arcs.cost, arcs.lower, arcs.upper))
    for tail, head, cost, low, high in zip(*columns, strict=True):
        reduced = Fraction(cost) + exact[tail] - exact[head]
        terms.append(reduced * (low if reduced > 0 else high))
    return terms
