"""Numbers and names of tallies as bytes, one way to write each, and a reader that takes nothing on trust."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, NoReturn

import numpy as np

from hemlp.errors import InvalidTally
from hemlp.results.exact_sums import UNIT
from hemlp.run.tally import IdKind

LONGEST = (2 * (1024 + UNIT) + 64) // 8 + 1
"""Bytes of an integer, at most: a sum of 2⁶⁴ squares."""
DIGITS = 9
"""Of a count, at most: below 2⁶³."""


def encode_integers(numbers: Sequence[int]) -> bytes:
    """How often 2 divides all of them and the bytes of each, in two bytes each; then what is left, least byte first."""
    bits = reduce(or_, numbers, 0)
    shift = max(0, (bits & -bits).bit_length() - 1)
    odd = [number >> shift for number in numbers]
    size = max((number.bit_length() for number in odd), default=0) // 8 + 1
    head = np.array([shift, size], "<u2").tobytes()
    return head + b"".join([number.to_bytes(size, "little", signed=True) for number in odd])


def encode_counts(counts: Any) -> bytes:
    """Numbers of at least 0 in base 128, the lowest digit first; 128 is added to all digits but the last."""
    flat = counts.ravel().astype(np.uint64)
    longest = -(-int(flat.max(initial=1)).bit_length() // 7)
    lengths = np.ones(flat.size, np.int64)
    for k in range(1, longest):
        lengths += flat >= 1 << 7 * k
    starts = np.cumsum(lengths) - lengths
    out = np.empty(int(np.sum(lengths)), np.uint8)
    for k in range(longest):
        here = lengths > k
        more = (lengths[here] > k + 1) * np.uint64(128)
        out[starts[here] + k] = (flat[here] >> np.uint64(7 * k)) % np.uint64(128) + more
    return out.tobytes()


def encode_ids(kind: IdKind, ids: Sequence[Any]) -> bytes:
    """Rows, or lengths and texts."""
    if kind == "row":
        return np.array(ids, "<i8").tobytes()
    texts = [str(name).encode("utf-8", "surrogatepass") for name in ids]
    return b"".join([np.array(list(map(len, texts)), "<u4").tobytes(), *texts])


def _as_integer(text: str) -> int:
    if len(text) > 4000:
        raise ValueError
    return int(text)


def refuse(why: str) -> NoReturn:
    """Raise the error that bytes are no tally."""
    raise InvalidTally(f"these bytes are not a tally: {why}")


def require(condition: bool, why: str) -> None:
    """Refuse the bytes unless a condition holds."""
    if not condition:
        refuse(why)


class Reader:
    """Goes through bytes from a place on."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        """The next bytes."""
        require(0 <= size <= len(self.data) - self.at, "they end too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def array(self, kind: str, number: int) -> Any:
        """The next numbers."""
        return np.frombuffer(self.take(number * np.dtype(kind).itemsize), kind)

    def integers(self, number: int) -> list[int]:
        """What ``encode_integers`` wrote."""
        shift, size = (int(each) for each in self.array("<u2", 2))
        require(0 < size <= LONGEST and shift <= 8 * LONGEST, "an integer is too long")
        data = self.take(number * size)
        return [int.from_bytes(data[k : k + size], "little", signed=True) << shift for k in range(0, len(data), size)]

    def numbers(self, *shape: int) -> Any:
        """What ``encode_counts`` wrote."""
        size = math.prod(shape)
        data = np.frombuffer(self.data[self.at : self.at + size * DIGITS], np.uint8)
        ends = np.flatnonzero(data < 128)[:size]
        require(len(ends) == size, "they end too early")
        lengths = np.diff(ends, prepend=-1)
        require(int(lengths.max(initial=0)) <= DIGITS, "a count is too large")
        self.take(int(ends[-1]) + 1 if size else 0)
        made = np.zeros(size, np.int64)
        for k in range(int(lengths.max(initial=0))):
            here = lengths > k
            made[here] += (data[ends[here] - lengths[here] + 1 + k] % 128).astype(np.int64) << 7 * k
        return made.reshape(shape)

    def ids(self, kind: IdKind, number: int) -> list[Any]:
        """What ``encode_ids`` wrote."""
        if kind == "row":
            rows = self.array("<i8", number).tolist()
            require(all(each > 0 for each in rows), "rows count from 1")
            return list(rows)
        lengths = self.array("<u4", number).tolist()
        try:
            texts = [self.take(length).decode("utf-8", "surrogatepass") for length in lengths]
            ids = texts if kind == "text" else list(map(_as_integer, texts))
        except ValueError:
            refuse("an id is no text, or no number")
        require("" not in ids, "an id is empty")
        return ids
