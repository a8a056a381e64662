"""The paired permutation test of the mean, and the size of an effect.

If two systems do not differ, each paired difference could as well have the other sign. The test asks in how many of all
ways to choose the signs the mean difference would be as far from 0 as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.statistics.differences import PairedDifferences
from hemlp.analysis.statistics.significance_tests import EXACT_UP_TO
from hemlp.arrays import FloatArray
from hemlp.results.exact_sums import UNIT, exact_square_sum, exact_sum
from hemlp.results.merged_sums import MOST_DIFFERENCES

SIGN_DRAWS = 9_999
"""Ways to choose the signs that are drawn where there are too many to try all."""
SAMPLED_UP_TO = MOST_DIFFERENCES
"""Of so many differing instances signs are drawn; the mean of more is normally distributed, to less than draws vary."""
MATRIX_SIZE = 2**21
"""Numbers of a matrix that are held at once."""


def permutation_tests(pairs: Sequence[PairedDifferences]) -> list[float]:
    """Two-sided p of each pair of systems: 1 where no instance differs, nan where a difference is infinite.

    Up to 12 differing instances all signs are tried. Up to 1,000 they are drawn 9,999 times, the same signs for all
    pairs, and p is (1 + hits) / 10,000, or the normal p where that is smaller and there is no hit. Beyond, p is normal:
    erfc(|Σd| / √(2 Σd²)). A sum is a hit unless it is smaller than the observed one by more than n·ε.
    """
    sizes = [d.number if d.finite else -1 for d in pairs]
    p_values = [_normal_p(d) if size > SAMPLED_UP_TO else math.nan for d, size in zip(pairs, sizes, strict=True)]
    exact = [k for k, size in enumerate(sizes) if 0 <= size <= EXACT_UP_TO]
    for part in _chunk(exact, EXACT_UP_TO):
        hits = _count_extreme([pairs[k] for k in part], [_enumerate_signs()])
        for k, count in zip(part, hits, strict=True):
            p_values[k] = count / 2 ** (EXACT_UP_TO - 1)
    drawn = sorted((k for k, size in enumerate(sizes) if EXACT_UP_TO < size <= SAMPLED_UP_TO), key=sizes.__getitem__)
    for part in _chunk(drawn, SAMPLED_UP_TO):
        hits = _count_extreme([pairs[k] for k in part], _sample_signs(sizes[part[-1]]))
        for k, count in zip(part, hits, strict=True):
            p = (1 + count) / (1 + SIGN_DRAWS)
            p_values[k] = p if count else min(p, _normal_p(pairs[k]))
    return p_values


def _chunk(numbers: list[int], size: int) -> Iterator[list[int]]:
    """So many pairs of up to ``size`` differing instances as fit into a matrix."""
    together = MATRIX_SIZE // size
    for start in range(0, len(numbers), together):
        yield numbers[start : start + together]


def _count_extreme(pairs: Sequence[PairedDifferences], signs: Iterable[FloatArray]) -> list[int]:
    """For how many rows of signs |Σ ± d| is at least the observed sum, for each pair.

    Differences are in the order of their size, so that neither the order of the instances nor that of the two systems
    matters; their own signs do not, since all choices of signs are equally likely.
    """
    size = max((d.values.size for d in pairs), default=0)
    columns = np.zeros((size, len(pairs)))
    least = np.empty(len(pairs))
    for k, d in enumerate(pairs):
        unit = _scale(d)
        columns[: d.values.size, k] = np.sort(np.abs(d.values)) / unit
        least[k] = abs(math.fsum((d.values / unit).tolist())) - d.values.size * d.tolerance / unit
    hits = np.zeros(len(pairs), np.int64)
    for each in signs:
        hits += np.count_nonzero(np.abs(each[:, :size] @ columns) >= least, axis=0)
    return [int(count) for count in hits]


def _enumerate_signs() -> FloatArray:
    """All choices of signs but for their opposites, whose sums are as far from 0. A difference of 0 changes nothing."""
    bits = np.arange(2 ** (EXACT_UP_TO - 1))[:, None] >> np.arange(EXACT_UP_TO) & 1
    return 1.0 - 2.0 * bits.astype(np.float64)


def _sample_signs(size: int) -> Iterator[FloatArray]:
    """The drawn signs of the first ``size`` differences, some draws at a time."""
    bits, together = _packed_signs(), max(1, MATRIX_SIZE // size)
    for start in range(0, SIGN_DRAWS, together):
        plus = np.unpackbits(bits[start : start + together], axis=1, count=size)
        yield 2.0 * plus.astype(np.float64) - 1.0


@lru_cache(maxsize=1)
def _packed_signs() -> NDArray[np.uint8]:
    """Packed signs, one row per draw, by a fixed seed."""
    return np.random.default_rng(0).integers(0, 256, (SIGN_DRAWS, -(-SAMPLED_UP_TO // 8)), np.uint8)


def _normal_p(d: PairedDifferences) -> float:
    """erfc(|Σd| / √(2 Σd²)), both sums exact before they are rounded."""
    total, squares = (d.sums.total, d.sums.squares) if d.sums else (exact_sum(d.values), exact_square_sum(d.values))
    unit = (squares.bit_length() - 1) // 2  # in units of a power of two nothing overflows
    return math.erfc(abs(total) / 2**unit / math.sqrt(2 * (squares / 4**unit)))


def _scale(d: PairedDifferences) -> float:
    """A power of two near the greatest difference: in units of it nothing overflows, and nothing is rounded."""
    greatest = float(np.abs(d.values).max(initial=0.0))
    return math.ldexp(1.0, math.frexp(greatest)[1] - 1) if greatest else 1.0


def effect_size(d: PairedDifferences) -> float:
    """Cohen's d of paired differences: their mean in units of their standard deviation; 0 where none differs.

    About 0.2 is small, 0.5 medium and 0.8 large. Infinite where all differ by the same, nan for fewer than two.
    """
    n = d.instances
    if n < 2 or not d.finite:
        return math.nan
    if not d.number:
        return 0.0
    least, greatest = (d.values.min(), d.values.max()) if d.sums is None else (d.sums.least, d.sums.greatest)
    if d.number == n and greatest - least <= 2 * d.tolerance:
        return math.copysign(math.inf, least)
    mean, zeros = d.mean, n - d.number
    if d.sums is None:
        squares = math.fsum([*((d.values - mean) ** 2).tolist(), zeros * mean**2])
    else:
        m = Fraction(mean)
        squares = float(Fraction(d.sums.squares, 4**UNIT) - 2 * m * Fraction(d.sums.total, 2**UNIT) + n * m * m)
    return mean / math.sqrt(squares / (n - 1))
