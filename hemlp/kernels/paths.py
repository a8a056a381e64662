"""One shortest path among many."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NOWHERE = cython.declare(cython.longlong, -1)


def best_path(nodes: Array, lower: Array, upper: Array, taken: Array, place: Array) -> tuple[int, Array]:
    """The path from the last node up to the first that has most nodes ``taken``, and how many.

    What is above a node stands before it, and edges stand in the order of their lower nodes. Ties go to the smallest
    sequence of nodes from the last one up. ``place`` is scratch.
    """
    following, most, steps = np.zeros((3, nodes.size), np.int64)
    _find_paths(nodes, lower, upper, taken.view(np.uint8), place, following, most, steps)
    path = np.empty(steps[nodes.size - 1] + 1, np.int64)
    _follow(nodes, following, path)
    return int(most[nodes.size - 1]), path


@cython.cfunc
def _find_paths(
    nodes: cython.const[cython.int][::1], lower: cython.const[cython.int][::1], upper: cython.const[cython.int][::1],
    taken: cython.const[cython.uchar][::1], place: cython.int[::1], following: cython.longlong[::1],
    most: cython.longlong[::1], steps: cython.longlong[::1],
) -> None:  # fmt: skip
    """Of the best path of each node upward: its next node, how many of its nodes are taken, how many edges it has."""
    edge: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t
    with cython.nogil:
        place[nodes[0]] = 0
        most[0] = taken[nodes[0]]
        for k in range(1, nodes.shape[0]):
            place[nodes[k]] = k
            best: cython.longlong = NOWHERE
            while edge < lower.shape[0] and lower[edge] == nodes[k]:
                high = place[upper[edge]]
                if (
                    best == NOWHERE
                    or most[high] > most[best]
                    or (most[high] == most[best] and nodes[high] < nodes[best])
                ):
                    best = high
                edge += 1
            following[k] = best
            most[k] = most[best] + taken[nodes[k]]
            steps[k] = steps[best] + 1


@cython.cfunc
def _follow(
    nodes: cython.const[cython.int][::1], following: cython.const[cython.longlong][::1], path: cython.longlong[::1]
) -> None:
    """The nodes of the path of the last one."""
    at: cython.Py_ssize_t = nodes.shape[0] - 1
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(path.shape[0]):
            path[k] = nodes[at]
            at = following[at]
