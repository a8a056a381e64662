"""Bounds on the minimal LCA graphs of each prefix of a ranking, without solving them.

Let A and B be the most specific predicted and true classes. G_p lies in the closure of A, G_t in that of B (⊤ aside).

- A class outside the closure of the other side climbs to its LCA, which is inside. Up to there, as long as nodes have
  one parent, its path has no choice: so many nodes at least are in one graph alone.
- A node of both graphs lies on a path of an eligible pair (y, a) of the true side, so up(y, v) ≤ up(y, a), and on one
  of the predicted side. LCAs of a predicted class with its nearest true ones never change; those of a true class with
  its nearest predicted ones are kept up to date. So the greatest up(y, a) of each class bounds what both graphs share.

Each class costs O(length of its ancestor list × true classes); one that implies others of the ranking also costs
O(classes × true classes), since it takes their place.
"""

from __future__ import annotations

from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer


class PrefixBounds:
    """The input, and the state of the present instance.

    ``sides``: the rows in ``lists`` of all ranked classes, and of the most specific true ones; ``steps``: how many
    ranked classes are predicted, in ascending order. ``to_top``: 1 + depth of the class of each list; ``tops``: how
    many nodes are above all roots, 0 or 1.
    """

    def __init__(self, lists: Any, parents: Rows, sides: Sides, steps: Rows, to_top: Array, tops: int) -> None:
        self.lists, self.parents, self.sides, self.steps = lists, parents, sides, steps
        self.to_top, self.tops = to_top, tops
        size, most = len(lists.beyond), int(np.diff(sides.pred_ptr).max(initial=0))
        width = int(np.diff(sides.true_ptr).max(initial=0))
        self.in_true, self.in_pred, self.on_chain, self.leaf = (np.full(size, -1, np.int32) for _ in range(4))
        self.slot, self.links, self.where = np.zeros((3, size), np.int32)
        self.leaves = np.zeros(most, np.int32)
        self.up = np.zeros(64, np.int32)
        self.reached, self.shared = np.zeros((2, 64), np.int32)
        self.distance, self.from_pred, self.from_true = np.zeros((3, most * width), np.int32)
        self.nearest, self.own, self.others = np.zeros((3, width), np.int32)
        self.width = self.closure = self.count = self.alone = self.missed = self.marked = self.common = 0
        self.changed = False


def bound_sizes(task: PrefixBounds) -> Array:
    """Sizes |G_p|, |G_t| and |G_p ∩ G_t| of each step that no solution beats in P, R or F: steps × 3."""
    sums = np.empty((len(task.steps.items), 3))
    _bound_all(task, sums)
    return sums


def _bound_all(task, sums):
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for i in range(len(task.steps.ptr) - 1):
        if i % 64 == 0:
            look_for_signals()
        _begin(task, i)
        done: cython.Py_ssize_t = 0
        for k in range(task.steps.ptr[i], task.steps.ptr[i + 1]):
            while done < task.steps.items[k]:
                _predict(task, i, done)
                done += 1
            if task.changed:
                _count_shared(task)
            common: cython.double = task.common + (task.tops if task.width > 0 and done > 0 else 0)
            sums[k, 0] = common + task.alone
            sums[k, 1] = common + task.missed
            sums[k, 2] = common
        while task.count > 0:
            _drop_leaf(task, i, task.lists.nodes[task.lists.ptr[_row(task, i, task.leaves[task.count - 1])]])


def _row(task, i, number):
    """The row of a ranked class of instance i."""
    return task.sides.pred[task.sides.pred_ptr[i] + number]


def _begin(task, i):
    """Compute the true closure of instance i, with distances, and the nodes its classes must climb."""
    first: cython.Py_ssize_t = task.sides.true_ptr[i]
    task.width = task.sides.true_ptr[i + 1] - first
    task.closure = task.count = task.alone = task.missed = task.marked = task.common = 0
    task.changed = False
    for b in range(task.width):
        task.nearest[b] = FAR
        task.own[b] = -1
        task.others[b] = -1
        row: cython.Py_ssize_t = task.sides.true[first + b]
        for k in range(task.lists.ptr[row], task.lists.ptr[row + 1]):
            node: cython.int = task.lists.nodes[k]
            if task.in_true[node] != i:
                task.in_true[node] = i
                task.slot[node] = task.closure
                if (task.closure + 1) * task.width > task.up.shape[0] or task.closure >= task.reached.shape[0]:
                    _make_room(task)
                for other in range(task.width):
                    task.up[task.closure * task.width + other] = FAR
                task.reached[task.closure] = 0
                task.closure += 1
            task.up[task.slot[node] * task.width + b] = task.lists.distances[k]
        node = task.lists.nodes[task.lists.ptr[row]]
        while task.on_chain[node] != i:
            task.on_chain[node] = i
            task.missed += 1
            if task.parents.ptr[node + 1] - task.parents.ptr[node] != 1:
                break
            node = task.parents.items[task.parents.ptr[node]]


def _make_room(task):
    task.up = longer(task.up, 2 * (task.closure + 1) * task.width)
    task.reached, task.shared = longer(task.reached, 2 * task.closure + 2), longer(task.shared, 2 * task.closure + 2)
    return 0


