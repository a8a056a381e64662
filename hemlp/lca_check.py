"""The rules of Problem 2, word for word and slowly: solutions are checked by code that no solver uses."""

from __future__ import annotations

import math
from itertools import pairwise

from hemlp.errors import InvalidSolution
from hemlp.hierarchy import Hierarchy
from hemlp.labels import Batch
from hemlp.lca_graph import LcaGraphs

Ups = dict[int, dict[int, float]]


def check_graphs(batch: Batch, row: int, horizon: int | None, graphs: LcaGraphs, place: str) -> None:
    """Raise InvalidSolution unless the graphs keep rules (i) to (v) on instance ``row``."""
    h = batch.hierarchy
    sides = [_without_ancestors(h, side[row].tolist()) for side in (batch.pred, batch.true)]
    ups = {c: visible(h, c, horizon) for side in sides for c in side}
    own: list[dict[int, set[int]]] = [
        {c: set().union(*(lca(ups, c, o) for o in nearest(ups, c, other))) for c in side}
        for side, other in (sides, sides[::-1])
    ]
    eligible = [{(c, a) for c in side for a in own[k][c]} for k, side in enumerate(sides)]
    for k in (0, 1):
        for c in sides[1 - k]:
            for o in nearest(ups, c, sides[k]):
                eligible[k] |= {(o, a) for a in lca(ups, c, o)}
    for k, name in enumerate(("predicted", "true")):
        drawn = [path for side, path in graphs.paths if side == k]
        links = [(path[0], path[-1]) for path in drawn]
        for path in drawn:
            _check_path(h, path, ups[path[0]], horizon, place)
        _require(len(set(links)) == len(links), place, "a link is drawn twice")
        _require(set(links) <= eligible[k], place, f"a {name} link is not eligible")
        _require({a for _, a in links} == graphs.lcas, place, f"{name} links do not reach exactly the chosen LCAs (v)")
        for c in sides[k]:
            _require(any(a in own[k][c] for x, a in links if x == c), place, f"a {name} class lacks its own LCA (ii)")
        for a in graphs.lcas:
            served = [c for c, b in links if b == a and a in own[k][c]]
            extra = [c for c, b in links if b == a and a not in own[k][c]]
            _require(len(extra) == (0 if served else 1), place, f"an LCA has {len(extra)} extra {name} links (v)")


def _require(holds: bool, place: str, words: str) -> None:
    if not holds:
        raise InvalidSolution(f"{place}: {words}")


def _without_ancestors(h: Hierarchy, classes: list[int]) -> list[int]:
    up = h.up_distances(classes)
    return [c for c in classes if not any(c in up[k][0][1:] for k in range(len(classes)))]


def visible(h: Hierarchy, c: int, horizon: int | None) -> dict[int, float]:
    """up(c, a) of all visible ancestors, and under the number of classes up(c, ⊤)."""
    nodes, distances = h.up_distances([c])[0]
    limit = math.inf if horizon is None else horizon
    ups = {int(a): float(d) for a, d in zip(nodes, distances, strict=True) if d < limit}
    return ups | {len(h): min(limit, 1.0 + float(h.unit_depths[c]))}


def lca(ups: Ups, u: int, v: int) -> set[int]:
    """LCA(u, v); ⊤, the largest number, only where there is no other common ancestor."""
    common = ups[u].keys() & ups[v].keys()
    common = common - {max(common)} or common
    least = min(ups[u][a] + ups[v][a] for a in common)
    return {a for a in common if ups[u][a] + ups[v][a] == least}


def nearest(ups: Ups, c: int, others: list[int]) -> list[int]:
    """S_best(c, others)."""

    def distance(o: int) -> float:
        a = next(iter(lca(ups, c, o)))
        return ups[c][a] + ups[o][a]

    least = min(map(distance, others), default=math.inf)
    return [o for o in others if distance(o) == least]


def _check_path(h: Hierarchy, path: tuple[int, ...], ups: dict[int, float], horizon: int | None, place: str) -> None:
    top = len(h)
    real = [node for node in path if node != top]
    steps = all(b in h.parent_idx[h.parent_ptr[a] : h.parent_ptr[a + 1]] for a, b in pairwise(real))
    _require(steps, place, "a path does not go from child to parent")
    _require(len(path) - 1 == ups.get(path[-1]), place, "a path is not shortest")
    if path[-1] == top:
        above = h.parent_idx[h.parent_ptr[path[-2]] : h.parent_ptr[path[-2] + 1]].tolist()
        leaves = not above or (len(path) - 1 == horizon and any(a not in ups for a in above))
        _require(leaves, place, "a path leaves for ⊤ where it cannot")
