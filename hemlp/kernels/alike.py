"""Instances that have the same classes on both sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.kernels import kernel

Array = NDArray[Any]


@kernel
def first_alike(pred_ptr: Array, pred: Array, true_ptr: Array, true: Array) -> Array:
    """For each instance the first one that has the same predicted and the same true classes."""
    n = pred_ptr.size - 1
    slots = 16
    while slots < 2 * n:
        slots *= 2
    table = np.full(slots, -1, np.int64)
    first = np.empty(n, np.int64)
    for i in range(n):
        code = np.uint64(1469598103934665603)
        for k in range(pred_ptr[i], pred_ptr[i + 1]):
            code = (code ^ np.uint64(pred[k])) * np.uint64(1099511628211)
        code = (code ^ np.uint64(4294967295)) * np.uint64(1099511628211)
        for k in range(true_ptr[i], true_ptr[i + 1]):
            code = (code ^ np.uint64(true[k])) * np.uint64(1099511628211)
        slot = np.int64((code ^ (code >> np.uint64(29))) & np.uint64(slots - 1))
        while table[slot] >= 0 and not (
            _same(pred_ptr, pred, table[slot], i) and _same(true_ptr, true, table[slot], i)
        ):
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = i
        first[i] = table[slot]
    return first


@kernel
def _same(ptr: Array, classes: Array, i: int, j: int) -> bool:
    if ptr[i + 1] - ptr[i] != ptr[j + 1] - ptr[j]:
        return False
    for k in range(ptr[i + 1] - ptr[i]):
        if classes[ptr[i] + k] != classes[ptr[j] + k]:
            return False
    return True