def _predict(task, i, number):
    """Predict one more class, unless it is implied already."""
    row: cython.Py_ssize_t = _row(task, i, number)
    start: cython.int = task.lists.nodes[task.lists.ptr[row]]
    if task.in_pred[start] == i:
        return
    at: cython.Py_ssize_t = number * task.width
    dropped: cython.bint = False
    for b in range(task.width):
        task.distance[at + b] = FAR
    for k in range(task.lists.ptr[row], task.lists.ptr[row + 1]):
        node: cython.int = task.lists.nodes[k]
        if task.in_pred[node] != i:
            task.in_pred[node] = i
            if task.on_chain[node] == i:
                task.missed -= 1
        elif task.leaf[node] == i:
            _drop_leaf(task, i, node)
            dropped = True
        if task.in_true[node] == i:
            _meet(task, at, task.slot[node] * task.width, task.lists.distances[k])
    task.leaf[start] = i
    task.where[start] = task.count
    task.leaves[task.count] = number
    task.count += 1
    _climb(task, i, start, 1)
    _settle_own(task, i, row, at)
    for b in range(task.width):
        if dropped:
            _find_nearest(task, i, b)
        elif task.distance[at + b] <= task.nearest[b]:
            _come_near(task, i, b, number)


def _meet(task, at, up, far):
    """Update the least distances by a common ancestor ``far`` above the class, and their longest paths."""
    for b in range(task.width):
        way: cython.int = task.up[up + b]
        if way == FAR or far + way > task.distance[at + b]:
            continue
        if far + way < task.distance[at + b]:
            task.distance[at + b] = far + way
            task.from_pred[at + b] = far
            task.from_true[at + b] = way
        else:
            task.from_pred[at + b] = max(task.from_pred[at + b], far)
            task.from_true[at + b] = max(task.from_true[at + b], way)


def _drop_leaf(task, i, node):
    """Remove a predicted class that now has a predicted descendant."""
    last: cython.Py_ssize_t = task.count - 1
    task.leaf[node] = -1
    moved: cython.int = task.leaves[last]
    task.leaves[task.where[node]] = moved
    task.where[task.lists.nodes[task.lists.ptr[_row(task, i, moved)]]] = task.where[node]
    task.count = last
    _climb(task, i, node, -1)


def _climb(task, i, node, change):
    """Count the nodes outside the true closure that the path of a predicted class must have."""
    while task.in_true[node] != i:
        if change > 0:
            task.links[node] += 1
            task.alone += task.links[node] == 1
        else:
            task.links[node] -= 1
            task.alone -= task.links[node] == 0
        if task.parents.ptr[node + 1] - task.parents.ptr[node] != 1:
            break
        node = task.parents.items[task.parents.ptr[node]]


def _settle_own(task, i, row, at):
    """Find the LCAs of a new class with its nearest true classes."""
    least: cython.int = FAR
    for b in range(task.width):
        if task.distance[at + b] == FAR:
            first: cython.Py_ssize_t = task.sides.true_ptr[i]
            task.from_pred[at + b] = task.to_top[row]
            task.from_true[at + b] = task.to_top[task.sides.true[first + b]]
            task.distance[at + b] = task.from_pred[at + b] + task.from_true[at + b]
        least = min(least, task.distance[at + b])
    height: cython.int = -1
    for b in range(task.width):
        if task.distance[at + b] == least:
            height = max(height, task.from_pred[at + b])
            if task.from_true[at + b] > task.others[b]:
                task.others[b] = task.from_true[at + b]
                task.changed = True
    _mark(task, i, row, height)


def _find_nearest(task, i, b):
    """Find the nearest predicted classes of a true one among those left."""
    task.nearest[b] = FAR
    for k in range(task.count):
        if task.distance[task.leaves[k] * task.width + b] <= task.nearest[b]:
            _come_near(task, i, b, task.leaves[k])


def _come_near(task, i, b, number):
    """Note a predicted class that is at least as near to true class b as any other."""
    at: cython.Py_ssize_t = number * task.width + b
    own: cython.int = task.from_true[at]
    if task.distance[at] == task.nearest[b]:
        own = max(own, task.own[b])
    if own != task.own[b]:
        task.changed = True
    task.nearest[b] = task.distance[at]
    task.own[b] = own
    _mark(task, i, _row(task, i, number), task.from_pred[at])


def _mark(task, i, row, height):
    """Mark the nodes of the true closure that paths of a predicted class up to this height may share."""
    for k in range(task.lists.ptr[row], task.lists.ptr[row + 1]):
        node: cython.int = task.lists.nodes[k]
        if task.lists.distances[k] > height:
            break
        if task.in_true[node] == i and task.reached[task.slot[node]] == 0:
            task.reached[task.slot[node]] = 1
            task.shared[task.marked] = task.slot[node]
            task.marked += 1
            task.changed = True


def _count_shared(task):
    """Count the marked nodes that a path of a true class may have, too."""
    task.common = 0
    for k in range(task.marked):
        at: cython.Py_ssize_t = task.shared[k] * task.width
        for b in range(task.width):
            if task.up[at + b] <= max(task.own[b], task.others[b]):
                task.common += 1
                break
    task.changed = False
