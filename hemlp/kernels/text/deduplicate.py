"""Duplicate rows, by a hash table with open addressing: the first row that equals each one. O(entries) expected."""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


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
