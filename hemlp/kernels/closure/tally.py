"""Sizes of the closures of both sides of many instances, and of their intersection, without storing the closures.

One pass over the ancestor lists of all classes, O(their total length). Invariant: a node's stamp is 2i once it was met
on the predicted side of instance i, and 2i + 1 once on the true side, so that nothing has to be reset.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def tally(sides: Sides, implied: Implied, weights: Array, top: bool) -> tuple[Array, Array]:
    """The weights of the predicted, the true and the common nodes of each instance, and whether the sets are equal.

    Classes are rows of ``implied``. ``top``: a side that is not empty has one node more, the last of the ``weights``.
    """
    sums, equal = np.zeros((sides.size, 3)), np.empty(sides.size, np.bool_)
    own = weights[: implied.size]
    upper = float(own[np.asarray(implied.beyond) == 1].sum()) if implied.with_hub else 0.0
    _tally_all(sides, implied, weights, bool((own == 1).all()), upper, top, sums, equal.view(np.uint8))
    return sums, equal


def _tally_all(sides, implied, weights, uniform, upper, top, sums, equal):
    stamp: cython.int[::1] = np.full(implied.size, -1, np.int32)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            if i % 256 == 0:
                look_for_signals()
            if uniform and not implied.with_hub:
                equal[i] = _count(sides, implied, stamp, i, sums)
            else:
                equal[i] = _weigh(sides, implied, weights, upper, stamp, i, sums)
            if top:
                _add_top(sides, weights[implied.size], i, sums)


def _count(sides, implied, stamp, i, sums):
    """Count the nodes of one instance; without branches, which nobody could foretell."""
    predicted: cython.long = 0
    true: cython.long = 0
    common: cython.long = 0
    p_mark: cython.int = 2 * i
    t_mark: cython.int = 2 * i + 1
    for c in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
        for k in range(implied.ptr[sides.pred[c]], implied.ptr[sides.pred[c] + 1]):
            node = implied.nodes[k]
            predicted += stamp[node] != p_mark
            stamp[node] = p_mark
    for c in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
        for k in range(implied.ptr[sides.true[c]], implied.ptr[sides.true[c] + 1]):
            node = implied.nodes[k]
            true += stamp[node] != t_mark
            common += stamp[node] == p_mark
            stamp[node] = t_mark
    sums[i, 0] = predicted
    sums[i, 1] = true
    sums[i, 2] = common
    return predicted == common and true == common


def _weigh(sides, implied, weights, upper, stamp, i, sums):
    """Add up the weights of the nodes of one instance; what is beyond the hub weighs ``upper``, once for each side."""
    p_hub: cython.bint = False
    t_hub: cython.bint = False
    for c in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
        p_hub = p_hub or implied.through[sides.pred[c]] != 0
    for c in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
        t_hub = t_hub or implied.through[sides.true[c]] != 0
    predicted: cython.double = upper if p_hub else 0.0
    true: cython.double = upper if t_hub else 0.0
    common: cython.double = upper if p_hub and t_hub else 0.0
    alone: cython.long = 0  # nodes on the predicted side only
    odd: cython.bint = p_hub != t_hub  # a node on the true side only
    p_mark: cython.int = 2 * i
    t_mark: cython.int = 2 * i + 1
    for c in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
        for k in range(implied.ptr[sides.pred[c]], implied.ptr[sides.pred[c] + 1]):
            node = implied.nodes[k]
            if stamp[node] != p_mark and not (p_hub and implied.beyond[node]):
                stamp[node] = p_mark
                predicted += weights[node]
                if t_hub and implied.beyond[node]:
                    common += weights[node]
                else:
                    alone += 1
    for c in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
        for k in range(implied.ptr[sides.true[c]], implied.ptr[sides.true[c] + 1]):
            node = implied.nodes[k]
            if stamp[node] != t_mark and not (t_hub and implied.beyond[node]):
                if stamp[node] == p_mark:
                    common += weights[node]
                    alone -= 1
                elif p_hub and implied.beyond[node]:
                    common += weights[node]
                else:
                    odd = True
                stamp[node] = t_mark
                true += weights[node]
    sums[i, 0] = predicted
    sums[i, 1] = true
    sums[i, 2] = common
    return alone == 0 and not odd


def _add_top(sides, weight, i, sums):
    """One node more for each side of an instance that is not empty."""
    some_predicted: cython.bint = sides.pred_ptr[i + 1] > sides.pred_ptr[i]
    some_true: cython.bint = sides.true_ptr[i + 1] > sides.true_ptr[i]
    sums[i, 0] += weight * some_predicted
    sums[i, 1] += weight * some_true
    sums[i, 2] += weight * (some_predicted and some_true)
