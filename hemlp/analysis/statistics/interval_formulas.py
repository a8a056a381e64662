"""Confidence intervals by formula, for tables with too many rows to resample: Wilson's and Student's.

A class is in the set of an instance or not, so its precision is a proportion k / n, and Wilson's score interval has
all proportions p that a normal test does not reject: |k − n p| ≤ z √(n p (1 − p)). It has a width even where
all instances agree. A mean over n instances has Student's interval, mean ∓ t s / √n.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.text.tables import CONFIDENCE, Interval

TAIL = (1 + CONFIDENCE) / 2


def wilson_interval(hits: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wilson's interval of the proportion ``hits / total``: both ends, nan where the total is 0.

    >>> low, high = wilson_interval(np.array([0.0, 5.0]), np.array([10.0, 10.0]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.2366], [0.2775, 0.7634])
    """
    z = NormalDist().inv_cdf(TAIL)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = hits / total
        middle = (p + z**2 / (2 * total)) / (1 + z**2 / total)
        width = z / (1 + z**2 / total) * np.sqrt(p * (1 - p) / total + z**2 / (4 * total**2))
        low = np.where(hits == 0, 0.0, np.maximum(middle - width, 0.0))
        high = np.where(hits == total, 1.0, np.minimum(middle + width, 1.0))
    none = ~(np.asarray(total) > 0)
    return np.where(none, math.nan, low), np.where(none, math.nan, high)


def student_interval(
    means: FloatArray, variances: FloatArray, number: IntArray, limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Student's interval of a mean, mean ∓ t s / √n, clipped to ``limits``; nan if not finite, or of one value.

    ``variances`` (s², with n − 1) of ``number`` values.

    >>> low, high = student_interval(np.array([0.625]), np.array([0.28125]), np.array([2]), (0.0, 1.0))
    >>> low.tolist(), high.tolist()
    ([0.0], [1.0])
    """
    from scipy.special import stdtrit

    n = np.where((number > 1) & np.isfinite(means), number, math.nan)
    with np.errstate(invalid="ignore"):
        width = stdtrit(n - 1, TAIL) * np.sqrt(variances / n)
        return np.clip(means - width, *limits), np.clip(means + width, *limits)


def as_intervals(low: FloatArray, high: FloatArray) -> list[Interval]:
    """Lower and upper ends as a list of intervals."""
    return list(map(Interval, low.tolist(), high.tolist()))
