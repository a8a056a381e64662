"""Why one instance scores what it scores: pairs with their paths and prices, minimal LCA graphs, closures.

>>> from hemlp import Batch, Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> explanation = explain(Batch.of(h, [["sheep"]], [["cow"]]), {"GIE": measure("GIE")})
>>> explanation.parts[0].pairs[0].path
('cow', 'mammal', 'sheep')
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from hemlp.analysis.explain.explanation import Explanation, LcaPart, Pair, PairingPart, Part, SetPart, UndefinedPart
from hemlp.analysis.explain.joint_parts import FlowPart, JointPart, TransportPart
from hemlp.errors import HemlpError
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import SIDES
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.base import Measure
from hemlp.measures.derived import ConstrainedMeasure
from hemlp.measures.scoring import check_scorable, sharing_key
from hemlp.optimize.joint import JointSolution
from hemlp.optimize.program import Status
from hemlp.problems.lca.model import LcaModel
from hemlp.problems.lca.solution import LcaSolution
from hemlp.problems.pairing.costs import ShortestPath
from hemlp.problems.pairing.solution import PairingSolution


def explain(
    batch: Batch,
    measures: Mapping[str, Measure],
    row: int = 0,
    *,
    system: str = "",
    names: Mapping[Label, str] | None = None,
) -> Explanation:
    """Explain instance ``row`` of a batch; measures that share a model are explained together."""
    one = batch[row]
    groups: dict[Any, list[str]] = {}
    for name, each in measures.items():
        each._check_complete()
        groups.setdefault(sharing_key(each), []).append(name)
    parts = tuple(_explain_group(one, {name: measures[name] for name in members}) for members in groups.values())
    leaders = [measures[members[0]] for members in groups.values()]
    firsts = tuple(each.k if isinstance(each, RankedMeasure) else None for each in leaders)
    return Explanation(one, range(len(batch))[row], parts, system, names, firsts)


def _explain_group(one: Batch, measures: Mapping[str, Measure]) -> Part:
    leader = next(iter(measures.values()))
    try:
        check_scorable([leader], one, "error")  # says why, where it is undefined
        model = leader.model(one)
        solution = model.solve(*leader._solve_options)
        if solution.statuses[0] > Status.FEASIBLE:
            raise model.failure(solution, 0, 1)
    except HemlpError as error:
        return UndefinedPart(dict.fromkeys(measures, math.nan), str(error.with_advice()).removeprefix("instance 1: "))
    values = {name: float(each.evaluate(model, solution)) for name, each in measures.items()}
    return explain_solution(solution, values, leader)


@singledispatch
def explain_solution(solution: Any, values: Mapping[str, float], measure: Measure) -> Part:
    """The part of an explanation for a solution, by its type; for any set measure the two sets."""
    predicted, true = solution.sets
    return SetPart(values, predicted, true, getattr(solution, "dropped", frozenset()))


@explain_solution.register
def _explain_pairing(solution: PairingSolution, values: Mapping[str, float], measure: Measure) -> PairingPart:
    model, found = solution.model, solution.named_pairs()
    measured = _hierarchy_with_lengths(measure, model.batch.hierarchy)
    if model.units is not None:
        moves = tuple(Pair(p, t, c * mass, _path_between(measured, p, t)) for p, t, c, mass in found)
        return TransportPart(values, moves, {}, solution.objective, tuple(mass for *_, mass in found))
    pairs = tuple(Pair(p, t, c, _path_between(measured, p, t)) for p, t, c in found)
    prices = _prices_by_side(solution, measure)
    if model.arcs is not None:
        return FlowPart(values, pairs, prices, solution.objective, tuple(solution.prices()))
    return PairingPart(values, pairs, prices, solution.objective)


def _prices_by_side(solution: PairingSolution, measure: Measure) -> dict[str, dict[Label, float]]:
    """Of each class of both sides; constraints of a user's own leave classes without prices."""
    if isinstance(measure, ConstrainedMeasure):
        return {}
    batch, prices = solution.model.batch, solution.duals()
    labels, sides = batch.hierarchy.labels, zip(batch.sides, (prices.predicted, prices.true), strict=True)
    return {
        side: {labels[c]: float(price) + 0.0 for c, price in zip(of.classes, prices_of, strict=True)}
        for side, (of, prices_of) in zip(SIDES, sides, strict=True)
    }


@explain_solution.register
def _explain_joint(solution: JointSolution, values: Mapping[str, float], measure: Measure) -> JointPart:
    return JointPart(values, {name: explain_solution(part, {}, measure) for name, part in solution.parts.items()})


def _hierarchy_with_lengths(measure: Measure, h: Hierarchy) -> Hierarchy | None:
    """The hierarchy with the lengths by which pairs cost what they cost, where those are shortest paths."""
    cost = getattr(measure.measure if isinstance(measure, ConstrainedMeasure) else measure, "cost", None)
    return cost.lengths(h) if isinstance(cost, ShortestPath) and not cost.undirected else None


def _path_between(h: Hierarchy | None, u: Label | None, v: Label | None) -> tuple[Label, ...]:
    return () if h is None or u is None or v is None else shortest_path(h, u, v)


def shortest_path(h: Hierarchy, u: Label, v: Label) -> tuple[Label, ...]:
    """A shortest path from u up to a common ancestor and down to v, () without one; ties go to the smallest labels."""
    up = h.up_distances([h.id(u), h.id(v)])
    from_u, from_v = (dict(zip(*(part.tolist() for part in up[k]), strict=True)) for k in (0, 1))
    common = from_u.keys() & from_v.keys()
    if not common:
        return ()
    top = min(common, key=lambda a: (from_u[a] + from_v[a], a))
    there, back = (_climb(h, top, distances) for distances in (from_u, from_v))
    return tuple(h.labels[c] for c in [*there, *back[::-1][1:]])


def _climb(h: Hierarchy, top: int, distances: Mapping[int, float]) -> list[int]:
    """A shortest way up to ``top``, from its distances; found from the top down."""
    way = [top]
    while distances[way[-1]] > 0 or distances.keys() != {way[-1]}:
        node = way[-1]
        below = [
            (int(h.child_idx[e]), 1.0 if h.edges.weights is None else float(h.edges.weights[e]))
            for e in range(h.child_ptr[node], h.child_ptr[node + 1])
        ]
        nearer = [
            child
            for child, length in below
            if child in distances and math.isclose(distances[child] + length, distances[node], rel_tol=1e-9)
        ]
        if not nearer:
            break
        way.append(min(nearer))
    return way[::-1]


@explain_solution.register
def _explain_lca(solution: LcaSolution, values: Mapping[str, float], measure: Measure) -> LcaPart:
    def describe(lca: LcaSolution, of: Mapping[str, float]) -> LcaPart:
        predicted, true = lca.sets
        return LcaPart(of, str(lca.status), lca.chosen_lcas, tuple(lca.paths), predicted, true)

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
