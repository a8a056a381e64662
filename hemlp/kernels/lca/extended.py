"""Sizes of the extended LCA graphs G_ex: all nodes of all shortest paths of all eligible links. O(their length)."""

from __future__ import annotations

from typing import Any

import cython
import numpy as np


def extended_sizes(facts: Any, size: int) -> Any:
    """Count the LCAs, predicted, true and common nodes of each instance, and its classes that are not common.

    An instance with an empty side has the classes of the other one.
    """
    links: Links = Links(facts, size)
    table = np.zeros((len(facts.pred_ptr) - 1, 5), np.int64)
    _count_all(links, table, np.zeros(size + 1, np.uint8))
    return table


def _count_all(links, table, sides):
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(table.shape[0]):
            if i % 256 == 0:
                look_for_signals()
            table[i, 1] = links.pred_ptr[i + 1] - links.pred_ptr[i]
            table[i, 2] = links.true_ptr[i + 1] - links.true_ptr[i]
            if table[i, 1] and table[i, 2]:
                links.read(i)
                _count_nodes(links, table, i, sides)


def _count_nodes(links, table, i, sides):
    table[i, 0] = links.lcas
    table[i, 1] = table[i, 2] = 0
    for k in range(links.number):
        side: cython.int = 1 + links.side[k]
        for n in range(links.node_ptr[links.first + k], links.node_ptr[links.first + k + 1]):
            node = links.nodes[n]
            if not sides[node] & side:
                sides[node] |= side
                table[i, side] += 1
                table[i, 3] += 1 if sides[node] == 3 else 0
    last: cython.longlong = -1
    for k in range(links.number):
        if links.of_class[k] != last:  # the class is the last node of its links
            last = links.of_class[k]
            table[i, 4] += 1 if sides[links.nodes[links.node_ptr[links.first + k + 1] - 1]] != 3 else 0
    for n in range(links.node_ptr[links.first], links.node_ptr[links.first + links.number]):
        sides[links.nodes[n]] = 0
