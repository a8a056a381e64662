"""Label sets as CSR rows of classes, sorted (Shell, 1959: the rows are short) and without duplicates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cython
import numpy as np

from hemlp.kernels import Array


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
