"""Paired differences of two columns of scores, pair by pair: sums that are rounded once, and ranks. O(instances).

A sum is kept in two parts: what is added, and the errors of that (Knuth's TwoSum, 1969). It is rounded once where the
errors of the errors, at most n · 2⁻⁵² Σ |error|, do not change it (Ogita, Rump and Oishi, 2005); else nan.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from math import isfinite
    from math import nan as NAN

    from hemlp.kernels.signals import look_for_signals

    INSTANCES, DIFFERING, WINS = range(3)
    MEAN, TOLERANCE, GREATEST, SQUARES, SCALED, SCALED_SQUARES, SPREAD = range(7)

    rint = round

    def pow(base, exponent):
        """As of C."""
        return base**exponent


def subtract_pairs(
    scores: cython.const[cython.double][:, ::1], pairs: cython.const[cython.longlong][:, ::1], precision: float,
    gaps: cython.double[:, ::1], terms: cython.double[::1], counts: cython.longlong[:, ::1],
    sums: cython.double[:, ::1],
) -> None:  # fmt: skip
    """The differences of each pair of rows of ``scores`` that differ, then zeros, and what is summed up of them.

    ``terms``: room for two numbers per instance, and one. A sum that is not certain is nan, as are all of them where a
    score is infinite.
    """
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(pairs.shape[0]):
            look_for_signals()
            _subtract(scores[pairs[k, 0]], scores[pairs[k, 1]], precision, gaps[k], terms, counts[k], sums[k])
            _add_up(gaps[k], terms, counts[k], sums[k])


def _subtract(first, second, precision, gaps, terms, counts, sums):
    """Differences of more than ε = precision · (the greatest score of both), and their terms one after the other."""
    i: cython.Py_ssize_t
    greatest: cython.double = 0
    instances: cython.longlong = 0
    for i in range(first.shape[0]):
        if first[i] == first[i] and second[i] == second[i]:
            instances += 1
            greatest = max(greatest, abs(first[i]), abs(second[i]))
    least: cython.double = precision * greatest
    differing: cython.Py_ssize_t = 0
    wins: cython.longlong = 0
    for i in range(first.shape[0]):
        gap: cython.double = first[i] - second[i]
        gaps[differing] = gap
        terms[2 * differing] = first[i]
        terms[2 * differing + 1] = -second[i]
        wins += gap > least
        differing += abs(gap) > least  # not where one is nan
    top: cython.double = gaps[0] if differing > 0 else 0.0
    bottom: cython.double = top
    for i in range(differing):
        top = max(top, gaps[i])
        bottom = min(bottom, gaps[i])
    for i in range(differing, first.shape[0]):
        gaps[i] = 0
    counts[INSTANCES], counts[DIFFERING], counts[WINS] = instances, differing, wins
    sums[TOLERANCE] = least if isfinite(greatest) else NAN
    sums[GREATEST] = max(top, -bottom)
    sums[SPREAD] = top - bottom


def _add_up(gaps, terms, counts, sums):
    """The mean difference, the squares around it, and the sums of differences and squares in a unit near the greatest.

    A square is rounded, and what it was rounded by is added, too (Veltkamp, 1968).
    """
    i: cython.Py_ssize_t
    n: cython.Py_ssize_t = counts[DIFFERING]
    mean: cython.double = NAN
    if counts[INSTANCES] > 0:
        mean = _exact_sum(terms, 2 * n) / counts[INSTANCES]
        if abs(mean) <= n * sums[TOLERANCE] / counts[INSTANCES]:
            mean = 0
    sums[MEAN] = mean
    for i in range(n):
        terms[i] = (gaps[i] - mean) * (gaps[i] - mean)
    terms[n] = (counts[INSTANCES] - n) * pow(mean, 2.0)
    sums[SQUARES] = _exact_sum(terms, n + 1)
    unit: cython.double = _unit(sums[GREATEST])
    for i in range(n):
        terms[i] = gaps[i] / unit
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


def exact_sum(terms: cython.const[cython.double][::1]) -> float:
    """The sum of all terms, rounded once; nan where that is not certain."""
    return _exact_sum(terms, terms.shape[0])


def _exact_sum(terms, n):
    """The sum of the first n terms, rounded once; nan where that is not certain."""
    total: cython.double = 0
    errors: cython.double = 0
    spread: cython.double = 0
    k: cython.Py_ssize_t
    for k in range(n):
        after: cython.double = total + terms[k]
        part: cython.double = after - total
        error: cython.double = (total - (after - part)) + (terms[k] - part)
        total = after
        errors += error
        spread += abs(error)
    doubt: cython.double = spread * (n * 2.0**-52)
    result: cython.double = total + errors
    part = result - total
    left: cython.double = (total - (result - part)) + (errors - part)
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


def average_bytes(
    sizes: cython.const[cython.double][:, ::1], number: cython.const[cython.longlong][::1], step: float,
    means: cython.short[:, ::1], sums: cython.double[:, ::1],
) -> None:  # fmt: skip
    """The means of eight sorted differences each, in whole steps; of each pair Σ d, and Σ |d − mean|.

    ``sizes``: those of ``number`` last. The last ones, fewer than eight, have a mean of 0.
    """
    k: cython.Py_ssize_t
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    with cython.nogil:
        for k in range(sizes.shape[0]):
            begin: cython.Py_ssize_t = sizes.shape[1] - number[k]
            whole: cython.double = 0
            spread: cython.double = 0
            for b in range(means.shape[1]):
                end: cython.Py_ssize_t = min(begin + 8 * b + 8, sizes.shape[1])
                total: cython.double = 0
                for i in range(begin + 8 * b, end):
                    total += sizes[k, i]
                mean: cython.double = rint(total / 8 / step) if 8 * b + 8 <= number[k] else 0.0
                for i in range(begin + 8 * b, end):
                    spread += abs(sizes[k, i] - mean * step)
                means[k, b] = cython.cast(cython.short, mean)
                whole += total
            sums[k, 0], sums[k, 1] = whole, spread


def count_hits(
    plus: cython.const[cython.short][:, ::1], packed: cython.const[cython.uchar][:, ::1],
    sizes: cython.const[cython.double][:, ::1], number: cython.const[cython.longlong][::1],
    means: cython.const[cython.short][:, ::1], step: float, limits: cython.const[cython.double][:, ::1],
    hits: cython.longlong[::1],
) -> None:  # fmt: skip
    """How many draws have a sum x of the differences with a plus of x ≤ limits[k, 0] or x ≥ limits[k, 1].

    ``plus``: how many signs of each byte are a plus, draws × bytes; their products with the ``means`` are added as
    integers. The rests of bytes in ``packed`` (bytes × draws) are added one by one, the greatest first, to the draws
    that the bounds of the others do not decide. The third limit is the rounding of a bound. O(draws · bytes) for each
    pair, and O(differing instances) for each of few draws.
    """
    size: cython.Py_ssize_t = packed.shape[0]
    bounds: cython.double[:, ::1] = np.empty((size + 1, 2))
    order: cython.longlong[::1] = np.empty(size, np.int64)
    table: cython.double[::1] = np.empty(256)
    coarse: cython.int[:, ::1] = np.empty((4, plus.shape[0]), np.intc)
    x: cython.double[::1] = np.empty(plus.shape[0])
    draws: cython.longlong[::1] = np.empty(plus.shape[0], np.int64)
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t = means.shape[0] - 1
    with cython.nogil:
        for k in range(means.shape[0]):
            look_for_signals()
            if k % 4 == 0:
                width: cython.Py_ssize_t = min((number[min(k + 3, end)] // 64 + 1) * 8, means.shape[1])
                _add_products(
                    plus, means[k, :width], means[min(k + 1, end), :width], means[min(k + 2, end), :width],
                    means[min(k + 3, end), :width], coarse,
                )  # fmt: skip
            values = sizes[k, sizes.shape[1] - number[k] :]
            last: cython.Py_ssize_t = number[k] // 8
            _tabulate(values[8 * last :], 0.0, table)
            for i in range(plus.shape[0]):
                x[i] = coarse[k % 4, i] * step + table[packed[last % size, i]]
                draws[i] = i
            used: cython.Py_ssize_t = _bound_rests(values, means[k], step, last, bounds, order)
            left: cython.Py_ssize_t = plus.shape[0]
            hits[k] = 0
            for i in range(used + 1):
                if i % 4 == 0 or i == used:
                    left = _decide(x, draws, left, bounds[i], limits[k], hits, k)
                if i < used and left > 0:
                    b: cython.Py_ssize_t = order[i]
                    _tabulate(values[8 * b : 8 * b + 8], means[k, b] * step, table)
                    _add_byte(x, draws, left, packed[b], table)


def _add_products(plus, first, second, third, fourth, sums):
    """Four pairs at once, so that each count is read once."""
    if not cython.compiled:
        sums[:] = np.stack([first, second, third, fourth]).astype(np.intc) @ plus[:, : len(first)].T
        return
    i: cython.Py_ssize_t
    b: cython.Py_ssize_t
    for i in range(plus.shape[0]):
        s0: cython.int = 0
        s1: cython.int = 0
        s2: cython.int = 0
        s3: cython.int = 0
        for b in range(first.shape[0]):
            s0 += first[b] * plus[i, b]
            s1 += second[b] * plus[i, b]
            s2 += third[b] * plus[i, b]
            s3 += fourth[b] * plus[i, b]
        sums[0, i], sums[1, i], sums[2, i], sums[3, i] = s0, s1, s2, s3


def _tabulate(values, mean, table):
    """Σ (value − mean) over the ones of each byte, of which the first value has the highest bit."""
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    table[0] = 0
    for i in range(8):
        rest: cython.double = values[7 - i] - mean if 7 - i < values.shape[0] else 0.0
        half: cython.Py_ssize_t = 1 << i
        for k in range(half):
            table[half + k] = table[k] + rest


def _bound_rests(values, means, step, last, bounds, order):
    """The ``order`` of bytes with rests, the greatest first, and bounds of the rests of each one and those after it."""
    used: cython.Py_ssize_t = 0
    b: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for b in range(last):
        low: cython.double = 0
        high: cython.double = 0
        for i in range(8 * b, 8 * b + 8):
            rest: cython.double = values[i] - means[b] * step
            low += min(rest, 0.0)
            high += max(rest, 0.0)
        if low < high:
            i = used
            while i > 0 and bounds[i - 1, 1] - bounds[i - 1, 0] < high - low:
                order[i], bounds[i, 0], bounds[i, 1] = order[i - 1], bounds[i - 1, 0], bounds[i - 1, 1]
                i -= 1
            order[i], bounds[i, 0], bounds[i, 1] = b, low, high
            used += 1
    bounds[used, 0] = bounds[used, 1] = 0
    for i in range(used - 1, -1, -1):
        bounds[i, 0] += bounds[i + 1, 0]
        bounds[i, 1] += bounds[i + 1, 1]
    return used


def _decide(x, draws, left, bounds, limits, hits, k):
    """Count the draws that are hits whatever the rests are, and keep those that may be or not: how many there are."""
    low: cython.double = limits[0]
    high: cython.double = limits[1]
    exact: cython.bint = bounds[0] == bounds[1]
    doubt: cython.double = 0.0 if exact else limits[2]
    low_miss: cython.double = low - bounds[0] + doubt
    high_miss: cython.double = high - bounds[1] - doubt
    low_hit: cython.double = low - bounds[1] - doubt
    high_hit: cython.double = high - bounds[0] + doubt
    kept: cython.Py_ssize_t = 0
    count: cython.longlong = 0
    i: cython.Py_ssize_t
    for i in range(left):
        value: cython.double = x[i]
        hit: cython.bint = (value <= low_hit) | (value >= high_hit)
        miss: cython.bint = (value > low_miss) & (value < high_miss)
        count += hit
        x[kept] = value
        draws[kept] = draws[i]
        kept += not (hit | miss)
    hits[k] += count
    return kept


def _add_byte(x, draws, left, packed, table):
    """The rests of one byte."""
    i: cython.Py_ssize_t
    for i in range(left):
        x[i] += table[packed[draws[i]]]
