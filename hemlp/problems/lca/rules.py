"""The definitions and rules of Problem 2, word for word and slowly: checks share no code with solvers."""

from __future__ import annotations

import math
from functools import cached_property
from itertools import pairwise

import numpy as np

from hemlp.errors import InvalidSolution
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.instances.sides import SIDES
from hemlp.problems.lca.graphs import LcaGraphs
from hemlp.problems.lca.links import LcaInstance, Link

Ups = dict[int, dict[int, float]]


class Definitions:
    """The definitions of Problem 2 for instance ``row`` of a batch: most specific classes, LCAs, eligible pairs."""

    def __init__(self, batch: Batch, row: int, horizon: int | None) -> None:
        self.h, self.horizon = batch.hierarchy, horizon
        self.top = len(self.h)
        self.sides = [_without_ancestors(self.h, side[row].tolist()) for side in (batch.pred, batch.true)]
        self.ups = {c: visible(self.h, c, horizon) for side in self.sides for c in side}
        self.own: list[dict[int, set[int]]] = [
            {c: set().union(*(lca(self.ups, c, o) for o in nearest(self.ups, c, other))) for c in side}
            for side, other in (self.sides, self.sides[::-1])
        ]
        self.eligible = [{(c, a) for c in side for a in self.own[k][c]} for k, side in enumerate(self.sides)]
        for k in (0, 1):
            for c in self.sides[1 - k]:
                for o in nearest(self.ups, c, self.sides[k]):
                    self.eligible[k] |= {(o, a) for a in lca(self.ups, c, o)}

    def parents(self, node: int) -> list[int]:
        """Pa(node)."""
        parents: list[int] = self.h.parent_idx[self.h.parent_ptr[node] : self.h.parent_ptr[node + 1]].tolist()
        return parents

    def leaves_for_top(self, c: int, node: int) -> bool:
        """Whether a shortest path from ``c`` into ⊤ can leave the visible part at ``node``."""
        ups, above = self.ups[c], self.parents(node)
        if ups.get(node, math.inf) + 1 != ups[self.top]:
            return False
        return not above or (ups[self.top] == self.horizon and any(a not in ups for a in above))

    def path_graph(self, c: int, a: int) -> tuple[list[int], list[tuple[int, int]]]:
        """All shortest upward paths from ``c`` to ``a``: nodes, ``a`` first, and edges (lower, upper)."""
        ups = self.ups[c]
        nodes, edges = {a}, []
        for node in sorted(ups.keys() - {a, self.top}, key=lambda node: (-ups[node], node)):
            above = [b for b in self.parents(node) if b in nodes and ups[b] == ups[node] + 1]
            if a == self.top and self.leaves_for_top(c, node):
                above.append(a)
            if above and ups[node] < ups[a]:
                nodes.add(node)
                edges += [(node, b) for b in above]
        return sorted(nodes, key=lambda node: (-ups[node], node)), edges

    @cached_property
    def path_graphs(self) -> dict[tuple[int, int, int], tuple[list[int], list[tuple[int, int]]]]:
        """(side, class, LCA) → nodes and edges of all shortest paths."""
        return {(k, c, a): self.path_graph(c, a) for k in (0, 1) for c, a in sorted(self.eligible[k])}

    def nodes(self, side: int) -> frozenset[int]:
        """The nodes of G_ex."""
        return frozenset(v for (k, _, _), (nodes, _) in self.path_graphs.items() if k == side for v in nodes)

    @cached_property
    def instance(self) -> LcaInstance:
        """The instance for the programs of Problem 2, without superfluous twins.

        Twins have the same neighbours in the same links. A path goes through one of them at most, so no solution
        needs more of them than there are such links.
        """
        neighbours: dict[int, set[tuple[int, int, int]]] = {}
        for number, (nodes, edges) in enumerate(self.path_graphs.values()):
            for node in nodes:
                neighbours.setdefault(node, set()).add((number, -1, -1))
            for low, high in edges:
                neighbours[low].add((number, 1, high))
                neighbours[high].add((number, 0, low))
        twins: dict[frozenset[tuple[int, int, int]], list[int]] = {}
        for node in sorted(neighbours):
            twins.setdefault(frozenset(neighbours[node]), []).append(node)
        kept = {node for around, alike in twins.items() for node in alike[: len({number for number, _, _ in around})]}

        def link(k: int, c: int, a: int) -> Link:
            nodes, edges = self.path_graphs[k, c, a]
            lower, upper = np.array([e for e in edges if kept.issuperset(e)], np.int32).reshape(-1, 2).T.copy()
            kept_nodes = np.array([node for node in nodes if node in kept], np.int32)
            return Link(c, a, a in self.own[k][c], kept_nodes, lower, upper)

        links = [tuple(link(*key) for key in self.path_graphs if key[0] == k) for k in (0, 1)]
        return LcaInstance(self.top, (tuple(self.sides[0]), tuple(self.sides[1])), (links[0], links[1]))

    def check(self, graphs: LcaGraphs, place: str) -> None:
        """Raise InvalidSolution unless the graphs keep rules (i) to (v)."""
        for k, name in enumerate(SIDES):
            drawn = [path for side, path in graphs.paths if side == k]
            links = [(path[0], path[-1]) for path in drawn]
            for path in drawn:
                _require(path[0] in self.sides[k], place, f"a path does not begin at a {name} class")
                self._check_path(path, place)
            _require(len(set(links)) == len(links), place, "a link is drawn twice")
            _require(set(links) <= self.eligible[k], place, f"a {name} link is not eligible")
            _require(
                {a for _, a in links} == graphs.lcas, place, f"{name} links do not reach exactly the chosen LCAs (v)"
            )
            own = self.own[k]
            for c in self.sides[k]:
                _require(any(a in own[c] for x, a in links if x == c), place, f"a {name} class lacks its own LCA (ii)")
            for a in graphs.lcas:
                served = [c for c, b in links if b == a and a in own[c]]
                extra = [c for c, b in links if b == a and a not in own[c]]
                _require(len(extra) == (0 if served else 1), place, f"an LCA has {len(extra)} extra {name} links (v)")

    def _check_path(self, path: tuple[int, ...], place: str) -> None:
        real = [node for node in path if node != self.top]
        steps = all(b in self.parents(a) for a, b in pairwise(real))
        _require(steps, place, "a path does not go from child to parent")
        _require(len(path) - 1 == self.ups[path[0]].get(path[-1]), place, "a path is not shortest")
        if path[-1] == self.top:
            _require(self.leaves_for_top(path[0], path[-2]), place, "a path leaves for ⊤ where it cannot")


def _require(holds: bool, place: str, words: str) -> None:
    if not holds:
        raise InvalidSolution(f"{place}: {words}")


def _without_ancestors(h: Hierarchy, classes: list[int]) -> list[int]:
    up = h.up_distances(classes)
    return [c for c in classes if not any(c in up[k][0][1:] for k in range(len(classes)))]


def visible(h: Hierarchy, c: int, horizon: int | None) -> dict[int, float]:
    """up(c, a) of all visible ancestors a, and up(c, ⊤) at the number of classes."""
    nodes, distances = h.up_distances([c])[0]
    limit = math.inf if horizon is None else horizon
    ups = {int(a): float(d) for a, d in zip(nodes, distances, strict=True) if d < limit}
    return ups | {len(h): min(limit, 1.0 + float(h.unit_depths[c]))}


def lca(ups: Ups, u: int, v: int) -> set[int]:
    """LCA(u, v); ⊤, the largest number, only if there is no other common ancestor."""
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
