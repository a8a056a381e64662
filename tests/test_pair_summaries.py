"""Summaries of many pairs at once, against the definitions, pair by pair, and tests against all their sums."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from hemlp.analysis.statistics import pair_summaries, permutation
from hemlp.analysis.statistics.differences import PairedDifferences
from hemlp.analysis.statistics.pair_summaries import PairSummary, summarize_pairs
from hemlp.analysis.statistics.permutation import SIGN_DRAWS

KINDS = ("ratios", "whole", "random", "undefined", "infinite", "scales", "near")


def columns_of(kind: str, size: int) -> list[np.ndarray]:
    rng = np.random.default_rng([size, KINDS.index(kind)])
    made = rng.integers(0, 13, (5, size)) / rng.integers(13, 25, (5, size))
    if kind == "whole":
        made = rng.integers(0, 6, (5, size)).astype(float)
    elif kind == "random":
        made = rng.random((5, size)) + np.arange(5)[:, None] / 6
    elif kind in ("undefined", "infinite"):
        made[rng.random((5, size)) < 0.2] = math.nan if kind == "undefined" else math.inf
    elif kind == "scales":
        made *= 10.0 ** rng.integers(-12, 12, (5, size))
    elif kind == "near":
        made[:] = made[0]
        made += (rng.random((5, size)) < 0.1) * rng.random((5, size)) * np.arange(5)[:, None] / 4
    return list(made)


def plain_p(d: PairedDifferences) -> float:
    """The test as the docstring says it, with all sums in double precision."""
    if not np.isfinite(d.values).all():
        return math.nan
    n, observed = d.values.size, abs(math.fsum(d.values.tolist()))
    sizes = np.sort(np.abs(d.values))
    normal = math.erfc(observed / math.sqrt(2 * math.fsum((d.values**2).tolist()))) if n else 1.0
    if n > 1000:
        return normal
    if n <= 12:
        signs = 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
        return float(np.mean(np.abs(signs @ sizes) >= observed - n * d.tolerance))
    bits = np.random.default_rng(0).integers(0, 256, (SIGN_DRAWS, 125), np.uint8)
    signs = 2.0 * np.unpackbits(bits, axis=1, count=n) - 1.0
    hits = int(np.count_nonzero(np.abs(signs @ sizes) >= observed - n * d.tolerance))
    return (1 + hits) / (1 + SIGN_DRAWS) if hits else min(1 / (1 + SIGN_DRAWS), normal)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, 2, 12, 40, 333, 1000, 1200])
def test_summaries_are_those_of_each_pair(size, kind, monkeypatch):
    columns, pairs = columns_of(kind, size), list(combinations(range(5), 2))
    monkeypatch.setattr(pair_summaries, "VALUES_AT_ONCE", 3 * size)
    found = list(summarize_pairs(columns, pairs))
    for (i, j), each in zip(pairs, found, strict=True):
        d = PairedDifferences.of(columns[i], columns[j])
        assert repr(each) == repr(PairSummary.of(d))
        assert each.p == pytest.approx(plain_p(d), rel=1e-12, nan_ok=True)


def test_sums_by_segments_have_the_same_hits(monkeypatch):
    """All of them, and those of eight differences each with what is open summed again; or a bound of all."""
    rng = np.random.default_rng(1)
    pairs = [PairedDifferences.of(rng.random(n) + k / 60, rng.random(n)) for k, n in enumerate(range(700, 724))]
    usual = permutation.permutation_tests(pairs)
    assert min(usual) < 1e-4 < 0.05 < max(usual)
    for near, far in ((math.inf, math.inf), (0.0, math.inf), (0.0, 0.0)):
        monkeypatch.setattr(permutation, "NEAR", near)
        monkeypatch.setattr(permutation, "FAR", far)
        assert permutation.permutation_tests(pairs) == usual
    assert usual == pytest.approx([plain_p(d) for d in pairs], rel=1e-12)
