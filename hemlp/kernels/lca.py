"""Lowest common ancestors of the two sides of many instances. The node n stands for ⊤."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]


@kernel
def most_specific(
    ptr: Array, classes: Array, at: Array, up_ptr: Array, ancestors: Array, gate_at: Array, beyond: Array
) -> Array:
    """Which classes of each instance have no descendant among the others; ``at``: their positions in the lists."""
    keep = np.ones(classes.size, np.bool_)
    stamp = np.full(beyond.size, -1, np.int64)
    for i in range(ptr.size - 1):
        if ptr[i + 1] - ptr[i] < 2:
            continue
        through = 0  # classes that reach the gate, and one of them
        one = -1
        for k in range(ptr[i], ptr[i + 1]):
            for a in range(up_ptr[at[k]], up_ptr[at[k] + 1]):
                if ancestors[a] != classes[k]:
                    stamp[ancestors[a]] = i
            if gate_at[at[k]] >= 0:
                through += 1
                one = classes[k]
        for k in range(ptr[i], ptr[i + 1]):
            below_gate = through > 1 or (through == 1 and one != classes[k])
            keep[k] = stamp[classes[k]] != i and not (below_gate and beyond[classes[k]] >= 0)
    return keep


@kernel
def distances_and_best(
    pred: Array, true: Array, up_ptr: Array, ancestors: Array, distances: Array, gate_at: Array, beyond: Array,
    to_top: Array, above: Array, stamp: Array,
) -> tuple[Array, Array, Array]:  # fmt: skip
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
                total = -1
                if stamp[ancestors[k]] == j:
                    total = distances[k] + above[ancestors[k]]
                elif gate_at[true[j]] >= 0 and beyond[ancestors[k]] >= 0:
                    total = distances[k] + gate_at[true[j]] + beyond[ancestors[k]]
                if total >= 0 and (best < 0 or total < best):
                    best = total
            if gate_at[pred[i]] >= 0:
                for k in range(up_ptr[true[j]], up_ptr[true[j] + 1]):
                    if beyond[ancestors[k]] >= 0:
                        total = distances[k] + gate_at[pred[i]] + beyond[ancestors[k]]
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
    up_ptr: Array, ancestors: Array, distances: Array, gate_at: Array, beyond: Array, to_top: Array,
) -> tuple[Array, Array, Array, Array, Array]:  # fmt: skip
    """Eligible (class, LCA) pairs: for each instance those of predicted classes, then those of true classes.

    Classes are positions in the lists ``up_ptr``. An LCA is in the list of one of its classes at least: what both reach
    beyond the gate only is farther than the gate. Returns as CSR over 2 · instances: ptr, the class's position within
    its instance, the LCA, whether it is the class's own, and up(class, LCA).
    """
    size = beyond.size
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
        table, nearest_p, nearest_t = distances_and_best(
            p, t, up_ptr, ancestors, distances, gate_at, beyond, to_top, above, stamp
        )
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
                    begin, last = up_ptr[first[a]], up_ptr[first[a] + 1]
                    other, other_last = up_ptr[second[b]], up_ptr[second[b] + 1]
                    from_first, from_second = gate_at[first[a]], gate_at[second[b]]
                    if distance < 0:  # ⊤ alone
                        last, other_last = begin + 1, other
                    for k in range(other, other_last):
                        above[ancestors[k]] = distances[k]
                        stamp[ancestors[k]] = 1
                    candidates = last - begin
                    if from_first >= 0:  # some may be in the second list only
                        candidates += other_last - other
                    for m in range(candidates):
                        k = begin + m if m < last - begin else other + m - (last - begin)
                        node, length = ancestors[k], distances[k]
                        if distance < 0:
                            node, length = size, to_top[first[a]]
                        elif m >= last - begin:
                            if beyond[node] < 0 or from_first + beyond[node] + length != distance:
                                continue
                            length = from_first + beyond[node]
                        elif stamp[node] == 1:
                            if length + above[node] != distance:
                                continue
                        elif from_second < 0 or beyond[node] < 0 or length + from_second + beyond[node] != distance:
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
                    for k in range(other, other_last):
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
    link_ptr: Array, sources: Array, targets: Array, lengths: Array,
    up_ptr: Array, ancestors: Array, distances: Array, gate_at: Array, beyond: Array, gate: int, gate_depth: int,
    from_ptr: Array, from_idx: Array, way_ptr: Array, ways: Array, way_of: Array, all_twins: bool,
    parent_ptr: Array, parent_idx: Array, horizon: int,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """The union of all shortest upward paths from ``sources`` (positions in the lists) to ``targets``.

    A path to ⊤ (the number of classes) leaves at a root, or where a parent is exactly ``horizon`` steps up (0: no
    horizon). Links of instance i are those from ``link_ptr[2i]`` to ``link_ptr[2i + 2]``. Returns two CSR pointers,
    into the nodes (the target first, the source last) and into the edges, the nodes, and the lower and upper ends of
    the edges.

    ``from_idx``: from where shortest paths from the gate come to a node, the gate itself left out. ``ways``: what is
    beyond the gate on shortest ways to ⊤, in groups of twins (same neighbours there); ``way_of``: the
    group of a node or -1. Twins that no other path of the instance can use are interchangeable, so as many are kept as
    links could use them, unless ``all_twins`` are wanted.
    """
    n = parent_ptr.size - 1
    ptr = np.zeros((2, sources.size + 1), np.int64)
    nodes = np.empty((1, 1024), np.int32)
    edges = np.empty((2, 1024), np.int32)
    far = np.full(n + 1, -1, np.int64)
    good = np.zeros(n + 1, np.bool_)
    above = np.empty((2, 1024), np.int32)  # nodes above one class and their distances
    extra = np.empty((1, 1024), np.int32)
    special = np.full(n + 1, -1, np.int64)  # the last instance in which another path can use a way
    apart = np.empty((1, 1024), np.int32)  # those ways
    end = 0
    edge_end = 0
    for i in range((link_ptr.size - 1) // 2):
        first, last = link_ptr[2 * i], link_ptr[2 * i + 2]
        sharing = 0  # links to ⊤ through the gate
        count = 0
        for s in range(first, last):
            at = gate_at[sources[s]]
            sharing += targets[s] == n and at >= 0 and at + gate_depth + 1 == lengths[s]
        if sharing > 0:
            for s in range(first, last):
                found = 0
                at = gate_at[sources[s]]
                if targets[s] != n and at >= 0 and beyond[targets[s]] >= 0 and at + beyond[targets[s]] == lengths[s]:
                    extra, found = _down_to_gate(targets[s], from_ptr, from_idx, extra, good)
                listed = up_ptr[sources[s] + 1] - up_ptr[sources[s]]
                while count + listed + found > apart.shape[1]:
                    apart = _wider(apart)
                for k in range(listed + found):
                    node = ancestors[up_ptr[sources[s]] + k] if k < listed else extra[0, k - listed]
                    if way_of[node] >= 0 and special[node] != i:
                        special[node] = i
                        apart[0, count] = node
                        count += 1
        for s in range(first, last):
            source, target, length = sources[s], targets[s], lengths[s]
            begin, stop = up_ptr[source], up_ptr[source + 1]
            at = gate_at[source]
            found = 0
            if at >= 0 and target == n and at + gate_depth + 1 == length:
                extra, found = _ways_to_top(
                    way_ptr, ways, special, i, ways.size if all_twins else sharing, apart, count, extra
                )
            elif at >= 0 and target != n and beyond[target] >= 0 and at + beyond[target] == length:
                extra, found = _down_to_gate(target, from_ptr, from_idx, extra, good)
            while stop - begin + found > above.shape[1]:
                above = _wider(above)
            filled = 0
            for k in range(begin, stop):
                far[ancestors[k]] = distances[k]
                above[0, filled], above[1, filled] = ancestors[k], distances[k]
                filled += 1
            for k in range(found):
                node = extra[0, k]
                if far[node] < 0:
                    far[node] = at + beyond[node]
                    place = filled
                    while above[1, place - 1] > far[node]:
                        above[0, place], above[1, place] = above[0, place - 1], above[1, place - 1]
                        place -= 1
                    above[0, place], above[1, place] = node, far[node]
                    filled += 1
            while end + filled + 2 > nodes.shape[1]:
                nodes = _wider(nodes)
            good[target] = True
            nodes[0, end] = target
            end += 1
            for back in range(filled):
                k = filled - 1 - back
                node, distance = above[0, k], above[1, k]
                if distance >= length:
                    continue
                at_gate = node == gate and at >= 0
                degree = parent_ptr[node + 1] - parent_ptr[node]
                while edge_end + (filled if at_gate else degree) + 1 > edges.shape[1]:
                    edges = _wider(edges)
                if target == n and distance == length - 1:
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
                elif at_gate:  # its parents are many: those among the nodes
                    for other_k in range(k + 1, filled):
                        other = above[0, other_k]
                        if above[1, other_k] == distance + 1 and beyond[other] == 1 and good[other]:
                            good[node] = True
                            edges[0, edge_end] = node
                            edges[1, edge_end] = other
                            edge_end += 1
                else:
                    for e in range(parent_ptr[node], parent_ptr[node + 1]):
                        other = parent_idx[e]
                        if far[other] == distance + 1 and good[other]:
                            good[node] = True
                            edges[0, edge_end] = node
                            edges[1, edge_end] = other
                            edge_end += 1
                if good[node]:
                    nodes[0, end] = node
                    end += 1
            for k in range(ptr[0, s], end):
                good[nodes[0, k]] = False
            for k in range(filled):
                far[above[0, k]] = -1
            ptr[0, s + 1] = end
            ptr[1, s + 1] = edge_end
    return ptr, nodes[0, :end].copy(), edges[0, :edge_end].copy(), edges[1, :edge_end].copy()


@kernel
def _down_to_gate(target: int, from_ptr: Array, from_idx: Array, extra: Array, seen: Array) -> tuple[Array, Any]:
    """The nodes on shortest paths from the gate to ``target``, without the gate, lowest first.

    ``seen`` is scratch, False before and after.
    """
    extra[0, 0] = target
    seen[target] = True
    found = 1
    at = 0
    while at < found:
        node = extra[0, at]
        for e in range(from_ptr[node], from_ptr[node + 1]):
            child = from_idx[e]
            if not seen[child]:
                seen[child] = True
                if found == extra.shape[1]:
                    extra = _wider(extra)
                extra[0, found] = child
                found += 1
        at += 1
    for k in range(found):
        seen[extra[0, k]] = False
    for k in range(found // 2):
        extra[0, k], extra[0, found - 1 - k] = extra[0, found - 1 - k], extra[0, k]
    return extra, found


@kernel
def _ways_to_top(
    way_ptr: Array, ways: Array, special: Array, mark: int, most: int, apart: Array, count: int, extra: Array
) -> tuple[Array, Any]:
    """Of each group of twins ``most`` that are not special, and the special ones."""
    found = 0
    for group in range(way_ptr.size - 1):
        taken = 0
        k = way_ptr[group]
        while k < way_ptr[group + 1] and taken < most:
            if special[ways[k]] != mark:
                if found == extra.shape[1]:
                    extra = _wider(extra)
                extra[0, found] = ways[k]
                found += 1
                taken += 1
            k += 1
    while found + count > extra.shape[1]:
        extra = _wider(extra)
    for k in range(count):
        extra[0, found] = apart[0, k]
        found += 1
    return extra, found
