"""SHA-256 of many short texts (FIPS 180-4, 2015), of which the last 32 bits are kept. O(bytes), at least 64 for each.

The constants are the first 32 bits after the point of the cube roots of the first 64 primes, and of the square roots of
the first eight.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array

PRIMES = np.array([p for p in range(2, 312) if all(p % q for q in range(2, p))], np.float64)
ROUNDS = (np.cbrt(PRIMES) % 1 * 2.0**32).astype(np.uint32)
START = (np.sqrt(PRIMES[:8]) % 1 * 2.0**32).astype(np.uint32)


def last_words(letters: bytes, ptr: Array) -> Array:
    """Of each text ``letters[ptr[k]:ptr[k + 1]]`` the last 32 bits of its SHA-256, as a big-endian number."""
    if not cython.compiled:
        from hashlib import sha256
        from itertools import pairwise

        ends = (sha256(letters[begin:end]).digest()[-4:] for begin, end in pairwise(ptr.tolist()))
        return np.frombuffer(b"".join(ends), ">u4").astype(np.uint32)
    words = np.empty(len(ptr) - 1, np.uint32)
    _hash_all(letters, ptr, ROUNDS, START, words)
    return words


def _hash_all(letters, ptr, rounds, start, words):
    schedule: cython.uint[::1] = np.empty(64, np.uint32)
    state: cython.uint[::1] = np.empty(8, np.uint32)
    with cython.nogil:
        for k in range(words.shape[0]):
            if k % 4096 == 0:
                look_for_signals()
            for i in range(8):
                state[i] = start[i]
            blocks = (ptr[k + 1] - ptr[k] + 9 + 63) // 64
            for block in range(blocks):
                _fill(letters, ptr[k], ptr[k + 1], block, block == blocks - 1, schedule)
                _compress(rounds, schedule, state)
            words[k] = state[7]
    return 0


def _fill(letters, begin, end, block, last, schedule):
    """The 64 words of a block: 16 of the text, which ends with a bit and its length, and what follows from them."""
    for i in range(16):
        word: cython.uint = 0
        for at in range(begin + 64 * block + 4 * i, begin + 64 * block + 4 * i + 4):
            word = word << 8 | (letters[at] if at < end else 128 if at == end else 0)
        schedule[i] = word
    if last:
        schedule[14] = cython.cast(cython.uint, (end - begin) >> 29)
        schedule[15] = cython.cast(cython.uint, (end - begin) << 3)
    for i in range(16, 64):
        far = _turned(schedule[i - 15], 7) ^ _turned(schedule[i - 15], 18) ^ (schedule[i - 15] >> 3)
        near = _turned(schedule[i - 2], 17) ^ _turned(schedule[i - 2], 19) ^ (schedule[i - 2] >> 10)
        schedule[i] = schedule[i - 16] + far + schedule[i - 7] + near


def _compress(rounds, schedule, state):
    """The state after a block."""
    a, b, c, d = state[0], state[1], state[2], state[3]
    e, f, g, h = state[4], state[5], state[6], state[7]
    for i in range(64):
        mixed = _turned(e, 6) ^ _turned(e, 11) ^ _turned(e, 25)
        first: cython.uint = h + mixed + ((e & f) ^ (~e & g)) + rounds[i] + schedule[i]
        mixed = _turned(a, 2) ^ _turned(a, 13) ^ _turned(a, 22)
        second: cython.uint = mixed + ((a & b) ^ (a & c) ^ (b & c))
        h, g, f, e, d, c, b, a = g, f, e, d + first, c, b, a, first + second
    state[0] += a
    state[1] += b
    state[2] += c
    state[3] += d
    state[4] += e
    state[5] += f
    state[6] += g
    state[7] += h


def _turned(word, places):
    """A word turned to the right."""
    return word >> places | word << (32 - places)
