"""All shortest upward paths between classes and LCAs, as graphs. The node n stands for ⊤.

A path to ⊤ leaves at a root, or where a parent is exactly ``horizon`` steps up (0: no horizon).
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.distances import UpLists
    from cython.cimports.hemlp.kernels.records import Rows
    from cython.cimports.hemlp.kernels.signals import look_for_signals
else:
    from hemlp.kernels.distances import UpLists
    from hemlp.kernels.records import Rows
    from hemlp.kernels.signals import look_for_signals

    NO_WAY = -1

from hemlp.kernels.words import longer

Array = NDArray[Any]


class Beyond:
    """How shortest paths go on beyond the gate, whose ``depth`` is its distance to a root.

    ``below``: for each node there, the nodes from which shortest paths from the gate come to it, the gate itself left
    out. ``twins``: what is on shortest ways to ⊤, in groups of the same neighbours there; ``group_of`` a node or
    NO_WAY.
    """

    def __init__(self, gate: int, depth: int, below: Rows, twins: Rows, group_of: Array) -> None:
        self.gate = gate
        self.depth = depth
        self.below = below
        self.twins = twins
        self.group_of = group_of


class PathGraphs:
    """The graphs of the links of a batch.

    ``node_ptr`` and ``edge_ptr``: where those of each link begin; ``nodes``: the target first, the source last;
    ``lower`` and ``upper`` ends of edges, in the order of their lower nodes.
    """

    def __init__(self, lists, parents, links, all_twins, horizon):
        n = self.size = len(lists.beyond)
        self.lists, self.parents, self.all_twins, self.horizon = lists, parents, all_twins, horizon
        self.node_ptr, self.edge_ptr = np.zeros((2, links + 1), np.int64)
        self.nodes, self.lower, self.upper = np.zeros((3, 1024 + 4 * links), np.int32)
        self.node_end = self.edge_end = 0
        self._far, self._good = np.full(n + 1, NO_WAY, np.int64), np.zeros(n + 1, np.uint8)
        self._apart_in = np.full(n + 1, NO_WAY, np.int64)  # the last instance in which another path can use a node
        self._above, self._distance, self._extra, self._apart = np.zeros((4, 1024), np.int64)
        self._filled = self._extras = self._aparts = 0

    # ---- ways beyond the gate

    def find_apart(self, i, first, last, sources, targets, lengths, beyond, below, twins):
        """How many links of instance ``i`` go to ⊤ through the gate; notes the ways that other paths can use, too.

        Twins that no other path of the instance can use are interchangeable: as many are enough as links could use
        them.
        """
        self._aparts = 0
        sharing = 0
        for s in range(first, last):
            sharing += self._to_top_by_gate(sources[s], targets[s], lengths[s], beyond)
        if sharing:
            for s in range(first, last):
                self._extras = 0
                if self._by_gate(sources[s], targets[s], lengths[s]):
                    self._down_to_gate(targets[s], below)
                listed = self.lists.ptr[sources[s] + 1] - self.lists.ptr[sources[s]]
                for k in range(listed + self._extras):
                    node = self._extra[k - listed] if k >= listed else self.lists.nodes[self.lists.ptr[sources[s]] + k]
                    if beyond.group_of[node] != NO_WAY and self._apart_in[node] != i:
                        self._apart_in[node] = i
                        self._make_room(self._aparts + 1)
                        self._apart[self._aparts] = node
                        self._aparts += 1
        return sharing

    def _to_top_by_gate(self, source, target, length, beyond):
        at = self.lists.gate_at[source]
        return target == self.size and at != NO_WAY and at + beyond.depth + 1 == length

    def _by_gate(self, source, target, length):
        at = self.lists.gate_at[source]
        if target == self.size or at == NO_WAY or self.lists.beyond[target] == NO_WAY:
            return False
        return at + self.lists.beyond[target] == length

    def _make_room(self, size):
        """For so many nodes above one class."""
        if size + 1 > self._above.shape[0]:
            with cython.gil:
                self._above, self._distance = longer(self._above, size + 1), longer(self._distance, size + 1)
                self._extra, self._apart = longer(self._extra, size + 1), longer(self._apart, size + 1)
        return 0

    def _down_to_gate(self, target, below):
        """The nodes on shortest paths from the gate to ``target``, without the gate, lowest first."""
        self._extra[0] = target
        self._good[target] = 1
        self._extras = 1
        at = 0
        while at < self._extras:
            node = self._extra[at]
            for e in range(below.ptr[node], below.ptr[node + 1]):
                child = below.items[e]
                if not self._good[child]:
                    self._good[child] = 1
                    self._make_room(self._extras + 1)
                    self._extra[self._extras] = child
                    self._extras += 1
            at += 1
        for k in range(self._extras):
            self._good[self._extra[k]] = 0
        for k in range(self._extras // 2):
            other = self._extra[self._extras - 1 - k]
            self._extra[self._extras - 1 - k] = self._extra[k]
            self._extra[k] = other
        return 0

    def _ways_to_top(self, i, most, twins):
        """Of each group of twins ``most`` that are not apart, and all that are."""
        for group in range(twins.ptr.shape[0] - 1):
            taken = 0
            k = twins.ptr[group]
            while k < twins.ptr[group + 1] and taken < most:
                if self._apart_in[twins.items[k]] != i:
                    self._make_room(self._extras + 1)
                    self._extra[self._extras] = twins.items[k]
                    self._extras += 1
                    taken += 1
                k += 1
        self._make_room(self._extras + self._aparts)
        for k in range(self._aparts):
            self._extra[self._extras] = self._apart[k]
            self._extras += 1
        return 0

    # ---- one link

    def add(self, i, s, source, target, length, sharing, beyond, below, twins):
        """The graph of link ``s`` of instance ``i``."""
        if length <= 1 and target != self.size:
            return self._add_short(s, source, target, length)
        self._extras = 0
        if self._to_top_by_gate(source, target, length, beyond):
            self._ways_to_top(i, twins.items.shape[0] if self.all_twins else sharing, twins)
        elif self._by_gate(source, target, length):
            self._down_to_gate(target, below)
        self._list_above(source, length)
        self._write_node(target)
        for back in range(self._filled):
            k = self._filled - 1 - back
            if self._distance[k] < length:
                if target == self.size and self._distance[k] == length - 1:
                    self._leave(self._above[k], length)
                elif self._above[k] == beyond.gate and self.lists.gate_at[source] != NO_WAY:
                    self._rise_from_gate(k)
                else:
                    self._rise(k)
                if self._good[self._above[k]]:
                    self._write_node(self._above[k])
        for k in range(self.node_ptr[s], self.node_end):
            self._good[self.nodes[k]] = 0
        for k in range(self._filled):
            self._far[self._above[k]] = NO_WAY
        self.node_ptr[s + 1] = self.node_end
        self.edge_ptr[s + 1] = self.edge_end
        return 0

    def _add_short(self, s, source, target, length):
        """A class itself, or an edge."""
        self._write_node(target)
        if length:
            label = self.lists.nodes[self.lists.ptr[source]]
            self._write_edge(label, target)
            self._write_node(label)
            self._good[label] = 0
        self._good[target] = 0
        self.node_ptr[s + 1] = self.node_end
        self.edge_ptr[s + 1] = self.edge_end
        return 0

    def _list_above(self, source, length):
        """All nodes above a class that count, nearest first: its list up to the length, and the extra ones."""
        begin = self.lists.ptr[source]
        self._make_room(self.lists.ptr[source + 1] - begin + self._extras)
        self._filled = 0
        for k in range(begin, self.lists.ptr[source + 1]):
            if self.lists.distances[k] > length:
                break
            self._above[self._filled] = self.lists.nodes[k]
            self._distance[self._filled] = self.lists.distances[k]
            self._far[self.lists.nodes[k]] = self.lists.distances[k]
            self._filled += 1
        for k in range(self._extras):
            node = self._extra[k]
            if self._far[node] == NO_WAY:
                self._far[node] = self.lists.gate_at[source] + self.lists.beyond[node]
                place = self._filled
                while self._distance[place - 1] > self._far[node]:
                    self._above[place] = self._above[place - 1]
                    self._distance[place] = self._distance[place - 1]
                    place -= 1
                self._above[place] = node
                self._distance[place] = self._far[node]
                self._filled += 1
        return 0

    def _leave(self, node, length):
        """A path leaves for ⊤ at a root, or where a parent is as far as the horizon."""
        leaves: cython.bint = self.parents.ptr[node] == self.parents.ptr[node + 1]
        if self.horizon > 0 and length == self.horizon:
            for e in range(self.parents.ptr[node], self.parents.ptr[node + 1]):
                # what is not in the list is at least ``horizon`` away, and this parent is at most
                leaves = leaves or self._far[self.parents.items[e]] == NO_WAY
        if leaves:
            self._write_edge(node, self.size)
        return 0

    def _rise_from_gate(self, k):
        """Edges to those of its many parents that are among the nodes."""
        for other in range(k + 1, self._filled):
            node = self._above[other]
            if self._distance[other] == self._distance[k] + 1 and self.lists.beyond[node] == 1 and self._good[node]:
                self._write_edge(self._above[k], node)
        return 0

    def _rise(self, k):
        node = self._above[k]
        for e in range(self.parents.ptr[node], self.parents.ptr[node + 1]):
            other = self.parents.items[e]
            if self._far[other] == self._distance[k] + 1 and self._good[other]:
                self._write_edge(node, other)
        return 0

    def _write_node(self, node):
        if self.node_end == self.nodes.shape[0]:
            with cython.gil:
                self.nodes = longer(self.nodes, 0)
        self.nodes[self.node_end] = node
        self._good[node] = 1
        self.node_end += 1
        return 0

    def _write_edge(self, lower, upper):
        if self.edge_end == self.lower.shape[0]:
            with cython.gil:
                self.lower, self.upper = longer(self.lower, 0), longer(self.upper, 0)
        self.lower[self.edge_end] = lower
        self.upper[self.edge_end] = upper
        self._good[lower] = 1
        self.edge_end += 1
        return 0


def shortest_path_dags(
    links: tuple[Array, Array, Array, Array],
    lists: UpLists,
    parents: Rows,
    beyond: Beyond,
    all_twins: bool,
    horizon: int,
) -> tuple[Array, Array, Array, Array]:
    """The union of all shortest upward paths of each link.

    ``links``: a pointer with two rows for each instance, the sources (numbers in the lists), the targets, and the
    lengths.
    Returns two CSR pointers, into the nodes and into the edges, the nodes, and the ends of the edges.
    """
    ptr, sources, targets, lengths = links
    made: PathGraphs = PathGraphs(lists, parents, len(sources), all_twins, horizon)
    _add_all(made, ptr, sources, targets, lengths, beyond, beyond.below, beyond.twins)
    pointers = np.stack([np.asarray(made.node_ptr), np.asarray(made.edge_ptr)])
    lower, upper = np.asarray(made.lower)[: made.edge_end], np.asarray(made.upper)[: made.edge_end]
    return pointers, np.asarray(made.nodes)[: made.node_end], lower, upper


def _add_all(made, ptr, sources, targets, lengths, beyond, below, twins):
    with cython.nogil:
        for i in range((ptr.shape[0] - 1) // 2):
            if i % 256 == 0:
                look_for_signals()
            first = ptr[2 * i]
            last = ptr[2 * i + 2]
            sharing = made.find_apart(i, first, last, sources, targets, lengths, beyond, below, twins)
            for s in range(first, last):
                made.add(i, s, sources[s], targets[s], lengths[s], sharing, beyond, below, twins)
    return 0
