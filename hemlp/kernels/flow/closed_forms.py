"""Optima of Problem 1 in closed form: best matches, and what is one linear assignment: matchings and edge covers.

Best matches are the minima of rows or of columns, in O(pairs).

A minimum-cost edge cover is a matching of greatest savings plus the cheapest option of each class left over (Schrijver,
*Combinatorial Optimization*, 2003, section 27.3). O(n³), as ``assignment``.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def best_pairings(given: Pairing, cover: bool, chosen: Chosen) -> Array:
    """Optima for α = β = 1 with defaults, or (``cover``) for α = 1 and β without limit; which instances have one.

    Alone, a class costs its default or, for covers, its cheapest option. A pair that counts for both its ends saves
    what they cost alone less its own cost, so the optimum is the matching that saves most.
    """
    feasible = np.empty(given.size, np.bool_)
    room = Matching(max(given.most_pred, given.most_true), given.most_pairs)
    _all_pairings(given, cover, chosen, room, Alone(given.most_pred, given.most_true), feasible.view("u1"))
    return feasible


def best_matches(given: Pairing, side: int, chosen: Chosen) -> Array:
    """Optima where each class of a side (1: the true one) needs at most one, and the others nobody; which have one.

    The prices that prove it: what its cheapest option costs for each class that needs one, and 0 for all others.
    """
    feasible = np.empty(given.size, np.bool_)
    _all_matches(given, side, chosen, Alone(given.most_pred, given.most_true), feasible.view("u1"))
    return feasible


class Alone:
    """What each class of an instance costs alone, and with whom (UNMATCHED: its default class)."""

    def __init__(self, height: int, width: int) -> None:
        self.cost_p, self.cost_t = np.empty(height), np.empty(width)
        self.partner_p, self.partner_t = np.empty(height, np.int32), np.empty(width, np.int32)


def _all_pairings(given, cover, chosen, m, alone, feasible):
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


def _all_matches(given, side, chosen, alone, feasible):
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(given.size):
            if i % 256 == 0:
                look_for_signals()
            _alone(given, i, True, alone)
            begin: cython.Py_ssize_t = given.true_ptr[i] if side else given.pred_ptr[i]
            size: cython.Py_ssize_t = (given.true_ptr[i + 1] if side else given.pred_ptr[i + 1]) - begin
            feasible[i] = True
            for k in range(size):
                if not (given.lower_t[begin + k] if side else given.lower_p[begin + k]):
                    continue
                cost: cython.double = alone.cost_t[k] if side else alone.cost_p[k]
                mate: cython.Py_ssize_t = alone.partner_t[k] if side else alone.partner_p[k]
                (chosen.price_t if side else chosen.price_p)[begin + k] = cost
                if mate != UNMATCHED:
                    chosen.pairs[_place(given, i, mate if side else k, k if side else mate)] = 1
                elif cost < INFINITY:
                    (chosen.default_t if side else chosen.default_p)[begin + k] = 1
                else:
                    feasible[i] = False


def _place(given, i, row, column):
    """Where a pair of instance i is."""
    return given.pair_ptr[i] + row * (given.true_ptr[i + 1] - given.true_ptr[i]) + column


def _alone(given, i, cover, alone):
    """What classes cost alone; whether all have something to take."""
    row: cython.Py_ssize_t
    column: cython.Py_ssize_t
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - given.pred_ptr[i]
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - given.true_ptr[i]
    for row in range(height):
        alone.cost_p[row] = given.default_p[given.pred_ptr[i] + row]
        alone.partner_p[row] = UNMATCHED
    for column in range(width):
        alone.cost_t[column] = given.default_t[given.true_ptr[i] + column]
        alone.partner_t[column] = UNMATCHED
    if cover:
        k: cython.Py_ssize_t = given.pair_ptr[i]
        for row in range(height):
            least: cython.double = alone.cost_p[row]
            nearest: cython.Py_ssize_t = UNMATCHED
            for column in range(width):
                cost: cython.double = given.kappa[k]
                if given.serves[k] & 1 and cost < least:
                    least = cost
                    nearest = column
                if given.serves[k] & 2 and cost < alone.cost_t[column]:
                    alone.cost_t[column] = cost
                    alone.partner_t[column] = row
                k += 1
            alone.cost_p[row] = least
            alone.partner_p[row] = nearest
    worst: cython.double = 0.0
    for row in range(height):
        worst = max(worst, alone.cost_p[row])
    for column in range(width):
        worst = max(worst, alone.cost_t[column])
    return worst < INFINITY


def _set_savings(given, i, alone, m):
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


def _write(given, i, alone, m, chosen):
    """What is matched, and for who is not what it takes alone."""
    k: cython.Py_ssize_t
    p: cython.Py_ssize_t = given.pred_ptr[i]
    t: cython.Py_ssize_t = given.true_ptr[i]
    height: cython.Py_ssize_t = given.pred_ptr[i + 1] - p
    width: cython.Py_ssize_t = given.true_ptr[i + 1] - t
    turned: cython.bint = height > width
    for k in range(height):
        chosen.default_p[p + k] = 1
        chosen.price_p[p + k] = alone.cost_p[k] - (m.column_dual[k] if turned else m.row_dual[k])
    for k in range(width):
        chosen.default_t[t + k] = 1
        chosen.price_t[t + k] = alone.cost_t[k] - (m.row_dual[k] if turned else m.column_dual[k])
    for k in range(height):
        mate: cython.Py_ssize_t = m.row_of[k] if turned else m.column_of[k]
        if mate == UNMATCHED:
            mate = alone.partner_p[k]
        if mate != UNMATCHED:
            _choose(given, i, k, mate, chosen)
    for k in range(width):
        mate = m.column_of[k] if turned else m.row_of[k]
        if mate == UNMATCHED and alone.partner_t[k] != UNMATCHED:
            _choose(given, i, alone.partner_t[k], k, chosen)


def _choose(given, i, row, column, chosen):
    """Take a pair, so that the ends that it counts for need no default class."""
    k: cython.Py_ssize_t = _place(given, i, row, column)
    chosen.pairs[k] = 1
    if given.serves[k] & 1:
        chosen.default_p[given.pred_ptr[i] + row] = 0
    if given.serves[k] & 2:
        chosen.default_t[given.true_ptr[i] + column] = 0
