"""Comparing systems: significance tests on per-instance scores, ranks with ties, and rank correlation of measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hemlp.edges import FloatArray, IntArray

LEVEL = 0.05
EXACT_UP_TO = 12
"""The sign test uses the binomial distribution itself up to this many differing instances, as the paper says."""


@dataclass(frozen=True)
class SignTest:
    """The paper's micro sign test, one-sided: is the first system better? k of the n differing instances say so."""

    n: int
    k: int
    z: float
    p: float


def _defined(first: FloatArray, second: FloatArray) -> tuple[FloatArray, FloatArray]:
    both = ~(np.isnan(first) | np.isnan(second))
    return first[both], second[both]


def sign_test(first: FloatArray, second: FloatArray, greater_is_better: bool = True) -> SignTest:
    """Z = (k − n/2) / (√n / 2), compared with the normal distribution; exact binomial for n ≤ 12."""
    first, second = _defined(first, second)
    gain = first - second if greater_is_better else second - first
    n, k = int(np.count_nonzero(gain)), int((gain > 0).sum())
    z = (k - n / 2) / (math.sqrt(n) / 2) if n else 0.0
    exact = sum(math.comb(n, i) for i in range(k, n + 1)) / 2**n if n <= EXACT_UP_TO else None
    return SignTest(n, k, z, math.erfc(z / math.sqrt(2)) / 2 if exact is None else exact)


def wilcoxon(first: FloatArray, second: FloatArray) -> float:
    """Two-sided p of the Wilcoxon signed-rank test; 1 where no instance differs."""
    from scipy.stats import wilcoxon as scipy_wilcoxon

    first, second = _defined(first, second)
    difference = first - second
    return float(scipy_wilcoxon(difference).pvalue) if difference.any() else 1.0


def resampled(size: int, resamples: int, seed: int) -> Iterator[IntArray]:
    """How often each of ``size`` instances occurs in a bootstrap resample, for one resample after the other."""
    rng = np.random.default_rng(seed)
    shares = np.full(size, 1 / max(1, size))
    return (rng.multinomial(size, shares) if size else np.zeros(0, int) for _ in range(resamples))


def bootstrap_interval(
    first: FloatArray, second: FloatArray, *, resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean difference first − second over paired resamples of the instances."""
    difference = np.subtract(*_defined(first, second))
    if not difference.size:
        return math.nan, math.nan
    means = [counts @ difference / difference.size for counts in resampled(difference.size, resamples, seed)]
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


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
    x, y = _defined(np.asarray(first, np.float64), np.asarray(second, np.float64))
    a, b = (np.sign(v[:, None] - v[None, :])[np.triu_indices(len(v), 1)] for v in (x, y))
    scale = math.sqrt(float(np.count_nonzero(a)) * float(np.count_nonzero(b)))
    return float((a * b).sum() / scale) if scale else math.nan
