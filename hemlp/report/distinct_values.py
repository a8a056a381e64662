"""Distinct values of columns: each is formatted once, however many instances have it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray


def distinct(column: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """The first position of each distinct value, ascending, and for each value the number of its distinct value.

    ``column``: integers of one byte or eight. Floats are told apart by their bits, as integers.

    >>> first, codes = distinct(np.array([7, 5, 7, 7, 5]))
    >>> first.tolist(), codes.tolist()
    ([0, 1], [0, 1, 0, 0, 1])
    """
    from hemlp.kernels.text.deduplicate import first_equal

    cells = np.ascontiguousarray(column).view(np.uint8 if column.itemsize == 1 else np.int32)
    width = cells.size // max(1, column.size)
    begins = np.arange(0, cells.size, max(1, width))
    rows = first_equal(begins, begins + width, cells)
    first = np.flatnonzero(rows == np.arange(rows.size))
    numbers = np.empty(rows.size, np.int64)
    numbers[first] = np.arange(first.size)
    return first, numbers[rows]


def as_objects(texts: Iterable[str]) -> NDArray[Any]:
    """Texts as an array that index arrays can select from."""
    return np.array([*texts, ""], object)[:-1]


def as_sizes(texts: NDArray[Any]) -> IntArray:
    """The length of each text."""
    return np.fromiter(map(len, texts), np.int64, len(texts))
