"""Types of arrays, and helpers for rows of different lengths in CSR form (pointers to rows, and all entries)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[Any]
FloatArray = NDArray[np.float64]


def as_numpy(data: Any) -> Any:
    """An array of another library, a tensor for example, as one of numpy, and anything else as it is."""
    foreign = hasattr(data, "ndim") and hasattr(data, "dtype") and hasattr(data, "tolist")
    if not foreign or isinstance(data, np.ndarray | np.generic) or hasattr(data, "iloc") or hasattr(data, "tocsr"):
        return data
    return np.asarray(data.tolist())  # wherever it lies, and whatever follows it


def plain_sum(values: Iterable[float]) -> float:
    """Floats added from left to right, to the same bit on every Python: the built-in sum compensates from 3.12 on."""
    return reduce(add, values, 0.0)


def sorted_distinct(keys: NDArray[Any]) -> NDArray[Any]:
    """What np.unique gives, by sorting alone: on millions of integers its hashing takes ten times as long, and numpy
    loads its masked arrays for it."""
    keys = np.sort(keys)
    first = np.ones(keys.size, np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def split(key: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """The two int32 numbers below ``size`` that each ``key`` was made of."""
    high, low = np.divmod(key, max(size, 1))
    return high.astype(np.int32), low.astype(np.int32)


def row_pointers(rows: IntArray, size: int) -> IntArray:
    """CSR pointers of sorted ``rows``."""
    pointers = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=size), out=pointers[1:])
    return pointers


def pointers(lengths: Sequence[int] | IntArray) -> IntArray:
    """CSR pointers of rows that have these lengths."""
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr


def enlarge(array: NDArray[Any], size: int) -> NDArray[Any]:
    """A copy with room for ``size`` entries, and for twice those that there are."""
    copy = np.empty(max(2 * array.size, size), array.dtype)
    copy[: array.size] = array
    return copy


def row_places(ptr: IntArray, rows: IntArray) -> IntArray:
    """Where the entries of these rows are (CSR)."""
    lengths = ptr[rows + 1] - ptr[rows]
    ends = np.cumsum(lengths)
    inner = np.arange(int(ends[-1]) if ends.size else 0)
    places: IntArray = inner + np.repeat(ptr[rows] - (ends - lengths), lengths)
    return places


def entry_rows(ptr: IntArray) -> IntArray:
    """The row of each entry (CSR)."""
    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))


def row_sums(values: NDArray[Any], ptr: IntArray) -> FloatArray:
    """Sums of the rows, each on its own (a running total would carry rounding from one to the next)."""
    return np.bincount(entry_rows(ptr), values, len(ptr) - 1).astype(np.float64)
