"""Fingerprints of scores: they show whether thresholds are applied to the data that they were chosen on."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hemlp.hierarchy.labels import Label

if TYPE_CHECKING:
    from hemlp.instances.scored_sets import ScoredSets

Digests = NDArray[np.uint64]


def fingerprint(s: ScoredSets) -> str:
    """A digest of classes and scores of all instances, in any order; instances without scores do not count."""
    return f"{int(_mix(_rows(s)).sum(dtype=np.uint64)):016x}"


def row_digests(s: ScoredSets) -> Digests | None:
    """A digest of each instance with scores: of its id, classes and scores. None without ids."""
    if s.ids is None:
        return None
    scored = np.flatnonzero(np.diff(s.ptr))
    return np.unique(_mix(_rows(s) + _mix(_digests([s.ids[k] for k in scored.tolist()]))))


def _rows(s: ScoredSets) -> Digests:
    """A digest of the classes and scores of each instance that has any."""
    bits = np.ascontiguousarray(s.values + 0.0).view(np.uint64)  # 0.0: there is one zero
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mix(_digests(s.vocabulary)[s.codes] + _mix(bits)))])
    digests: Digests = (sums[s.ptr[1:]] - sums[s.ptr[:-1]])[np.diff(s.ptr) > 0]
    return digests


def _digests(labels: Sequence[Label]) -> Digests:
    texts = (blake2b(repr(label).encode(), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(texts), "<u8")


def _mix(numbers: Digests) -> Digests:
    """Hash each number (splitmix64, Steele et al. 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
