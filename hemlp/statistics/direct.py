"""Intervals without resamples, for tables with more rows than could be resampled: of proportions and of means.

A class is in a set of an instance or is not, so its precision is a proportion k / n, and Wilson's score interval holds
all proportions p that a normal test does not separate from it: |k − n p| ≤ z √(n p (1 − p)). It has a width even where
all instances agree. A mean over n instances has Student's interval, mean ∓ t s / √n.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.text.intervals import CONFIDENCE, Interval

TAIL = (1 + CONFIDENCE) / 2


def proportion(hits: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lower and upper ends for ``hits`` of ``total``; nan where the total is 0.

    >>> low, high = proportion(np.array([0.0, 5.0]), np.array([10.0, 10.0]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.2366], [0.2775, 0.7634])
    """
    z = NormalDist().inv_cdf(TAIL)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = hits / total
        middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
        width = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
        low = np.where(hits == 0, 0.0, middle - width)
        high = np.where(hits == total, 1.0, middle + width)
    none = ~(np.asarray(total) > 0)
    return np.where(none, math.nan, low), np.where(none, math.nan, high)


def of_mean(sums: FloatArray, squares: FloatArray, number: FloatArray) -> FloatArray:
    """t s / √n of means over ``number`` instances, from the sums of values and of their squares; nan below two of them.

    The values should be near 0: what is the same in all of them is taken off before.
    """
    from scipy.special import stdtrit

    n = np.where(number > 1, number, math.nan)
    variance = np.maximum(squares - sums**2 / n, 0.0) / (n - 1)
    found: FloatArray = stdtrit(n - 1, TAIL) * np.sqrt(variance / n)
    return found


def intervals(low: FloatArray, high: FloatArray) -> list[Interval]:
    """Pairs of ends."""
    return list(map(Interval, low.tolist(), high.tolist()))
