"""Paired differences of two columns of scores, pair by pair: sums that are rounded once, and ranks. O(instances).

A sum is kept in three parts: what is added (Knuth's TwoSum, 1969), the errors of that, and the errors of these. It is
exact, and rounded once, where what may still be missing does not change it (Ogita, Rump and Oishi, 2005); else nan.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array

if not cython.compiled:
    from math import isfinite
    from math import nan as NAN

    from hemlp.kernels.signals import look_for_signals

    INSTANCES, DIFFERING, WINS = range(3)
    MEAN, TOLERANCE, GREATEST, SQUARES, SCALED, SCALED_SQUARES, SPREAD = range(7)

    def pow(base, exponent):
        """As of C."""
        return base**exponent


def subtract_pairs(
    scores: cython.const[cython.double][:, ::1], pairs: cython.const[cython.longlong][:, ::1], precision: float,
    gaps: cython.double[:, ::1], terms: cython.double[::1], counts: cython.longlong[:, ::1],
    sums: cython.double[:, ::1],
) -> None:  # fmt: skip
    """The differences of each pair of rows of ``scores``, 0 where they are none, and what is summed up of them.

    ``terms``: room for two numbers per instance, and one. A sum that is not certain is nan, as are all of them where a
    score is infinite.
    """
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            look_for_signals()
            _subtract(scores[pairs[k, 0]], scores[pairs[k, 1]], precision, gaps[k], counts[k], sums[k])
            _add_up(scores[pairs[k, 0]], scores[pairs[k, 1]], gaps[k], terms, counts[k], sums[k])


def _subtract(first, second, precision, gaps, counts, sums):
    """Differences of more than ε = precision · (the greatest score of both), how many there are, and how large."""
    i: cython.Py_ssize_t
    greatest: cython.double = 0
    instances: cython.longlong = 0
    for i in range(first.shape[0]):
        if first[i] == first[i] and second[i] == second[i]:
            instances += 1
            greatest = max(greatest, abs(first[i]), abs(second[i]))
    least: cython.double = precision * greatest
    differing: cython.longlong = 0
    wins: cython.longlong = 0
    top: cython.double = 0
    bottom: cython.double = 0
    for i in range(first.shape[0]):
        gap: cython.double = first[i] - second[i]
        gaps[i] = 0
        if abs(gap) > least:  # not where one is nan
            gaps[i] = gap
            differing += 1
            wins += gap > 0
            top = gap if differing == 1 else max(top, gap)
            bottom = gap if differing == 1 else min(bottom, gap)
    counts[INSTANCES], counts[DIFFERING], counts[WINS] = instances, differing, wins
    sums[TOLERANCE] = least if isfinite(greatest) else NAN
    sums[GREATEST] = max(top, -bottom)
    sums[SPREAD] = top - bottom


def _add_up(first, second, gaps, terms, counts, sums):
    """The mean difference, the squares around it, and the sums of differences and squares in a unit near the greatest.

    A square is rounded, and what it was rounded by is added, too (Veltkamp, 1968).
    """
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = 0
    for i in range(gaps.shape[0]):
        if gaps[i] != 0:
            terms[n] = first[i]
            terms[n + 1] = -second[i]
            n += 2
    mean: cython.double = NAN
    if counts[INSTANCES] > 0:
        mean = _exact_sum(terms, n) / counts[INSTANCES]
        if abs(mean) <= counts[DIFFERING] * sums[TOLERANCE] / counts[INSTANCES]:
            mean = 0
    sums[MEAN] = mean
    n = 0
    for i in range(gaps.shape[0]):
        if gaps[i] != 0:
            terms[n] = (gaps[i] - mean) * (gaps[i] - mean)
            n += 1
    terms[n] = (counts[INSTANCES] - counts[DIFFERING]) * pow(mean, 2.0)
    sums[SQUARES] = _exact_sum(terms, n + 1)
    unit: cython.double = _unit(sums[GREATEST])
    n = 0
    for i in range(gaps.shape[0]):
        if gaps[i] != 0:
            terms[n] = gaps[i] / unit
            n += 1
    sums[SCALED] = _exact_sum(terms, n)
    for i in range(n):
        value: cython.double = terms[i]
        square: cython.double = value * value
        scaled: cython.double = 134217729.0 * value
        high: cython.double = scaled - (scaled - value)
        low: cython.double = value - high
        terms[i] = square
        terms[n + i] = ((high * high - square) + 2 * high * low) + low * low
    sums[SCALED_SQUARES] = _exact_sum(terms, 2 * n)


def _unit(greatest):
    """A power of two that is at most ``greatest``, and more than half of it."""
    unit: cython.double = 1
    if greatest > 0 and isfinite(greatest):
        while unit > greatest:
            unit /= 2
        while 2 * unit <= greatest:
            unit *= 2
    return unit


def _exact_sum(terms, n):
    """The sum of the first n terms, rounded once; nan where that is not certain."""
    total: cython.double = 0
    errors: cython.double = 0
    rest: cython.double = 0
    spread: cython.double = 0
    k: cython.Py_ssize_t
    for k in range(n):
        after: cython.double = total + terms[k]
        part: cython.double = after - total
        error: cython.double = (total - (after - part)) + (terms[k] - part)
        total = after
        spread += abs(error)
        after = errors + error
        part = after - errors
        rest += (errors - (after - part)) + (error - part)
        errors = after
    below: cython.double = errors + rest
    doubt: cython.double = spread * 2.0**-50
    result: cython.double = total + below
    part = result - total
    left: cython.double = (total - (result - part)) + (below - part)
    if result + (left + doubt) != result or result + (left - doubt) != result:
        return NAN
    return result


def add_ranks(
    sizes: cython.const[cython.double][:, ::1], keys: cython.const[cython.ulonglong][:, ::1],
    differing: cython.const[cython.longlong][::1], tolerances: cython.const[cython.double][::1],
    ranks: cython.longlong[::1], ties: cython.longlong[::1],
) -> None:  # fmt: skip
    """Σ ± twice the mid-rank of each difference, and Σ t³ − t over groups of t ties.

    ``sizes``: sorted in each row, those of ``differing`` last; the last bit of ``keys`` says which are below 0.
    """
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(sizes.shape[0]):
            _rank(sizes[k], keys[k], differing[k], 2 * tolerances[k], ranks, ties, k)


def _rank(sizes, keys, differing, near, ranks, ties, k):
    begin: cython.longlong = sizes.shape[0] - differing
    start: cython.longlong = begin
    gain: cython.longlong = 0
    i: cython.longlong
    ranks[k] = ties[k] = 0
    for i in range(begin, sizes.shape[0]):
        gain += -1 if keys[i] & 1 else 1
        if i + 1 == sizes.shape[0] or sizes[i + 1] - sizes[i] > near:
            tied: cython.longlong = i + 1 - start
            ranks[k] += gain * (start + i + 2 - 2 * begin)
            ties[k] += tied * tied * tied - tied
            start, gain = i + 1, 0


def count_beyond(
    sums: cython.const[cython.float][:, ::1], limits: cython.const[cython.double][:, ::1], hits: cython.longlong[::1]
) -> list[tuple[int, Array]]:
    """Add to ``hits`` how many sums of each row are outside of its first two limits.

    Those that are so of the other two alone are open: the numbers of such rows, and where in them these sums are.
    """
    found = []
    at: cython.longlong[::1] = np.empty(sums.shape[1], np.int64)
    k: cython.Py_ssize_t
    for k in range(sums.shape[0]):
        number = _beyond(sums[k], limits[0, k], limits[1, k], limits[2, k], limits[3, k], hits, k, at)
        if number:
            found.append((k, np.array(at[:number])))
    return found


def _beyond(sums, low, high, near_low, near_high, hits, k, at):
    number: cython.longlong = 0
    count: cython.longlong = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sums.shape[0]):
            if near_low < sums[i] < near_high:
                continue
            if sums[i] <= low or sums[i] >= high:
                count += 1
            else:
                at[number] = i
                number += 1
    hits[k] += count
    return number
