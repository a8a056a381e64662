"""Diagnosis in a tally: what is counted of the labels while they are at hand, as integers that merge by addition.

Of each instance, and from 100,000 instances on of each bucket: predicted, true and common classes of each level (of
ancestor closures), predicted and true classes of each kind of error, and whether all, some or none were hit. Of each
class that was met: in how many predicted closures, true closures and both it is, and the same of the labels themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from hemlp.analysis.diagnosis.class_counts import CountBasis
from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, HIT_GROUPS, KindCounts, count_by_instance, hit_groups
from hemlp.analysis.diagnosis.system_batches import as_implied
from hemlp.analysis.statistics.intervals import shared_bootstrap
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InstancesNotKept, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Policies
from hemlp.measures.scoring import split_rows
from hemlp.results.inputs import Inputs
from hemlp.results.results import Results

KINDS = len(ERROR_KINDS)
BASES: tuple[CountBasis, ...] = ("closures", "labels")
NEEDS_LABELS = ("compute_branches", "_branch_differences", "_count_differing", "class_costs")
"""Cached functions of diagnosis whose sums do not merge."""


@dataclass(frozen=True)
class Counting:
    """What counts refer to: the content of a hierarchy, its number of levels and of classes."""

    hierarchy: str
    levels: int
    classes: int

    @classmethod
    def of(cls, h: Hierarchy) -> Counting:
        """Of a hierarchy."""
        return cls(h.content_hash, 1 + int(h.unit_depths.max()), len(h))

    @property
    def columns(self) -> int:
        """How many numbers there are of an instance or a bucket."""
        return 3 * self.levels + 2 * KINDS + len(HIT_GROUPS)


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Of the classes with these ``numbers``, ascending: systems × classes × 6 counts, of closures and of labels."""

    numbers: IntArray
    counts: IntArray

    @classmethod
    def of(cls, dense: Sequence[IntArray]) -> ClassCounts:
        """Of all classes of the hierarchy, system by system."""
        stacked = np.stack(dense)
        met = np.flatnonzero(stacked.any(axis=(0, 2)))
        return cls(met, stacked[:, met])

    def __add__(self, other: ClassCounts) -> ClassCounts:
        numbers = np.union1d(self.numbers, other.numbers)
        counts = np.zeros((len(self.counts), len(numbers), 6), np.int64)
        for each in (self, other):
            counts[:, np.searchsorted(numbers, each.numbers)] += each.counts
        return ClassCounts(numbers, counts)

    def dense(self, system: int, on: CountBasis, size: int) -> IntArray:
        """The counts of all classes of the hierarchy: classes × 3."""
        counts = np.zeros((size, 3), np.int64)
        start = 3 * BASES.index(on)
        counts[self.numbers] = self.counts[system, :, start : start + 3]
        return counts


def count_batch(batch: Batch, levels: int) -> tuple[IntArray, IntArray]:
    """Of each instance the counts of levels and kinds (columns × instances), and of each class six (classes × 6)."""
    from hemlp.kernels.closure.census import count, count_groups, kinds
    from hemlp.kernels.records import Rows, Sides

    h = batch.hierarchy
    closures, labels = np.zeros((len(h), 3), np.int64), np.zeros((len(h), 3), np.int64)
    parts = [np.zeros((0, 3 * levels + 2 * KINDS + len(HIT_GROUPS)), np.int64)]
    for rows in split_rows(batch, np.arange(len(batch)), h.upward.mean_length):
        part = batch[int(rows[0]) : int(rows[-1]) + 1]
        pred, true = part.sides
        lists = h.upward.lists(np.concatenate([pred.classes, true.classes]))
        sides = Sides(pred.ptr, lists.row[pred.classes], true.ptr, lists.row[true.classes])
        by_level = count_groups(sides, as_implied(lists), h.unit_depths, levels)
        count(sides, as_implied(lists), closures)
        own = Sides(pred.ptr, pred.classes, true.ptr, true.classes)
        of_pred, of_true = kinds(own, lists.row, as_implied(lists), Rows(h.parent_ptr, h.parent_idx))
        for k, some in enumerate((pred.classes, true.classes, pred.classes[of_pred == 0])):
            labels[:, k] += np.bincount(some, minlength=len(h))
        by_kind = count_by_instance(pred, of_pred), count_by_instance(true, of_true)
        groups = np.eye(len(HIT_GROUPS), dtype=np.int64)[hit_groups(by_kind[1])]
        parts.append(np.concatenate([by_level.reshape(len(part), -1), *by_kind, groups], axis=1))
    return np.concatenate(parts).T, np.concatenate([closures, labels], axis=1)


