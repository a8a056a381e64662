"""Problem 1 for many small instances: what is given and what is chosen, and optima that have a closed form.

Instance i has the predicted classes ``pred_ptr[i]:pred_ptr[i + 1]``, the true ones ``true_ptr[i]:true_ptr[i + 1]``, and
its pairs, one row a predicted class, from ``pair_ptr[i]`` on. An infinite cost means that a pair, or a default class,
does not exist. ``serves``: 1 the pair counts for its predicted class, 2 for its true class, 3 for both.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.matching import ALONE, Matching, match
    from cython.cimports.hemlp.kernels.signals import look_for_signals
    from cython.cimports.libc.math import INFINITY
else:
    from math import inf as INFINITY

    from hemlp.kernels.matching import ALONE, Matching, match
    from hemlp.kernels.signals import look_for_signals

Array = NDArray[Any]


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
        self.most_pred, self.most_true, self.most_pairs = (int(np.diff(of).max(initial=0)) for of in ptr)
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


@cython.cfunc
def _keep_nearest(
    pred_ptr: cython.const[cython.longlong][::1], true_ptr: cython.const[cython.longlong][::1],
    pair_ptr: cython.const[cython.longlong][::1], kappa: cython.const[cython.double][::1],
    default_p: cython.double[::1], default_t: cython.double[::1], serves: cython.uchar[::1],
) -> None:  # fmt: skip
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


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _mark_nearest(
    kappa: cython.const[cython.double][::1], begin: cython.Py_ssize_t, stride: cython.Py_ssize_t,
    many: cython.Py_ssize_t, default: cython.double[::1], who: cython.Py_ssize_t, serves: cython.uchar[::1], side: cython.uchar,
) -> cython.void:  # fmt: skip
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


def best_pairings(given: Pairing, cover: bool, chosen: Chosen) -> Array:
    """Optima for α = β = 1 with defaults, or (``cover``) for α = 1 and β without limit; which instances have one.

    Alone, a class costs its default or, for covers, its cheapest option. A pair that counts for both its ends saves
    what they cost alone less its own cost, so the optimum is the matching that saves most.
    """
    feasible = np.empty(given.size, np.bool_)
    room = Matching(max(given.most_pred, given.most_true), given.most_pairs)
    _all_pairings(given, cover, chosen, room, Alone(given.most_pred, given.most_true), feasible.view("u1"))
    return feasible


class Alone:
    """What each class of an instance costs alone, and with whom (ALONE: its default class)."""

    def __init__(self, height: int, width: int) -> None:
        self.cost_p, self.cost_t = np.empty(height), np.empty(width)
        self.partner_p, self.partner_t = np.empty(height, np.int32), np.empty(width, np.int32)


@cython.cfunc
def _all_pairings(
    given: Pairing, cover: cython.bint, chosen: Chosen, m: Matching, alone: Alone, feasible: cython.uchar[::1]
) -> None:
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if i % 256 == 0:
                look_for_signals()
            feasible[i] = _alone(given, i, cover, alone)
            if feasible[i]:
                _set_savings(given, i, alone, m)
                match(m)
                _write(given, i, alone, m, chosen)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _alone(given: Pairing, i: cython.Py_ssize_t, cover: cython.bint, alone: Alone) -> cython.bint:
    """What classes cost alone; whether all have something to take."""
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - given.true_ptr[i]
    for row in range(height):
        alone.cost_p[row] = given.default_p[given.pred_ptr[i] + row]
        alone.partner_p[row] = ALONE
    for column in range(width):
        alone.cost_t[column] = given.default_t[given.true_ptr[i] + column]
        alone.partner_t[column] = ALONE
    if cover:
        k: cython.Py_ssize_t = given.pair_ptr[i]
        for row in range(height):
            for column in range(width):
                if given.serves[k] & 1 and given.kappa[k] < alone.cost_p[row]:
                    alone.cost_p[row] = given.kappa[k]
                    alone.partner_p[row] = column
                if given.serves[k] & 2 and given.kappa[k] < alone.cost_t[column]:
                    alone.cost_t[column] = given.kappa[k]
                    alone.partner_t[column] = row
                k += 1
    worst: cython.double = 0.0
    for row in range(height):
        worst = max(worst, alone.cost_p[row])
    for column in range(width):
        worst = max(worst, alone.cost_t[column])
    return worst < INFINITY


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _set_savings(given: Pairing, i: cython.Py_ssize_t, alone: Alone, m: Matching) -> cython.void:
    """What pairs save; the rows are the smaller side."""
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - given.true_ptr[i]
    turned: cython.bint = height > width
    m.height = width if turned else height
    m.width = height if turned else width
    down: cython.Py_ssize_t = 1 if turned else width
    right: cython.Py_ssize_t = height if turned else 1
    k: cython.Py_ssize_t = given.pair_ptr[i]
    for row in range(height):
        for column in range(width):
            saved = alone.cost_p[row] + alone.cost_t[column] - given.kappa[k + column]
            saved = saved if saved > 0.0 else 0.0
            if not given.mutual and given.serves[k + column] != 3:
                saved = 0.0
            m.savings[row * down + column * right] = saved
        k += width


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write(given: Pairing, i: cython.Py_ssize_t, alone: Alone, m: Matching, chosen: Chosen) -> cython.void:
    """What is matched, and for who is not what it takes alone."""
    k: cython.Py_ssize_t
    p: cython.Py_ssize_t = given.pred_ptr[i]
    t: cython.Py_ssize_t = given.true_ptr[i]
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - t
    turned: cython.bint = height > width
    for k in range(height):
        chosen.default_p[p + k] = 1
        chosen.price_p[p + k] = alone.cost_p[k] - (m.column_price[k] if turned else m.row_price[k])
    for k in range(width):
        chosen.default_t[t + k] = 1
        chosen.price_t[t + k] = alone.cost_t[k] - (m.row_price[k] if turned else m.column_price[k])
    for k in range(height):
        mate: cython.Py_ssize_t = m.row_of[k] if turned else m.column_of[k]
        if mate == ALONE:
            mate = alone.partner_p[k]
        if mate != ALONE:
            _choose(given, i, k, mate, chosen)
    for k in range(width):
        mate = m.column_of[k] if turned else m.row_of[k]
        if mate == ALONE and alone.partner_t[k] != ALONE:
            _choose(given, i, alone.partner_t[k], k, chosen)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _choose(
    given: Pairing, i: cython.Py_ssize_t, row: cython.Py_ssize_t, column: cython.Py_ssize_t, chosen: Chosen
) -> cython.void:
    """Take a pair, so that the ends that it counts for need no default class."""
    k: cython.Py_ssize_t = given.pair_ptr[i] + row * (given.true_ptr[i + 1] - given.true_ptr[i]) + column
    chosen.pairs[k] = 1
    if given.serves[k] & 1:
        chosen.default_p[given.pred_ptr[i] + row] = 0
    if given.serves[k] & 2:
        chosen.default_t[given.true_ptr[i] + column] = 0
