"""The operating point of a curve (where it is best), and areas under curves by the step rule."""

from __future__ import annotations

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption

TIE_TOLERANCE = 1e-12
"""Values that differ by less, relatively, differ by rounding alone."""


def best_index(values: FloatArray, greater_is_better: bool) -> int:
    """The index of the first of the best values; nan is ignored."""
    known = values if greater_is_better else -values
    if np.isnan(known).all():
        raise InvalidOption("the measure is undefined at every threshold: there is no best one")
    best = float(np.nanmax(known))
    room = TIE_TOLERANCE * abs(best) if np.isfinite(best) else 0.0
    return int(np.flatnonzero(known >= best - room)[0])


def step_area(x: FloatArray, y: FloatArray) -> float:
    """Σ (xₖ − xₖ₋₁)·yₖ from x = 0 on: the area of steps, never of a trapezium."""
    return float(np.sum(np.diff(x, prepend=0.0) * y))
