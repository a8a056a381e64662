"""The dual value of each class of an instance of Problem 1, as a range, and what the cost would be without the class.

A dual solution is a potential π of the residual network, with π(head) ≤ π(tail) + cost along each arc, and the price of
a class is π(tail) − π(head) of its arc. Two potentials differ by at most the length of the shortest path between their
nodes, and by at least minus that of the shortest path back: so each range is exact, and its ends are attained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.optimize.program import Status
from hemlp.problems.pairing.proof import prove_cheapest
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.text.tables import Table, format_number

if TYPE_CHECKING:
    from hemlp.measures.pair_measure import PairMeasure


@dataclass(frozen=True)
class ClassPrice:
    """Of a class: the least and the greatest price over all optimal dual solutions (infinite: no end), and what the
    least cost would change by if the class were not there (nan: there would be no solution)."""

    side: str
    label: Label
    least: float
    greatest: float
    without: float = math.nan


@dataclass(frozen=True)
class ClassPrices:
    """The prices of all classes of an instance, and its least cost."""

    rows: Sequence[ClassPrice]
    error: float

    def table(self) -> Table:
        """One row per class."""
        cells = [
            [row.side, str(row.label), *map(format_number, (row.least, row.greatest, row.without))] for row in self.rows
        ]
        notes = [
            f"least cost {self.error:g}",
            "price (dual value): change of the least cost per unit of the binding bound of the class, positive "
            "for a lower bound, negative for an upper one; least and greatest over all optimal dual solutions",
            "without it: how much the least cost would change if the class were not there",
        ]
        return Table(["side", "class", "least price", "greatest price", "without it"], cells, notes)

    def __str__(self) -> str:
        return str(self.table())


def class_prices(measure: PairMeasure, batch: Batch) -> ClassPrices:
    """Of the only instance of a batch."""
    model = measure.model(batch)
    solution = model.solve()
    if solution.statuses[0] > Status.FEASIBLE:
        raise model.failure(solution, 0, 1)
    gone = [_without(batch, side, k) for side in (PRED, TRUE) for k in range(batch.sides[side].classes.size)]
    costs = [float(measure.model(left).solve().objectives[0]) - solution.objective for left in gone]
    rows = [replace(price, without=cost) for price, cost in zip(price_ranges(solution), costs, strict=True)]
    return ClassPrices(tuple(rows), solution.objective)


def _without(batch: Batch, side: int, position: int) -> Batch:
    """The instance without one class of a side."""
    classes = np.delete(batch.sides[side].classes, position)
    less: Any = {("pred", "true")[side]: Side(np.array([0, classes.size], np.int64), classes)}
    return replace(batch, **less)


def price_ranges(solution: PairingSolution) -> list[ClassPrice]:
    """The prices of all classes of the only instance, predicted ones first; InvalidSolution unless it is optimal."""
    model, one = solution.model, solution.model.circulation
    exact, _ = prove_cheapest(one, model.flow(solution).tolist(), "the instance")

    def length(start: int, end: int) -> float:
        path = exact.shortest_paths(start)[0][end]
        return math.inf if path == math.inf else float(Fraction(path, exact.scale)) + 0.0

    prices = []
    for side in (PRED, TRUE):
        for k, a in enumerate(one.class_arcs(side)):
            tail, head = int(one.tail[a]), int(one.head[a])
            prices.append(ClassPrice(SIDES[side], model.label(side, k), 0.0 - length(tail, head), length(head, tail)))
    return prices
