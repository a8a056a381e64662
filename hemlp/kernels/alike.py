"""Rows that are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels.jit import kernel

Array = NDArray[Any]


@kernel
def first_equal(begin: Array, end: Array, values: Array) -> Array:
    """For each row ``values[begin[i]:end[i]]`` the number of the first one that is equal to it."""
    slots = 16
    while slots < 2 * begin.size:
        slots *= 2
    table = np.full(slots, -1, np.int64)
    first = np.empty(begin.size, np.int64)
    for i in range(begin.size):
        code: Any = 17
        for k in range(begin[i], end[i]):  # 31 bits times 20 bits: nothing overflows, compiled or not
            code = (code * 1000003 ^ (np.int64(values[k]) + 1)) & 0x7FFFFFFF
        slot = (code ^ (code >> 15)) & (slots - 1)
        while table[slot] >= 0:
            other = begin[table[slot]] - begin[i]
            equal = end[table[slot]] - end[i] == other
            k = begin[i]
            while equal and k < end[i]:
                equal = values[k] == values[k + other]
                k += 1
            if equal:
                break
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = i
        first[i] = table[slot]
    return first
