"""Comparing systems: significance tests on per-instance scores, ranks with ties, and rank correlation of measures.

Every comparison of two systems is paired: it looks at the instances on which both are defined (nan is undefined), and
at no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.measures.scores import exact_mean
from hemlp.options import check_choice

LEVEL = 0.05
EXACT_UP_TO = 12
"""The sign test uses the binomial distribution itself up to this many differing instances, as the paper says."""
RESAMPLES = 1000
"""Resamples of a bootstrap interval."""
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
    """Two-sided p of the Wilcoxon signed-rank test; 1 where no instance differs."""
    from scipy.stats import wilcoxon as scipy_wilcoxon

    difference = differences(*paired(first, second))
    return float(scipy_wilcoxon(difference).pvalue) if difference.any() else 1.0


def resampled(size: int, resamples: int, seed: int) -> Iterator[IntArray]:
    """How often each of ``size`` instances occurs in a bootstrap resample, for one resample after the other."""
    rng = np.random.default_rng(seed)
    shares = np.full(size, 1 / max(1, size))
    return (rng.multinomial(size, shares) if size else np.zeros(0, int) for _ in range(resamples))


ROOM = 4_000_000
"""Counts of instances in resamples that are kept at once."""


def resampled_means(
    column: Callable[[int], FloatArray], number: int, size: int, resamples: int, seed: int
) -> FloatArray:
    """Means of ``number`` columns of ``size`` instances in resamples that all columns share: resamples × columns.

    A mean is over the instances of the resample on which its column is defined, nan if there is none.
    """
    means = np.empty((resamples, number))
    draws = resampled(size, resamples, seed)
    together = max(1, ROOM // max(1, size))
    for start in range(0, resamples, together):
        counts = np.array([next(draws) for _ in range(min(together, resamples - start))], np.float64)
        for k in range(number):
            values = column(k)
            defined = ~np.isnan(values)
            means[start : start + len(counts), k] = _weighted_means(counts[:, defined], values[defined])
    return means


def _weighted_means(weights: FloatArray, values: FloatArray) -> FloatArray:
    """The mean of ``values`` with each row of ``weights``; infinite values count only where they weigh something."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means: FloatArray = weights @ np.where(np.isinf(values), 0.0, values) / weights.sum(axis=1)
        for limit in (math.inf, -math.inf):
            means[weights[:, values == limit].any(axis=1)] += limit
    return means


def bootstrap_interval(
    first: FloatArray, second: FloatArray, *, resamples: int = RESAMPLES, level: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean difference first − second over paired resamples of the instances."""
    column = differences(first, second)
    (found,) = bootstrap_intervals(lambda _: column, 1, column.size, resamples=resamples, level=level, seed=seed)
    return found


def bootstrap_intervals(
    column: Callable[[int], FloatArray],
    number: int,
    size: int,
    *,
    resamples: int = RESAMPLES,
    level: float = 0.95,
    seed: int = 0,
) -> list[tuple[float, float]]:
    """Percentile intervals of the means of ``number`` columns, all from the same resamples of ``size`` instances.

    An interval is (nan, nan) where a column has no mean, or an infinite one.
    """
    means = resampled_means(column, number, size, resamples, seed)
    found = []
    for drawn in means.T:
        known = drawn[~np.isnan(drawn)]
        finite = known.size and np.isfinite(known).all()
        low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2]) if finite else (math.nan, math.nan)
        found.append((float(low), float(high)))
    return found


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
    x, y = paired(np.asarray(first, np.float64), np.asarray(second, np.float64))
    a, b = (_order(v)[np.triu_indices(len(v), 1)] for v in (x, y))
    scale = math.sqrt(float(np.count_nonzero(a)) * float(np.count_nonzero(b)))
    return float((a * b).sum() / scale) if scale else math.nan


def _order(values: FloatArray) -> IntArray:
    """1 where a value is greater than another, -1 where it is less: infinite values have an order, too."""
    return (values[:, None] > values[None, :]).astype(np.int64) - (values[:, None] < values[None, :])