def sum_buckets(counts: IntArray, members: IntArray, number: int) -> IntArray:
    """The sums of each bucket: systems × columns × buckets, of systems × columns × instances."""
    sums = np.empty((*counts.shape[:2], number), np.int64)
    for place in np.ndindex(*counts.shape[:2]):
        sums[place] = np.bincount(members, counts[place], number)
    return sums


# ---- as diagnosis asks for it


class TalliedInputs(Inputs):
    """The hierarchy and the systems of a tally; whatever reads labels is refused."""

    def _refuse(self, *_: Any) -> NoReturn:
        raise InstancesNotKept(
            "this needs the labels of instances, and a tally has counts of them alone: evaluate the dataset itself, or "
            "open its folder of results with the hierarchy (Evaluation.open(folder, hierarchy, true))"
        )

    blocks = take = batches = property(_refuse)
    cuts, ids = {}, None

    @classmethod
    def of(cls, h: Hierarchy, systems: Sequence[str], policies: Policies) -> TalliedInputs:
        """Of systems without their labels."""
        nothing: Any = None
        return cls(h, nothing, dict.fromkeys(systems, nothing), _NoMeasures(), policies, h.names or None)

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The same one of all systems."""
        return dict.fromkeys(self.systems, self.given)


class _NoMeasures(dict[str, Any]):
    """Measures are asked for where labels are scored again."""

    __missing__ = TalliedInputs._refuse


def check_hierarchy(h: Hierarchy, counting: Counting) -> None:
    """Refuse another hierarchy than the one that was counted on."""
    if Counting.of(h) != counting:
        raise InvalidOption(
            f"this is not the hierarchy of the tally, whose content is {counting.hierarchy} and not {h.content_hash}"
        )


@dataclass(frozen=True, eq=False)
class Counters:
    """The counts of a tally, as cached functions of diagnosis: ``units`` are instances, or buckets, in their order."""

    systems: Sequence[str]
    counting: Counting
    units: IntArray
    classes: ClassCounts
    in_buckets: bool

    def functions(self) -> Mapping[str, Any]:
        """By the names of the functions that they stand for."""
        refused = dict.fromkeys(NEEDS_LABELS, TalliedInputs._refuse)
        return {
            "count_classes": self.count_classes,
            "count_error_kinds": self.count_error_kinds,
            "_cached_sums": self.resampled_sums,
            **refused,
        }

    def count_classes(self, ev: Results, system: str, on: CountBasis) -> IntArray:
        """Of each class of the hierarchy."""
        return self.classes.dense(self.systems.index(system), on, self.counting.classes)

    def count_error_kinds(self, ev: Results, system: str) -> KindCounts:
        """Of each instance, or of all together."""
        counts = self.units[self.systems.index(system), 3 * self.counting.levels :].T
        counts = counts.sum(axis=0)[None] if self.in_buckets else counts
        groups = counts[:, 2 * KINDS :]
        groups = groups[0] if self.in_buckets else groups.argmax(axis=1)
        return KindCounts(counts[:, :KINDS], counts[:, KINDS : 2 * KINDS], groups)

    def resampled_sums(self, ev: Results, what: str) -> dict[str, FloatArray]:
        """The sums of "levels" or "kinds" in each resample, of all systems."""
        end = 3 * self.counting.levels
        columns = slice(end) if what == "levels" else slice(end, end + 2 * KINDS)
        drawn = shared_bootstrap(ev)._sums([np.ascontiguousarray(of[columns].T) for of in self.units])
        return dict(zip(self.systems, drawn, strict=True))
