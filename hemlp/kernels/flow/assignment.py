"""The matching that saves most: each row has one column at most, each column one row at most.

Prices u of rows and v of columns, none below 0, prove it: u_i + v_j ≥ savings_ij everywhere, with equality where i and
j are matched, and the price of whoever is alone is 0. They are kept at every step: each row in turn takes the column
that is best for it at the present prices, and what was taken from others is settled by shortest augmenting paths.
"""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:
    from math import inf as INFINITY

    from hemlp.kernels.signals import look_for_signals

    ALONE = -1


class Matching:
    """Room for instances of so many rows or columns, and pairs, and what is known about the present one.

    ``savings`` has one row after the other; fewer rows than columns are fastest. ``column_of`` and ``row_of`` say who
    is matched with whom, or ALONE.
    """

    def __init__(self, most: int, pairs: int) -> None:
        self.height = self.width = 0
        self.steps = 0
        self.savings = np.empty(pairs)
        self.row_price, self.column_price = np.empty(most), np.empty(most)
        self.column_of, self.row_of = np.empty(most, np.int32), np.empty(most, np.int32)
        self.least, self.reached = np.empty(most), np.empty(most)
        self.came_from, self.columns = np.empty(most, np.int32), np.empty(most, np.int32)
        self.waiting, self.rows = np.empty(most, np.int32), np.empty(most, np.int32)


def match(m):
    """Match the rows and columns of ``m.savings``."""
    row: cython.int
    column: cython.int
    for row in range(m.height):
        m.column_of[row] = ALONE
        m.waiting[row] = row
    for column in range(m.width):
        m.row_of[column] = ALONE
        m.column_price[column] = 0.0
    left = _take_best(m, m.height)
    if left > 1:
        left = _take_best(m, left)
    for k in range(left):
        _augment(m, m.waiting[k])
        if m.steps > 1 << 20:
            m.steps = 0
            look_for_signals()
    return 0


def _take_best(m, many):
    """Let each of the rows that are waiting take its best column, at a price at which its second best is as good.

    Who loses a column so is next. How many rows wait in the end: those for whom no price could be raised, and those
    whose turn did not come, since more than two turns a row are seldom worth it.
    """
    left: cython.int = 0
    k: cython.int = 0
    turns: cython.int = 0
    column: cython.int
    while k < many and turns < 2 * m.height:
        row: cython.Py_ssize_t = m.waiting[k]
        turns += 1
        k += 1
        best: cython.double = 0.0
        second: cython.double = 0.0
        at: cython.int = ALONE
        for column in range(m.width):
            gain = m.savings[row * m.width + column] - m.column_price[column]
            lesser = gain if gain < best else best
            second = lesser if lesser > second else second
            at = column if gain > best else at
            best = gain if gain > best else best
        m.steps += m.width
        m.row_price[row] = second
        if at == ALONE:
            continue
        raised: cython.double = m.column_price[at] + (best - second)
        fought: cython.bint = raised > m.column_price[at]
        if fought:
            m.column_price[at] = raised
        elif m.row_of[at] != ALONE:
            at = _as_good(m, row, at, best)
        loser = m.row_of[at]
        m.row_of[at] = row
        m.column_of[row] = at
        if loser != ALONE:
            m.column_of[loser] = ALONE
            if fought:
                k -= 1
                m.waiting[k] = loser
            else:
                m.waiting[left] = loser
                left += 1
    while k < many:
        m.waiting[left] = m.waiting[k]
        left += 1
        k += 1
    return left


def _as_good(m, row, at, best):
    """Another column that is as good for a row, one that is free if there is such a one."""
    column: cython.int
    for column in range(m.width):
        if column != at and m.savings[row * m.width + column] - m.column_price[column] == best:
            at = column
            if m.row_of[column] == ALONE:
                break
    return at


def _augment(m, start):
    """Find the best way to give row ``start`` a column, perhaps at the expense of a row that is left alone then."""
    k: cython.int
    column: cython.int
    open_columns: cython.int = m.width
    seen_rows: cython.int = 0
    row: cython.Py_ssize_t = start
    far: cython.double = 0.0
    end: cython.double = INFINITY  # how far the nearest end is that leaves a row alone
    left_alone: cython.Py_ssize_t = start
    m.row_price[start] = 0.0
    for column in range(m.width):
        m.columns[column] = column
        m.least[column] = INFINITY
        gain = m.savings[start * m.width + column] - m.column_price[column]
        m.row_price[start] = max(m.row_price[start], gain)
    while True:
        m.rows[seen_rows] = row
        m.reached[row] = far
        seen_rows += 1
        if far + m.row_price[row] < end:
            end = far + m.row_price[row]
            left_alone = row
        nearest: cython.double = INFINITY
        at: cython.int = 0
        for k in range(open_columns):
            column = m.columns[k]
            length = far + (m.row_price[row] + m.column_price[column] - m.savings[row * m.width + column])
            known = m.least[column]
            m.came_from[column] = row if length < known else m.came_from[column]
            length = length if length < known else known
            m.least[column] = length
            if length < nearest or (length == nearest and m.row_of[column] == ALONE):
                nearest = length
                at = k
        m.steps += open_columns
        if nearest >= end:
            far = end
            column = m.column_of[left_alone]
            m.column_of[left_alone] = ALONE
            break
        column = m.columns[at]
        far = nearest
        if m.row_of[column] == ALONE:
            break
        open_columns -= 1
        m.columns[at] = m.columns[open_columns]
        m.columns[open_columns] = column
        row = m.row_of[column]
    for k in range(seen_rows):
        m.row_price[m.rows[k]] -= far - m.reached[m.rows[k]]
    for k in range(open_columns, m.width):
        m.column_price[m.columns[k]] += far - m.least[m.columns[k]]
    while column != ALONE:
        row = m.came_from[column]
        m.row_of[column] = row
        k = m.column_of[row]
        m.column_of[row] = column
        column = k
