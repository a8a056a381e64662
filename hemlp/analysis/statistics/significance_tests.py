"""Significance tests on paired differences, Holm's correction, and rank correlation of measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from hemlp.analysis.statistics.differences import PairedDifferences
from hemlp.arrays import FloatArray

EXACT_UP_TO = 12
"""The sign test uses the binomial distribution itself up to this many differing instances, as the paper says."""
NORMAL_ABOVE = 50
"""The Wilcoxon test uses the normal distribution for more differing instances than these."""
Sided = Literal["two", "one"]
"""Whether a test asks "do the systems differ?" or, as in the paper, "is the system with the better mean better?"."""


class SignTest(NamedTuple):
    """k of the n instances on which two systems differ are won by one of them."""

    k: int
    n: int
    p: float

    @property
    def z(self) -> float:
        """(k − n/2) / (√n / 2)."""
        return (self.k - self.n / 2) / (math.sqrt(self.n) / 2) if self.n else 0.0


def sign_test(k: int, n: int, sided: Sided = "two") -> SignTest:
    """The micro sign test: Z = (k − n/2) / (√n / 2), compared with the normal distribution; binomial for n ≤ 12.

    Two-sided: the doubled tail, at most 1. One-sided: whether k wins are more than chance gives.

    >>> sign_test(4, 6).p, sign_test(4, 6, "one").p
    (0.6875, 0.34375)
    """
    won = k if sided == "one" else max(k, n - k)
    if n <= EXACT_UP_TO:
        tail = sum(math.comb(n, i) for i in range(won, n + 1)) / 2**n
    else:
        tail = math.erfc(SignTest(won, n, 0.0).z / math.sqrt(2)) / 2
    return SignTest(k, n, tail if sided == "one" else min(1.0, 2 * tail))


def wilcoxon(d: PairedDifferences) -> float:
    """Two-sided p of the Wilcoxon signed-rank test; 1 where no instance differs.

    Differences of 0 are left out, tied ones have their mean rank. T is the sum of the ranks of positive differences.
    Up to 50 differing instances all choices of signs are counted (by dynamic programming over the sum). Beyond, T is
    normal with the mean n(n + 1) / 4 and the variance n(n + 1)(2n + 1) / 24 − Σ (t³ − t) / 48 over groups of t ties.
    """
    if not d.number:
        return 1.0
    ranks, n = d.signed_ranks, d.number
    doubled, total = np.abs(ranks), n * (n + 1)
    away = abs(int(ranks.sum()))  # |2T − total|, both in doubled ranks
    if n <= NORMAL_ABOVE:
        ways = np.zeros(total + 1, np.int64)
        ways[0] = 1
        for rank in doubled.tolist():
            ways[rank:] = ways[rank:] + ways[: total + 1 - rank]
        as_far = np.abs(2 * np.arange(total + 1) - total) >= away
        return float(ways[as_far].sum() / 2**n)
    ties = np.unique(doubled, return_counts=True)[1].astype(np.float64)
    return normal_wilcoxon(n, away, float((ties**3 - ties).sum()))


def normal_wilcoxon(n: int, away: int, ties: float) -> float:
    """p by the normal distribution; ``away``: abs(2T − n(n + 1)) in doubled ranks, ``ties``: Σ t³ − t."""
    variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
    return math.erfc(away / 4 / math.sqrt(2 * variance))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction of several p-values."""
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    least = 0.0
    for place, k in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[k]))
        adjusted[k] = least
    return [float(p) for p in adjusted]


def kendall(first: Sequence[float], second: Sequence[float]) -> float:
    """Kendall's τ-b of two lists of scores; nan where a list has no two different values."""
    return float(kendall_taus(np.array([first, second], np.float64))[0, 1])


def kendall_taus(scores: FloatArray) -> FloatArray:
    """τ-b of all pairs of rows of the last two axes, whose entries are systems; nan where it is undefined.

    τ-b = Σ a b / √(Σ a² Σ b²) over the pairs of systems that both rows have, where a and b are 1, 0 or -1 as the first
    of the two is greater, equal or less: infinite values have an order, too.
    """
    left, right = np.triu_indices(scores.shape[-1], 1)
    first, second = scores[..., left], scores[..., right]
    order = (first > second).astype(np.float64) - (first < second)
    defined = (~np.isnan(first) & ~np.isnan(second)).astype(np.float64)
    differing = np.abs(order) @ np.swapaxes(defined, -1, -2)
    scale = np.sqrt(differing * np.swapaxes(differing, -1, -2))
    with np.errstate(invalid="ignore"):
        taus: FloatArray = (order @ np.swapaxes(order, -1, -2)) / scale
    return taus
