"""The eligible links of Problem 2 of a batch (CSR), read one instance at a time."""

from __future__ import annotations

import numpy as np


class Links:
    """The eligible links of a batch (``hemlp.problems.lca.links.LinkArrays``) on ``size`` classes and ⊤.

    The links of the predicted classes of instance i are ``ptr[2i]:ptr[2i + 1]``, those of its true classes the next;
    the links of a class stand together. ``nodes[node_ptr[k]:node_ptr[k + 1]]`` are on the paths of link k, from its LCA
    down; ``lower`` and ``upper`` (from ``edge_ptr[k]`` on) are the ends of its edges, in the order of their lower
    nodes.

    After ``read(i)`` instance i is the present one: its ``number`` links begin at ``first``, and of them ``of_class``,
    ``of_lca``, ``own`` and ``side`` tell, with classes (the predicted ones first) and LCAs numbered from 0.
    """

    def __init__(self, facts, size):
        self.size = size
        self._place = np.full(size + 1, NOT_SEEN, np.int32)
        most = 2 * int(np.diff(facts.ptr[::2]).max(initial=0))
        self.of_class, self.of_lca, self.lca_nodes, self.length, self.own, self.side = np.zeros((6, most), np.int64)
        self.look_at(facts)

    def look_at(self, facts):
        """Switch to other links; False if an instance has too many for the room."""
        self.ptr = facts.ptr
        self.all_position, self.all_lca, self.all_own = facts.position, facts.lca, facts.own.view(np.uint8)
        self.all_length = facts.length
        self.node_ptr, self.edge_ptr = facts.node_ptr, facts.edge_ptr
        self.nodes, self.lower, self.upper = facts.nodes, facts.lower, facts.upper
        self.pred_ptr, self.true_ptr = facts.pred_ptr, facts.true_ptr
        return int(np.diff(facts.ptr[::2]).max(initial=0)) <= len(self.own)

    def read(self, i):
        """Make instance ``i`` the present one."""
        self.first = self.ptr[2 * i]
        self.number = self.ptr[2 * i + 2] - self.first
        self.predicted = self.pred_ptr[i + 1] - self.pred_ptr[i]
        self.classes = self.predicted + self.true_ptr[i + 1] - self.true_ptr[i]
        self.lcas = 0
        for k in range(self.number):
            at = self.first + k
            node = self.all_lca[at]
            if self._place[node] == NOT_SEEN:
                self._place[node] = self.lcas
                self.lca_nodes[self.lcas] = node
                self.lcas += 1
            self.of_lca[k] = self._place[node]
            self.side[k] = at >= self.ptr[2 * i + 1]
            self.of_class[k] = self.all_position[at] + self.side[k] * self.predicted
            self.own[k] = self.all_own[at]
            self.length[k] = self.all_length[at]
        for a in range(self.lcas):
            self._place[self.lca_nodes[a]] = NOT_SEEN
