"""Depth-first search (Tarjan, 1972) for a topological order or a cycle, and depths. O(nodes + edges)."""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def depth_first(graph: Rows, starts: Array) -> tuple[Array, Array, Array]:
    """Depth-first search from each of ``starts`` in turn, neighbours in their order.

    Returns the postorder, a mask of the edges that lead back to a node on the current path, and the nodes of the
    first cycle met (empty if there is none).
    """
    size = len(graph.ptr) - 1
    postorder, cycle = np.empty(size, np.int32), np.empty(size, np.int32)
    closing = np.zeros(len(graph.items), np.bool_)
    sizes = np.zeros(2, np.int64)
    _search_depth_first(graph, starts, postorder, closing.view(np.uint8), cycle, sizes)
    return postorder[: sizes[0]], closing, cycle[: sizes[1]].copy()


def _search_depth_first(graph, starts, postorder, closing, cycle, sizes):
    """Write the postorder, the closing edges, the first cycle, and in ``sizes`` how long the first and last are."""
    state: cython.uchar[::1] = np.full(graph.ptr.shape[0] - 1, UNSEEN, np.uint8)
    edge: cython.longlong[::1] = np.array(graph.ptr)  # next edge to follow, for each node
    path: cython.int[::1] = np.empty(graph.ptr.shape[0] - 1, np.int32)
    done: cython.Py_ssize_t = 0
    steps: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    with cython.nogil:
        for s in range(starts.shape[0]):
            if state[starts[s]] != UNSEEN:
                continue
            path[0] = starts[s]
            state[path[0]] = ON_PATH
            length: cython.Py_ssize_t = 1
            while length > 0:
                steps += 1
                if steps % 65536 == 0:
                    look_for_signals()
                node = path[length - 1]
                e = edge[node]
                if e == graph.ptr[node + 1]:
                    state[node] = FINISHED
                    postorder[done] = node
                    done += 1
                    length -= 1
                    continue
                edge[node] = e + 1
                other = graph.items[e]
                if state[other] == UNSEEN:
                    state[other] = ON_PATH
                    path[length] = other
                    length += 1
                elif state[other] == ON_PATH:
                    closing[e] = True
                    if sizes[1] == 0:
                        sizes[1] = _copy_cycle(path, length, other, cycle)
        sizes[0] = done


def _copy_cycle(path, length, node, cycle):
    """Copy the path from ``node`` on; return its length."""
    first: cython.Py_ssize_t = length - 1
    while path[first] != node:
        first -= 1
    for k in range(first, length):
        cycle[k - first] = path[k]
    return length - first


def depths(order: Array, parents: Rows, lengths: Array) -> Array:
    """Shortest distance of each node to a root; ``order`` has parents before children."""
    depth = np.zeros(order.size, np.float64)
    _measure_depths(np.ascontiguousarray(order), parents, lengths, depth)
    return depth


def _measure_depths(order, parents, lengths, depth):
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    with cython.nogil:
        for k in range(order.shape[0]):
            if k % 65536 == 0:
                look_for_signals()
            node = order[k]
            first = parents.ptr[node]
            if first < parents.ptr[node + 1]:
                best = depth[parents.items[first]] + lengths[first]
                for e in range(first + 1, parents.ptr[node + 1]):
                    best = min(best, depth[parents.items[e]] + lengths[e])
                depth[node] = best
