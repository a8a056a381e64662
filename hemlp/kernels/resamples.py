"""Bootstrap counts: how often each instance was drawn for each resample (Efron, 1979). O(draws)."""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array

if not cython.compiled:
    from hemlp.kernels.signals import look_for_signals


def times_drawn(numbers: Array, drawn: Array, width: int, shift: int = 0) -> Array:
    """For each resample how often each of ``width`` instances is among those that were drawn for it, in bytes.

    ``numbers``: how many draws each resample has; ``drawn``: which instances these are, times 2 to the power of
    ``shift``, one resample after the other. That one instance is drawn 256 times has a chance below 1 / 256!.
    """
    counts = np.zeros((len(numbers), width), np.uint8)
    _count(numbers, drawn, shift, counts)
    return counts


def _count(numbers, drawn, shift, counts):
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    at: cython.Py_ssize_t = 0
    with cython.nogil:
        for i in range(numbers.shape[0]):
            look_for_signals()
            for k in range(at, at + numbers[i]):
                counts[i, drawn[k] >> shift] += 1
            at += numbers[i]
