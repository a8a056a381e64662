"""What each class of an instance adds to the least cost of Problem 1: a range of prices, and its absence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.optimize.program import STATUSES, Status
from hemlp.problems.pairing.prices import price_ranges
from hemlp.text.tables import Table, figure

if TYPE_CHECKING:
    from hemlp.measures.pair_measure import PairMeasure


@dataclass(frozen=True)
class ClassPrice:
    """Of a class: the least and the greatest price over all optimal dual solutions, and what the least cost would
    change by if the class were not there (nan: there would be no solution)."""

    side: str
    label: Label
    least: float
    greatest: float
    without: float


@dataclass(frozen=True)
class ClassPrices:
    """The prices of all classes of an instance, and its least cost."""

    rows: Sequence[ClassPrice]
    error: float

    def table(self) -> Table:
        """One row per class."""
        cells = [[row.side, str(row.label), *map(figure, (row.least, row.greatest, row.without))] for row in self.rows]
        notes = [
            f"least cost {self.error:g}",
            "prices: what its bounds make a class add to the least cost (below 0: save), by all optimal dual solutions",
            "without it: how the least cost would change if the class were not there",
        ]
        return Table(["side", "class", "least price", "greatest price", "without it"], cells, notes)

    def __str__(self) -> str:
        return str(self.table())


def class_prices(measure: PairMeasure, batch: Batch) -> ClassPrices:
    """Of the only instance of a batch."""
    model = measure.model(batch)
    solution = model.solve()
    if solution.statuses[0] > STATUSES.index(Status.FEASIBLE):
        raise model.failure(solution, 0, 1)
    ranges = price_ranges(solution)
    gone = [_without(batch, side, k) for side in (0, 1) for k in range(batch.sides[side].classes.size)]
    rows = []
    for price, left in zip(ranges, gone, strict=True):
        other = float(measure.model(left).solve().objectives[0])
        change = math.nan if math.isnan(other) else other - solution.objective
        rows.append(ClassPrice(price.side, price.label, price.least, price.greatest, change))
    return ClassPrices(tuple(rows), solution.objective)


def _without(batch: Batch, side: int, position: int) -> Batch:
    """The instance without one class of a side."""
    classes = np.delete(batch.sides[side].classes, position)
    less: Any = {("pred", "true")[side]: Side(np.array([0, classes.size], np.int64), classes)}
    return replace(batch, **less)
