"""Linear assignment of greatest savings, partly matched, by Jonker and Volgenant's algorithm (1987).

Each row has one column at most, each column one row at most. Augmenting row reduction (an auction in the sense of
Bertsekas, 1988) matches most rows, shortest augmenting paths (the Hungarian method) the others. O(n³) at worst.

Invariant (dual feasibility and complementary slackness): duals u of rows and v of columns are at least 0, u_i + v_j ≥
savings_ij, with equality where i and j are matched; in the end the dual of what is unmatched is 0.
"""

from __future__ import annotations

import cython
import numpy as np


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
