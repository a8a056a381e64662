"""Types of arrays, records of them, and helpers for ragged rows in CSR form (row pointers and entries)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product as iter_product
from operator import add
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[Any]
FloatArray = NDArray[np.float64]
C = TypeVar("C")


@dataclass_transform(eq_default=False, frozen_default=True)
def record(cls: type[C]) -> type[C]:
    """Make a dataclass that is frozen for the type checker alone, and equal to itself alone.

    All other methods are compiled anew at every start of Python, which takes three times as long as this.
    """
    return dataclass(eq=False, repr=False)(cls)


def as_numpy(data: Any) -> Any:
    """An array of another library (a tensor) as a numpy array; anything else as it is."""
    foreign = hasattr(data, "ndim") and hasattr(data, "dtype") and hasattr(data, "tolist")
    if not foreign or isinstance(data, np.ndarray | np.generic) or hasattr(data, "iloc") or hasattr(data, "tocsr"):
        return data
    return np.asarray(data.tolist())  # on any device, with or without gradients


def plain_sum(values: Iterable[float]) -> float:
    """The sum from left to right, equal on every Python: the built-in sum compensates from 3.12 on."""
    return reduce(add, values, 0.0)


def sorted_distinct(keys: NDArray[Any]) -> NDArray[Any]:
    """np.unique by sorting: ten times as fast on millions of integers, and without loading masked arrays."""
    keys = np.sort(keys)
    first = np.ones(keys.size, np.bool_)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def split(key: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Split each ``key`` = high · size + low into two int32 numbers."""
    high, low = np.divmod(key, max(size, 1))
    return high.astype(np.int32), low.astype(np.int32)


def row_pointers(rows: IntArray, size: int) -> IntArray:
    """CSR pointers of sorted ``rows``."""
    pointers = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=size), out=pointers[1:])
    return pointers


def pointers(lengths: Sequence[int] | IntArray) -> IntArray:
    """CSR pointers of rows of these lengths."""
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr


def enlarge(array: NDArray[Any], size: int) -> NDArray[Any]:
    """A copy with room for ``size`` entries, and at least twice as many as now."""
    copy = np.empty(max(2 * array.size, size), array.dtype)
    copy[: array.size] = array
    return copy


FEW = 8
"""Columns below which one after the other is multiplied faster than all together."""
WIDE = 96
"""Columns that are multiplied together: of more of them parts of about the same width."""
ONE_THREAD = 2**18
"""Products of two numbers up to which OpenBLAS multiplies matrices in one thread."""


def multiply(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """``left @ right`` where all sums are exact, in one thread: others would only wait, for as long as it all takes."""
    if 0 < right.shape[1] < FEW:
        return np.stack([left @ column for column in right.T], axis=1)
    product = np.zeros((len(left), right.shape[1]), np.result_type(left, right))
    width = max(1, right.shape[1])
    rows, columns = min(len(left), 64), -(-width // -(-width // WIDE))
    inner = ONE_THREAD // max(1, rows * columns)
    for i, j in iter_product(range(0, len(left), rows or 1), range(0, right.shape[1], columns)):
        for k in range(0, len(right), inner):
            part = left[i : i + rows, k : k + inner] @ right[k : k + inner, j : j + columns]
            product[i : i + rows, j : j + columns] += part
    return product


def row_places(ptr: IntArray, rows: IntArray) -> IntArray:
    """The positions of the entries of these rows (CSR)."""
    lengths = ptr[rows + 1] - ptr[rows]
    ends = np.cumsum(lengths)
    inner = np.arange(int(ends[-1]) if ends.size else 0)
    places: IntArray = inner + np.repeat(ptr[rows] - (ends - lengths), lengths)
    return places


def entry_rows(ptr: IntArray) -> IntArray:
    """The row of each entry (CSR)."""
    return np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))


def row_sums(values: NDArray[Any], ptr: IntArray) -> FloatArray:
    """The sum of each row on its own (a running total would carry rounding errors along)."""
    return np.bincount(entry_rows(ptr), values, len(ptr) - 1).astype(np.float64)
