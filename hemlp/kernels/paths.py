"""One shortest path among many."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]


@kernel
def best_path(nodes: Array, lower: Array, upper: Array, taken: Array, place: Array) -> tuple[int, Array]:
    """The path from the last node up to the first that has most nodes ``taken``, and how many.

    What is above a node stands before it, and edges stand in the order of their lower nodes. Ties go to the smallest
    sequence of nodes from the last one up. ``place`` is scratch.
    """
    most = np.zeros(nodes.size, np.int64)
    following = np.empty(nodes.size, np.int64)
    steps = np.zeros(nodes.size, np.int64)
    place[nodes[0]] = 0
    most[0] = taken[nodes[0]]
    edge = 0
    for k in range(1, nodes.size):
        place[nodes[k]] = k
        best = -1
        while edge < lower.size and lower[edge] == nodes[k]:
            high = place[upper[edge]]
            if best < 0 or most[high] > most[best] or (most[high] == most[best] and nodes[high] < nodes[best]):
                best = high
            edge += 1
        following[k] = best
        most[k] = most[best] + taken[nodes[k]]
        steps[k] = steps[best] + 1
    at = nodes.size - 1
    path = np.empty(steps[at] + 1, np.int64)
    for k in range(path.size):
        path[k] = nodes[at]
        if k + 1 < path.size:
            at = following[at]
    return most[nodes.size - 1], path
