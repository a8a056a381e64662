"""What an evaluation was made from: digests of the true labels and of the instances' names, row by row.

Scores of two runs can be compared instance by instance where both are of the same rows. A digest says so without the
labels, and depends neither on the order of the labels of a row nor on how the files were read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hemlp.analysis.statistics.cache import cache_per_evaluation
from hemlp.arrays import IntArray
from hemlp.hierarchy.labels import Label

if TYPE_CHECKING:
    from hemlp.results.evaluation import Evaluation

DIGITS = 32
"""Hexadecimal ones of a digest."""


@dataclass(frozen=True)
class Gold:
    """Digests of the true ``labels`` and, where instances have names, of their ``ids``."""

    labels: str
    ids: str | None = None


@cache_per_evaluation
def gold_of(ev: Evaluation) -> Gold | None:
    """The digests of an evaluation; none where it was read from a file that has none."""
    if ev.inputs is None:
        return ev.told.gold
    system, ids = ev.systems[0], ev.inputs.ids
    labels = ev.inputs.hierarchies[system].labels
    known = np.zeros((len(labels), 2), np.uint64)
    done = np.zeros(len(labels), np.bool_)
    sizes, members = hashlib.sha256(), hashlib.sha256()
    for _, batch in ev.inputs.blocks(system):
        classes, number = batch.true.classes, np.diff(batch.true.ptr)
        new = np.unique(classes[~done[classes]])
        known[new] = _numbers(labels[c] for c in new.tolist())
        done[new] = True
        sizes.update(number.astype("<i8").tobytes())
        members.update(known[classes].astype("<u8").tobytes())  # sorted in each row, as labels are
    whole = hashlib.sha256(sizes.digest() + members.digest()).hexdigest()[:DIGITS]
    return Gold(whole, None if ids is None else hashlib.sha256(_numbers(ids).tobytes()).hexdigest()[:DIGITS])


def _numbers(labels: Iterable[Label]) -> IntArray:
    """Two numbers that stand for each label."""
    digests = (hashlib.blake2b(repr(label).encode("utf-8", "surrogatepass"), digest_size=16) for label in labels)
    found: IntArray = np.frombuffer(b"".join(each.digest() for each in digests), "<u8").reshape(-1, 2)
    return found
