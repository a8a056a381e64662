"""Distances of classes, min over common ancestors a of up(u, a) + up(v, a), from lists of ancestors.

It is measured from one class to up to ``LANES`` others at once, the targets. Their lists are laid beside each other,
one row per node and one lane per target, so that each entry of the class's own list is added to all lanes in a few
instructions: ``set_targets``, then ``measure_from`` as many classes as there are; the distances are in
``targets.nearest``, infinite without a common ancestor. They are floats, and whole numbers where edges count 1.

A class that reaches the hub also reaches what lies beyond it, and a common ancestor that is in neither list is farther
than the hub, which is then in both. So by way of the hub the distance is the lesser of

    up(u, hub) + min over a in the list of v of up(v, a) + up(hub, a)

and the same with u and v exchanged. O(entries of both lists) for LANES pairs.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array


class UpLists:
    """The ancestors of each class (CSR), nearest first, with their distances; every edge counts 1.

    ``hub_at``: the distance of each list's class to the hub, ``beyond``: that of the hub to each node; -1: no way.
    """

    def __init__(self, ptr: Array, nodes: Array, distances: Array, hub_at: Array, beyond: Array) -> None:
        self.ptr = ptr
        self.nodes = nodes
        self.distances = distances
        self.hub_at = hub_at
        self.beyond = beyond
        self.with_hub = bool((hub_at >= 0).any())


class WeightedUpLists:
    """``UpLists`` for edges with lengths."""

    def __init__(self, ptr: Array, nodes: Array, distances: Array, hub_at: Array, beyond: Array) -> None:
        self.ptr = ptr
        self.nodes = nodes
        self.distances = distances
        self.hub_at = hub_at
        self.beyond = beyond
        self.with_hub = bool((hub_at >= 0).any())


def up_lists(up: Any) -> UpLists | WeightedUpLists:
    """Wrap lists of ancestors (``hemlp.hierarchy.reach.Reach``) for compiled code."""
    kind = UpLists if up.distances.dtype == np.int32 else WeightedUpLists
    return kind(up.ptr, up.nodes, up.distances, up.hub_at, up.beyond)


class Targets:
    """The lists of the targets, side by side.

    The row of a node in ``above`` is ``place[node] - base``; below 0 the node is in no list. Of each lane,
    ``from_hub`` is up(target, hub), and ``to_hub`` the least up(target, a) + up(hub, a). ``steps`` counts entries
    of lists that were measured from, so that callers know when to look for signals.
    """

    def __init__(self, lists: UpLists | WeightedUpLists) -> None:
        ptr, size = np.asarray(lists.ptr), len(lists.beyond)
        longest = int(np.diff(ptr).max(initial=0))
        self.base = 0
        self.rows = 0
        self.steps = 0
        self.place = np.full(size, -1, np.int32)
        self.above = np.empty(min(size, LANES * longest) * LANES)
        self.from_hub = np.full(LANES, np.inf)
        self.to_hub = np.full(LANES, np.inf)
        self.nearest = np.full(LANES, np.inf)


def set_targets(lists, targets, classes, first, last):
    """Make ``classes[first:last]``, at most LANES, the targets."""
    lane: cython.Py_ssize_t
    _forget(targets)
    for lane in range(last - first):
        target = classes[first + lane]
        for k in range(lists.ptr[target], lists.ptr[target + 1]):
            row: cython.Py_ssize_t = targets.place[lists.nodes[k]] - targets.base
            if row < 0:
                row = targets.rows
                targets.place[lists.nodes[k]] = targets.base + targets.rows
                targets.rows += 1
                for other in range(LANES):
                    targets.above[row * LANES + other] = INFINITY
            targets.above[row * LANES + lane] = lists.distances[k]
        if lists.with_hub:
            targets.from_hub[lane] = INFINITY if lists.hub_at[target] < 0 else lists.hub_at[target]
            targets.to_hub[lane] = _to_hub(lists, target)


def _forget(targets):
    """Remove all targets."""
    node: cython.Py_ssize_t
    targets.base += targets.rows
    targets.rows = 0
    if targets.base > 1 << 30:
        targets.base = 0
        for node in range(targets.place.shape[0]):
            targets.place[node] = -1


def _to_hub(lists, c):
    """min over the ancestors a of c of up(c, a) + up(hub, a)."""
    least: cython.double = INFINITY
    for k in range(lists.ptr[c], lists.ptr[c + 1]):
        if lists.beyond[lists.nodes[k]] >= 0:
            length: cython.double = lists.distances[k] + lists.beyond[lists.nodes[k]]
            least = min(least, length)
    return least


def measure_from(lists, targets, c):
    """Write the distances of class ``c`` to the targets into ``targets.nearest``."""
    lane: cython.Py_ssize_t
    length: cython.double
    targets.steps += 1 + lists.ptr[c + 1] - lists.ptr[c]
    for lane in range(LANES):
        targets.nearest[lane] = INFINITY
    for k in range(lists.ptr[c], lists.ptr[c + 1]):
        row: cython.Py_ssize_t = targets.place[lists.nodes[k]] - targets.base
        if row >= 0:
            for lane in range(LANES):
                length = lists.distances[k] + targets.above[row * LANES + lane]
                targets.nearest[lane] = length if length < targets.nearest[lane] else targets.nearest[lane]
    if lists.with_hub:
        to_hub = _to_hub(lists, c)
        from_hub: cython.double = INFINITY if lists.hub_at[c] < 0 else lists.hub_at[c]
        for lane in range(LANES):
            length = min(to_hub + targets.from_hub[lane], from_hub + targets.to_hub[lane])
            targets.nearest[lane] = min(targets.nearest[lane], length)


def pair_distances(lists: UpLists | WeightedUpLists, sides: Sides, pair_ptr: Array) -> Array:
    """The distances of all pairs of each instance, one row per predicted class; classes are rows of ``lists``."""
    kappa = np.empty(pair_ptr[sides.size])
    _all_distances(lists, Targets(lists), sides, pair_ptr, kappa)
    return kappa


def _all_distances(lists, targets, sides, pair_ptr, kappa):
    unit: UpLists = lists if isinstance(lists, UpLists) else None
    weighted: WeightedUpLists = lists if isinstance(lists, WeightedUpLists) else None
    whole: cython.bint = unit is not None
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            if whole:
                instance_distances(unit, targets, sides, i, pair_ptr[i], kappa)
            else:
                instance_distances(weighted, targets, sides, i, pair_ptr[i], kappa)


def instance_distances(lists, targets, sides, i, begin, kappa):
    """Write the distances of all pairs of instance ``i`` from ``begin`` on, one row per predicted class."""
    row: cython.Py_ssize_t
    width: cython.Py_ssize_t = sides.true_ptr[i + 1] - sides.true_ptr[i]
    for block in range((width + LANES - 1) // LANES):
        first: cython.Py_ssize_t = block * LANES
        last: cython.Py_ssize_t = min(first + LANES, width)
        set_targets(lists, targets, sides.true, sides.true_ptr[i] + first, sides.true_ptr[i] + last)
        for row in range(sides.pred_ptr[i + 1] - sides.pred_ptr[i]):
            if targets.steps > 1 << 20:
                targets.steps = 0
                look_for_signals()
            measure_from(lists, targets, sides.pred[sides.pred_ptr[i] + row])
            for lane in range(last - first):
                kappa[begin + row * width + first + lane] = targets.nearest[lane]
    return 0
