"""Comparing systems: significance tests on per-instance scores, ranks with ties, and rank correlation of measures.

Every comparison of two systems is paired: it looks at the instances on which both are defined (nan is undefined), and
at no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.measures.scores import exact_mean
from hemlp.options import check_choice

LEVEL = 0.05
EXACT_UP_TO = 12
"""The sign test uses the binomial distribution itself up to this many differing instances, as the paper says."""
NORMAL_ABOVE = 50
"""The Wilcoxon test uses the normal distribution for more pairs than these, as scipy does."""
Sided = Literal["two", "one"]
"""Whether a test asks "do the systems differ?" or, as in the paper, "is the first better?"."""


@dataclass(frozen=True)
class SignTest:
    """A micro sign test: k of the n instances on which two systems differ are won by the first."""

    n: int
    k: int
    z: float
    p: float
    sided: Sided


def paired(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The scores on the instances on which both systems are defined."""
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def differences(first: FloatArray, second: FloatArray) -> FloatArray:
    """first − second, nan where one of them is; equal infinite scores do not differ."""
    with np.errstate(invalid="ignore"):
        found: FloatArray = np.where(first == second, 0.0, first - second)
    return found


def mean_difference(first: FloatArray, second: FloatArray) -> float:
    """The mean of the paired differences first − second, rounded once; nan where there is no pair."""
    first, second = paired(first, second)
    differ = first != second
    return exact_mean([*first[differ].tolist(), *(-second[differ]).tolist()], first.size) + 0.0


def sign_test(
    first: FloatArray, second: FloatArray, greater_is_better: bool = True, *, sided: Sided = "two"
) -> SignTest:
    """Z = (k − n/2) / (√n / 2), compared with the normal distribution; exact binomial for n ≤ 12.

    ``sided="one"`` is the paper's test: is the first system better? The usual one doubles the smaller tail.
    """
    check_choice("sided", sided, ("two", "one"))
    first, second = paired(first, second)
    n = int(np.count_nonzero(first != second))
    k = int(np.count_nonzero(first > second if greater_is_better else first < second))
    z = (k - n / 2) / (math.sqrt(n) / 2) if n else 0.0
    won = k if sided == "one" else max(k, n - k)
    if n <= EXACT_UP_TO:
        tail = sum(math.comb(n, i) for i in range(won, n + 1)) / 2**n
    else:
        tail = math.erfc((z if sided == "one" else abs(z)) / math.sqrt(2)) / 2
    return SignTest(n, k, z, tail if sided == "one" else min(1.0, 2 * tail), sided)


def wilcoxon(first: FloatArray, second: FloatArray) -> float:
    """Two-sided p of the Wilcoxon signed-rank test; 1 where no instance differs.

    Up to 50 pairs as scipy decides between exact and approximate tests; beyond, where it uses the normal distribution,
    so do we: T is the sum of the ranks of positive differences, with the mean n(n + 1) / 4 and the variance
    n(n + 1)(2n + 1) / 24 − Σ (t³ − t) / 48 over groups of t equal ranks.
    """
    difference = differences(*paired(first, second))
    differing = difference[difference != 0]
    if not differing.size:
        return 1.0
    if difference.size <= NORMAL_ABOVE:
        from scipy.stats import wilcoxon as scipy_wilcoxon

        return float(scipy_wilcoxon(difference).pvalue)
    _, groups, ties = np.unique(np.abs(differing), return_inverse=True, return_counts=True)
    upper = np.cumsum(ties)
    ranked = (upper - (ties - 1) / 2)[groups]
    n, equal = float(differing.size), ties[ties > 1].astype(np.float64)
    variance = n * (n + 1) * (2 * n + 1) / 24 - float((equal**3 - equal).sum()) / 48
    z = (float(ranked[differing > 0].sum()) - n * (n + 1) / 4) / math.sqrt(variance)
    return math.erfc(abs(z) / math.sqrt(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction of several p-values."""
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty(len(p_values))
    least = 0.0
    for place, k in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - place) * p_values[k]))
        adjusted[k] = least
    return [float(p) for p in adjusted]


def ranks(
    means: Sequence[float], separated: Callable[[int, int], bool], greater_is_better: bool = True
) -> list[int | None]:
    """Rank of each system, 1 the best: one that is not separated from the one above shares its rank.

    As in sports, the next rank counts all systems above it (1, 2, 2, 4). A mean of nan has no rank.
    """
    defined = [k for k in range(len(means)) if not math.isnan(means[k])]
    order = sorted(defined, key=lambda k: -means[k] if greater_is_better else means[k])
    found: list[int | None] = [None] * len(means)
    for place, k in enumerate(order):
        tied = place > 0 and not separated(order[place - 1], k)
        found[k] = found[order[place - 1]] if tied else place + 1
    return found


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
