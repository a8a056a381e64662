"""Dynamic program over a shortest-path graph: the path with most nodes already taken. O(edges)."""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer


class PathFinder:
    """Finds paths in graphs of links: nodes stand from the LCA down, and edges in the order of their lower nodes."""

    def __init__(self, size: int) -> None:
        self.taken = np.zeros(size + 1, np.uint8)
        self._place = np.zeros(size + 1, np.int32)
        self._following, self._most = np.zeros((2, 256), np.int64)

    def find(self, nodes, begin, end, lower, upper, edge, last_edge):
        """Find the best path from the last of ``nodes[begin:end]`` up to the first; how many nodes are taken.

        Ties go to the smallest sequence of nodes from the last one up.
        """
        if end - begin > self._most.shape[0]:
            with cython.gil:
                self._following, self._most = longer(self._following, end - begin), longer(self._most, end - begin)
        self._place[nodes[begin]] = 0
        self._most[0] = self.taken[nodes[begin]]
        self._following[0] = NOWHERE
        for k in range(1, end - begin):
            node = nodes[begin + k]
            self._place[node] = k
            best = NOWHERE
            while edge < last_edge and lower[edge] == node:
                above = self._place[upper[edge]]
                if (
                    best == NOWHERE
                    or self._most[above] > self._most[best]
                    or (self._most[above] == self._most[best] and upper[edge] < nodes[begin + best])
                ):
                    best = above
                edge += 1
            self._following[k] = best
            self._most[k] = self._most[best] + self.taken[node]
        return self._most[end - begin - 1]

    def write(self, nodes, begin, end, path, at):
        """Write the last path of ``find`` to ``path`` from ``at`` on; where it ends."""
        k = end - begin - 1
        while k != NOWHERE:
            path[at] = nodes[begin + k]
            at += 1
            k = self._following[k]
        return at


def best_path(finder: PathFinder, nodes: Array, lower: Array, upper: Array) -> Array:
    """The path of one link with most nodes taken."""
    path = np.zeros(len(nodes), np.int32)
    return path[: _best_path(finder, nodes, lower, upper, path)]


def _best_path(finder, nodes, lower, upper, path):
    finder.find(nodes, 0, nodes.shape[0], lower, upper, 0, lower.shape[0])
    return finder.write(nodes, 0, nodes.shape[0], path, 0)
