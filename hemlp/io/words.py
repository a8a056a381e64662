"""Words of a text as numbers, in the order in which they appear: exact, and by a few operations on whole arrays.

Eight bytes of a word are an integer of 64 bits. A word of at most eight is looked up by that, a longer one by a hash of
all its integers, and all of them are then compared. Text is taken in pieces that fit into the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray
from hemlp.io.numbers import Keys, Numbers

PIECE = 2**18
"""Bytes of a text that are looked at together."""
LONG = 256
"""Words of more bytes are few, and looked up one by one."""
FACTOR = 0xFF51AFD7ED558CCD
"""Of the hash of a word, together with a salt: odd, with as many ones as zeros, and without a pattern."""
_SPACE = np.zeros(33, np.bool_)
_SPACE[list(b" \t\n\r\x0b\x0c")] = True  # what bytes.split() splits at
_FIRST_BYTES = np.array([256**k - 1 for k in range(9)], np.uint64)
Made = TypeVar("Made")
Parts = list[tuple[IntArray | slice, Keys]]
"""Of each eight bytes: which words have them, and the bytes as integers."""
_ALL = slice(None)


class Collision(Exception):
    """Two words have the same hash: another salt is needed."""


def by_a_salt(make: Callable[[int], Made]) -> Made:
    """``make`` by the first salt that gives different words different hashes."""
    for salt in count():
        try:
            return make(salt)
        except Collision:
            continue
    raise AssertionError


def line_pieces(data: bytes, start: int = 0) -> Iterator[bytes]:
    """A text from ``start`` on, in pieces of whole lines."""
    while start < len(data):
        stop = data.find(b"\n", start + PIECE) + 1 or len(data)
        yield data[start:stop]
        start = stop


def find_words(text: bytes) -> tuple[IntArray, IntArray, IntArray]:
    """Where words between white space begin and end, and CSR pointers of the rows of a text."""
    letters = np.frombuffer(text, np.uint8)
    spaces = np.flatnonzero(letters <= 32)
    kinds = letters[spaces]
    if (odd := ~_SPACE[kinds]).any():
        spaces, kinds = spaces[~odd], kinds[~odd]
    if letters.size and not (kinds.size and spaces[-1] == letters.size - 1 and kinds[-1] == 10):  # a row without an end
        spaces, kinds = np.append(spaces, letters.size), np.append(kinds, 10)
    begins = np.zeros(spaces.size, np.int64)
    np.add(spaces[:-1], 1, out=begins[1:])
    words = spaces > begins
    return begins[words], spaces[words], np.append(0, np.cumsum(words)[kinds == 10])


class Words:
    """The distinct words among those that were looked at, numbered in the order in which they appeared.

    No word holds a line end. ``salt``: of the hashes.
    """

    def __init__(self, salt: int = 0) -> None:
        self._factor = np.uint64(FACTOR + 2 * salt)
        self._numbers = Numbers()
        self._texts: list[bytes] = []
        self._lengths = Growing(np.int64)
        self._parts: list[Growing] = []
        self._long: dict[bytes, int] = {}

    @property
    def distinct(self) -> bytes:
        """The words in the order of their numbers, one a line."""
        return b"".join(self._texts)

    def codes(self, text: bytes, begins: IntArray, ends: IntArray) -> IntArray:
        """The number of each word of a text."""
        lengths = ends - begins
        parts = self._split(text, begins, lengths)
        codes, new = self._numbers.find(self._hashes(parts))
        if new.size:
            self._texts.append(_lines(text, begins[new], ends[new]))
            self._learn(lengths, parts, new)
        self._compare(lengths, parts, codes)
        return codes

    def _split(self, text: bytes, begins: IntArray, lengths: IntArray) -> Parts:
        """All words eight bytes by eight; a long one has eight bytes, and its number among the long ones."""
        eight: Keys = np.ndarray(len(text) + 1, "<u8", text + bytes(8), strides=(1,))  # those from each byte on
        first = eight[begins]
        first &= _FIRST_BYTES[np.minimum(lengths, 8)]
        parts: Parts = [(_ALL, first)]
        going, done = np.flatnonzero(lengths > 8), 8
        while going.size:
            further = eight[begins[going] + done]
            further &= _FIRST_BYTES[np.minimum(lengths[going] - done, 8)]
            if done == 8:
                for k in np.flatnonzero(lengths[going] > LONG).tolist():
                    word = text[begins[going[k]] : begins[going[k]] + lengths[going[k]]]
                    further[k] = self._long.setdefault(word, len(self._long))
            parts.append((_ALL if going.size == begins.size else going, further))
            done += 8
            going = going[(lengths[going] > done) & (lengths[going] <= LONG)]
        return parts

    def _hashes(self, parts: Parts) -> Keys:
        """One integer for each word; that of a short one is the word itself."""
        hashes = parts[0][1].copy() if len(parts) > 1 else parts[0][1]
        for words, further in parts[1:]:
            mixed = hashes if words is _ALL else hashes[words]
            mixed ^= mixed >> np.uint64(32)
            mixed *= self._factor
            mixed ^= further
            hashes[words] = mixed
        return hashes

    def _learn(self, lengths: IntArray, parts: Parts, new: IntArray) -> None:
        """Keep all there is to know about the words that stand first at the positions ``new``."""
        self._lengths.append(lengths[new])
        at = np.full(lengths.size, -1)
        at[new] = np.arange(new.size)
        known = len(self._lengths) - new.size
        self._parts += [Growing(np.uint64, known) for _ in range(len(parts) - len(self._parts))]
        for k, store in enumerate(self._parts):
            own = np.zeros(new.size, np.uint64)
            if k < len(parts):
                words, further = parts[k]
                place = at[words]
                own[place[place >= 0]] = further[place >= 0]
            store.append(own)

    def _compare(self, lengths: IntArray, parts: Parts, codes: IntArray) -> None:
        """Refuse a number that two words share; as long as all words are short, there is none."""
        if len(self._parts) < 2:
            return
        alike = (self._lengths.values[codes] == lengths).all()
        for store, (words, further) in zip(self._parts, parts, strict=False):
            alike = alike and (store.values[codes[words]] == further).all()
        if not alike:
            raise Collision


class Growing:
    """An array that grows at its end; it begins with ``size`` zeros."""

    def __init__(self, dtype: type, size: int = 0) -> None:
        self._room: NDArray[Any] = np.zeros(max(16, 2 * size), dtype)
        self._size = size

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> NDArray[Any]:
        """What there is so far."""
        return self._room[: self._size]

    def append(self, values: NDArray[Any]) -> None:
        """Add some at the end."""
        size = self._size + values.size
        if size > self._room.size:
            self._room = np.concatenate([self.values, np.zeros(2 * size - self._size, self._room.dtype)])
        self._room[self._size : size] = values
        self._size = size


def _lines(text: bytes, begins: IntArray, ends: IntArray) -> bytes:
    """Words, one a line."""
    sizes = ends - begins + 1
    stops = np.cumsum(sizes)
    where = np.arange(stops[-1]) + np.repeat(begins - (stops - sizes), sizes)
    where[stops - 1] = 0
    letters = np.frombuffer(text, np.uint8)[where] if text else np.zeros(where.size, np.uint8)
    letters[stops - 1] = 10
    return letters.tobytes()
