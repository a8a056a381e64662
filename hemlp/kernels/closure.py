"""Closures of both sides of many instances, and what they have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

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
def tally_tolerant(
    pred_ptr: Array, pred: Array, true_ptr: Array, true: Array, list_ptr: Array, lists: Array, through: Array,
    beyond: Array, parent_ptr: Array, parent_idx: Array, child_ptr: Array, child_idx: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """``tally_lists`` for the tolerant sets, counted: what is on one side only stays if it is a root or if a parent of
    it is on the other side.

    Where one side alone reaches the gate, what stays of all that is beyond are its roots and, below the nodes of the
    other side, their children; nothing else has to be looked at.
    """
    n = parent_ptr.size - 1
    stamp = np.full((2, n), -1, np.int64)
    child_seen = np.full(n, -1, np.int64)
    nodes = np.empty((2, n), np.int32)
    filled = np.zeros(2, np.int64)
    gate = np.zeros(2, np.bool_)
    counts = np.zeros((pred_ptr.size - 1, 3))
    equal = np.empty(pred_ptr.size - 1, np.bool_)
    upper = upper_roots = 0
    for node in range(n):
        if beyond[node]:
            upper += 1
            upper_roots += parent_ptr[node] == parent_ptr[node + 1]
    for i in range(pred_ptr.size - 1):
        for side in range(2):
            classes = pred[pred_ptr[i] : pred_ptr[i + 1]] if side == 0 else true[true_ptr[i] : true_ptr[i + 1]]
            filled[side] = 0
            gate[side] = False
            for c in classes:
                gate[side] = gate[side] or through[c]
            for c in classes:
                for k in range(list_ptr[c], list_ptr[c + 1]):
                    node = lists[k]
                    if stamp[side, node] != i and not (gate[side] and beyond[node]):
                        stamp[side, node] = i
                        nodes[side, filled[side]] = node
                        filled[side] += 1
        common = upper if gate[0] and gate[1] else 0
        alone = np.zeros(2, np.int64)
        for side in range(2):
            other = 1 - side
            for k in range(filled[side]):
                node = nodes[side, k]
                if stamp[other, node] == i or (gate[other] and beyond[node]):
                    if side == 0 or stamp[other, node] != i:
                        common += 1
                    if gate[other] and beyond[node]:  # its children beyond the gate have a parent on this side
                        for e in range(child_ptr[node], child_ptr[node + 1]):
                            child = child_idx[e]
                            if beyond[child] and stamp[side, child] != i and child_seen[child] != i:
                                child_seen[child] = i
                                alone[other] += 1
                        alone[other] -= parent_ptr[node] == parent_ptr[node + 1]  # a common root, counted below
                    continue
                stays = parent_ptr[node] == parent_ptr[node + 1]
                for e in range(parent_ptr[node], parent_ptr[node + 1]):
                    parent = parent_idx[e]
                    stays = stays or stamp[other, parent] == i or (gate[other] and beyond[parent])
                alone[side] += stays
            if gate[side] and not gate[other]:
                alone[side] += upper_roots
        counts[i, 0] = alone[0] + common
        counts[i, 1] = alone[1] + common
        counts[i, 2] = common
        equal[i] = alone[0] == 0 and alone[1] == 0
    return counts, equal
