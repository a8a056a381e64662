"""The entries of each row by their scores, greatest first, ties by rank; and whether a row holds a class twice."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from hemlp.kernels import uncompiled as cython  # type: ignore[no-redef]

from typing import Any

import numpy as np
from numpy.typing import NDArray

if cython.compiled:
    from cython.cimports.hemlp.kernels.signals import look_for_signals
else:
    from hemlp.kernels.signals import look_for_signals

Array = NDArray[Any]
BLOCK = cython.declare(cython.Py_ssize_t, 8)
"""Entries that are sorted one by one before they are merged."""


def by_score(ptr: Array, order: Array, scores: Array, ranks: Array) -> None:
    """Sort ``order[ptr[i]:ptr[i + 1]]``, positions in ``scores`` and ``ranks``, for each row i, in place.

    By merging, so that what is equal stays as it was.
    """
    _sort_all(ptr, order, scores, ranks, np.empty(int(np.diff(ptr).max(initial=0)), np.int64))


@cython.cfunc
def _sort_all(
    ptr: cython.const[cython.longlong][::1], order: cython.longlong[::1], scores: cython.const[cython.double][::1],
    ranks: cython.const[cython.longlong][::1], aside: cython.longlong[::1],
) -> None:  # fmt: skip
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if i % 64 == 0:
                look_for_signals()
            end: cython.Py_ssize_t = ptr[i + 1]
            at = ptr[i]
            while at < end:
                if at % 65536 < BLOCK:
                    look_for_signals()
                _insert(order, at, min(at + BLOCK, end), scores, ranks)
                at += BLOCK
            width: cython.Py_ssize_t = BLOCK
            while width < end - ptr[i]:
                at = ptr[i]
                while at + width < end:
                    if at % 65536 < 2 * width:
                        look_for_signals()
                    _merge(order, at, at + width, min(at + 2 * width, end), scores, ranks, aside)
                    at += 2 * width
                width *= 2


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _before(
    a: cython.longlong, b: cython.longlong, scores: cython.const[cython.double][::1],
    ranks: cython.const[cython.longlong][::1],
) -> cython.bint:  # fmt: skip
    """Whether entry a comes before entry b."""
    if scores[a] != scores[b]:
        return scores[a] > scores[b]
    return ranks[a] < ranks[b]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _insert(
    order: cython.longlong[::1], begin: cython.Py_ssize_t, end: cython.Py_ssize_t,
    scores: cython.const[cython.double][::1], ranks: cython.const[cython.longlong][::1],
) -> cython.void:  # fmt: skip
    """Sort a few entries, each put where it belongs among those before it."""
    k: cython.Py_ssize_t
    for k in range(begin + 1, end):
        moved: cython.longlong = order[k]
        at: cython.Py_ssize_t = k
        while at > begin and _before(moved, order[at - 1], scores, ranks):
            order[at] = order[at - 1]
            at -= 1
        order[at] = moved


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _merge(
    order: cython.longlong[::1], begin: cython.Py_ssize_t, middle: cython.Py_ssize_t, end: cython.Py_ssize_t,
    scores: cython.const[cython.double][::1], ranks: cython.const[cython.longlong][::1], aside: cython.longlong[::1],
) -> cython.void:  # fmt: skip
    """Make one sorted part of two, the first of which is put ``aside``."""
    if not _before(order[middle], order[middle - 1], scores, ranks):
        return
    left: cython.Py_ssize_t
    for left in range(middle - begin):
        aside[left] = order[begin + left]
    left = 0
    right: cython.Py_ssize_t = middle
    at: cython.Py_ssize_t = begin
    while left < middle - begin:
        if right < end and _before(order[right], aside[left], scores, ranks):
            order[at] = order[right]
            right += 1
        else:
            order[at] = aside[left]
            left += 1
        at += 1


def has_repeats(ptr: Array, classes: Array) -> bool:
    """Whether a row holds a class (a number of at least 0) twice."""
    return bool(_has_repeats(ptr, classes, np.full(int(classes.max(initial=-1)) + 1, -1)))


@cython.cfunc
def _has_repeats(
    ptr: cython.const[cython.longlong][::1], classes: cython.const[cython.int][::1], marks: cython.longlong[::1]
) -> cython.bint:
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if i % 1024 == 0:
                look_for_signals()
            for k in range(ptr[i], ptr[i + 1]):
                if marks[classes[k]] == i:
                    return True
                marks[classes[k]] = i
    return False
