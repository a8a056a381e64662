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


def by_score(ptr: Array, order: Array, scores: Array, ranks: Array) -> None:
    """Sort ``order[ptr[i]:ptr[i + 1]]``, positions in ``scores`` and ``ranks``, for each row i, in place (heapsort)."""
    _sort_all(ptr, order, scores, ranks)


@cython.cfunc
def _sort_all(
    ptr: cython.const[cython.longlong][::1], order: cython.longlong[::1], scores: cython.const[cython.double][::1],
    ranks: cython.const[cython.longlong][::1],
) -> None:  # fmt: skip
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(ptr.shape[0] - 1):
            if i % 64 == 0:
                look_for_signals()
            begin: cython.Py_ssize_t = ptr[i]
            size: cython.Py_ssize_t = ptr[i + 1] - begin
            if _sorted(order, begin, size, scores, ranks):
                continue
            for k in range(size // 2, 0, -1):
                _sift(order, begin, k - 1, size, scores, ranks)
            for k in range(size - 1, 0, -1):
                if k % 65536 == 0:
                    look_for_signals()
                last: cython.longlong = order[begin + k]
                order[begin + k] = order[begin]
                order[begin] = last
                _sift(order, begin, 0, k, scores, ranks)


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
def _sorted(
    order: cython.longlong[::1], begin: cython.Py_ssize_t, size: cython.Py_ssize_t,
    scores: cython.const[cython.double][::1], ranks: cython.const[cython.longlong][::1],
) -> cython.bint:  # fmt: skip
    """Whether there is nothing to do."""
    for k in range(begin + 1, begin + size):
        if _before(order[k], order[k - 1], scores, ranks):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sift(
    order: cython.longlong[::1], begin: cython.Py_ssize_t, at: cython.Py_ssize_t, size: cython.Py_ssize_t,
    scores: cython.const[cython.double][::1], ranks: cython.const[cython.longlong][::1],
) -> cython.void:  # fmt: skip
    """Move the entry at ``at`` down the heap, whose top comes last of all."""
    moved: cython.longlong = order[begin + at]
    below: cython.Py_ssize_t = 2 * at + 1
    while below < size:
        if below + 1 < size and _before(order[begin + below], order[begin + below + 1], scores, ranks):
            below += 1
        if not _before(moved, order[begin + below], scores, ranks):
            break
        order[begin + at] = order[begin + below]
        at = below
        below = 2 * at + 1
    order[begin + at] = moved


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
