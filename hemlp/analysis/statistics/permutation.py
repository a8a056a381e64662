"""The paired permutation test of the mean, the size of an effect, and these of many pairs of systems at once.

If two systems do not differ, each paired difference could as well have the other sign. The test asks in how many of all
ways to choose the signs the mean difference would be as far from 0 as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.differences import PairedDifferences
from hemlp.analysis.statistics.significance_tests import EXACT_UP_TO
from hemlp.arrays import FloatArray, IntArray, record
from hemlp.results.exact_sums import UNIT, square_exactly
from hemlp.results.merged_sums import MOST_DIFFERENCES, PRECISION, PairSums

SAMPLED_UP_TO = MOST_DIFFERENCES
"""Of so many differing instances signs are drawn; the mean of more is normally distributed, to less than draws vary."""
PAIRS_TRIED_AT_ONCE = 1024
"""Pairs whose sums are held at once."""


@record
class SignedSums:
    """The input of the test for each pair: its differences in a unit of its own, |d| / 2ᵏ, and their exact sums.

    ``sizes``: sorted in each row, the ``number`` that are not 0 last, where signs are tried or drawn. ``totals``: Σ d,
    ``squares``: Σ d², both rounded once; ``doubts``: n · ε, all in this unit. What is infinite has doubts of nan.
    """

    sizes: FloatArray
    number: IntArray
    totals: FloatArray
    squares: FloatArray
    doubts: FloatArray

    @classmethod
    def of(cls, pairs: Sequence[PairedDifferences]) -> SignedSums:
        """The sums of some pairs."""
        number = np.array([d.number for d in pairs], np.int64)
        sizes = np.zeros((len(pairs), int(number.max(initial=0, where=number <= SAMPLED_UP_TO))))
        sums = np.full((3, len(pairs)), math.nan)
        for k, d in enumerate(pairs):
            if d.finite and d.number > SAMPLED_UP_TO and d.sums is not None:
                sums[:, k] = *_scale_sums(d.sums), 0.0
            elif d.finite:
                unit = _power_of_two_below(float(np.abs(d.values).max(initial=0.0)))
                values, doubt = d.values / unit, d.number * d.tolerance / unit
                if d.number <= SAMPLED_UP_TO:
                    sizes[k, sizes.shape[1] - values.size :] = np.sort(np.abs(values))
                sums[:, k] = (
                    math.fsum(values.tolist()),
                    math.fsum(np.concatenate(square_exactly(values)).tolist()),
                    doubt,
                )
        return cls(sizes, number, *sums)

    def select(self, rows: IntArray) -> SignedSums:
        """Some of the pairs, with as many differences as the one with most of them has."""
        number = self.number[rows]
        begin = self.sizes.shape[1] - int(number.max(initial=0))
        return SignedSums(self.sizes[rows, begin:], number, *(each[rows] for each in (
            self.totals, self.squares, self.doubts)))  # fmt: skip

    @property
    def least(self) -> FloatArray:
        """The least |sum| of other signs that counts as a hit."""
        return np.abs(self.totals) - self.doubts

    def normal_p(self) -> list[float]:
        """erfc(|Σd| / √(2 Σd²)); 1 where no instance differs."""
        sums = zip(np.abs(self.totals).tolist(), self.squares.tolist(), strict=True)
        return [math.erfc(total / math.sqrt(2 * square)) if square else 1.0 for total, square in sums]


def permutation_tests(pairs: Sequence[PairedDifferences] | SignedSums) -> list[float]:
    """Two-sided p of each pair of systems: 1 where no instance differs, nan where a difference is infinite.

    Up to 12 differing instances all signs are tried. Up to 1,000 they are drawn 9,999 times, the same signs for all
    pairs, and p is (1 + hits) / 10,000, or the normal p where that is smaller and there is no hit. Beyond, p is normal:
    erfc(|Σd| / √(2 Σd²)). A sum is a hit unless it is smaller than the observed one by more than n·ε. The i-th sign
    is that of the i-th smallest difference, so that the order of the instances and of the two systems does not matter.
    """
    sums = pairs if isinstance(pairs, SignedSums) else SignedSums.of(pairs)
    p_values = np.array(sums.normal_p())
    defined = ~np.isnan(sums.doubts)
    few = np.flatnonzero(defined & (sums.number <= EXACT_UP_TO))
    for start in range(0, few.size, PAIRS_TRIED_AT_ONCE):
        some = few[start : start + PAIRS_TRIED_AT_ONCE]
        p_values[some] = _try_all_signs(sums.select(some))
    drawn = np.flatnonzero(defined & (sums.number > EXACT_UP_TO) & (sums.number <= SAMPLED_UP_TO))
    drawn = drawn[np.argsort(sums.number[drawn], kind="stable")]
    if drawn.size:
        hits, least = count_drawn_hits(sums.select(drawn)), 1 / (1 + SIGN_DRAWS)
        p_values[drawn] = np.where(hits, (1 + hits) / (1 + SIGN_DRAWS), np.minimum(least, p_values[drawn]))
    return p_values.tolist()  # type: ignore[no-any-return]


def _try_all_signs(sums: SignedSums) -> FloatArray:
    """The share of all choices of signs that are hits. Opposite ones have the same |sum|: the last sign stays."""
    size = sums.sizes.shape[1]
    bits = np.arange(2 ** max(0, size - 1))[:, None] >> np.arange(size) & 1
    shares: FloatArray = np.mean(np.abs((1.0 - 2.0 * bits) @ sums.sizes.T) >= sums.least, axis=0)
    return shares


def _scale_sums(sums: PairSums) -> tuple[float, float]:
    """Σ d and Σ d² from exact ones, in a unit in which nothing overflows."""
    unit = (sums.squares.bit_length() - 1) // 2
    return sums.total / 2**unit, sums.squares / 4**unit


def _power_of_two_below(greatest: float) -> float:
    """A unit in which nothing overflows and nothing is rounded; 1 for 0."""
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
    mean = d.mean
    if d.sums is None:
        unit = _power_of_two_below(float(np.abs(d.values).max()))
        mean /= unit
        squares = math.fsum([*((d.values / unit - mean) ** 2).tolist(), (n - d.number) * mean**2])
    else:
        from fractions import Fraction

        m = Fraction(mean)
        squares = float(Fraction(d.sums.squares, 4**UNIT) - 2 * m * Fraction(d.sums.total, 2**UNIT) + n * m * m)
    return mean / math.sqrt(squares / (n - 1))


# ---- drawn signs

SIGN_DRAWS = 9_999
"""Ways to choose the signs that are drawn where there are too many to try all."""
STEP = 2.0**-13
"""Unit of the means of eight differences, each at most 2: 16 bits hold them."""
FAR, MANY = 4.5, 500
"""Standard deviations beyond which a bound of all sums may show that no draw is a hit, and pairs for which it pays."""


def count_drawn_hits(sums: SignedSums) -> IntArray:
    """For how many of the drawn choices of signs |Σ ± d| is at least the observed sum, for each pair.

    That is 2x − Σ d, where x is the sum of the differences with a plus. Eight differences have their mean first; the
    rests are added only where they can decide.
    """
    from hemlp.kernels.paired import average_bytes, count_hits

    size = len(sums.number)
    means, added = np.empty((size, 8 * -(-sums.sizes.shape[1] // 64)), np.int16), np.empty((size, 2))
    average_bytes(sums.sizes, sums.number, STEP, means, added)
    whole, spread = added.T
    least = sums.least
    limits = np.stack([(whole - least) / 2, (whole + least) / 2, 1e-12 * whole], axis=1)
    possible = np.abs(sums.totals) <= FAR * np.sqrt(sums.squares)
    far = np.flatnonzero(~possible)
    if far.size >= MANY:
        possible[far] = STEP * _bound(means[far], sums.number[far]) + spread[far] >= least[far] * (1 - 1e-9)
    else:
        possible[far] = True
    rows, hits = np.flatnonzero(possible), np.zeros(size, np.int64)
    counted = np.empty(rows.size, np.int64)
    count_hits(
        _plus_counts(), _packed_signs(), sums.sizes[rows], sums.number[rows], means[rows], STEP, limits[rows], counted
    )
    hits[rows] = counted
    return hits


def _bound(means: NDArray[np.int16], number: IntArray) -> FloatArray:
    """No |Σ ± mean| of the draws is greater: with m₀ = 0 it is |Σₖ (mₖ − mₖ₋₁) · (the signs from byte k on)| (Abel)."""
    steps = np.diff(means.astype(np.float64), axis=1, prepend=0.0)
    bounds = np.empty(len(means))
    for size in np.unique(number // 8).tolist():
        of_size = number // 8 == size
        bounds[of_size] = steps[of_size, :size] @ _greatest_sums(size)
    return bounds


@lru_cache(maxsize=1)
def _packed_signs() -> NDArray[np.uint8]:
    """Eight signs per byte, bytes × draws, by a fixed seed."""
    drawn = np.random.default_rng(0).integers(0, 256, (SIGN_DRAWS, -(-SAMPLED_UP_TO // 8)), np.uint8)
    return np.ascontiguousarray(drawn.T)


@lru_cache(maxsize=1)
def _plus_counts() -> NDArray[np.int16]:
    """How many of eight signs are a plus: draws × bytes, and zeros up to a multiple of eight."""
    ones = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).sum(axis=1, dtype=np.int16)
    signs = _packed_signs()
    counts = np.zeros((SIGN_DRAWS, 8 * -(-len(signs) // 8)), np.int16)
    counts[:, : len(signs)] = ones.take(signs.T)
    return counts


@lru_cache(maxsize=SAMPLED_UP_TO)
def _greatest_sums(size: int) -> FloatArray:
    """For each of the first ``size`` bytes the greatest |Σ of its signs and all that follow| of all draws."""
    sums = np.zeros(SIGN_DRAWS, np.int16)
    greatest = np.empty(size)
    for k in range(size - 1, -1, -1):
        sums += 2 * _plus_counts()[:, k] - 8
        greatest[k] = np.abs(sums).max()
    return greatest


VALUES_AT_ONCE = 2**21
"""Differences that are held at once where signs may be drawn: many pairs share the draws."""
IN_CACHE = 2**16
"""Differences that are held at once elsewhere."""


class PairSummary(NamedTuple):
    """Of the ``instances`` of both systems, ``differing`` differ, and the first system wins ``wins``.

    ``mean`` and ``effect``: of the paired differences. ``ranks``: Σ ± twice the mid-rank of each, ``ties``: Σ t³ − t
    over groups of t ties (None: single differences are not kept); ``p``: of the permutation test.
    """

    instances: int
    differing: int
    wins: int
    mean: float
    effect: float
    ranks: int | None
    ties: int
    p: float

    @classmethod
    def of(cls, d: PairedDifferences) -> PairSummary:
        """The summary of paired differences, by definition."""
        kept = d.kept is not None
        ties = np.unique(np.abs(d.signed_ranks), return_counts=True)[1] if kept else np.zeros(0, np.int64)
        return cls(
            d.instances, d.number, d.wins, d.mean, effect_size(d), int(d.signed_ranks.sum()) if kept else None,
            int((ties**3 - ties).sum()), permutation_tests([d])[0],
        )  # fmt: skip


def summarize_pairs(columns: Sequence[FloatArray], pairs: Sequence[tuple[int, int]]) -> Iterator[PairSummary]:
    """The summaries of pairs of columns, by a fast kernel; by definition where a sum of the kernel is not certain."""
    size = len(columns[0])
    if size >= resampling.BUCKETED_FROM:
        yield from (PairSummary.of(PairedDifferences.of(columns[i], columns[j])) for i, j in pairs)
        return
    scores = np.array(columns, np.float64)
    together = max(1, (VALUES_AT_ONCE if size <= SAMPLED_UP_TO else IN_CACHE) // max(1, size))
    for start in range(0, len(pairs), together):
        some = np.array(pairs[start : start + together], np.int64)
        for (i, j), made in zip(some.tolist(), _summarize(scores, some), strict=True):
            plain = not math.isnan(made.mean + made.p)
            yield made if plain else PairSummary.of(PairedDifferences.of(columns[i], columns[j]))


def _summarize(scores: FloatArray, pairs: IntArray) -> Iterator[PairSummary]:
    from hemlp.kernels.paired import add_ranks, subtract_pairs

    number, size = len(pairs), scores.shape[1]
    gaps, counts, sums = np.empty((number, size)), np.empty((number, 3), np.int64), np.empty((number, 7))
    subtract_pairs(scores, pairs, PRECISION, gaps, np.empty(2 * size + 1), counts, sums)
    mean, tolerance, greatest, squares, scaled, scaled_squares, spread = sums.T
    keys = np.sort((gaps.view(np.uint64) << 1) | (gaps < 0), axis=1)  # what is lost on the left is the sign
    sizes = (keys >> 1).view(np.float64)
    instances, differing, wins = counts.T
    ranks, ties = np.empty((2, number), np.int64)
    add_ranks(sizes, keys, np.ascontiguousarray(differing), np.ascontiguousarray(tolerance), ranks, ties)
    with np.errstate(invalid="ignore", divide="ignore"):
        effect = mean / np.sqrt(squares / (instances - 1))
        units = np.where(greatest > 0, np.ldexp(1.0, np.frexp(greatest)[1] - 1), 1.0)
        doubts = differing * tolerance / units
    same = (differing == instances) & (spread <= 2 * tolerance)
    effect = np.where(same, np.copysign(math.inf, mean), effect)
    effect[differing == 0] = 0.0
    effect[instances < 2] = math.nan
    uncertain = np.isnan(sums).any(axis=1)
    signed = SignedSums(
        sizes / units[:, None], differing, scaled, scaled_squares, np.where(uncertain, math.nan, doubts)
    )
    p = np.where(uncertain, math.nan, permutation_tests(signed))
    columns = (instances, differing, wins, mean, effect, ranks, ties, p)
    return map(PairSummary._make, zip(*(column.tolist() for column in columns), strict=True))
