"""Optima of Problem 1 in closed form: best matches, and what is one linear assignment: matchings and edge covers.

Best matches are the minima of rows or of columns, in O(pairs).

A minimum-cost edge cover is a matching of greatest savings plus the cheapest option of each class left over (Schrijver,
*Combinatorial Optimization*, 2003, section 27.3).

**Linear assignment** of greatest savings, partly matched, by Jonker and Volgenant's algorithm (1987): each row has one
column at most, each column one row at most. Augmenting row reduction (an auction in the sense of Bertsekas, 1988)
matches most rows, shortest augmenting paths (the Hungarian method) the others. O(n³) at worst.

Invariant (dual feasibility and complementary slackness): duals u of rows and v of columns are at least 0, u_i + v_j ≥
savings_ij, with equality where i and j are matched; in the end the dual of what is unmatched is 0.
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


# ---- linear assignment


class Matching:
    """Room for instances of so many rows or columns, and pairs; the matching and duals of the present one.

    ``savings`` has one row after the other; fewer rows than columns are fastest. ``column_of`` and ``row_of`` say who
    is matched with whom, or UNMATCHED.
    """

    def __init__(self, most: int, pairs: int) -> None:
        self.height = self.width = 0
        self.steps = 0
        self.savings = np.empty(pairs)
        self.row_dual, self.column_dual = np.empty(most), np.empty(most)
        self.column_of, self.row_of = np.empty(most, np.int32), np.empty(most, np.int32)
        self.shortest, self.row_distance = np.empty(most), np.empty(most)
        self.predecessor, self.columns = np.empty(most, np.int32), np.empty(most, np.int32)
        self.free_rows, self.scanned_rows = np.empty(most, np.int32), np.empty(most, np.int32)


def match(m):
    """Match the rows and columns of ``m.savings``."""
    row: cython.int
    column: cython.int
    for row in range(m.height):
        m.column_of[row] = UNMATCHED
        m.free_rows[row] = row
    for column in range(m.width):
        m.row_of[column] = UNMATCHED
        m.column_dual[column] = 0.0
    left = _augmenting_row_reduction(m, m.height)
    if left > 1:
        left = _augmenting_row_reduction(m, left)
    for k in range(left):
        _augment(m, m.free_rows[k])
        if m.steps > 1 << 20:
            m.steps = 0
            look_for_signals()
    return 0


def _augmenting_row_reduction(m, many):
    """Let each free row bid for its best column, at a dual at which its second best is as good.

    Who loses a column so is next. How many rows wait in the end: those for whom no price could be raised, and those
    whose turn did not come, since more than two turns a row are seldom worth it.
    """
    left: cython.int = 0
    k: cython.int = 0
    turns: cython.int = 0
    column: cython.int
    while k < many and turns < 2 * m.height:
        row: cython.Py_ssize_t = m.free_rows[k]
        turns += 1
        k += 1
        best: cython.double = 0.0
        second: cython.double = 0.0
        at: cython.int = UNMATCHED
        for column in range(m.width):
            gain = m.savings[row * m.width + column] - m.column_dual[column]
            lower = gain if gain < best else best
            second = lower if lower > second else second
            at = column if gain > best else at
            best = gain if gain > best else best
        m.steps += m.width
        m.row_dual[row] = second
        if at == UNMATCHED:
            continue
        raised: cython.double = m.column_dual[at] + (best - second)
        fought: cython.bint = raised > m.column_dual[at]
        if fought:
            m.column_dual[at] = raised
        elif m.row_of[at] != UNMATCHED:
            at = _equal_column(m, row, at, best)
        loser = m.row_of[at]
        m.row_of[at] = row
        m.column_of[row] = at
        if loser != UNMATCHED:
            m.column_of[loser] = UNMATCHED
            if fought:
                k -= 1
                m.free_rows[k] = loser
            else:
                m.free_rows[left] = loser
                left += 1
    while k < many:
        m.free_rows[left] = m.free_rows[k]
        left += 1
        k += 1
    return left


def _equal_column(m, row, at, best):
    """Another column that is as good for a row, one that is free if there is such a one."""
    column: cython.int
    for column in range(m.width):
        if column != at and m.savings[row * m.width + column] - m.column_dual[column] == best:
            at = column
            if m.row_of[column] == UNMATCHED:
                break
    return at


def _augment(m, start):
    """Match row ``start`` along a shortest augmenting path, which may end at a row that is unmatched then."""
    k: cython.int
    column: cython.int
    open_columns: cython.int = m.width
    scanned: cython.int = 0
    row: cython.Py_ssize_t = start
    distance: cython.double = 0.0
    end: cython.double = INFINITY  # how far the nearest end is that leaves a row alone
    left_alone: cython.Py_ssize_t = start
    m.row_dual[start] = 0.0
    for column in range(m.width):
        m.columns[column] = column
        m.shortest[column] = INFINITY
        gain = m.savings[start * m.width + column] - m.column_dual[column]
        m.row_dual[start] = max(m.row_dual[start], gain)
    while True:
        m.scanned_rows[scanned] = row
        m.row_distance[row] = distance
        scanned += 1
        if distance + m.row_dual[row] < end:
            end = distance + m.row_dual[row]
            left_alone = row
        nearest: cython.double = INFINITY
        at: cython.int = 0
        for k in range(open_columns):
            column = m.columns[k]
            length = distance + (m.row_dual[row] + m.column_dual[column] - m.savings[row * m.width + column])
            known = m.shortest[column]
            m.predecessor[column] = row if length < known else m.predecessor[column]
            length = length if length < known else known
            m.shortest[column] = length
            if length < nearest or (length == nearest and m.row_of[column] == UNMATCHED):
                nearest = length
                at = k
        m.steps += open_columns
        if nearest >= end:
            distance = end
            column = m.column_of[left_alone]
            m.column_of[left_alone] = UNMATCHED
            break
        column = m.columns[at]
        distance = nearest
        if m.row_of[column] == UNMATCHED:
            break
        open_columns -= 1
        m.columns[at] = m.columns[open_columns]
        m.columns[open_columns] = column
        row = m.row_of[column]
    for k in range(scanned):
        m.row_dual[m.scanned_rows[k]] -= distance - m.row_distance[m.scanned_rows[k]]
    for k in range(open_columns, m.width):
        m.column_dual[m.columns[k]] += distance - m.shortest[m.columns[k]]
    while column != UNMATCHED:
        row = m.predecessor[column]
        m.row_of[column] = row
        k = m.column_of[row]
        m.column_of[row] = column
        column = k
