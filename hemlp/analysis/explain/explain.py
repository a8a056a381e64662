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

from hemlp.analysis.explain.joint_parts import Ruled, Several, Transport
from hemlp.analysis.explain.parts import Explanation, Graphs, Pair, Pairing, Part, Sets, Unexplained
from hemlp.errors import HemlpError
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import SIDES
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.base import Measure
from hemlp.measures.scoring import check_scorable, sharing_key
from hemlp.optimize.joint import JointSolution
from hemlp.optimize.program import STATUSES, Status
from hemlp.problems.lca.model import LcaModel
from hemlp.problems.lca.solution import LcaSolution
from hemlp.problems.pairing.costs import ShortestPath
from hemlp.problems.pairing.solution import PairingSolution, Prices


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
    parts = tuple(_part(one, {name: measures[name] for name in members}) for members in groups.values())
    leaders = [measures[members[0]] for members in groups.values()]
    firsts = tuple(each.k if isinstance(each, RankedMeasure) else None for each in leaders)
    return Explanation(one, range(len(batch))[row], parts, system, names, firsts)


def _part(one: Batch, measures: Mapping[str, Measure]) -> Part:
    leader = next(iter(measures.values()))
    try:
        check_scorable([leader], one, "error")  # says why, where it is undefined
        model = leader.model(one)
        solution = model.solve()
        if solution.statuses[0] > STATUSES.index(Status.FEASIBLE):
            raise model.failure(solution, 0, 1)
    except HemlpError as error:
        return Unexplained(dict.fromkeys(measures, math.nan), str(error.advised()).removeprefix("instance 1: "))
    values = {name: float(each.evaluate(model, solution)) for name, each in measures.items()}
    return explained(solution, values, leader)


@singledispatch
def explained(solution: Any, values: Mapping[str, float], measure: Measure) -> Part:
    """What there is to show of a solution, by its type: of any set measure's the two sets."""
    predicted, true = solution.sets
    return Sets(values, predicted, true, getattr(solution, "dropped", frozenset()))


@explained.register
def _pairing(solution: PairingSolution, values: Mapping[str, float], measure: Measure) -> Pairing:
    model, found = solution.model, solution.named_pairs()
    measured = _measured(measure, model.batch.hierarchy)
    if model.units is not None:
        moves = tuple(Pair(p, t, c * mass, _way(measured, p, t)) for p, t, c, mass in found)
        return Transport(values, moves, {}, solution.objective, tuple(mass for *_, mass in found))
    pairs = tuple(Pair(p, t, c, _way(measured, p, t)) for p, t, c in found)
    prices = _prices(model.batch, solution.duals())
    if model.arcs is not None:
        return Ruled(values, pairs, prices, solution.objective, tuple(solution.prices()))
    return Pairing(values, pairs, prices, solution.objective)


def _prices(batch: Batch, prices: Prices) -> dict[str, dict[Label, float]]:
    """Of each class of both sides."""
    labels, sides = batch.hierarchy.labels, zip(batch.sides, (prices.predicted, prices.true), strict=True)
    return {
        side: {labels[c]: float(price) + 0.0 for c, price in zip(of.classes, found, strict=True)}
        for side, (of, found) in zip(SIDES, sides, strict=True)
    }


@explained.register
def _several(solution: JointSolution, values: Mapping[str, float], measure: Measure) -> Several:
    return Several(values, {name: explained(part, {}, measure) for name, part in solution.parts.items()})


def _measured(measure: Measure, h: Hierarchy) -> Hierarchy | None:
    """The hierarchy with the lengths by which pairs cost what they cost, where those are shortest paths."""
    cost = getattr(measure, "cost", None)
    return cost.lengths(h) if isinstance(cost, ShortestPath) and not cost.undirected else None


def _way(h: Hierarchy | None, u: Label | None, v: Label | None) -> tuple[Label, ...]:
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


@explained.register
def _graphs(solution: LcaSolution, values: Mapping[str, float], measure: Measure) -> Graphs:
    def made(found: LcaSolution, of: Mapping[str, float]) -> Graphs:
        predicted, true = found.sets
        return Graphs(of, str(found.status), found.chosen_lcas, tuple(found.paths), predicted, true)

    model = solution.model
    batches = model.batch, model.facts.batch
    given, kept = ({c for side in batch.sides for c in side.classes.tolist()} for batch in batches)
    left_out = frozenset(model.batch.hierarchy.labels[c] for c in given - kept)
    result = replace(made(solution, values), left_out=left_out)
    if not isinstance(model, LcaModel) or not measure.exact or not result.lcas:
        return result
    greedy = model.solve("greedy")
    if np.array_equal(greedy.sums, solution.sums) and greedy.lcas[0] == solution.lcas[0]:
        return result
    return replace(result, greedy=made(greedy, {"F_LCA": greedy.objective}))
