"""Stable merge sort of the entries of each row by score, ties by rank; and repeated classes. O(n log n)."""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def by_score(ptr: Array, order: Array, scores: Array, ranks: Array) -> None:
    """Sort ``order[ptr[i]:ptr[i + 1]]``, positions in ``scores`` and ``ranks``, for each row i, in place.

    By merging, so that what is equal stays as it was.
    """
    _sort_all(ptr, order, scores, ranks, np.empty(int(np.diff(ptr).max(initial=0)), np.int64))


def _sort_all(ptr, order, scores, ranks, aside):
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


def _before(a, b, scores, ranks):
    """Whether entry a comes before entry b."""
    if scores[a] != scores[b]:
        return scores[a] > scores[b]
    return ranks[a] < ranks[b]


def _insert(order, begin, end, scores, ranks):
    """Sort a few entries, each put where it belongs among those before it."""
    k: cython.Py_ssize_t
    for k in range(begin + 1, end):
        moved: cython.longlong = order[k]
        at: cython.Py_ssize_t = k
        while at > begin and _before(moved, order[at - 1], scores, ranks):
            order[at] = order[at - 1]
            at -= 1
        order[at] = moved


def _merge(order, begin, middle, end, scores, ranks, aside):
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


def _has_repeats(ptr, classes, marks):
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
