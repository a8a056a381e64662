"""The paper's Algorithm 1: minimal LCA graphs, approximately.

LCAs are taken by the number of classes that they serve until all are served, redundant ones are removed in two passes,
and each link takes the path that shares most nodes with those taken so far. Order and ties go by label, so the result
may depend on names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

import numpy as np

from hemlp.lca.graphs import LcaGraphs
from hemlp.lca.links import PRED, TRUE, LcaInstance, Link


class Greedy:
    """Algorithm 1 on one instance; the true side first, as everywhere in it."""

    def __init__(self, instance: LcaInstance) -> None:
        self.instance = instance
        self.links: dict[tuple[int, int], list[Link]] = {}
        for side in (TRUE, PRED):
            for link in sorted(instance.links[side], key=lambda link: link.label):
                self.links.setdefault((side, link.lca), []).append(link)

    def graphs(self, lcas: Iterable[int] | None = None) -> LcaGraphs:
        """Graphs over the LCAs that the algorithm takes, or over others that serve every class."""
        kept = self.lcas if lcas is None else list(lcas)
        paths = PathFinder(self.instance.size)
        drawn: list[tuple[int, tuple[int, ...]]] = []

        def draw(side: int, link: Link) -> None:
            _, path = paths.best(link)
            paths.take(path)
            drawn.append((side, path))

        linked: set[tuple[int, int]] = set()
        for a in kept:
            for side in (TRUE, PRED):
                for link in self.links.get((side, a), ()):
                    if link.own:
                        draw(side, link)
                        linked.add((side, a))
        for a in kept:
            for side in (TRUE, PRED):
                if (side, a) not in linked:  # the first of the best
                    draw(side, max(self.links[side, a], key=lambda link: paths.best(link)[0]))
        return LcaGraphs(frozenset(kept), tuple(drawn))

    @cached_property
    def lcas(self) -> list[int]:
        """LCAs that serve every class: from the top of the sorted list, then without the redundant ones."""
        serves: dict[int, set[tuple[int, int]]] = {}
        for who, own in self.instance.own_lcas.items():
            for a in own:
                serves.setdefault(a, set()).add(who)
        times = dict.fromkeys(self.instance.own_lcas, 0)  # how often each class is served
        kept: list[int] = []
        for a in sorted(serves, key=lambda a: (-len(serves[a]), a)):
            if all(times.values()):
                break
            kept.append(a)
            for who in serves[a]:
                times[who] += 1
        for order in (list(kept), None):
            for a in order if order is not None else kept[::-1]:
                if all(times[who] > 1 for who in serves[a]):
                    kept.remove(a)
                    for who in serves[a]:
                        times[who] -= 1
        return kept


class PathFinder:
    """Shortest paths that share most nodes with those ``taken`` so far."""

    def __init__(self, size: int) -> None:
        self._taken = np.zeros(size + 1, np.bool_)
        self._place = np.zeros(size + 1, np.int32)

    def take(self, nodes: Collection[int]) -> None:
        """Count these nodes as taken."""
        self._taken[list(nodes)] = True

    def best(self, link: Link) -> tuple[int, tuple[int, ...]]:
        """The path with most nodes taken, and how many; ties go to the smallest sequence of labels."""
        from hemlp.kernels.paths import best_path

        shared, path = best_path(link.nodes, link.lower, link.upper, self._taken, self._place)
        return int(shared), tuple(path.tolist())
