"""Bit sets of small numbers, 62 bits in a word so that nothing overflows; and arrays that grow (amortized O(1))."""

from __future__ import annotations

import cython
import numpy as np

if not cython.compiled:  # words.pxd has them, too, so that they are compiled into the loops that use them

    def words_for(size):
        """How many words hold the numbers below ``size``; one at least."""
        return 1 if size < 1 else (size + 61) // 62

    def bits_of(word):
        """How many bits are set."""
        return int(word).bit_count()

    def put(words, start, number):
        """Add a number to the set that begins at ``start``."""
        words[start + number // 62] |= 1 << number % 62

    def has(words, start, number):
        """Whether a number is in the set that begins at ``start``."""
        return (words[start + number // 62] >> (number % 62)) & 1


def longer(array, size):
    """The same array with room for ``size`` entries at least, and for twice as many as before."""
    made = np.zeros(max(size, 2 * len(array)), np.asarray(array).dtype)
    made[: len(array)] = array
    return made
