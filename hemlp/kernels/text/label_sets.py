"""Label sets as CSR rows of classes, sorted (Shell, 1959: the rows are short) and without duplicates; equal rows.

Rows that are equal are found by a hash table with open addressing, in O(entries) expected.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array
from hemlp.kernels.bitsets import longer


def code_rows(rows: Iterable[Iterable[Any]], size: int) -> tuple[list[Any], Array] | None:
    """Distinct values of rows that hold ``size`` of them, in the order in which they appear, and the code of each.

    NOTHING is the code of None. There is no result where a value is neither a string nor an integer.
    """
    codes: cython.int[::1] = np.empty(size, np.int32)
    numbers: dict = {}
    at: cython.Py_ssize_t = 0
    for row in rows:
        for value in row:
            if at % 16384 == 0:
                look_for_signals()
            if value is None:
                codes[at] = NOTHING
            elif type(value) is not str and type(value) is not int:  # True and 1.0 are equal to 1
                return None
            else:
                number = numbers.get(value)
                if number is None:
                    number = len(numbers)
                    numbers[value] = number
                codes[at] = number
            at += 1
    return list(numbers), np.asarray(codes)


def code_objects(rows: Iterable[Any], key: str, column: str) -> tuple[list[str], list[int], list[str], Array] | None:
    """Of objects with two fields, an id and a list of labels: ids, numbers of labels, distinct labels, codes as above.

    One after the other, so that none has to stay in memory. There is no result for any other row.
    """
    codes: cython.int[::1] = np.empty(1024, np.int32)
    ids: list = []
    lengths: list = []
    numbers: dict = {}
    at: cython.Py_ssize_t = 0
    for row in rows:
        if len(ids) % 1024 == 0:
            look_for_signals()
        if type(row) is not dict or len(row) != 2:
            return None
        name, labels = row.get(key), row.get(column)
        if type(name) is not str or type(labels) is not list:
            return None
        if at + len(labels) > codes.shape[0]:
            codes = longer(codes, at + len(labels))
        for label in labels:
            if type(label) is not str:
                return None
            number = numbers.get(label)
            if number is None:
                number = len(numbers)
                numbers[label] = number
            codes[at] = number
            at += 1
        ids.append(name)
        lengths.append(len(labels))
    return ids, lengths, list(numbers), np.asarray(codes)[:at]


def class_rows(ptr: Array, codes: Array, numbers: Array, order: Array) -> tuple[Array, Array]:
    """Row i holds the classes ``numbers[c]`` for c in ``codes[ptr[r]:ptr[r + 1]]``, where r is ``order[i]``.

    Both may be NOTHING: a row that is absent, a label that is left out. Returns a pointer and the classes.
    """
    made_ptr, classes = np.zeros(len(order) + 1, np.int64), np.empty(len(codes), np.int32)
    _write_all(ptr, codes, numbers, order, made_ptr, classes)
    return made_ptr, classes[: made_ptr[len(order)]]


def _write_all(ptr, codes, numbers, order, made_ptr, classes):
    end = cython.cast(cython.longlong, 0)
    with cython.nogil:
        for i in range(order.shape[0]):
            if i % 4096 == 0:
                look_for_signals()
            if order[i] != NOTHING:
                begin = end
                for k in range(ptr[order[i]], ptr[order[i] + 1]):
                    if numbers[codes[k]] != NOTHING:
                        classes[end] = numbers[codes[k]]
                        end += 1
                _sort(classes, begin, end)
                end = _each_once(classes, begin, end)
            made_ptr[i + 1] = end
    return 0


def _sort(values, begin, end):
    """In place, by Shell's method: the rows are short, and often sorted."""
    gap = (end - begin) // 2
    while gap > 0:
        for k in range(begin + gap, end):
            value = values[k]
            place = k
            while place >= begin + gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
        gap = 1 if gap == 2 else gap * 5 // 11
    return 0


def _each_once(values, begin, end):
    """Keep the first of equal neighbours; where the row ends then."""
    kept = begin
    for k in range(begin, end):
        if k == begin or values[k] != values[kept - 1]:
            values[kept] = values[k]
            kept += 1
    return kept


# ---- rows that are equal


def first_equal(
    begin: cython.const[cython.longlong][::1], end: cython.const[cython.longlong][::1], values: Array
) -> Array:  # fmt: skip
    """For each row ``values[begin[i]:end[i]]``, of int32 or bytes, the number of the first one that is equal to it."""
    first: cython.longlong[::1] = np.empty(begin.shape[0], np.int64)
    if values.dtype == np.uint8:
        characters: cython.const[cython.uchar][::1] = values
        _find_first(begin, end, characters, first)
    else:
        numbers: cython.const[cython.int][::1] = values
        _find_first(begin, end, numbers, first)
    return np.asarray(first)


def _find_first(begin, end, values, first):
    slots: cython.longlong = 16
    while slots < 2 * begin.shape[0]:
        slots *= 2
    table: cython.longlong[::1] = np.full(slots, EMPTY, np.int64)  # open addressing: a row of each kind
    work: cython.longlong = 0
    i: cython.Py_ssize_t
    with cython.nogil:
        for i in range(begin.shape[0]):
            work += end[i] - begin[i] + 1
            if work > OFTEN:
                look_for_signals()
                work = 0
            slot = _code(values, begin[i], end[i]) & (slots - 1)
            while table[slot] != EMPTY and not _equal(begin, end, values, i, table[slot]):
                slot = (slot + 1) & (slots - 1)
            if table[slot] == EMPTY:
                table[slot] = i
            first[i] = table[slot]


def _code(values, begin, end):
    """31 bits made of a row; 31 bits times 20 bits: nothing overflows."""
    code: cython.longlong = 17
    for k in range(begin, end):
        code = (code * 1000003 ^ (cython.cast(cython.longlong, values[k]) + 1)) & 0x7FFFFFFF
    return code ^ (code >> 15)


def _equal(begin, end, values, i, j):
    """Whether rows i and j are equal."""
    if end[i] - begin[i] != end[j] - begin[j]:
        return False
    ahead = begin[j] - begin[i]
    for k in range(begin[i], end[i]):
        if values[k] != values[k + ahead]:
            return False
    return True
