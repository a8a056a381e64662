"""The paired permutation test, and the size of an effect.

If two systems do not differ, each paired difference could as well have the other sign. The test asks in how many of all
ways to choose the signs the mean difference would be as far from 0 as it is.
"""

from __future__ import annotations

import math

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.statistics.tests import EXACT_UP_TO, differences, paired

FLIPS = 9_999
"""Ways to choose the signs that are drawn where there are too many to try all."""
DRAWN_UP_TO = 1_000
"""Of so many differing instances signs are drawn; the mean of more is normally distributed, to less than draws vary."""
BITS = 2**24
"""Signs that are drawn at once."""
ROUNDING = 1e-12
"""Sums that differ relatively by no more are the same."""


def permutation_test(first: FloatArray, second: FloatArray, *, seed: int = 0) -> float:
    """Two-sided p, 1 where no instance differs; nan where a difference is infinite.

    Up to 12 differing instances all signs are tried, up to 1,000 instances 9,999 ways are drawn; beyond, the mean is
    normally distributed.
    """
    gaps = differences(*paired(first, second))
    gaps = gaps[gaps != 0]
    if not gaps.size:
        return 1.0
    if not np.isfinite(gaps).all():
        return math.nan
    gaps = gaps / np.abs(gaps).max()
    total = abs(math.fsum(gaps.tolist()))
    least = total - ROUNDING * float(np.abs(gaps).sum())
    if gaps.size <= EXACT_UP_TO:
        signs = 1 - 2 * (np.arange(2**gaps.size)[:, None] >> np.arange(gaps.size) & 1)
        return float(np.mean(np.abs(signs @ gaps) >= least))
    if gaps.size <= DRAWN_UP_TO:
        return (1 + _as_far(gaps, least, seed)) / (1 + FLIPS)
    return math.erfc(total / math.sqrt(2 * float(gaps @ gaps)))


def _as_far(gaps: FloatArray, least: float, seed: int) -> int:
    """In how many draws the sum is at least as far from 0: Σ ± g = 2 Σ (those with plus) − Σ g."""
    rng = np.random.default_rng(seed)
    whole, found = float(gaps.sum()), 0
    together = max(1, BITS // gaps.size)
    for start in range(0, FLIPS, together):
        number = min(together, FLIPS - start)
        plus = np.unpackbits(rng.integers(0, 256, (number, -(-gaps.size // 8)), np.uint8), axis=1, count=gaps.size)
        found += int(np.count_nonzero(np.abs(2 * (plus @ gaps) - whole) >= least))
    return found


def effect_size(first: FloatArray, second: FloatArray) -> float:
    """Cohen's d of paired differences: their mean in units of their standard deviation; 0 where none differs.

    About 0.2 is small, 0.5 medium and 0.8 large. Infinite where all differ by the same, nan for fewer than two.
    """
    gaps = differences(*paired(first, second))
    if gaps.size < 2 or not np.isfinite(gaps).all():
        return math.nan
    if not gaps.any():
        return 0.0
    if (gaps == gaps[0]).all():
        return math.copysign(math.inf, gaps[0])
    mean = float(gaps.mean())
    gaps -= mean
    return mean / math.sqrt(float(gaps @ gaps) / (gaps.size - 1))
