"""Stable merge sort of the entries of each row by score, ties by rank; and repeated classes. O(n log n).

A few entries at a time are put in order first, by counting which of them come before each.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


def by_score(ptr: Array, order: Array, scores: Array, codes: Array, ranks: Array) -> None:
    """Sort ``order[ptr[i]:ptr[i + 1]]``, positions in ``scores`` and ``codes``, for each row i, in place.

    ``ranks``: the rank of each code. By merging, so that what is equal stays as it was.
    """
    few = np.empty(BLOCK), np.empty(BLOCK, np.int64)
    aside = np.empty(max(BLOCK, int(np.diff(ptr).max(initial=0))), np.int64)
    _sort_all(ptr, order, Entries(scores, codes, ranks, *few), aside)


class Entries:
    """What entries are compared by: ``scores``, then ``ranks`` of their ``codes``; and room to sort a few of them."""

    def __init__(self, scores, codes, ranks, keys, places):
        self.scores, self.codes, self.ranks = scores, codes, ranks
        self.keys, self.places = keys, places


def _sort_all(ptr, order, entries, aside):
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
                _arrange(order, at, min(at + BLOCK, end), entries, aside)
                _insert(order, at, min(at + BLOCK, end), entries)
                at += BLOCK
            width: cython.Py_ssize_t = BLOCK
            while width < end - ptr[i]:
                at = ptr[i]
                while at + width < end:
                    if at % 65536 < 2 * width:
                        look_for_signals()
                    _merge(order, at, at + width, min(at + 2 * width, end), entries, aside)
                    at += 2 * width
                width *= 2


def _before(a, b, entries):
    """Whether entry a comes before entry b."""
    if entries.scores[a] != entries.scores[b]:
        return entries.scores[a] > entries.scores[b]
    return entries.ranks[entries.codes[a]] < entries.ranks[entries.codes[b]]


def _arrange(order, begin, end, entries, aside):
    """Sort a few entries by score alone: each pair is compared, so that no branch has to be predicted."""
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for k in range(end - begin):
        aside[k] = order[begin + k]
        key: cython.double = entries.scores[aside[k]]
        place: cython.longlong = 0
        for j in range(k):
            first: cython.longlong = entries.keys[j] >= key
            place += first
            entries.places[j] += 1 - first
        entries.keys[k] = key
        entries.places[k] = place
    for k in range(end - begin):
        order[begin + entries.places[k]] = aside[k]


def _insert(order, begin, end, entries):
    """Sort a few entries, each put where it belongs among those before it."""
    k: cython.Py_ssize_t
    for k in range(begin + 1, end):
        moved: cython.longlong = order[k]
        at: cython.Py_ssize_t = k
        while at > begin and _before(moved, order[at - 1], entries):
            order[at] = order[at - 1]
            at -= 1
        order[at] = moved


def _merge(order, begin, middle, end, entries, aside):
    """Make one sorted part of two, the first of which is put ``aside``."""
    if not _before(order[middle], order[middle - 1], entries):
        return
    left: cython.Py_ssize_t
    for left in range(middle - begin):
        aside[left] = order[begin + left]
    left = 0
    right: cython.Py_ssize_t = middle
    at: cython.Py_ssize_t = begin
    while left < middle - begin:
        if right < end and _before(order[right], aside[left], entries):
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
