"""How much memory instances take, and what is refused for want of it. Figures are those of large instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import OutOfMemory
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.processes.free_memory import available_memory, format_bytes

if TYPE_CHECKING:
    from hemlp.measures.base import Measure
    from hemlp.measures.pair_measure import PairMeasure

ALWAYS_THERE = 2**20
"""Bytes that are always available."""


def pairing_bytes(measure: PairMeasure, h: Hierarchy) -> float:
    """Of a pair. Where costs are whole numbers and bounds have a closed form, prices prove the optimum at once."""
    from hemlp.problems.pairing.bounds import COVER, ONE_TO_ONE
    from hemlp.problems.pairing.costs import cost_bytes

    own_lengths = h.weighted and getattr(measure.cost, "weights", None) != "uniform"
    whole = getattr(measure.cost, "unit", False) and not own_lengths and measure.weights is None
    whole = whole and isinstance(measure.default_cost, int | float) and float(measure.default_cost).is_integer()
    closed = measure.bounds in (ONE_TO_ONE, COVER) and measure.pairing == "optimal"
    model = 200.0 if not measure.bounds.plain else 20.0 if whole and closed else 72.0
    return max(model, cost_bytes(measure.cost))


def is_small(batch: Batch) -> bool:
    """Whether all instances together need next to nothing, whatever the measure: labels, their lists and pairs."""
    labels = batch.pred.classes.size + batch.true.classes.size
    return labels * (300 + 30 * len(batch.hierarchy) + 75 * labels) < ALWAYS_THERE


def check_memory(measure: Measure, batch: Batch, first_row: int, room: float | None) -> None:
    """Raise OutOfMemory where an instance takes more than ``room`` bytes (None: than the machine has)."""
    most = measure.bytes_needed(batch).max(initial=0.0)
    if most > ALWAYS_THERE and most > (available_memory() if room is None else room):
        raise too_large(measure, batch, np.arange(len(batch)), first_row, room)


def too_large(measure: Measure, batch: Batch, rows: IntArray, first_row: int, room: float | None) -> OutOfMemory:
    """The error that names the one of ``rows`` that takes most, and how much."""
    needed = measure.bytes_needed(batch)[rows]
    row = int(rows[needed.argmax()])
    there = f"{format_bytes(available_memory())} are free" if room is None else f"the limit leaves {format_bytes(room)}"
    return OutOfMemory(
        f"instance {first_row + row + 1} has {len(batch.pred[row]):,} predicted and {len(batch.true[row]):,} true "
        f"classes, for which {measure.display_name} needs about {format_bytes(needed.max())}, and {there}: leave the "
        f"instance or the measure out (measures of sets, like F_H, need far less), or give it more memory"
    )
