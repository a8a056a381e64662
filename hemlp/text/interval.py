"""Confidence intervals: two numbers and a level, by quantiles of resamples."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hemlp.arrays import FloatArray

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``, also as the pair ``low, high``; both are nan where there is none.

    Examples
    --------
    >>> low, high = Interval(0.25, 0.5)
    >>> low, high, str(Interval(0.25, 0.5))
    (0.25, 0.5, '0.2500 to 0.5000 (95%)')
    """

    low: float
    high: float
    level: float = CONFIDENCE

    @classmethod
    def of(cls, drawn: FloatArray, level: float = CONFIDENCE) -> Interval:
        """The quantiles (1 ∓ level) / 2 of what resamples gave; none where one gave an infinite value, or all nan."""
        known = drawn[~np.isnan(drawn)]
        if not known.size or not np.isfinite(known).all():
            return cls(math.nan, math.nan, level)
        ordered = np.sort(known)
        return cls(quantile(ordered, (1 - level) / 2), quantile(ordered, (1 + level) / 2), level)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def bracket(self, digits: int | None = None) -> str:
        """What stands behind a value in a text; nothing where there is no interval."""
        from hemlp.text.tables import DECIMALS, format_number

        shown = (format_number(end, DECIMALS if digits is None else digits) for end in self)
        return "" if math.isnan(self.low) else f" [{', '.join(shown)}]"

    def __str__(self) -> str:
        from hemlp.text.tables import format_number

        shown = "undefined" if math.isnan(self.low) else f"{format_number(self.low)} to {format_number(self.high)}"
        return f"{shown} ({100 * self.level:.6g}%)"


def quantile(ordered: FloatArray, q: float) -> float:
    """What ``np.quantile`` gives of values in order: with v = q (n − 1), a line from the value at ⌊v⌋ to the next one.

    That function loads NumPy's masked arrays, which takes longer than all else that a small table needs.
    """
    place = q * (ordered.size - 1)
    below = math.floor(place)
    low, high = float(ordered[below]), float(ordered[min(below + 1, ordered.size - 1)])
    part = place - below
    return high - (high - low) * (1 - part) if part >= 0.5 else low + (high - low) * part
