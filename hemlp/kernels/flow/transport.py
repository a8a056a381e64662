"""Moving masses at the least cost, for many small instances, in integers.

Instance i has the predicted classes ``pred_ptr[i]:pred_ptr[i + 1]`` with their supplies, the true ones with their
demands, and its pairs, one row a predicted class, from ``pair_ptr[i]`` on. Along a pair any mass can move.

In the residual network a way leads from a predicted to a true class along any pair, at its cost, and back along a pair
that carries something. Supplies are routed one after the other along a shortest way, which keeps the cost least; then
no cycle there may have a negative cost, and along one that has, the flow is changed for the better.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.signals import look_for_signals
else:
    from hemlp.kernels.signals import look_for_signals

Array = NDArray[Any]
FORBIDDEN = -1
"""The cost of a pair that does not exist; all others are at least 0."""
FAR = 1 << 61
NOBODY = -1


class Shipments:
    """The masses of all instances: what each class still has to send or to take, and what each pair carries."""

    def __init__(self, ptr: tuple[Array, Array, Array], costs: Array, left: tuple[Array, Array], flow: Array) -> None:
        self.size = len(ptr[0]) - 1
        self.pred_ptr, self.true_ptr, self.pair_ptr = ptr
        self.costs = costs
        self.supply, self.demand = left
        self.flow = flow
        most = 1 if not self.size else int((np.diff(ptr[0]) + np.diff(ptr[1])).max()) + 1
        self.far = np.zeros(most, np.int64)
        self.came = np.zeros(most, np.int64)


def settle(shipments: Shipments) -> Array:
    """Whether all masses of each instance could be moved; ``flow`` moves them at the least cost, proved.

    ``supply`` and ``demand`` end at what is left. A flow that was there before is kept where it is of least cost.
    """
    feasible = np.zeros(shipments.size, np.uint8)
    _settle_all(shipments, feasible)
    return feasible.view(np.bool_)


@cython.cfunc
def _settle_all(s: Shipments, feasible: cython.uchar[::1]) -> None:
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(s.size):
            if i % 64 == 0:
                look_for_signals()
            feasible[i] = _settle(s, i)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=True)
def _settle(s: Shipments, i: cython.Py_ssize_t) -> cython.bint:
    height: cython.longlong = s.pred_ptr[i + 1] - s.pred_ptr[i]
    width: cython.longlong = s.true_ptr[i + 1] - s.true_ptr[i]
    steps: cython.longlong = 0
    while True:
        steps += 1
        if steps % 64 == 0:
            look_for_signals()
        _shortest_ways(s, i, height, width, True)
        nearest: cython.longlong = NOBODY
        for j in range(width):
            wants: cython.bint = s.demand[s.true_ptr[i] + j] > 0 and s.far[height + j] < FAR
            if wants and (nearest == NOBODY or s.far[height + j] < s.far[height + nearest]):
                nearest = j
        if nearest == NOBODY:
            break
        _send(s, i, height, width, nearest)
    while True:
        steps += 1
        if steps % 64 == 0:
            look_for_signals()
        node = _shortest_ways(s, i, height, width, False)
        if node == NOBODY:
            break
        _turn(s, i, height, width, node)
    for k in range(s.pred_ptr[i], s.pred_ptr[i + 1]):
        if s.supply[k] > 0:
            return False
    missing: cython.longlong = 0
    for k in range(s.true_ptr[i], s.true_ptr[i + 1]):
        missing += s.demand[k]
    return missing == 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _shortest_ways(
    s: Shipments, i: cython.Py_ssize_t, height: cython.longlong, width: cython.longlong, sending: cython.bint
) -> cython.longlong:
    """Shortest ways from classes that have something to send, or (not ``sending``) from anywhere (Bellman, Ford).

    A node that is on or behind a cycle of negative cost, NOBODY without one.
    """
    for n in range(height + width):
        begins: cython.bint = not sending or (n < height and s.supply[s.pred_ptr[i] + n] > 0)
        s.far[n] = 0 if begins else FAR
        s.came[n] = NOBODY
    changed: cython.longlong = NOBODY
    for _ in range(height + width + 1):
        changed = NOBODY
        for r in range(height):
            for j in range(width):
                k = s.pair_ptr[i] + r * width + j
                if s.costs[k] < 0:
                    continue
                if s.far[r] < FAR and s.far[r] + s.costs[k] < s.far[height + j]:
                    s.far[height + j] = s.far[r] + s.costs[k]
                    s.came[height + j] = r
                    changed = height + j
                if s.flow[k] > 0 and s.far[height + j] < FAR and s.far[height + j] - s.costs[k] < s.far[r]:
                    s.far[r] = s.far[height + j] - s.costs[k]
                    s.came[r] = height + j
                    changed = r
        if changed == NOBODY:
            break
    return changed


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _send(
    s: Shipments, i: cython.Py_ssize_t, height: cython.longlong, width: cython.longlong, target: cython.longlong
) -> cython.void:
    """Route as much as possible along the way that leads to a true class."""
    node: cython.longlong = height + target
    amount: cython.longlong = s.demand[s.true_ptr[i] + target]
    while s.came[node] != NOBODY:
        if node < height:
            amount = min(amount, s.flow[s.pair_ptr[i] + node * width + s.came[node] - height])
        node = s.came[node]
    amount = min(amount, s.supply[s.pred_ptr[i] + node])
    s.supply[s.pred_ptr[i] + node] -= amount
    s.demand[s.true_ptr[i] + target] -= amount
    node = height + target
    while s.came[node] != NOBODY:
        _add(s, i, height, width, node, amount)
        node = s.came[node]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _turn(
    s: Shipments, i: cython.Py_ssize_t, height: cython.longlong, width: cython.longlong, node: cython.longlong
) -> cython.void:
    """Route as much as possible round the cycle that ``node`` is on, or behind."""
    for _ in range(height + width):
        node = s.came[node]
    first: cython.longlong = node
    amount: cython.longlong = FAR
    while True:
        if node < height:
            amount = min(amount, s.flow[s.pair_ptr[i] + node * width + s.came[node] - height])
        node = s.came[node]
        if node == first:
            break
    while True:
        _add(s, i, height, width, node, amount)
        node = s.came[node]
        if node == first:
            break


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _add(
    s: Shipments, i: cython.Py_ssize_t, height: cython.longlong, width: cython.longlong, node: cython.longlong,
    amount: cython.longlong,
) -> cython.void:  # fmt: skip
    """Change the flow along the last step to ``node``."""
    if node < height:
        s.flow[s.pair_ptr[i] + node * width + s.came[node] - height] -= amount
    else:
        s.flow[s.pair_ptr[i] + s.came[node] * width + node - height] += amount
