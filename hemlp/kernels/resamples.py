"""Bootstrap counts: how often each instance was drawn for each resample (Efron, 1979). O(draws).

A random word w of 16 bits draws unit ⌊w · units / 2¹⁶⌋. So that all units are equally likely, words are left out where
w · units mod 2¹⁶ is below 2¹⁶ mod units (Lemire, 2019): numpy's generators do the same.
"""

from __future__ import annotations

import cython

from hemlp.kernels import Array


def count_draws(missing: Array, words: Array, counts: Array) -> int:
    """Draw the units that are ``missing`` in each resample, a row of ``counts``, and say how many still are.

    That one unit is drawn 256 times has a chance below 1 / 256!.
    """
    return _count(missing, words, counts)


def _count(missing, words, counts):
    units: cython.uint = counts.shape[1]
    least: cython.uint = 65536 % units
    scaled: cython.uint
    begin: cython.Py_ssize_t = 0
    left: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    with cython.nogil:
        for i in range(counts.shape[0]):
            look_for_signals()
            while missing[i] > 0 and begin < words.shape[0]:
                end: cython.Py_ssize_t = min(begin + missing[i], words.shape[0])
                missing[i] -= end - begin
                if least == 0:
                    for k in range(begin, end):
                        counts[i, cython.cast(cython.uint, words[k]) * units >> 16] += 1
                else:
                    for k in range(begin, end):
                        scaled = cython.cast(cython.uint, words[k]) * units
                        left_out: cython.bint = (scaled & 65535) < least
                        counts[i, scaled >> 16] += not left_out
                        missing[i] += left_out
                begin = end
            left += missing[i]
    return left
