"""Summaries of many pairs at once, against the definitions, pair by pair, and tests against all their sums."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from hemlp.analysis.statistics import permutation
from hemlp.analysis.statistics.differences import PairedDifferences
from hemlp.analysis.statistics.permutation import SIGN_DRAWS, PairSummary, summarize_pairs
from hemlp.measures.instance_scores import exact_mean, mean

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
    monkeypatch.setattr(permutation, "VALUES_AT_ONCE", 3 * size)
    found = list(summarize_pairs(columns, pairs))
    for (i, j), each in zip(pairs, found, strict=True):
        d = PairedDifferences.of(columns[i], columns[j])
        assert repr(each) == repr(PairSummary.of(d))
        assert each.p == pytest.approx(plain_p(d), rel=1e-12, nan_ok=True)


def test_a_bound_of_all_sums_leaves_the_same_hits(monkeypatch):
    """With the bound for no pair, for some, and for all of them."""
    rng = np.random.default_rng(1)
    pairs = [PairedDifferences.of(rng.random(n) + k / 60, rng.random(n)) for k, n in enumerate(range(700, 724))]
    usual = permutation.permutation_tests(pairs)
    assert min(usual) < 1e-4 < 0.05 < max(usual)
    monkeypatch.setattr(permutation, "MANY", 1)
    for far in (permutation.FAR, 0.0):
        monkeypatch.setattr(permutation, "FAR", far)
        assert permutation.permutation_tests(pairs) == usual
    assert usual == pytest.approx([plain_p(d) for d in pairs], rel=1e-12)


def test_bounds_of_sums_hold_for_every_draw():
    rng = np.random.default_rng(2)
    for n in (13, 100, 1000):
        sizes = np.sort(rng.random(n) ** 3)
        means = np.array([sizes[8 * k : 8 * k + 8].mean() for k in range(n // 8)], np.float32)
        signs = 2.0 * np.unpackbits(permutation._packed_signs().T, axis=1, count=8 * (n // 8)) - 1.0
        greatest = np.abs(signs @ np.repeat(means.astype(float), 8)).max()
        assert greatest <= permutation._bound(means[None], np.array([n]))[0] * (1 + 1e-9) <= 2 * greatest


def test_means_are_rounded_once():
    """As ``math.fsum`` does it, of which a mean is the quotient; also where the fast sum is not certain."""
    rng = np.random.default_rng(5)
    for k in range(3000):
        size = int(rng.integers(0, 40))
        column = (
            rng.random(size),
            rng.standard_normal(size) * 10.0 ** rng.integers(-300, 300, size),
            rng.choice([0.0, -0.0, 1.0, 1e308, -1e308, np.inf, np.nan], size),
            rng.choice([2.0**53, 1.0, -(2.0**53), 0.5, 2.0**-60], size),
        )[k % 4]
        defined = column[~np.isnan(column)].tolist()
        wanted, found = exact_mean(defined, len(defined)), mean(column)
        assert np.float64(found).tobytes() == np.float64(wanted).tobytes() or (found != found and wanted != wanted)
    assert mean(np.array([1, 2, 4])) == 7 / 3
