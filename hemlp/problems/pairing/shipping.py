"""Proofs about one transport, in exact arithmetic and without any solver: costs are integers times a power of two.

A transport is of least cost if and only if no cycle of its residual network has a negative cost; the lengths of
shortest ways there are prices y, z with y_i + z_j ≤ κ_ij, and Σ a y + Σ b z is its cost.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InvalidSolution
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import ProgramResult, Status

if TYPE_CHECKING:
    from hemlp.problems.pairing.transport import TransportModel, TransportSolution


class _Shipping:
    """Nodes: predicted classes, true classes, and last one that everything left over passes through, at any price."""

    def __init__(self, model: TransportModel, moved: IntArray | None) -> None:
        self.model = model
        self.masses = [mass.tolist() for mass in model.masses]
        self.width = len(self.masses[TRUE])
        kappa = model.kappa.tolist()
        self.scale = max((Fraction(kappa[k]).denominator for k in model.finite_pairs), default=1)
        self.costs = {int(k): int(Fraction(kappa[k]) * self.scale) for k in model.finite_pairs}
        self.flow = dict.fromkeys(self.costs, 0) if moved is None else {k: int(moved[k]) for k in self.costs}
        self.left = [list(mass) for mass in self.masses]
        for k, amount in self.flow.items():
            for side, end in enumerate(divmod(k, self.width)):
                self.left[side][end] -= amount

    def ways(self, sending: bool) -> tuple[list[int | None], list[tuple[int, int] | None], int | None]:
        """Shortest ways (Bellman, Ford): lengths, last steps (node, pair), and a node by a cycle of negative cost."""
        height = len(self.masses[PRED])
        size = height + self.width
        far: list[int | None] = [0 if not sending or (n < height and self.left[PRED][n]) else None for n in range(size)]
        came: list[tuple[int, int] | None] = [None] * size
        changed = None
        for _ in range(size + 1):
            changed = None
            for k, cost in self.costs.items():
                row, column = divmod(k, self.width)
                column += height
                at, to = far[row], far[column]
                if at is not None and (to is None or at + cost < to):
                    far[column], came[column], changed = at + cost, (row, k), column
                at, to = far[column], far[row]
                if self.flow[k] and at is not None and (to is None or at - cost < to):
                    far[row], came[row], changed = at - cost, (column, k), row
            if changed is None:
                break
        return far, came, changed

    def _push(self, steps: list[tuple[int, int]], most: int | None) -> int:
        """Send as much as possible along steps (node that is reached, pair): at least, what returns limits it."""
        height = len(self.masses[PRED])
        back = [self.flow[k] for node, k in steps if node < height]
        amount = min([*back, *([] if most is None else [most])])
        for node, k in steps:
            self.flow[k] += -amount if node < height else amount
        return amount

    def route(self) -> bool:
        """Send what is left along shortest ways; whether all of it arrives."""
        height = len(self.masses[PRED])
        while any(self.left[PRED]):
            far, came, _ = self.ways(sending=True)
            open_ends = [(f, j) for j, f in enumerate(far[height:]) if f is not None and self.left[TRUE][j]]
            if not open_ends:
                return False
            target = min(open_ends)[1]
            steps: list[tuple[int, int]] = []
            node = height + target
            while (step := came[node]) is not None:
                steps.append((node, step[1]))
                node = step[0]
            amount = self._push(steps, min(self.left[TRUE][target], self.left[PRED][node]))
            self.left[TRUE][target] -= amount
            self.left[PRED][node] -= amount
        return not any(self.left[TRUE])

    def improve(self) -> None:
        """Change the flow along cycles of negative cost until there is none."""
        while True:
            _, came, node = self.ways(sending=False)
            if node is None:
                return
            for _ in came:
                node = _before(came, node)
            steps: list[tuple[int, int]] = []
            first = node
            while not steps or node != first:
                step = came[node]
                assert step is not None
                steps.append((node, step[1]))
                node = step[0]
            self._push(steps, None)


def _before(came: list[tuple[int, int] | None], node: int) -> int:
    step = came[node]
    assert step is not None
    return step[0]


def improved(model: TransportModel, moved: IntArray | None, started: bool = False) -> TransportSolution:
    """A transport of least cost of one instance, from nothing or, if it is ``started``, from what is ``moved``."""
    one = _Shipping(model, moved if started else None)
    if not started and not one.route():
        return model.solution(ProgramResult(Status.INFEASIBLE))
    one.improve()
    values = np.array([one.flow[int(k)] for k in model.finite_pairs], np.float64)
    return model.solution(ProgramResult(Status.OPTIMAL, values))


def shortage(model: TransportModel) -> tuple[list[int], list[int]]:
    """Predicted classes of one instance with more mass than all true classes that it can reach, and those."""
    one = _Shipping(model, None)
    if one.route():
        return [], []
    far, height = one.ways(sending=True)[0], len(one.masses[PRED])
    reached = [k for k, f in enumerate(far) if f is not None]
    return [k for k in reached if k < height], [k - height for k in reached if k >= height]


def prove_cheapest(model: TransportModel, moved: IntArray, place: str) -> None:
    """Raise InvalidSolution unless prices prove that a transport of one instance is of least cost."""
    one = _Shipping(model, moved)
    far, _, negative = one.ways(sending=False)
    if negative is not None:
        raise InvalidSolution(f"{place}: not optimal, a cycle of negative cost leads to a cheaper transport")
    lengths = [0 if f is None else f for f in far]
    height = len(one.masses[PRED])
    prices = [-f for f in lengths[:height]], lengths[height:]
    worth = sum(
        mass * price for side in (PRED, TRUE) for mass, price in zip(one.masses[side], prices[side], strict=True)
    )
    allowed = all(prices[PRED][k // one.width] + prices[TRUE][k % one.width] <= cost for k, cost in one.costs.items())
    if not allowed or worth != sum(cost * one.flow[k] for k, cost in one.costs.items()):
        raise InvalidSolution(f"{place}: the prices do not prove the cost")
