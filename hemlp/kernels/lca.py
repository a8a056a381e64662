"""Lowest common ancestors of the two sides of many instances. The node n stands for ⊤."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels import kernel

Array = NDArray[Any]


@kernel
def most_specific(ptr: Array, classes: Array, parent_ptr: Array, parent_idx: Array) -> Array:
    """Which classes of each instance have no descendant among the others of the same instance."""
    n = parent_ptr.size - 1
    keep = np.ones(classes.size, np.bool_)
    stamp = np.full(n, -1, np.int64)
    queue = np.empty(n, np.int32)
    for i in range(ptr.size - 1):
        if ptr[i + 1] - ptr[i] < 2:
            continue
        filled = 0
        for k in range(ptr[i], ptr[i + 1]):
            for e in range(parent_ptr[classes[k]], parent_ptr[classes[k] + 1]):
                if stamp[parent_idx[e]] != i:
                    stamp[parent_idx[e]] = i
                    queue[filled] = parent_idx[e]
                    filled += 1
        at = 0
        while at < filled:
            for e in range(parent_ptr[queue[at]], parent_ptr[queue[at] + 1]):
                if stamp[parent_idx[e]] != i:
                    stamp[parent_idx[e]] = i
                    queue[filled] = parent_idx[e]
                    filled += 1
            at += 1
        for k in range(ptr[i], ptr[i + 1]):
            keep[k] = stamp[classes[k]] != i
    return keep


@kernel
def distances_and_best(
    pred: Array,
    true: Array,
    up_ptr: Array,
    ancestors: Array,
    distances: Array,
    to_top: Array,
    above: Array,
    stamp: Array,
) -> tuple[Array, Array, Array]:
    """Of one instance: the distance of each pair, negative (minus one) by way of ⊤, and who is nearest to whom.

    ``above`` and ``stamp`` are scratch, stamp being -1 everywhere before and after.
    """
    height, width = pred.size, true.size
    table = np.empty((height, width), np.int64)
    length = np.empty((height, width), np.int64)
    for j in range(width):
        for k in range(up_ptr[true[j]], up_ptr[true[j] + 1]):
            above[ancestors[k]] = distances[k]
            stamp[ancestors[k]] = j
        for i in range(height):
            best = -1
            for k in range(up_ptr[pred[i]], up_ptr[pred[i] + 1]):
                if best >= 0 and distances[k] >= best:
                    break
                if stamp[ancestors[k]] == j:
                    total = distances[k] + above[ancestors[k]]
                    if best < 0 or total < best:
                        best = total
            table[i, j] = best if best >= 0 else -1 - (to_top[pred[i]] + to_top[true[j]])
            length[i, j] = best if best >= 0 else to_top[pred[i]] + to_top[true[j]]
        for k in range(up_ptr[true[j]], up_ptr[true[j] + 1]):
            stamp[ancestors[k]] = -1
    nearest_p = np.zeros((height, width), np.bool_)
    nearest_t = np.zeros((height, width), np.bool_)
    for i in range(height):
        least = length[i, 0]
        for j in range(width):
            least = min(least, length[i, j])
        for j in range(width):
            nearest_p[i, j] = length[i, j] == least
    for j in range(width):
        least = length[0, j]
        for i in range(height):
            least = min(least, length[i, j])
        for i in range(height):
            nearest_t[i, j] = length[i, j] == least
    return table, nearest_p, nearest_t


@kernel
def eligible_pairs(
    pred_ptr: Array, pred: Array, true_ptr: Array, true: Array,
    up_ptr: Array, ancestors: Array, distances: Array, to_top: Array, size: int,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """Eligible (class, LCA) pairs: for each instance those of predicted classes, then those of true classes.

    Classes are positions in the lists ``up_ptr``. Returns as CSR over 2 · instances: ptr, the class's position within
    its instance, the LCA, whether it is the class's own, and up(class, LCA).
    """
    out_ptr = np.zeros(2 * (pred_ptr.size - 1) + 1, np.int64)
    capacity = 1024
    out = np.empty((4, capacity), np.int64)
    above = np.empty(size + 1, np.int64)
    stamp = np.full(size + 1, -1, np.int64)
    seen = np.full(size + 1, -1, np.int64)
    where = np.empty(size + 1, np.int64)
    end = 0
    mark = 0
    for i in range(pred_ptr.size - 1):
        p, t = pred[pred_ptr[i] : pred_ptr[i + 1]], true[true_ptr[i] : true_ptr[i + 1]]
        if p.size == 0 or t.size == 0:
            out_ptr[2 * i + 1] = end
            out_ptr[2 * i + 2] = end
            continue
        table, nearest_p, nearest_t = distances_and_best(p, t, up_ptr, ancestors, distances, to_top, above, stamp)
        for side in range(2):
            first, second = (p, t) if side == 0 else (t, p)
            for a in range(first.size):
                mark += 1
                for b in range(second.size):
                    row, column = (a, b) if side == 0 else (b, a)
                    own = nearest_p[row, column] if side == 0 else nearest_t[row, column]
                    if not (nearest_p[row, column] or nearest_t[row, column]):
                        continue
                    distance = table[row, column]
                    if distance >= 0:
                        for k in range(up_ptr[second[b]], up_ptr[second[b] + 1]):
                            above[ancestors[k]] = distances[k]
                            stamp[ancestors[k]] = 1
                    begin = up_ptr[first[a]]
                    last = up_ptr[first[a] + 1] if distance >= 0 else begin + 1
                    for k in range(begin, last):
                        node, length = ancestors[k], distances[k]
                        if distance < 0:
                            node, length = size, to_top[first[a]]
                        elif length > distance:
                            break
                        elif stamp[node] != 1 or length + above[node] != distance:
                            continue
                        if seen[node] != mark:
                            seen[node] = mark
                            where[node] = end
                            if end == capacity:
                                out = _wider(out)
                                capacity = 2 * capacity
                            out[0, end] = a
                            out[1, end] = node
                            out[2, end] = 0
                            out[3, end] = length
                            end += 1
                        if own:
                            out[2, where[node]] = 1
                    if distance >= 0:
                        for k in range(up_ptr[second[b]], up_ptr[second[b] + 1]):
                            stamp[ancestors[k]] = -1
            out_ptr[2 * i + 1 + side] = end
    return out_ptr, out[0, :end].copy(), out[1, :end].copy(), out[2, :end] == 1, out[3, :end].copy()


@kernel
def _wider(table: Array) -> Array:
    """Twice as many columns; by loops, which numba compiles much faster than slices."""
    wider = np.empty((table.shape[0], 2 * table.shape[1]), table.dtype)
    for row in range(table.shape[0]):
        for k in range(table.shape[1]):
            wider[row, k] = table[row, k]
    return wider


@kernel
def shortest_path_dags(
    sources: Array, targets: Array, lengths: Array, up_ptr: Array, ancestors: Array, distances: Array,
    parent_ptr: Array, parent_idx: Array, horizon: int,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """The union of all shortest upward paths from ``sources`` (positions in the lists) to ``targets``.

    A path to ⊤ (the number of classes) leaves at a root, or where a parent is exactly ``horizon`` steps up (0: no
    horizon). Returns two CSR pointers, into the nodes (the target first, the source last) and into the edges, the
    nodes, and the lower and upper ends of the edges.
    """
    n = parent_ptr.size - 1
    ptr = np.zeros((2, sources.size + 1), np.int64)
    nodes = np.empty((1, 1024), np.int32)
    edges = np.empty((2, 1024), np.int32)
    far = np.full(n + 1, -1, np.int64)
    good = np.zeros(n + 1, np.bool_)
    end = 0
    edge_end = 0
    for s in range(sources.size):
        begin, stop = up_ptr[sources[s]], up_ptr[sources[s] + 1]
        target, length = targets[s], lengths[s]
        for k in range(begin, stop):
            far[ancestors[k]] = distances[k]
        while end + (stop - begin) + 2 > nodes.shape[1]:
            nodes = _wider(nodes)
        good[target] = True
        nodes[0, end] = target
        end += 1
        for back in range(stop - begin):
            k = stop - 1 - back
            node = ancestors[k]
            if distances[k] >= length:
                continue
            degree = parent_ptr[node + 1] - parent_ptr[node]
            while edge_end + degree + 1 > edges.shape[1]:
                edges = _wider(edges)
            if target == n and distances[k] == length - 1:
                leaves = degree == 0
                if horizon > 0 and length == horizon:
                    for e in range(parent_ptr[node], parent_ptr[node + 1]):
                        # what is not in the list is at least ``horizon`` away, and this parent is at most
                        leaves = leaves or far[parent_idx[e]] < 0
                if leaves:
                    good[node] = True
                    edges[0, edge_end] = node
                    edges[1, edge_end] = n
                    edge_end += 1
            else:
                for e in range(parent_ptr[node], parent_ptr[node + 1]):
                    other = parent_idx[e]
                    if far[other] == distances[k] + 1 and good[other]:
                        good[node] = True
                        edges[0, edge_end] = node
                        edges[1, edge_end] = other
                        edge_end += 1
            if good[node]:
                nodes[0, end] = node
                end += 1
        for k in range(ptr[0, s], end):
            good[nodes[0, k]] = False
        for k in range(begin, stop):
            far[ancestors[k]] = -1
        ptr[0, s + 1] = end
        ptr[1, s + 1] = edge_end
    return ptr, nodes[0, :end].copy(), edges[0, :edge_end].copy(), edges[1, :edge_end].copy()
