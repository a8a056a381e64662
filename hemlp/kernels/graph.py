"""Searches on graphs in CSR form: ``idx[ptr[c]:ptr[c + 1]]`` are the neighbours of ``c`` (parents or children)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]


@kernel
def depth_first(ptr: Array, idx: Array, starts: Array) -> tuple[Array, Array, Array]:
    """Depth-first search from each of ``starts`` in turn, neighbours in their order.

    Returns the postorder, a mask of the edges that lead back to a node on the current path, and the nodes of the
    first cycle met (empty if there is none).
    """
    n = ptr.size - 1
    postorder = np.empty(n, np.int32)
    closing = np.zeros(idx.size, np.bool_)
    cycle = np.empty(0, np.int32)
    state = np.zeros(n, np.int8)  # 0 unseen, 1 on the current path, 2 finished
    edge = ptr[:-1].copy()  # next edge to follow, for each node
    path = np.empty(n, np.int32)
    done = 0
    for start in starts:
        if state[start] != 0:
            continue
        path[0] = start
        state[start] = 1
        length = 1
        while length > 0:
            node = path[length - 1]
            e = edge[node]
            if e == ptr[node + 1]:
                state[node] = 2
                postorder[done] = node
                done += 1
                length -= 1
                continue
            edge[node] = e + 1
            other = idx[e]
            if state[other] == 0:
                state[other] = 1
                path[length] = other
                length += 1
            elif state[other] == 1:
                closing[e] = True
                if cycle.size == 0:
                    first = length - 1
                    while path[first] != other:
                        first -= 1
                    cycle = path[first:length].copy()
    return postorder[:done], closing, cycle


@kernel
def depths(order: Array, parent_ptr: Array, parent_idx: Array, lengths: Array) -> Array:
    """Shortest distance of each node to a root; ``order`` has parents before children."""
    depth = np.zeros(order.size, np.float64)
    for node in order:
        if parent_ptr[node] < parent_ptr[node + 1]:
            best = np.inf
            for e in range(parent_ptr[node], parent_ptr[node + 1]):
                best = min(best, depth[parent_idx[e]] + lengths[e])
            depth[node] = best
    return depth


@kernel
def reach(ptr: Array, idx: Array, sources: Array, room: int, farthest: int) -> tuple[int, Array, Array, Array]:
    """All nodes reachable from each source, nearest first, the source itself included, with unit distances.

    Stops before a source whose list would bring the total above ``room`` (never before the first one), and does not
    go farther than ``farthest`` steps. Returns how many sources were done, and their lists as CSR: ptr, nodes,
    distances.
    """
    out_ptr = np.zeros(sources.size + 1, np.int64)
    nodes = np.empty(max(16, 4 * sources.size), np.int32)
    distances = np.empty(nodes.size, np.int32)
    seen = np.full(ptr.size - 1, -1, np.int32)
    done = 0
    end = 0
    for s in range(sources.size):
        begin = end
        if end == nodes.size:
            nodes, distances = _grow(nodes), _grow(distances)
        nodes[end] = sources[s]
        distances[end] = 0
        seen[sources[s]] = s
        end += 1
        at = begin
        while at < end and distances[at] < farthest:
            node = nodes[at]
            for e in range(ptr[node], ptr[node + 1]):
                other = idx[e]
                if seen[other] != s:
                    seen[other] = s
                    if end == nodes.size:
                        nodes, distances = _grow(nodes), _grow(distances)
                    nodes[end] = other
                    distances[end] = distances[at] + 1
                    end += 1
            at += 1
        if end > room and s > 0:
            end = begin
            break
        done += 1
        out_ptr[done] = end
    return done, out_ptr[: done + 1], nodes[:end].copy(), distances[:end].copy()


@kernel
def _grow(array: Array) -> Array:
    larger = np.empty(2 * array.size, array.dtype)
    for k in range(array.size):  # numba compiles a loop much faster than a slice
        larger[k] = array[k]
    return larger


@kernel
def relax(ptr: Array, idx: Array, lengths: Array, rank: Array, list_ptr: Array, nodes: Array) -> Array:
    """Shortest distances under edge ``lengths`` from the first node of each list of ``reach`` to the others.

    ``rank`` is a topological order of the search's direction: an edge leads from a lower to a higher rank.
    """
    distances = np.empty(nodes.size, np.float64)
    best = np.full(ptr.size - 1, np.inf)
    for s in range(list_ptr.size - 1):
        part = nodes[list_ptr[s] : list_ptr[s + 1]]
        best[part[0]] = 0.0
        for node in part[np.argsort(rank[part])]:
            for e in range(ptr[node], ptr[node + 1]):
                best[idx[e]] = min(best[idx[e]], best[node] + lengths[e])
        for k in range(part.size):
            distances[list_ptr[s] + k] = best[part[k]]
        for node in part:
            best[node] = np.inf
    return distances


@kernel
def pair_distances(ptr: Array, idx: Array, us: Array, vs: Array) -> Array:
    """min over common reachable nodes a of d(u, a) + d(v, a) for each pair, -1 where there is none.

    Both searches grow by one step at a time. Once both know everything within k steps, a sum that is not known yet
    has a leg longer than k, so a best sum of at most k + 1 is final.
    """
    n = ptr.size - 1
    result = np.empty(us.size, np.int64)
    stamp = np.full((2, n), -1, np.int32)
    steps = np.empty((2, n), np.int32)
    queue = np.empty((2, n), np.int32)
    begin = np.empty(2, np.int64)
    end = np.empty(2, np.int64)
    for pair in range(us.size):
        for side in range(2):
            start = us[pair] if side == 0 else vs[pair]
            queue[side, 0] = start
            stamp[side, start] = pair
            steps[side, start] = 0
            begin[side] = 0
            end[side] = 1
        best = np.int64(0 if us[pair] == vs[pair] else 2 * n)
        level = 0
        while best > level + 1 and (begin[0] < end[0] or begin[1] < end[1]):
            for side in range(2):
                last = end[side]
                for at in range(begin[side], last):
                    node = queue[side, at]
                    for e in range(ptr[node], ptr[node + 1]):
                        other = idx[e]
                        if stamp[side, other] != pair:
                            stamp[side, other] = pair
                            steps[side, other] = level + 1
                            queue[side, end[side]] = other
                            end[side] += 1
                            if stamp[1 - side, other] == pair:
                                best = min(best, np.int64(level + 1 + steps[1 - side, other]))
                begin[side] = last
            level += 1
        result[pair] = best if best < 2 * n else -1
    return result
