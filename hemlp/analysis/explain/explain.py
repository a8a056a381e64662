"""Why one instance scores what it scores: pairs with their paths and prices, minimal LCA graphs, closures.

>>> from hemlp import Batch, Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> explanation = explain(Batch.of(h, [["sheep"]], [["cow"]]), {"GIE": measure("GIE")})
>>> explanation.parts[0].pairs[0].path
('cow', 'mammal', 'sheep')
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from hemlp.analysis.explain import parts
from hemlp.analysis.explain.explanation import Explanation
from hemlp.errors import HemlpError, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, near_matches
from hemlp.instances.batch import Batch
from hemlp.instances.sides import SIDES
from hemlp.measures.base import Measure
from hemlp.measures.derived import ConstrainedMeasure, RankedMeasure
from hemlp.measures.pair_measure import PairMeasure, pairs_classes
from hemlp.measures.scoring import check_scorable, sharing_key
from hemlp.optimize.joint import JointSolution
from hemlp.optimize.program import Status
from hemlp.options import check_known, row_number
from hemlp.problems.lca.model import LcaModel
from hemlp.problems.lca.solution import LcaSolution
from hemlp.problems.pairing.costs import ShortestPath
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.results.results import Results, require_inputs


def explain(
    batch: Batch, measures: Mapping[str, Measure], row: int = 0, *, system: str = "",
    names: Mapping[Label, str] | None = None,
) -> Explanation:  # fmt: skip
    """Explain instance ``row`` of a batch; measures that share a model are explained together."""
    one = batch[row]
    groups: dict[Any, dict[str, Measure]] = {}
    for name, each in measures.items():
        each._check_complete()
        groups.setdefault(sharing_key(each), {})[name] = each
    explained = tuple(_explain_group(one, members) for members in groups.values())
    leaders = [next(iter(members.values())) for members in groups.values()]
    firsts = tuple(each.k if isinstance(each, RankedMeasure) else None for each in leaders)
    return Explanation(one, range(len(batch))[row], explained, system, names, firsts)


def explain_row(
    ev: Results, system: str, row: int | None = None, measures: Sequence[str] | None = None, *, id: Label | None = None
) -> Explanation:
    """Explain the scores of a system on one instance.

    Parameters
    ----------
    system
        The name of a system.
    row
        The number of an instance from 0; negative ones count from the end.
    measures
        One or several measures of the evaluation; None for all.
    id
        The id of the instance, instead of its number.

    Raises
    ------
    InvalidOption
        If the evaluation was read from a file, which does not hold the data, or the instance does not exist.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> evaluate(h, ["sheep"], ["cow"], ["GIE"]).explain("system", 0).parts[0].pairs[0].path
    ('cow', 'animal', 'sheep')
    """
    inputs = require_inputs(ev)
    check_known("system", system, ev.systems)
    chosen = [measures] if isinstance(measures, str) else measures
    for name in chosen or ():
        check_known("measure", name, ev.measures)
    number = _row_of(ev, row, id)
    wanted = {name: inputs.measures[name] for name in chosen or ev.measures}
    one = explain(inputs.take(system, [number]), wanted, system=system, names=inputs.names)
    return replace(one, row=number)


def _row_of(ev: Results, row: int | None, id: Label | None) -> int:
    """The number of an instance, from its number (negative ones count from the end) or its id."""
    if row is not None and id is not None:
        raise InvalidOption("row and id= both say which instance: give one of them")
    if id is None:
        try:
            return row_number(row, int(ev.facts[ev.systems[0]]["instances"]))
        except InvalidOption as error:
            hint = f"; {row!r} is an id: say id={row!r}" if repr(row) in map(repr, ev.ids or ()) else ""
            raise InvalidOption(f"{error}{hint}") from None
    if ev.ids is None:
        raise InvalidOption(f"id={id!r}: these instances have no ids: give the number of one")
    if id not in ev.ids:
        near = near_matches(id, ev.ids)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise InvalidOption(f"there is no instance with the id {id!r}{hint}")
    return list(ev.ids).index(id)


def _explain_group(one: Batch, measures: Mapping[str, Measure]) -> parts.Part:
    leader = next(iter(measures.values()))
    try:
        check_scorable([leader], one, "error")  # raises with the reason where it is undefined
        model = leader.model(one)
        solution = model.solve(*leader._solve_options)
        if solution.statuses[0] > Status.FEASIBLE:
            raise model.failure(solution, 0, 1)
    except HemlpError as error:
        reason = str(error.with_advice()).rpartition("instance 1: ")[2]
        return parts.UndefinedPart(dict.fromkeys(measures, math.nan), reason)
    values = {name: float(each.evaluate(model, solution)) for name, each in measures.items()}
    return explain_solution(solution, values, leader)


@singledispatch
def explain_solution(solution: Any, values: Mapping[str, float], measure: Measure) -> parts.Part:
    """The part of an explanation for a solution, by its type; for any set measure the two sets."""
    predicted, true = solution.sets
    down = getattr(getattr(measure, "augment", None), "direction", "up") == "down"
    dropped: parts.Nodes = getattr(solution, "dropped", frozenset())
    return parts.SetPart(values, predicted, true, dropped, "descendant" if down else "ancestor")


@explain_solution.register
def _explain_joint(solution: JointSolution, values: Mapping[str, float], measure: Measure) -> parts.JointPart:
    return parts.JointPart(values, {name: explain_solution(part, {}, measure) for name, part in solution.parts.items()})


@explain_solution.register
def _explain_lca(solution: LcaSolution, values: Mapping[str, float], measure: Measure) -> parts.LcaPart:
    def describe(lca: LcaSolution, of: Mapping[str, float]) -> parts.LcaPart:
        return parts.LcaPart(of, str(lca.status), lca.chosen_lcas, tuple(lca.paths), *lca.sets)

    model = solution.model
    batches = model.batch, model.facts.batch
    all_classes, used_classes = ({c for side in batch.sides for c in side.classes.tolist()} for batch in batches)
    left_out = frozenset(model.batch.hierarchy.labels[c] for c in all_classes - used_classes)
    result = replace(describe(solution, values), left_out=left_out)
    if not isinstance(model, LcaModel) or not measure.exact or not result.lcas:
        return result
    greedy = model.solve("greedy")
    if np.array_equal(greedy.sums, solution.sums) and greedy.lcas[0] == solution.lcas[0]:
        return result
    return replace(result, greedy=describe(greedy, {"F_LCA": greedy.objective}))


@explain_solution.register
def _explain_pairing(solution: PairingSolution, values: Mapping[str, float], measure: Measure) -> parts.PairingPart:
    model, named = solution.model, solution.named_pairs()
    cost = getattr(measure.measure if isinstance(measure, ConstrainedMeasure) else measure, "cost", None)
    h = None  # paths have lengths where costs are shortest paths
    if isinstance(cost, ShortestPath) and not cost.undirected:
        h = cost.lengths(model.batch.hierarchy)

    def make(u: Label | None, v: Label | None, cost: float) -> parts.Pair:
        return parts.Pair(u, v, cost, () if h is None or u is None or v is None else shortest_path(h, u, v))

    if model.units is not None:
        moves = tuple(make(p, t, c * mass) for p, t, c, mass in named)
        return parts.PairingPart(values, moves, {}, solution.objective, tuple(mass for *_, mass in named))
    by_side, of_groups = _prices(solution, measure)
    other_costs = None if model.arcs is None else tuple(solution.prices())
    pairs = tuple(make(*pair) for pair in named)
    return parts.PairingPart(values, pairs, by_side, solution.objective, None, other_costs, of_groups)


def _prices(
    solution: PairingSolution, measure: Measure
) -> tuple[dict[str, dict[Label, float]], tuple[tuple[str, float], ...]]:
    """The dual values of the classes of both sides, and of other bounds in words.

    There are none beside a user's constraints, nor where each class has a pair of its own, whose cost is all of it.
    """
    if isinstance(measure, ConstrainedMeasure) or (isinstance(measure, PairMeasure) and not pairs_classes(measure)):
        return {}, ()
    model, prices = solution.model, solution.duals()
    labels = model.batch.hierarchy.labels
    by_side = {
        name: {labels[c]: float(price) + 0.0 for c, price in zip(side.classes, of, strict=True)}
        for name, side, of in zip(SIDES, model.batch.sides, (prices.predicted, prices.true), strict=True)
    }
    if model.arcs is None:
        return by_side, ()
    words = {row.name: row.note for row in model.program().rows}
    return by_side, tuple((words.get(name, name), value) for name, value in prices.groups.items())


def shortest_path(h: Hierarchy, u: Label, v: Label) -> tuple[Label, ...]:
    """A shortest path from u up to a common ancestor and down to v, () without one; ties go to the smallest labels."""
    up = h.up_distances([h.id(u), h.id(v)])
    from_u, from_v = (dict(zip(*(part.tolist() for part in up[k]), strict=True)) for k in (0, 1))
    common = from_u.keys() & from_v.keys()
    if not common:
        return ()
    top = min(common, key=lambda a: (from_u[a] + from_v[a], a))
    down_to_u, down_to_v = (_descend(h, top, distances) for distances in (from_u, from_v))
    return tuple(h.labels[c] for c in [*down_to_u[::-1], *down_to_v[1:]])


def _descend(h: Hierarchy, top: int, distances: Mapping[int, float]) -> list[int]:
    """A shortest path from ``top`` down to the class that has these distances to its ancestors."""
    path = [top]
    while True:
        node = path[-1]
        nearer = []
        for e in range(h.child_ptr[node], h.child_ptr[node + 1]):
            child, length = int(h.child_idx[e]), 1.0 if h.edges.weights is None else float(h.edges.weights[e])
            if child in distances and math.isclose(distances[child] + length, distances[node], rel_tol=1e-9):
                nearer.append(child)
        if not nearer:
            return path
        path.append(min(nearer))
