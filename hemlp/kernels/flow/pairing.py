"""Problem 1 for many small instances: costs and bounds, a solution, and what the solution costs.

Instance i has the predicted classes ``pred_ptr[i]:pred_ptr[i + 1]``, the true ones ``true_ptr[i]:true_ptr[i + 1]``, and
its pairs, one row per predicted class, from ``pair_ptr[i]`` on. An infinite cost means that a pair, or a default class,
does not exist. ``serves``: 1 the pair counts for its predicted class, 2 for its true class, 3 for both.

Totals are compensated sums (Neumaier, 1974), so that they do not depend on the order. All functions are linear in the
number of pairs.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Pairing:
    """Costs, default costs and bounds of all instances; ``most_…``: how many the largest has.

    ``mutual``: every pair counts for both its ends.
    """

    def __init__(
        self, ptr: tuple[Array, Array, Array], kappa: Array, serves: Array, default: tuple[Array, Array],
        predicted: tuple[Array, Array], true: tuple[Array, Array],
    ) -> None:  # fmt: skip
        self.size = len(ptr[0]) - 1
        self.pred_ptr, self.true_ptr, self.pair_ptr = ptr
        self.most_pred, self.most_true, self.most_pairs = [int(np.diff(of).max(initial=0)) for of in ptr]
        self.kappa = kappa
        self.serves = serves
        self.mutual = bool((serves == 3).all())
        self.default_p, self.default_t = default
        self.lower_p, self.upper_p = predicted
        self.lower_t, self.upper_t = true


class Chosen:
    """Which pairs are chosen, how often each class goes to a default class, and prices that may prove it.

    A price is what a class pays: no pair, and no default class, costs less than its ends pay, and what is chosen costs
    no more.
    """

    def __init__(self, pairs: Array, default: tuple[Array, Array], price: tuple[Array, Array]) -> None:
        self.pairs = pairs.view("u1")
        self.default_p, self.default_t = default
        self.price_p, self.price_t = price


def nearest_only(
    pred_ptr: Array, true_ptr: Array, pair_ptr: Array, kappa: Array, default_p: Array, default_t: Array
) -> tuple[Array, Array, Array]:
    """The pairing "nearest": ``serves``, and the default costs, infinite where a class has to take its nearest."""
    serves = np.zeros(kappa.size, np.uint8)
    default_p, default_t = default_p.copy(), default_t.copy()
    _keep_nearest(pred_ptr, true_ptr, pair_ptr, kappa, default_p, default_t, serves)
    return serves, default_p, default_t


def _keep_nearest(pred_ptr, true_ptr, pair_ptr, kappa, default_p, default_t, serves):
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(pred_ptr.shape[0] - 1):
            if i % 256 == 0:
                look_for_signals()
            width: cython.Py_ssize_t = true_ptr[i + 1] - true_ptr[i]
            height: cython.Py_ssize_t = pred_ptr[i + 1] - pred_ptr[i]
            for row in range(height):
                _mark_nearest(kappa, pair_ptr[i] + row * width, 1, width, default_p, pred_ptr[i] + row, serves, 1)
            for column in range(width):
                _mark_nearest(kappa, pair_ptr[i] + column, width, height, default_t, true_ptr[i] + column, serves, 2)


def _mark_nearest(kappa, begin, stride, many, default, who, serves, side):
    """Let the nearest of the pairs of class ``who`` serve its side, unless its default class is nearer."""
    k: cython.Py_ssize_t
    nearest: cython.double = INFINITY
    for k in range(many):
        nearest = min(nearest, kappa[begin + k * stride])
    if nearest <= default[who] and nearest < INFINITY:
        default[who] = INFINITY
        for k in range(many):
            if kappa[begin + k * stride] == nearest:
                serves[begin + k * stride] |= side


def total_costs(given: Pairing, chosen: Chosen) -> Array:
    """What is chosen costs in each instance, as exactly as a float can say it: in any order the sum is the same."""
    totals = np.empty(given.size)
    _add_up(given, chosen, Total(), totals)
    return totals


class Total:
    """A sum and what was lost of it by rounding."""

    def __init__(self) -> None:
        self.sum = 0.0
        self.lost = 0.0


def _add_up(given, chosen, total, totals):
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            total.sum = total.lost = 0.0
            for k in range(given.pair_ptr[i], given.pair_ptr[i + 1]):
                if chosen.pairs[k]:
                    _add(total, given.kappa[k])
            for k in range(given.pred_ptr[i], given.pred_ptr[i + 1]):
                if chosen.default_p[k]:
                    _add(total, given.default_p[k] * chosen.default_p[k])
            for k in range(given.true_ptr[i], given.true_ptr[i + 1]):
                if chosen.default_t[k]:
                    _add(total, given.default_t[k] * chosen.default_t[k])
            totals[i] = total.sum + total.lost


def _add(total, value):
    """Add a value of at least 0."""
    before = total.sum
    total.sum += value
    if total.sum < INFINITY:
        larger = before if before > value else value
        total.lost += (larger - total.sum) + (value if before > value else before)


def extent(values: Array) -> tuple[bool, float, float]:
    """Whether all values are at least 0 (or infinite), the least that is not 0, and the greatest that is finite."""
    return _extent(values)


def _extent(values):
    k: cython.Py_ssize_t
    fine: cython.bint = True
    least: cython.double = INFINITY
    greatest: cython.double = 0.0
    with cython.nogil:
        for k in range(values.shape[0]):
            value = values[k]
            fine &= value >= 0.0
            least = value if (value < least) & (value != 0.0) else least
            greatest = value if (value > greatest) & (value < INFINITY) else greatest
    return bool(fine), least, greatest


def count_common(sides: Sides) -> Array:
    """How many classes are on both sides, for each instance; classes are sorted and each there once."""
    common = np.zeros(sides.size, np.int64)
    _count_common(sides, common)
    return common


def _count_common(sides, common):
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(sides.size):
            p: cython.Py_ssize_t = sides.pred_ptr[i]
            t: cython.Py_ssize_t = sides.true_ptr[i]
            while p < sides.pred_ptr[i + 1] and t < sides.true_ptr[i + 1]:
                difference = sides.pred[p] - sides.true[t]
                common[i] += difference == 0
                p += difference <= 0
                t += difference >= 0
