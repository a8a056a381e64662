"""The eligible links of Problem 2, a few instances at a time: distances, LCAs, graphs of shortest paths."""

from __future__ import annotations

import cython


class LinkFinder:
    """Writes the links of some instances into ``pairs`` and ``graphs``."""

    def __init__(self, numbering: LocalNumbering, pairs: Eligible, graphs: PathGraphs) -> None:
        self.numbering, self.pairs, self.graphs = numbering, pairs, graphs

    def find(self, first: cython.longlong, last: cython.longlong, named: cython.bint) -> None:
        """Find the links of the instances ``first:last``.

        ``named``: with nodes of the hierarchy, ⊤ after them; else by numbers of each instance.
        """
        with cython.nogil:
            self.pairs.clear()
            self.graphs.clear()
            for i in range(first, last):
                if (i - first) % 16 == 0:
                    look_for_signals()
                links = self.pairs.end
                nodes = self.graphs.node_end
                edges = self.graphs.edge_end
                self._add(i)
                if named:
                    self._name(links, nodes, edges)

    def _add(self, i):
        begin = self.pairs.end
        self.numbering.read(i)
        self.graphs.fetch(self.numbering)
        self.pairs.add(self.numbering)
        if self.numbering.lists.with_hub:
            self.graphs.find_apart(i, begin, self.pairs, self.numbering)
        for s in range(begin, self.pairs.end):
            self.graphs.add(i, self.pairs.label[s], self.pairs.lca[s], self.pairs.length[s], self.numbering)
        return 0

    def _name(self, links, nodes, edges):
        """Replace local numbers by nodes of the hierarchy in the links added last."""
        for s in range(links, self.pairs.end):
            self.pairs.lca[s] = self.numbering.node_of[self.pairs.lca[s]]
        for k in range(nodes, self.graphs.node_end):
            self.graphs.nodes[k] = self.numbering.node_of[self.graphs.nodes[k]]
        for k in range(edges, self.graphs.edge_end):
            self.graphs.lower[k] = self.numbering.node_of[self.graphs.lower[k]]
            self.graphs.upper[k] = self.numbering.node_of[self.graphs.upper[k]]
