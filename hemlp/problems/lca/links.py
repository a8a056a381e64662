"""Lowest common ancestors of two label sets, and the eligible links that Problem 2 chooses from.

For each instance: the most specific classes of both sides, S_best, the LCAs of each class, all (class, LCA) pairs that
may be linked, and for each pair the graph of its shortest upward paths. ⊤ is the node with the number of classes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from hemlp.arrays import IntArray, pointers, record, row_places, row_pointers
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.reach import Reach
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, TRUE

MOST_STEPS = 2**23
"""The longest path upward: compiled code has distances as floats of four bytes, exact up to 2²⁴."""


@dataclass(frozen=True, eq=False)
class Link:
    """An eligible pair of class and LCA, with all shortest upward paths as nodes and edges (lower, upper).

    ``own``: the LCA is one of LCA(class, other side), so that it can serve the class. The first node is the LCA, the
    last the class; ancestors come first. Edges are in the order of their lower nodes.
    """

    label: int
    lca: int
    own: bool
    nodes: IntArray
    lower: IntArray
    upper: IntArray

    @property
    def length(self) -> int:
        """up(class, LCA): all paths are equally long."""
        above = dict(self.edges)
        node, length = self.label, 0
        while node != self.lca:
            node, length = above[node], length + 1
        return length

    @property
    def edges(self) -> list[tuple[int, int]]:
        """(lower, upper) of each edge."""
        return list(zip(self.lower.tolist(), self.upper.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class LcaInstance:
    """One instance of Problem 2: most specific classes and eligible links of both sides.

    ``size``: the number of classes of the hierarchy, which is the number of ⊤.
    """

    size: int
    classes: tuple[tuple[int, ...], tuple[int, ...]]
    links: tuple[tuple[Link, ...], tuple[Link, ...]]

    @cached_property
    def lcas(self) -> list[int]:
        """All LCAs, by label, ⊤ last."""
        return sorted({link.lca for side in self.links for link in side})

    @cached_property
    def own_lcas(self) -> dict[tuple[int, int], list[int]]:
        """(side, class) → the LCAs that can serve it."""
        lcas: dict[tuple[int, int], list[int]] = {}
        for side in (PRED, TRUE):
            for link in self.links[side]:
                if link.own:
                    lcas.setdefault((side, link.label), []).append(link.lca)
        return lcas

    @cached_property
    def extended(self) -> tuple[set[int], set[int]]:
        """Nodes of G_ex: all shortest paths of all eligible links."""
        predicted, true = (set().union(*(link.nodes.tolist() for link in side)) for side in self.links)
        return predicted, true

    @cached_property
    def arrays(self) -> LinkArrays:
        """The links as arrays."""
        links = [*self.links[PRED], *self.links[TRUE]]
        place = [{c: k for k, c in enumerate(classes)} for classes in self.classes]
        at = [place[side][link.label] for side in (PRED, TRUE) for link in self.links[side]]
        nodes, lower, upper = (
            np.concatenate([np.zeros(0, np.int32), *(getattr(link, of) for link in links)]).astype(np.int32)
            for of in ("nodes", "lower", "upper")
        )
        return LinkArrays(
            pointers([len(self.classes[PRED])]), pointers([len(self.classes[TRUE])]),
            pointers([len(side) for side in self.links]),
            np.array(at, np.int64), np.array([link.lca for link in links], np.int64),
            np.array([link.own for link in links], np.bool_), np.array([link.length for link in links], np.int64),
            pointers([link.nodes.size for link in links]), pointers([link.lower.size for link in links]),
            nodes, lower, upper,
        )  # fmt: skip

    @property
    def edge_count(self) -> int:
        """The edges of all links, which determine the size of a program."""
        return sum(link.lower.size for side in self.links for link in side)


@record
class LinkArrays:
    """Eligible links of many instances, as arrays.

    Links of the predicted classes of instance i are ``ptr[2i]:ptr[2i + 1]``, of its true classes the next; ``pred_ptr``
    and ``true_ptr`` count its classes, and ``position`` is the place of a link's class among them.
    """

    pred_ptr: IntArray
    true_ptr: IntArray
    ptr: IntArray
    position: IntArray
    lca: IntArray
    own: IntArray
    length: IntArray
    node_ptr: IntArray
    edge_ptr: IntArray
    nodes: IntArray
    lower: IntArray
    upper: IntArray

    def __len__(self) -> int:
        return len(self.pred_ptr) - 1


@record
class LinkSource:
    """Finds the eligible links of a batch, ``most`` instances at a time."""

    batch: Batch
    most: int
    finder: Any
    size: int
    """The number of local nodes."""

    @classmethod
    def of(
        cls, batch: Batch, most: int, horizon: int | None = None, *, all_twins: bool = False, named: bool = True
    ) -> LinkSource:
        """For the most specific classes of a batch.

        ``all_twins``: keep all interchangeable nodes beyond a hub, not only as many as can be used.
        ``named``: links can be asked for by nodes of the hierarchy.
        """
        from hemlp.kernels.graph.distances import up_lists
        from hemlp.kernels.lca.eligible import Eligible
        from hemlp.kernels.lca.link_finder import LinkFinder
        from hemlp.kernels.lca.local_numbering import LocalNumbering
        from hemlp.kernels.lca.path_graphs import PathGraphs
        from hemlp.kernels.records import Rows, Sides

        h = batch.hierarchy
        if h.weighted:
            raise InvalidOption("LCA measures count edges; this hierarchy has edge weights")
        horizon = None if horizon is None else min(horizon, len(h) + 2)  # ⊤ is nearer than that
        classes = np.concatenate([batch.pred.classes, batch.true.classes])
        up = h.upward.lists(classes)
        batch = replace(batch, pred=most_specific(batch.pred, up), true=most_specific(batch.true, up))
        if horizon is not None:
            up = h.upward.within(classes, horizon - 1)
        depths = 1 + h.unit_depths[up.classes].astype(np.int64)
        to_top = depths if horizon is None else np.minimum(depths, horizon)
        if len(h) > MOST_STEPS and up.distances.max(initial=0) > MOST_STEPS:
            raise InvalidOption(
                f"LCA measures know paths of at most {MOST_STEPS:,} edges; this hierarchy has longer ones"
            )
        always = not named and horizon is None and h.hub is None
        up, names, own, others = up.local(*batch.sides, always=always)
        sides = Sides(batch.pred.ptr, own, batch.true.ptr, others)
        parents = Rows(h.parent_ptr, h.parent_idx) if isinstance(names, slice) else _parents_among(h, names)
        lists = up_lists(up)
        room = 1024 + 2 * most * classes.size // max(1, len(batch))
        around = LocalNumbering(sides, lists)
        pairs = Eligible(around, to_top, most, room)
        graphs = PathGraphs(lists, parents, _beyond_hub(h, h.hub), all_twins, horizon or 0, room)
        return cls(batch, most, LinkFinder(around, pairs, graphs), len(lists.beyond))

    def blocks(self, named: bool = False) -> Iterator[LinkArrays]:
        """The links of all instances, block by block. Each block overwrites the arrays of the one before."""
        for first in range(0, len(self.batch), self.most):
            yield self.find(first, min(first + self.most, len(self.batch)), named)

    def find(self, first: int, last: int, named: bool) -> LinkArrays:
        """The links of instances ``first:last``, by nodes of the hierarchy if ``named``, else by local numbers."""
        self.finder.find(first, last, named)
        pairs, graphs = self.finder.pairs, self.finder.graphs
        links, own = slice(graphs.links), np.asarray(pairs.own).view(np.bool_)
        return LinkArrays(
            self.batch.pred.ptr[first : last + 1], self.batch.true.ptr[first : last + 1],
            np.asarray(pairs.ptr)[: 2 * (last - first) + 1], np.asarray(pairs.position)[links],
            np.asarray(pairs.lca)[links], own[links], np.asarray(pairs.length)[links],
            np.asarray(graphs.node_ptr)[: graphs.links + 1], np.asarray(graphs.edge_ptr)[: graphs.links + 1],
            np.asarray(graphs.nodes)[: graphs.node_end], np.asarray(graphs.lower)[: graphs.edge_end],
            np.asarray(graphs.upper)[: graphs.edge_end],
        )  # fmt: skip


@record
class LcaFacts(LinkArrays):
    """The most specific classes of a batch, and all their eligible links."""

    batch: Batch

    @classmethod
    def of(cls, batch: Batch, horizon: int | None = None, *, all_twins: bool = False) -> LcaFacts:
        """The links of all instances of a batch at once."""
        source = LinkSource.of(batch, len(batch), horizon, all_twins=all_twins)
        return cls(**vars(source.find(0, len(batch), named=True)), batch=source.batch)

    def __getitem__(self, i: int) -> LcaInstance:
        sides = self.batch.pred[i].tolist(), self.batch.true[i].tolist()
        links = tuple(tuple(self._links(2 * i + side, sides[side])) for side in (PRED, TRUE))
        return LcaInstance(len(self.batch.hierarchy), (tuple(sides[0]), tuple(sides[1])), (links[0], links[1]))

    def _links(self, row: int, classes: list[int]) -> Iterator[Link]:
        for k in range(self.ptr[row], self.ptr[row + 1]):
            nodes = self.nodes[self.node_ptr[k] : self.node_ptr[k + 1]]
            edges = slice(self.edge_ptr[k], self.edge_ptr[k + 1])
            ends = self.lower[edges], self.upper[edges]
            yield Link(classes[self.position[k]], int(self.lca[k]), bool(self.own[k]), nodes, *ends)


def _parents_among(h: Hierarchy, names: IntArray) -> Any:
    """The parents of the classes ``names``, which contain them, by position in ``names``."""
    from hemlp.kernels.records import Rows

    ptr = pointers(h.parent_ptr[names + 1] - h.parent_ptr[names])
    return Rows(ptr, np.searchsorted(names, h.parent_idx[row_places(h.parent_ptr, names)]).astype(np.int32))


def most_specific(side: Side, up: Reach) -> Side:
    """The classes of a side without a descendant in it; ``up``: lists of their ancestors."""
    from hemlp.kernels.graph.distances import up_lists
    from hemlp.kernels.lca.eligible import most_specific as select

    up, names, at, _ = up.local(side, side)
    classes = side.classes if isinstance(names, slice) else np.searchsorted(names, side.classes).astype(np.int32)
    keep = select(side.ptr, classes, at, up_lists(up))
    kept = np.concatenate([[0], np.cumsum(keep)])[side.ptr]
    return replace(side, ptr=pointers(np.diff(kept)), classes=side.classes[keep])


@lru_cache(maxsize=2)
def _beyond_hub(h: Hierarchy, hub: int | None) -> Any:
    """Shortest paths beyond the hub, for ``hemlp.kernels.lca.path_graphs``."""
    from hemlp.kernels.lca.path_graphs import Beyond
    from hemlp.kernels.records import Rows

    group_of = np.full(len(h), -1, np.int32)
    beyond = h.upward.beyond
    parents, children = h.edges.parents, h.edges.children
    tight = (beyond[children] >= 0) & (beyond[parents] == beyond[children] + 1) & (hub is not None)
    parents, children = parents[tight], children[tight]
    from_ptr, from_idx = row_pointers(parents[beyond[children] > 0], len(h)), children[beyond[children] > 0]
    on_the_way = beyond + h.unit_depths == h.unit_depths[hub or 0]
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    for parent, child in zip(parents.tolist(), children.tolist(), strict=True):
        if on_the_way[parent] and on_the_way[child]:
            above.setdefault(child, []).append(parent)
            below.setdefault(parent, []).append(child)
    groups: dict[Any, list[int]] = {}
    for x in sorted(below):
        groups.setdefault((int(beyond[x]), tuple(below[x]), tuple(above.get(x, ()))), []).append(x)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0], item[1]))
    for number, (_, members) in enumerate(ordered):
        group_of[members] = number
    way_ptr = pointers([len(members) for _, members in ordered])
    twins = Rows(way_ptr, np.array([x for _, members in ordered for x in members], np.int32))
    place, depth = (-1, 0) if hub is None else (hub, int(h.unit_depths[hub]))
    return Beyond(place, depth, Rows(from_ptr, from_idx), twins, group_of)
