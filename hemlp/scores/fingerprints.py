"""A fingerprint of scores, by which data is known again that thresholds were chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.labels import Label


def fingerprint(vocabulary: Sequence[Label], ptr: IntArray, codes: IntArray, values: FloatArray) -> str:
    """Of classes and scores of all instances, in any order of both; instances without scores do not count."""
    texts = (blake2b(repr(label).encode(), digest_size=8).digest() for label in vocabulary)
    names = np.frombuffer(b"".join(texts), np.uint64)
    bits = np.ascontiguousarray(values + 0.0).view(np.uint64)  # 0.0: there is one zero
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(names[codes] + _mixed(bits)))])
    rows = (sums[ptr[1:]] - sums[ptr[:-1]])[np.diff(ptr) > 0]
    return f"{int(_mixed(rows).sum(dtype=np.uint64)):016x}"


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Each number as another one that looks random (Steele et al. 2014, splitmix64)."""
    found = numbers + np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))
