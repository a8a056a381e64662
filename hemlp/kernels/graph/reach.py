"""Reachable sets and distances, by breadth-first search or in topological order.

The graph is given by ``Rows`` of the neighbours of each node. O(n + m) for each source.
"""

from __future__ import annotations

import threading

import cython
import numpy as np

from hemlp.arrays import enlarge
from hemlp.kernels import Array

INFINITY = np.inf


def reach(graph: Rows, sources: Array, room: int, farthest: int) -> tuple[int, Array, Array, Array]:
    """All nodes reachable from each source, nearest first, the source itself included, with unit distances.

    Stops before a source whose list would bring the total above ``room`` (never before the first one), and does not
    go farther than ``farthest`` steps. Returns how many sources were done, and their lists as CSR: ptr, nodes,
    distances.
    """
    ptr = np.zeros(sources.size + 1, np.int64)
    size, lists = len(graph.ptr) - 1, ReachLists(64 * (1 + sources.size))
    seen, SCRATCH.seen = getattr(SCRATCH, "seen", None), None
    if seen is None or seen.size != size:
        seen = np.full(size, -1, np.int32)
    end, done = _reach_all(graph, sources, room, farthest, ptr, seen, lists)
    nodes, distances = np.asarray(lists.nodes), np.asarray(lists.distances)
    if end < size:
        seen[nodes[:end]] = -1
        SCRATCH.seen = seen
    return done, ptr[: done + 1], nodes[: ptr[done]].copy(), distances[: ptr[done]].copy()


SCRATCH = threading.local()
"""``seen``: an array of -1 that each thread keeps for its next search, so that a short search takes little time."""


class ReachLists:
    """The nodes of all lists and their distances, in arrays that grow."""

    def __init__(self, room: int) -> None:
        self.nodes, self.distances = np.empty(room, np.int32), np.empty(room, np.int32)


def _reach_all(graph, sources, room, farthest, ptr, seen, lists):
    end: cython.Py_ssize_t = 0
    looked: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    with cython.nogil:
        for s in range(sources.shape[0]):
            end = _reach_one(graph, s, sources[s], farthest, seen, lists, end)
            if end > room and s > 0:
                break
            ptr[s + 1] = end
            if end > looked + OFTEN:
                look_for_signals()
                looked = end
        else:
            s = sources.shape[0]
    return end, s


def _reach_one(graph, s, source, farthest, seen, lists, begin):
    """Write the list of ``source`` from ``begin`` on and return its end; ``s`` marks the nodes seen."""
    end: cython.Py_ssize_t = begin
    at: cython.Py_ssize_t = begin
    e: cython.Py_ssize_t
    _make_room(lists, begin + 1)
    lists.nodes[end] = source
    lists.distances[end] = 0
    seen[source] = s
    end += 1
    while at < end and lists.distances[at] < farthest:
        node = lists.nodes[at]
        _make_room(lists, end + graph.ptr[node + 1] - graph.ptr[node])
        for e in range(graph.ptr[node], graph.ptr[node + 1]):
            other = graph.items[e]
            if seen[other] != s:
                seen[other] = s
                lists.nodes[end] = other
                lists.distances[end] = lists.distances[at] + 1
                end += 1
        at += 1
        if (at - begin) % OFTEN == 0:
            look_for_signals()
    return end


def _make_room(lists, size):
    """Grow the arrays to at least ``size`` entries."""
    if size > lists.nodes.shape[0]:
        with cython.gil:
            lists.nodes = enlarge(np.asarray(lists.nodes), size)
            lists.distances = enlarge(np.asarray(lists.distances), size)
    return 0


def relax(graph: Rows, lengths: Array, lists: Rows) -> Array:
    """Shortest distances under edge ``lengths`` from the first node of each whole list of ``reach`` to the others.

    The graph has no cycles, so a node is final once all edges to it from nodes of the list were looked at.
    """
    distances = np.empty(len(lists.items), np.float64)
    _relax_all(graph, lengths, lists, distances)
    return distances


def _relax_all(graph, lengths, lists, distances):
    best: cython.double[::1] = np.full(graph.ptr.shape[0] - 1, INFINITY)
    waiting: cython.int[::1] = np.zeros(graph.ptr.shape[0] - 1, np.int32)  # edges to each node to be looked at yet
    queue: cython.int[::1] = np.empty(graph.ptr.shape[0] - 1, np.int32)
    looked: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for s in range(lists.ptr.shape[0] - 1):
            if lists.ptr[s] > looked + OFTEN:
                look_for_signals()
                looked = lists.ptr[s]
            _relax_one(graph, lengths, lists, s, best, waiting, queue)
            for k in range(lists.ptr[s], lists.ptr[s + 1]):
                distances[k] = best[lists.items[k]]
                best[lists.items[k]] = INFINITY


def _relax_one(graph, lengths, lists, s, best, waiting, queue):
    """Write the ``best`` distances to the nodes of list s; all others stay infinite."""
    k: cython.Py_ssize_t
    e: cython.Py_ssize_t
    for k in range(lists.ptr[s], lists.ptr[s + 1]):
        for e in range(graph.ptr[lists.items[k]], graph.ptr[lists.items[k] + 1]):
            waiting[graph.items[e]] += 1
    queue[0] = lists.items[lists.ptr[s]]
    best[queue[0]] = 0.0
    filled: cython.Py_ssize_t = 1
    k = 0
    while k < filled:
        node = queue[k]
        for e in range(graph.ptr[node], graph.ptr[node + 1]):
            other = graph.items[e]
            best[other] = min(best[other], best[node] + lengths[e])
            waiting[other] -= 1
            if waiting[other] == 0:
                queue[filled] = other
                filled += 1
        k += 1
