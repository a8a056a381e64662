"""Closures of both sides of many instances, and what they have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels import kernel

Array = NDArray[Any]


@kernel
def closures(
    ptr: Array, idx: Array, pred_ptr: Array, pred: Array, true_ptr: Array, true: Array,
    start: int, room: int, farthest: int, top: bool,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """For the instances from ``start`` on: all nodes within ``farthest`` steps of a class, and on which sides they are.

    Stops once there are ``room`` nodes. With ``top`` every side that is not empty has one node more, the number of
    classes. Returns the lists as CSR: ptr, nodes, and members (1 predicted, 2 true).
    """
    n = ptr.size - 1
    stamp = np.full((2, n + 1), -1, np.int64)  # the last instance that had a node on a side
    place = np.empty(n + 1, np.int64)
    queue = np.empty(n + 1, np.int32)
    out_ptr = np.zeros(pred_ptr.size - start, np.int64)
    nodes = np.empty(1024, np.int32)
    members = np.empty(1024, np.uint8)
    end = 0
    done = 0
    for i in range(start, pred_ptr.size - 1):
        if end >= room:
            break
        if end + 2 * (n + 1) > nodes.size:
            nodes, members = _larger(nodes, end + 2 * (n + 1)), _larger(members, end + 2 * (n + 1))
        for side in range(2):
            classes = pred[pred_ptr[i] : pred_ptr[i + 1]] if side == 0 else true[true_ptr[i] : true_ptr[i + 1]]
            filled = 0
            for c in classes:
                queue[filled] = c
                filled += 1
                stamp[side, c] = i
            reached, level = 0, 0
            while reached < filled and level < farthest:
                level_end = filled
                for k in range(reached, level_end):
                    for e in range(ptr[queue[k]], ptr[queue[k] + 1]):
                        if stamp[side, idx[e]] != i:
                            stamp[side, idx[e]] = i
                            queue[filled] = idx[e]
                            filled += 1
                reached = level_end
                level += 1
            if top and filled > 0:
                stamp[side, n] = i
                queue[filled] = n
                filled += 1
            for k in range(filled):
                node = queue[k]
                if side == 1 and stamp[0, node] == i:
                    members[place[node]] = 3
                else:
                    place[node] = end
                    nodes[end] = node
                    members[end] = 1 + side
                    end += 1
        done += 1
        out_ptr[done] = end
    return out_ptr[: done + 1], nodes[:end].copy(), members[:end].copy()


@kernel
def _larger(array: Array, size: int) -> Array:
    larger = np.empty(max(2 * array.size, size), array.dtype)
    for k in range(array.size):
        larger[k] = array[k]
    return larger


@kernel
def drop_distant(out_ptr: Array, nodes: Array, members: Array, parent_ptr: Array, parent_idx: Array) -> None:
    """Mark as dropped what is on one side only and has parents, none of which is on the other side."""
    n = parent_ptr.size - 1
    side_of = np.zeros(n, np.uint8)
    for i in range(out_ptr.size - 1):
        for k in range(out_ptr[i], out_ptr[i + 1]):
            side_of[nodes[k]] = members[k]
        for k in range(out_ptr[i], out_ptr[i + 1]):
            node = nodes[k]
            other = 3 - members[k]
            if members[k] != 3 and parent_ptr[node] < parent_ptr[node + 1]:
                near = False
                for e in range(parent_ptr[node], parent_ptr[node + 1]):
                    near = near or (side_of[parent_idx[e]] & other) != 0
                if not near:
                    members[k] |= np.uint8(4)
        for k in range(out_ptr[i], out_ptr[i + 1]):
            side_of[nodes[k]] = 0


@kernel
def tally(out_ptr: Array, nodes: Array, members: Array, weights: Array) -> tuple[Array, Array]:
    """Weight of the predicted, the true and the common nodes of each instance, and whether the two sets are equal."""
    sums = np.zeros((out_ptr.size - 1, 3))
    equal = np.ones(out_ptr.size - 1, np.bool_)
    for i in range(out_ptr.size - 1):
        for k in range(out_ptr[i], out_ptr[i + 1]):
            weight = weights[nodes[k]]
            if members[k] == 1:
                sums[i, 0] += weight
                equal[i] = False
            elif members[k] == 2:
                sums[i, 1] += weight
                equal[i] = False
            elif members[k] == 3:
                sums[i, 0] += weight
                sums[i, 1] += weight
                sums[i, 2] += weight
    return sums, equal


@kernel
def tally_lists(
    pred_ptr: Array, pred: Array, true_ptr: Array, true: Array, list_ptr: Array, lists: Array, weights: Array, top: bool
) -> tuple[Array, Array]:
    """What ``tally`` gives for ``closures``, without keeping them: from the list of what each class implies.

    Classes are positions in the lists. A node's stamp is 2i if it is on the predicted side of instance i only, and
    2i + 1 once it was met on the true side.
    """
    size = weights.size - 1
    stamp = np.full(size, -1, np.int32)
    sums = np.zeros((pred_ptr.size - 1, 3))
    equal = np.empty(pred_ptr.size - 1, np.bool_)
    for i in range(pred_ptr.size - 1):
        predicted = true_weight = common = 0.0
        alone = 0  # nodes on the predicted side only
        odd = False  # a node on the true side only
        for c in pred[pred_ptr[i] : pred_ptr[i + 1]]:
            for k in range(list_ptr[c], list_ptr[c + 1]):
                node = lists[k]
                if stamp[node] != 2 * i:
                    stamp[node] = 2 * i
                    predicted += weights[node]
                    alone += 1
        for c in true[true_ptr[i] : true_ptr[i + 1]]:
            for k in range(list_ptr[c], list_ptr[c + 1]):
                node = lists[k]
                if stamp[node] != 2 * i + 1:
                    if stamp[node] == 2 * i:
                        common += weights[node]
                        alone -= 1
                    else:
                        odd = True
                    stamp[node] = 2 * i + 1
                    true_weight += weights[node]
        if top:
            some_predicted, some_true = pred_ptr[i + 1] > pred_ptr[i], true_ptr[i + 1] > true_ptr[i]
            predicted += weights[size] * some_predicted
            true_weight += weights[size] * some_true
            common += weights[size] * (some_predicted and some_true)
        sums[i, 0] = predicted
        sums[i, 1] = true_weight
        sums[i, 2] = common
        equal[i] = alone == 0 and not odd
    return sums, equal
