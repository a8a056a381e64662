"""In which relation each class of a side stands to the other side: hit, or the kind of error that it is.

Both sides of an instance are looked at in turn: the other one is marked, and each class is compared with the marks.
O(total length of the ancestor lists).
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array

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
