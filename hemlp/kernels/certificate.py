"""Is a pairing of least cost? Decided by exact arithmetic on the costs as they are given.

A float is an integer times a power of two. The costs of an instance become integers over one common power, each kept in
two words (``high`` · 2⁶⁰ + ``low``), so that no sum and no comparison is rounded.

The residual network of an instance has node 0, which is source, sink and both default classes in one, then the
predicted and then the true classes. A pairing is of least cost if and only if no cycle there has a negative cost; along
one that has, the pairing is changed for the better, and looked at again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]

NOT_ASKED, PROVED, WIDE, LONG, BROKEN = 0, 1, 2, 3, 4
"""Verdicts: proved (perhaps after changes); costs too far apart for two words; too many changes; bounds not kept."""
WORD = 60
LOW = (1 << WORD) - 1
ROOM = 118
"""Bits that the longest sum of costs may take."""
MOST_CYCLES = 5_000
"""Changes of one instance before it is left to slower code."""


@kernel
def _exponents(costs: Array, low: int, high: int) -> tuple[int, int]:
    """The lowest and the highest binary place that any finite cost uses, together with ``low`` and ``high``."""
    for cost in costs:
        if 0.0 < cost < np.inf:
            fraction, exponent = math.frexp(cost)
            digits = np.int64(fraction * 2.0**53)
            _, last = math.frexp(float(digits & -digits))
            low = min(low, exponent - 53 + last - 1)
            high = max(high, exponent)
    return low, high


@kernel
def _small_integers(costs: Array) -> bool:
    """Whether all finite costs are integers that fit one word with room for sums."""
    for cost in costs:  # noqa: SIM110 (numba compiles no generators)
        if cost < np.inf and not (cost < 2.0**40 and cost == np.int64(cost)):
            return False
    return True


@kernel
def _write_words(costs: Array, plain: bool, low: int, words: Array) -> None:
    """Each finite cost in two words, as a multiple of 2 to the power ``low``; of 1 if they are integers (``plain``)."""
    for k in range(costs.size):
        words[k, 0] = words[k, 1] = 0
        if plain:
            words[k, 1] = np.int64(costs[k]) if costs[k] < np.inf else 0
        elif 0.0 < costs[k] < np.inf:
            fraction, exponent = math.frexp(costs[k])
            digits = np.int64(fraction * 2.0**53)
            shift = exponent - 53 - low
            if shift <= 0:
                words[k, 1] = digits >> -shift
            elif shift < WORD:
                words[k, 0] = digits >> (WORD - shift)
                words[k, 1] = (digits << shift) & LOW
            else:
                words[k, 0] = digits << (shift - WORD)


@kernel
def _relax(
    tail: int, head: int, high: int, low: int, wide: bool, change: int, far: Array, came: Array, by: Array
) -> bool:
    """Whether an arc makes the way to ``head`` shorter; ``change`` says what a flow along it changes.

    Unless costs are ``wide`` one word is enough.
    """
    low += far[tail, 1]
    if wide:
        high += far[tail, 0] + (low >> WORD)
        low &= LOW
        if high > far[head, 0] or (high == far[head, 0] and low >= far[head, 1]):
            return False
        far[head, 0] = high
    elif low >= far[head, 1]:
        return False
    far[head, 1] = low
    came[head], by[head] = tail, change
    return True


@kernel
def _relax_side(
    first: int, away: int, lower: Array, upper: Array, degree: Array, default: Array, words: Array, taken: Array,
    variable: int, wide: bool, far: Array, came: Array, by: Array,
) -> bool:  # fmt: skip
    """All arcs between node 0 and the classes of a side; ``away``: 1 if flow goes from node 0 into them, else -1."""
    changed = False
    for i in range(lower.size):
        source, sink = (0, first + i) if away == 1 else (first + i, 0)
        if degree[i] < upper[i]:
            changed |= _relax(source, sink, 0, 0, wide, -1, far, came, by)
        if degree[i] > lower[i]:
            changed |= _relax(sink, source, 0, 0, wide, -1, far, came, by)
        if default[i] < np.inf:
            if taken[i] < upper[i]:
                code = 2 * (variable + i)
                changed |= _relax(sink, source, words[i, 0], words[i, 1], wide, code, far, came, by)
            if taken[i] > 0:
                code = 2 * (variable + i) + 1
                changed |= _relax(source, sink, -words[i, 0], -words[i, 1], wide, code, far, came, by)
    return changed


@kernel
def _node_on_cycle(came: Array, mark: Array) -> int:
    """A node on a cycle of the ways by which nodes were reached, or -1."""
    mark[:] = -1
    for start in range(came.size):
        node = start
        while node >= 0 and mark[node] < 0:
            mark[node] = start
            node = came[node]
        if node >= 0 and mark[node] == start:
            return node
    return -1


@kernel
def _kept(degree: Array, taken: Array, default: Array, lower: Array, upper: Array) -> bool:
    """Whether a side keeps its bounds and uses only default classes that exist."""
    for i in range(degree.size):
        if not (lower[i] <= degree[i] <= upper[i] and 0 <= taken[i] <= upper[i]):
            return False
        if taken[i] > 0 and default[i] == np.inf:
            return False
    return True


@kernel
def cheapest(
    pred_ptr: Array, true_ptr: Array, pair_ptr: Array, kappa: Array, serves: Array, default_p: Array, default_t: Array,
    lower_p: Array, upper_p: Array, lower_t: Array, upper_t: Array,
    asked: Array, chosen: Array, to_default_p: Array, to_default_t: Array,
) -> Array:  # fmt: skip
    """Turn the pairings of the instances that are ``asked`` for into ones of least cost; a verdict for each."""
    verdicts = np.zeros(asked.size, np.uint8)
    for i in range(asked.size):
        if asked[i]:
            p, t = slice(pred_ptr[i], pred_ptr[i + 1]), slice(true_ptr[i], true_ptr[i + 1])
            x = slice(pair_ptr[i], pair_ptr[i + 1])
            verdicts[i] = _cheapest_one(
                kappa[x], serves[x], default_p[p], default_t[t], lower_p[p], upper_p[p], lower_t[t], upper_t[t],
                chosen[x], to_default_p[p], to_default_t[t],
            )  # fmt: skip
    return verdicts


@kernel
def _cheapest_one(
    kappa: Array, serves: Array, default_p: Array, default_t: Array,
    lower_p: Array, upper_p: Array, lower_t: Array, upper_t: Array, chosen: Array, to_p: Array, to_t: Array,
) -> int:  # fmt: skip
    height, width = lower_p.size, lower_t.size
    degree_p, degree_t = to_p.copy(), to_t.copy()
    for k in range(kappa.size):
        if chosen[k]:
            if serves[k] == 0 or kappa[k] == np.inf:
                return BROKEN
            degree_p[k // width] += serves[k] & 1
            degree_t[k % width] += serves[k] >> 1
    if not (_kept(degree_p, to_p, default_p, lower_p, upper_p) and _kept(degree_t, to_t, default_t, lower_t, upper_t)):
        return BROKEN
    nodes = 1 + height + width
    plain = _small_integers(kappa) and _small_integers(default_p) and _small_integers(default_t)
    low, bits = 0, 0
    if not plain:
        low, high = _exponents(kappa, 5_000, -5_000)
        low, high = _exponents(default_p, low, high)
        low, high = _exponents(default_t, low, high)
        bits = high - low + math.frexp(float(nodes))[1]
        if bits > ROOM:
            return WIDE
    wide = bits >= WORD
    words, words_p = np.empty((kappa.size, 2), np.int64), np.empty((height, 2), np.int64)
    words_t = np.empty((width, 2), np.int64)
    _write_words(kappa, plain, low, words)
    _write_words(default_p, plain, low, words_p)
    _write_words(default_t, plain, low, words_t)
    far, came = np.zeros((nodes, 2), np.int64), np.full(nodes, -1, np.int64)
    by, mark = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    cycles = 0
    while True:
        changed = _relax_side(
            1, 1, lower_p, upper_p, degree_p, default_p, words_p, to_p, kappa.size, wide, far, came, by
        )
        for k in range(kappa.size):
            if serves[k] > 0 and kappa[k] < np.inf:
                tail = 1 + k // width if serves[k] & 1 else 0
                head = 1 + height + k % width if serves[k] & 2 else 0
                if chosen[k]:
                    changed |= _relax(head, tail, -words[k, 0], -words[k, 1], wide, 2 * k + 1, far, came, by)
                else:
                    changed |= _relax(tail, head, words[k, 0], words[k, 1], wide, 2 * k, far, came, by)
        changed |= _relax_side(
            1 + height, -1, lower_t, upper_t, degree_t, default_t, words_t, to_t, kappa.size + height,
            wide, far, came, by,
        )  # fmt: skip
        if not changed:
            return PROVED
        at = _node_on_cycle(came, mark)
        if at < 0:
            continue
        cycles += 1
        if cycles > MOST_CYCLES:
            return LONG
        node = at
        while True:
            if by[node] >= 0:
                variable, step = by[node] >> 1, 1 - 2 * (by[node] & 1)
                if variable < kappa.size:
                    chosen[variable] = step == 1
                    degree_p[variable // width] += step * (serves[variable] & 1)
                    degree_t[variable % width] += step * (serves[variable] >> 1)
                elif variable < kappa.size + height:
                    to_p[variable - kappa.size] += step
                    degree_p[variable - kappa.size] += step
                else:
                    to_t[variable - kappa.size - height] += step
                    degree_t[variable - kappa.size - height] += step
            node = came[node]
            if node == at:
                break
        far[:] = 0
        came[:] = -1
