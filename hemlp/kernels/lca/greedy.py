"""Greedy set cover (Chvátal, 1979) as in the paper's Algorithm 1: minimal LCA graphs, approximately.

LCAs are taken by the number of classes that they serve until all are served, redundant ones are removed in two passes,
and each link takes the path that shares most nodes with those taken so far. Order and ties go by label. Polynomial:
O(LCAs² + links × nodes of their paths).
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels.bitsets import longer


class Greedy:
    """Algorithm 1; ``path_nodes[path_ptr[k]:path_ptr[k + 1]]`` is the path of the k-th link, from its class up."""

    def __init__(self, links):
        most = links.own.shape[0]
        self.kept, self._ptr, self._own = np.zeros(
            (3, most + 2), np.int64
        )  # own links of LCA a: _own[_ptr[a]:_ptr[a + 1]]
        self._times, self._linked = np.zeros((2, 2 * most + 2), np.int64)
        self.finder = PathFinder(links.size)
        self._sides = np.zeros(links.size + 1, np.uint8)
        self.drawn, self.path_ptr = np.zeros((2, 1024), np.int64)
        self.path_nodes = np.zeros(4096, np.int32)
        self.sizes = np.zeros(3, np.int64)
        self.paths = self.count = 0

    # ---- which LCAs

    def choose(self, links):
        """Choose LCAs that serve every class: the first of the sorted list, less the redundant ones."""
        for a in range(links.lcas):
            self.kept[a] = a
        for c in range(links.classes):
            self._times[c] = 0
        self._group(links)
        self._sort(links)
        unserved = links.classes
        self.count = 0
        while unserved:
            a = self.kept[self.count]
            for k in range(self._ptr[a], self._ptr[a + 1]):
                c = links.of_class[self._own[k]]
                unserved -= 1 if self._times[c] == 0 else 0
                self._times[c] += 1
            self.count += 1
        at = 0
        while at < self.count:
            at += 0 if self._drop_redundant(at, links) else 1
        for at in range(self.count - 1, -1, -1):
            self._drop_redundant(at, links)

    def _group(self, links):
        """Group the own links by LCA, in their order."""
        for a in range(links.lcas + 2):
            self._ptr[a] = 0
        for k in range(links.number):
            self._ptr[links.of_lca[k] + 2] += links.own[k]
        for a in range(links.lcas):
            self._ptr[a + 2] += self._ptr[a + 1]
        for k in range(links.number):
            if links.own[k]:
                at = links.of_lca[k] + 1
                self._own[self._ptr[at]] = k
                self._ptr[at] += 1

    def _sort(self, links):
        """Sort the LCAs: those that serve most classes first, then by label."""
        for i in range(1, links.lcas):
            a = self.kept[i]
            at = i
            while at > 0 and self._comes_before(a, self.kept[at - 1], links):
                self.kept[at] = self.kept[at - 1]
                at -= 1
            self.kept[at] = a

    def _comes_before(self, a, b, links):
        a_serves = self._ptr[a + 1] - self._ptr[a]
        b_serves = self._ptr[b + 1] - self._ptr[b]
        if a_serves != b_serves:
            return a_serves > b_serves
        return links.lca_nodes[a] < links.lca_nodes[b]

    def _drop_redundant(self, at, links):
        """Drop the LCA at this place if others serve all its classes, too; whether it was dropped."""
        a = self.kept[at]
        for k in range(self._ptr[a], self._ptr[a + 1]):
            if self._times[links.of_class[self._own[k]]] < 2:
                return False
        for k in range(self._ptr[a], self._ptr[a + 1]):
            self._times[links.of_class[self._own[k]]] -= 1
        self.count -= 1
        for later in range(at, self.count):
            self.kept[later] = self.kept[later + 1]
        return True

    # ---- which paths

    def draw_all(self, links):
        """Draw a path for each LCA and class that it serves, the true side first; then one for each side without."""
        first = self.paths
        for a in range(self.count):
            for side in range(1, -1, -1):
                self._linked[2 * a + side] = 0
                for at in range(self._ptr[self.kept[a]], self._ptr[self.kept[a] + 1]):
                    k = self._own[at]
                    if links.side[k] == side:
                        self._find_path(k, links)
                        self._draw(k, links)
                        self._linked[2 * a + side] = 1
        for a in range(self.count):
            for side in range(1, -1, -1):
                if not self._linked[2 * a + side]:
                    self._draw_spare(a, side, links)
        self._measure(first, links)
        return 0

    def _find_path(self, k, links):
        """Find the path of a link that shares most; how many nodes it shares."""
        link = links.first + k
        return self.finder.find(
            links.nodes, links.node_ptr[link], links.node_ptr[link + 1],
            links.lower, links.upper, links.edge_ptr[link], links.edge_ptr[link + 1],
        )  # fmt: skip

    def _draw(self, k, links):
        """Draw the path of ``_find_path``."""
        link = links.first + k
        at = self.path_ptr[self.paths]
        if self.paths + 2 > self.drawn.shape[0]:
            with cython.gil:
                self.drawn, self.path_ptr = longer(self.drawn, 0), longer(self.path_ptr, 0)
        if at + links.length[k] + 1 > self.path_nodes.shape[0]:
            with cython.gil:
                self.path_nodes = longer(self.path_nodes, at + links.length[k] + 1)
        end = self.finder.write(links.nodes, links.node_ptr[link], links.node_ptr[link + 1], self.path_nodes, at)
        for n in range(at, end):
            self.finder.taken[self.path_nodes[n]] = 1
        self.drawn[self.paths] = link
        self.paths += 1
        self.path_ptr[self.paths] = end
        return 0

    def _draw_spare(self, a, side, links):
        """Draw the first of the links that share most."""
        best = NO_LINK
        most = 0
        for k in range(links.number):
            if links.of_lca[k] == self.kept[a] and links.side[k] == side:
                shared = self._find_path(k, links)
                if best == NO_LINK or shared > most:
                    best = k
                    most = shared
        self._find_path(best, links)
        self._draw(best, links)
        return 0

    def _measure(self, first, links):
        """Count |G_p|, |G_t| and |G_p ∩ G_t|, and clear what is taken."""
        self.sizes[0] = self.sizes[1] = self.sizes[2] = 0
        for path in range(first, self.paths):
            side = 1 + links.side[self.drawn[path] - links.first]
            for n in range(self.path_ptr[path], self.path_ptr[path + 1]):
                node = self.path_nodes[n]
                if not self._sides[node] & side:
                    self._sides[node] |= side
                    self.sizes[side - 1] += 1
                    self.sizes[2] += 1 if self._sides[node] == 3 else 0
        for n in range(self.path_ptr[first], self.path_ptr[self.paths]):
            self._sides[self.path_nodes[n]] = 0
            self.finder.taken[self.path_nodes[n]] = 0


def greedy_graphs(facts: Any, size: int, lcas: Any = None) -> Any:
    """Run Algorithm 1 on each instance, or on a single one with given ``lcas`` (nodes) that serve every class.

    Returns a table (1, |Z|, |G_p|, |G_t|, what they share, 0), and the drawn links with their paths: a pointer into
    links, the links, a pointer into nodes, the nodes.
    """
    links: Links = Links(facts, size)
    made: Greedy = Greedy(links)
    instances = len(facts.pred_ptr) - 1
    table, link_ptr = np.zeros((instances, 6), np.int64), np.zeros(instances + 1, np.int64)
    if lcas is None:
        _draw_all(made, links, table, link_ptr)
    else:
        _draw_over(made, links, np.array(lcas, np.int64), table, link_ptr)
    end = made.path_ptr[made.paths]
    drawn, nodes = np.asarray(made.drawn)[: made.paths], np.asarray(made.path_nodes)[:end]
    return table, link_ptr, drawn.copy(), np.asarray(made.path_ptr)[: made.paths + 1].copy(), nodes.copy()


def _draw_all(made, links, table, link_ptr):
    with cython.nogil:
        for i in range(table.shape[0]):
            if i % 64 == 0:
                look_for_signals()
            predicted = links.pred_ptr[i + 1] - links.pred_ptr[i]
            true = links.true_ptr[i + 1] - links.true_ptr[i]
            table[i, 0] = 1
            table[i, 2] = predicted
            table[i, 3] = true
            if predicted and true:
                links.read(i)
                made.choose(links)
                made.draw_all(links)
                _note(made, table, i)
            link_ptr[i + 1] = made.paths
    return 0


def _draw_over(made, links, nodes, table, link_ptr):
    with cython.nogil:
        links.read(0)
        made._group(links)
        made.count = nodes.shape[0]
        for n in range(nodes.shape[0]):
            for a in range(links.lcas):
                if links.lca_nodes[a] == nodes[n]:
                    made.kept[n] = a
        made.draw_all(links)
        _note(made, table, 0)
        link_ptr[1] = made.paths
    return 0


def _note(made, table, i):
    table[i, 0] = 1
    table[i, 1] = made.count
    for k in range(3):
        table[i, 2 + k] = made.sizes[k]
