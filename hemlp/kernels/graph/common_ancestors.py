"""The best common ancestor of each pair of classes: of greatest value, or near and deep at once.

Instance i has its pairs, one row per predicted class, from ``pair_ptr[i]`` on. Classes are rows of ``above``, lists of
ancestors. What is beyond the hub is an ancestor of each class that reaches the hub, in its list or not. O(entries of
both lists) for each pair. Wu and Palmer (1994); Resnik (1995), with information contents as values.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Ways:
    """Distances to ancestors, in the lists and by way of the hub, and the depth of each class, 1 for roots.

    ``front_depth``, ``front_beyond``: the classes beyond the hub that no other one dominates by being both deeper
    and nearer to the hub.
    """

    def __init__(self, distances: Array, hub_at: Array, beyond: Array, depth: Array) -> None:
        self.distances = distances
        self.hub_at = hub_at
        self.beyond = beyond
        self.depth = depth
        at = np.flatnonzero(beyond >= 0)
        at = at[np.lexsort((-depth[at], beyond[at]))]
        deepest = np.maximum.accumulate(depth[at])
        best = np.ones(at.size, np.bool_)
        best[1:] = depth[at][1:] > deepest[: at.size - 1]
        self.front_depth = depth[at[best]].copy()
        self.front_beyond = beyond[at[best]].copy()


def greatest_common(sides: Sides, pair_ptr: Array, above: Implied, values: Array) -> Array:
    """The greatest value of a common ancestor of each pair; minus infinity if there is none."""
    greatest = np.full(pair_ptr[len(pair_ptr) - 1], -np.inf)
    upper = float(values[np.asarray(above.beyond) == 1].max(initial=-np.inf))
    _write_greatest(sides, pair_ptr, above, values, upper, greatest)
    return greatest


def _write_greatest(sides, pair_ptr, above, values, upper, greatest):
    stamp: cython.int[::1] = np.full(above.size, -1, np.int32)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            if i % 64 == 0:
                look_for_signals()
            _write_instance(sides, i, pair_ptr[i], above, values, upper, stamp, greatest)


def _write_instance(sides, i, first, above, values, upper, stamp, greatest):
    width = sides.true_ptr[i + 1] - sides.true_ptr[i]
    for j in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
        t = sides.true[j]
        t_through: cython.bint = above.through[t] != 0
        mark: cython.int = j
        for k in range(above.ptr[t], above.ptr[t + 1]):
            stamp[above.nodes[k]] = mark
        for row in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
            p = sides.pred[row]
            best: cython.double = upper if t_through and above.through[p] != 0 else -INFINITY
            for k in range(above.ptr[p], above.ptr[p + 1]):
                node = above.nodes[k]
                if stamp[node] == mark or (t_through and above.beyond[node] != 0):
                    best = max(best, values[node])
            if above.through[p] != 0 and not t_through:
                for k in range(above.ptr[t], above.ptr[t + 1]):
                    if above.beyond[above.nodes[k]] != 0:
                        best = max(best, values[above.nodes[k]])
            greatest[first + (row - sides.pred_ptr[i]) * width + j - sides.true_ptr[i]] = best


def wu_palmer(sides: Sides, pair_ptr: Array, above: Implied, ways: Ways) -> Array:
    """max 2·D(a) / (2·D(a) + up(u, a) + up(v, a)) over the common ancestors a of each pair; 0 if there is none."""
    similarity = np.zeros(pair_ptr[len(pair_ptr) - 1])
    _measure_similarities(sides, pair_ptr, above, ways, similarity)
    return similarity


def _measure_similarities(sides, pair_ptr, above, ways, similarity):
    stamp: cython.int[::1] = np.full(above.size, -1, np.int32)
    far: cython.double[::1] = np.zeros(above.size)
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            if i % 64 == 0:
                look_for_signals()
            _measure_instance(sides, i, pair_ptr[i], above, ways, stamp, far, similarity)


def _measure_instance(sides, i, first, above, ways, stamp, far, similarity):
    width = sides.true_ptr[i + 1] - sides.true_ptr[i]
    for j in range(sides.true_ptr[i], sides.true_ptr[i + 1]):
        t = sides.true[j]
        mark: cython.int = j
        for k in range(above.ptr[t], above.ptr[t + 1]):
            stamp[above.nodes[k]] = mark
            far[above.nodes[k]] = ways.distances[k]
        for row in range(sides.pred_ptr[i], sides.pred_ptr[i + 1]):
            p = sides.pred[row]
            best: cython.double = 0.0
            for k in range(above.ptr[p], above.ptr[p + 1]):
                node = above.nodes[k]
                if stamp[node] == mark:
                    best = max(best, _ratio(ways.depth[node], ways.distances[k] + far[node]))
                elif above.through[t] != 0 and above.beyond[node] != 0:
                    way = ways.distances[k] + ways.hub_at[t] + ways.beyond[node]
                    best = max(best, _ratio(ways.depth[node], way))
            if above.through[p] != 0:
                best = max(best, _past_hub(p, t, above, ways))
            similarity[first + (row - sides.pred_ptr[i]) * width + j - sides.true_ptr[i]] = best


def _past_hub(p, t, above, ways):
    """The best similarity at a common ancestor that p reaches by way of the hub."""
    best: cython.double = 0.0
    for k in range(above.ptr[t], above.ptr[t + 1]):
        node = above.nodes[k]
        if above.beyond[node] != 0:
            way = ways.distances[k] + ways.hub_at[p] + ways.beyond[node]
            best = max(best, _ratio(ways.depth[node], way))
    if above.through[t] != 0:
        for f in range(ways.front_depth.shape[0]):
            way = ways.hub_at[p] + ways.hub_at[t] + 2 * ways.front_beyond[f]
            best = max(best, _ratio(ways.front_depth[f], way))
    return best


def _ratio(depth, way):
    return 2 * depth / (2 * depth + way)


def heights(order: Array, child_ptr: Array, child_idx: Array, lengths: Array) -> Array:
    """The longest path from each class down to a leaf; ``order`` has parents first, ``lengths`` one per edge."""
    height = np.zeros(len(child_ptr) - 1)
    _climb(order, child_ptr, child_idx, lengths, height)
    return height


def _climb(order, child_ptr, child_idx, lengths, height):
    size: cython.Py_ssize_t = order.shape[0]
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(size):
            c = order[size - 1 - k]
            for e in range(child_ptr[c], child_ptr[c + 1]):
                height[c] = max(height[c], lengths[e] + height[child_idx[e]])
