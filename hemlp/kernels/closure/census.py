"""Where classes are met over many instances: in how many closures of each side, with which values, in which relation.

A node's stamp is 2i once it was met on the predicted side of instance i, and 2i + 1 once on the true side: one
pass over the ancestor lists, O(their total length). Sums are of integers, so no order changes them.

**Kinds of errors**, or hits: both sides of an instance are looked at in turn, the other one is marked, and each class
is compared with the marks, in the same time.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array

# ---- how many closures hold a class


def count(sides: Sides, implied: Implied, counts: Array) -> None:
    """Add to ``counts`` (classes × 3) how many predicted closures, true closures and both hold each class.

    Classes of the sides are rows of ``implied``.
    """
    through = np.zeros((1, 3), np.int64)
    _count_all(sides, implied, np.arange(implied.size, dtype=np.int32), counts[None], through)
    counts[np.asarray(implied.beyond) == 1] += through[0]


def count_groups(sides: Sides, implied: Implied, groups: Array, number: int) -> Array:
    """For each instance how many classes of each group are in the predicted closure, the true closure and both.

    ``groups``: which of the ``number`` groups a class is in. Returns instances × groups × 3.
    """
    counts, through = np.zeros((sides.size, number, 3), np.int64), np.zeros((sides.size, 3), np.int64)
    _count_all(sides, implied, groups.astype(np.int32), counts, through)
    beyond = np.bincount(groups[np.asarray(implied.beyond) == 1], minlength=number)
    return counts + beyond[:, None] * through[:, None, :]


def _count_all(sides, implied, groups, counts, through):
    """``counts`` and ``through`` have a row for each instance, or one for all of them."""
    stamp: cython.int[::1] = np.full(implied.size, -1, np.int32)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            if i % 256 == 0:
                look_for_signals()
            _count(sides, implied, stamp, i, groups, counts, through)


def _count(sides, implied, stamp, i, groups, counts, through):
    """One instance. What is beyond the hub is counted once for all nodes, in ``through``."""
    row: cython.Py_ssize_t = i if counts.shape[0] > 1 else 0
    p_hub: cython.bint = False
    t_hub: cython.bint = False
    if implied.with_hub:
        for c in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
            p_hub = p_hub or implied.through[sides.pred[c]] != 0
        for c in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
            t_hub = t_hub or implied.through[sides.true[c]] != 0
    through[row, 0] += p_hub
    through[row, 1] += t_hub
    through[row, 2] += p_hub and t_hub
    p_mark: cython.int = 2 * i
    t_mark: cython.int = 2 * i + 1
    for c in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
        for k in range(implied.ptr[sides.pred[c]], implied.ptr[sides.pred[c] + 1]):
            node = implied.nodes[k]
            if stamp[node] != p_mark and not (p_hub and implied.beyond[node]):
                stamp[node] = p_mark
                counts[row, groups[node], 0] += 1
                if t_hub and implied.beyond[node]:
                    counts[row, groups[node], 2] += 1
    for c in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
        for k in range(implied.ptr[sides.true[c]], implied.ptr[sides.true[c] + 1]):
            node = implied.nodes[k]
            if stamp[node] != t_mark and not (t_hub and implied.beyond[node]):
                if stamp[node] == p_mark or (p_hub and implied.beyond[node]):
                    counts[row, groups[node], 2] += 1
                stamp[node] = t_mark
                counts[row, groups[node], 1] += 1


# ---- sums over closures


def add_up(sets: Rows, implied: Implied, values: Array, sums: Array) -> None:
    """Add the numbers of each set (a row of ``values``) to those of all classes of its closure (rows of ``sums``).

    Members of the sets are rows of ``implied``.
    """
    through = np.zeros((1, sums.shape[1]), np.int64)
    _add_all(sets, implied, values, sums, through)
    sums[np.asarray(implied.beyond) == 1] += through[0]


def _add_all(sets, implied, values, sums, through):
    """What is beyond the hub is added once for all nodes, to ``through``."""
    stamp: cython.longlong[::1] = np.full(implied.size, -1, np.int64)
    i: cython.Py_ssize_t
    hub: cython.bint
    with cython.nogil:
        for i in range(sets.ptr.shape[0] - 1):
            if i % 256 == 0:
                look_for_signals()
            hub = False
            for c in range(sets.ptr[i], sets.ptr[i + 1]):
                hub = hub or implied.through[sets.items[c]] != 0
            if hub:
                _add(through, 0, values, i)
            for c in range(sets.ptr[i], sets.ptr[i + 1]):
                for k in range(implied.ptr[sets.items[c]], implied.ptr[sets.items[c] + 1]):
                    node = implied.nodes[k]
                    if stamp[node] != i and not (hub and implied.beyond[node]):
                        stamp[node] = i
                        _add(sums, node, values, i)


def _add(sums, node, values, i):
    """Add row i of the values to a row of the sums."""
    for column in range(sums.shape[1]):
        sums[node, column] += values[i, column]


# ---- kinds of errors

# what is marked of the other side: its classes, their parents, their closures

# and what is known of it as a whole: it reaches the hub, has a class beyond it, has a node there that is no root


def kinds(sides: Sides, row: Array, implied: Implied, parents: Rows) -> tuple[Array, Array]:
    """The kind of each predicted and of each true class. ``row``: where the list of a class is in ``implied``."""
    pred = np.empty(len(np.asarray(sides.pred)), np.uint8)
    true = np.empty(len(np.asarray(sides.true)), np.uint8)
    _kinds_all(sides, row, implied, parents, pred, true)
    return pred, true


def _kinds_all(sides, row, implied, parents, pred, true):
    marks: cython.int[:, ::1] = np.full((3, implied.size), -1, np.int32)
    facts: cython.int[::1] = np.zeros(3, np.int32)
    i: cython.Py_ssize_t
    mark: cython.int
    with cython.nogil:
        for i in range(sides.size):
            if i % 256 == 0:
                look_for_signals()
            mark = 2 * i
            facts[THROUGH] = facts[CLASS_BEYOND] = facts[INNER_BEYOND] = 0
            for k in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
                _mark(sides.true[k], row, implied, parents, marks, mark, facts)
            for k in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
                pred[k] = _kind(sides.pred[k], row, implied, parents, marks, mark, facts, True)
            mark = 2 * i + 1
            facts[THROUGH] = facts[CLASS_BEYOND] = facts[INNER_BEYOND] = 0
            for k in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
                _mark(sides.pred[k], row, implied, parents, marks, mark, facts)
            for k in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
                true[k] = _kind(sides.true[k], row, implied, parents, marks, mark, facts, False)


def _mark(c, row, implied, parents, marks, mark, facts):
    """Mark a class of the other side, its parents and its closure."""
    marks[MEMBER, c] = mark
    for k in range(parents.ptr[c], parents.ptr[c + 1]):
        marks[PARENT, parents.items[k]] = mark
    if implied.through[row[c]]:
        facts[THROUGH] = 1
    if implied.beyond[c]:
        facts[CLASS_BEYOND] = 1
    for k in range(implied.ptr[row[c]], implied.ptr[row[c] + 1]):
        node = implied.nodes[k]
        marks[CLOSURE, node] = mark
        if implied.beyond[node] and parents.ptr[node + 1] > parents.ptr[node]:
            facts[INNER_BEYOND] = 1


def _kind(c, row, implied, parents, marks, mark, facts, predicted):
    """The first kind that applies to a class."""
    if marks[MEMBER, c] == mark:
        return HIT
    hub: cython.bint = facts[THROUGH] != 0
    mine: cython.bint = implied.through[row[c]] != 0
    above: cython.bint = marks[CLOSURE, c] == mark or (hub and implied.beyond[c])  # an ancestor of one of them
    below: cython.bint = mine and facts[CLASS_BEYOND]  # a descendant of one of them
    inner: cython.bint = mine and facts[INNER_BEYOND]  # a common ancestor that is no root
    met: cython.bint
    for k in range(implied.ptr[row[c]], implied.ptr[row[c] + 1]):
        node = implied.nodes[k]
        below = below or marks[MEMBER, node] == mark
        met = marks[CLOSURE, node] == mark or (hub and implied.beyond[node])
        inner = inner or (met and parents.ptr[node + 1] > parents.ptr[node])
    if above or below:  # what answers a true class is too general where that is below it
        return TOO_GENERAL if (above if predicted else below) else TOO_SPECIFIC
    for k in range(parents.ptr[c], parents.ptr[c + 1]):
        if marks[PARENT, parents.items[k]] == mark:
            return SIBLING
    return SAME_BRANCH if inner else ELSEWHERE
