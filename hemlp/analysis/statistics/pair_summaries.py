"""Summaries of paired differences, for tests of many pairs of systems at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.differences import PairedDifferences
from hemlp.analysis.statistics.permutation import SignedSums, effect_size, permutation_tests
from hemlp.arrays import FloatArray, IntArray
from hemlp.results.merged_sums import PRECISION

VALUES_AT_ONCE = 2**21
"""Differences that are held at once."""


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
    together = max(1, VALUES_AT_ONCE // max(1, size))
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
