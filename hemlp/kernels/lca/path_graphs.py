"""Shortest-path DAGs: all shortest upward paths between classes and LCAs, by local numbers.

A path to ⊤ leaves at a root, or where a parent is exactly ``horizon`` steps up (0: no horizon).
A link with one path costs O(length), another O(edges above its class). Invariant: nodes stand from the LCA down.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer


class Beyond:
    """Shortest paths beyond the hub, whose ``depth`` is its distance to a root.

    ``below``: for each node there, the nodes from which shortest paths from the hub come to it, the hub itself left
    out. ``twins``: what is on shortest ways to ⊤, in groups of the same neighbours there; ``group_of`` a node or
    NO_WAY.
    """

    def __init__(self, hub: int, depth: int, below: Rows, twins: Rows, group_of: Array) -> None:
        self.hub = hub
        self.depth = depth
        self.below = below
        self.twins = twins
        self.group_of = group_of


class PathGraphs:
    """The shortest-path graphs of some links.

    ``node_ptr`` and ``edge_ptr``: where those of each link begin; ``nodes``: the target first, the source last;
    ``lower`` and ``upper`` ends of edges, in the order of their lower nodes.
    """

    def __init__(self, lists: Any, parents: Rows, beyond: Beyond, all_twins: bool, horizon: int, room: int) -> None:
        """Make room for so many links at first."""
        n = len(lists.beyond)
        self.lists, self.parents, self.all_twins, self.horizon = lists, parents, all_twins, horizon
        self.beyond, self.below, self.twins = beyond, beyond.below, beyond.twins
        self.links = self.node_end = self.edge_end = 0
        self.node_ptr, self.edge_ptr = np.zeros((2, room + 1), np.int64)
        self.nodes, self.lower, self.upper = np.zeros((3, 4 * room), np.int32)
        self._far, self._good = np.full(n + 1, NO_WAY, np.int32), np.zeros(n + 1, np.uint8)
        # for each entry of a list, 1 + where in it the next lower node is; for each list, 1 + where its nearest root is
        self._below, self._root = np.zeros(len(lists.nodes), np.int16), np.zeros(len(lists.ptr) - 1, np.int16)
        self._above, self._distance, self._extra, self._apart = np.zeros((4, 1024), np.int64)
        self._filled = self._extras = self._aparts = self._sharing = self._touched = 0
        if lists.with_hub:  # by nodes of the hierarchy
            self._visited = np.zeros(n, np.uint8)
            self._apart_in = np.full(n, NO_WAY, np.int64)  # the last instance in which another path can use a node

    def clear(self):
        """Remove all graphs."""
        self.links = self.node_end = self.edge_end = 0

    def fetch(self, numbering):
        """Prefetch the data of the classes."""
        for c in range(numbering.width + numbering.height):
            self._touched ^= self._below[numbering.begin[c]]

    # ---- ways beyond the hub

    def find_apart(self, i, first, pairs, numbering):
        """Count the links of instance ``i``, from ``first`` on, that go to ⊤ through the hub.

        Notes the ways that other paths can use, too: twins that no other path of the instance can use are
        interchangeable, and as many are enough as links could use them.
        """
        self._aparts = self._sharing = 0
        for s in range(first, pairs.end):
            self._sharing += self._to_top_by_hub(numbering.source[pairs.label[s]], pairs.lca[s], pairs.length[s])
        if self._sharing:
            for s in range(first, pairs.end):
                source = numbering.source[pairs.label[s]]
                self._extras = 0
                if self._by_hub(source, pairs.lca[s], pairs.length[s], numbering):
                    self._down_to_hub(numbering.node_of[pairs.lca[s]])
                listed = self.lists.ptr[source + 1] - self.lists.ptr[source]
                for k in range(listed + self._extras):
                    node = self._extra[k - listed] if k >= listed else self.lists.nodes[self.lists.ptr[source] + k]
                    if self.beyond.group_of[node] != NO_WAY and self._apart_in[node] != i:
                        self._apart_in[node] = i
                        self._make_room(self._aparts + 1)
                        self._apart[self._aparts] = node
                        self._aparts += 1
        return 0

    def _to_top_by_hub(self, source, target, length):
        at = self.lists.hub_at[source]
        return target == TOP and at != NO_WAY and at + self.beyond.depth + 1 == length

    def _by_hub(self, source, target, length, numbering):
        at = self.lists.hub_at[source]
        if target == TOP or at == NO_WAY or self.lists.beyond[numbering.node_of[target]] == NO_WAY:
            return False
        return at + self.lists.beyond[numbering.node_of[target]] == length

    def _make_room(self, size):
        """Make room for so many nodes above one class."""
        if size + 1 > self._above.shape[0]:
            with cython.gil:
                self._above, self._distance = longer(self._above, size + 1), longer(self._distance, size + 1)
                self._extra, self._apart = longer(self._extra, size + 1), longer(self._apart, size + 1)
        return 0

    def _down_to_hub(self, target):
        """The nodes on shortest paths from the hub to ``target``, without the hub, lowest first."""
        self._extra[0] = target
        self._visited[target] = 1
        self._extras = 1
        at = 0
        while at < self._extras:
            node = self._extra[at]
            for e in range(self.below.ptr[node], self.below.ptr[node + 1]):
                child = self.below.items[e]
                if not self._visited[child]:
                    self._visited[child] = 1
                    self._make_room(self._extras + 1)
                    self._extra[self._extras] = child
                    self._extras += 1
            at += 1
        for k in range(self._extras):
            self._visited[self._extra[k]] = 0
        for k in range(self._extras // 2):
            other = self._extra[self._extras - 1 - k]
            self._extra[self._extras - 1 - k] = self._extra[k]
            self._extra[k] = other
        return 0

    def _ways_to_top(self, i):
        """List the nodes to ⊤: all that are apart, and of each group of other twins as many as can be used."""
        most = self.twins.items.shape[0] if self.all_twins else self._sharing
        for group in range(self.twins.ptr.shape[0] - 1):
            taken = 0
            k = self.twins.ptr[group]
            while k < self.twins.ptr[group + 1] and taken < most:
                if self._apart_in[self.twins.items[k]] != i:
                    self._make_room(self._extras + 1)
                    self._extra[self._extras] = self.twins.items[k]
                    self._extras += 1
                    taken += 1
                k += 1
        self._make_room(self._extras + self._aparts)
        for k in range(self._aparts):
            self._extra[self._extras] = self._apart[k]
            self._extras += 1
        return 0

    # ---- one link

    def add(self, i, label, target, length, numbering):
        """Add the graph of the next link of instance ``i``."""
        if self.links + 2 > self.node_ptr.shape[0]:
            with cython.gil:
                self.node_ptr, self.edge_ptr = longer(self.node_ptr, 0), longer(self.edge_ptr, 0)
        lower = self._lower_end(label, target, length, numbering)
        if lower == PARTED:
            self._add_graph(i, label, target, length, numbering)
        else:
            self._add_path(label, target, length, lower, numbering)
        self.links += 1
        self.node_ptr[self.links] = self.node_end
        self.edge_ptr[self.links] = self.edge_end
        return 0

    def _lower_end(self, label, target, length, numbering):
        """1 + the place of the node below the target in the class's list, if there is one path; else PARTED."""
        if length <= 1 and target != TOP:
            return 1
        if numbering.size[label] > SHORT_LIST or (target == TOP and self.horizon > 0):
            return PARTED
        if self.lists.with_hub and self.lists.hub_at[numbering.source[label]] != NO_WAY:
            return PARTED
        if self._below[numbering.begin[label]] == NOT_YET:
            self._look_below(label, numbering)
        if target == TOP:
            return self._root[numbering.source[label]]
        k = length  # one node at least at each distance stands before it
        while numbering.nodes[numbering.ptr[label] + k] != target:
            k += 1
        return self._below[numbering.begin[label] + k]

    def _look_below(self, label, numbering):
        """Note, for each ancestor of a class, the node below it on the path, and its nearest root."""
        begin = numbering.ptr[label]
        size = numbering.size[label]
        source = numbering.source[label]
        at = numbering.begin[label]
        for k in range(size):
            self._far[numbering.nodes[begin + k]] = k
        self._below[at] = 1
        for j in range(size):
            node = numbering.node_of[numbering.nodes[begin + j]]
            for e in range(self.parents.ptr[node], self.parents.ptr[node + 1]):
                k = self._how_far(self.parents.items[e], numbering)
                if k != NO_WAY and numbering.far[begin + k] == numbering.far[begin + j] + 1:
                    fresh: cython.bint = self._below[at + k] == NOT_YET and self._below[at + j] != PARTED
                    self._below[at + k] = 1 + j if fresh else PARTED
            if self.parents.ptr[node] == self.parents.ptr[node + 1]:
                if self._root[source] == NOT_YET:
                    self._root[source] = PARTED if self._below[at + j] == PARTED else 1 + j
                    nearest = numbering.far[begin + j]
                elif numbering.far[begin + j] == nearest:
                    self._root[source] = PARTED
        for k in range(size):
            self._far[numbering.nodes[begin + k]] = NO_WAY

    def _add_path(self, label, target, length, lower, numbering):
        """Add a class itself, an edge, or one path, from the target down; ``lower``: 1 + the next node's place."""
        if self.node_end + length + 1 > self.nodes.shape[0] or self.edge_end + length > self.lower.shape[0]:
            self._make_place(length + 1)
        at = numbering.begin[label]
        upper = target
        self.nodes[self.node_end] = upper
        for k in range(length):
            node = numbering.nodes[numbering.ptr[label] + lower - 1]
            self.nodes[self.node_end + 1 + k] = node
            self.lower[self.edge_end + k] = node
            self.upper[self.edge_end + k] = upper
            upper = node
            lower = self._below[at + lower - 1]
        self.node_end += length + 1
        self.edge_end += length
        return 0

    def _make_place(self, size):
        """Make room for so many further nodes, and as many edges."""
        if self.node_end + size > self.nodes.shape[0]:
            with cython.gil:
                self.nodes = longer(self.nodes, self.node_end + size)
        if self.edge_end + size > self.lower.shape[0]:
            with cython.gil:
                self.lower = longer(self.lower, self.edge_end + size)
                self.upper = longer(self.upper, self.edge_end + size)
        return 0

    def _add_graph(self, i, label, target, length, numbering):
        """Add all shortest paths, which may part and meet again."""
        source = numbering.source[label]
        self._extras = 0
        if self._to_top_by_hub(source, target, length):
            self._ways_to_top(i)
        elif self._by_hub(source, target, length, numbering):
            self._down_to_hub(numbering.node_of[target])
        self._list_above(label, length, numbering)
        self._write_node(target)
        for back in range(self._filled):
            k = self._filled - 1 - back
            if self._distance[k] < length:
                node = numbering.node_of[self._above[k]]
                if target == TOP and self._distance[k] == length - 1:
                    self._leave(self._above[k], node, length, numbering)
                elif node == self.beyond.hub and self.lists.hub_at[source] != NO_WAY:
                    self._rise_from_hub(k, numbering)
                else:
                    self._rise(k, node, numbering)
                if self._good[self._above[k]]:
                    self._write_node(self._above[k])
        for k in range(self.node_ptr[self.links], self.node_end):
            self._good[self.nodes[k]] = 0
        for k in range(self._filled):
            self._far[self._above[k]] = NO_WAY
        return 0

    def _list_above(self, label, length, numbering):
        """List the ancestors of a class, nearest first: its list up to the length, and the extra ones."""
        begin = numbering.ptr[label]
        self._make_room(numbering.ptr[label + 1] - begin + self._extras)
        self._filled = 0
        for k in range(begin, numbering.ptr[label + 1]):
            if numbering.far[k] > length:
                break
            self._above[self._filled] = numbering.nodes[k]
            self._distance[self._filled] = numbering.far[k]
            self._far[numbering.nodes[k]] = numbering.far[k]
            self._filled += 1
        for k in range(self._extras):
            node = numbering.number(self._extra[k])
            if self._far[node] == NO_WAY:
                self._far[node] = self.lists.hub_at[numbering.source[label]] + self.lists.beyond[self._extra[k]]
                place = self._filled
                while self._distance[place - 1] > self._far[node]:
                    self._above[place] = self._above[place - 1]
                    self._distance[place] = self._distance[place - 1]
                    place -= 1
                self._above[place] = node
                self._distance[place] = self._far[node]
                self._filled += 1
        return 0

    def _leave(self, number, node, length, numbering):
        """Add edges to ⊤ from roots, and where a parent is as far as the horizon."""
        leaves: cython.bint = self.parents.ptr[node] == self.parents.ptr[node + 1]
        if self.horizon > 0 and length == self.horizon:
            for e in range(self.parents.ptr[node], self.parents.ptr[node + 1]):
                # what is not in the list is at least ``horizon`` away, and this parent is at most
                leaves = leaves or self._how_far(self.parents.items[e], numbering) == NO_WAY
        if leaves:
            self._write_edge(number, TOP)
        return 0

    def _how_far(self, node, numbering):
        """The distance of a node above the present class; NO_WAY if it is not above."""
        number = numbering.find(node)
        return NO_WAY if number < 0 else self._far[number]

    def _rise_from_hub(self, k, numbering):
        """Add the hub's edges to those of its many parents that are in the graph."""
        for other in range(k + 1, self._filled):
            number = self._above[other]
            near: cython.bint = self.lists.beyond[numbering.node_of[number]] == 1
            if self._distance[other] == self._distance[k] + 1 and near and self._good[number]:
                self._write_edge(self._above[k], number)
        return 0

    def _rise(self, k, node, numbering):
        for e in range(self.parents.ptr[node], self.parents.ptr[node + 1]):
            parent = self.parents.items[e]
            if self._how_far(parent, numbering) == self._distance[k] + 1 and self._good[numbering.find(parent)]:
                self._write_edge(self._above[k], numbering.find(parent))
        return 0

    def _write_node(self, node):
        if self.node_end == self.nodes.shape[0]:
            self._make_place(1)
        self.nodes[self.node_end] = node
        self._good[node] = 1
        self.node_end += 1
        return 0

    def _write_edge(self, lower, upper):
        if self.edge_end == self.lower.shape[0]:
            self._make_place(1)
        self.lower[self.edge_end] = lower
        self.upper[self.edge_end] = upper
        self._good[lower] = 1
        self.edge_end += 1
        return 0
