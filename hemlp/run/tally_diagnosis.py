"""Diagnosis in a tally: what is counted of the labels while they are at hand, as integers that merge by addition.

Of each instance, and from 100,000 instances on of each bucket: predicted, true and common classes of each level (of
ancestor closures), predicted and true classes of each kind of error, and whether all, some or none were hit. Of each
class that was met: in how many predicted closures, true closures and both it is, the same of the labels themselves, and
exact sums of the scores of the instances whose true closure has it, of their squares, and of what it costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from hemlp.analysis.diagnosis.branches import means_of, sum_by_branch
from hemlp.analysis.diagnosis.class_counts import CountBasis, class_loss, count_sides
from hemlp.analysis.diagnosis.class_sums import CLOSURES, LABELS, Key, negated
from hemlp.analysis.diagnosis.error_costs import costs_of, find_class_pairs, pairs_nothing, sum_costs
from hemlp.analysis.diagnosis.error_kinds import ERROR_KINDS, HIT_GROUPS, KindCounts, count_by_instance, hit_groups
from hemlp.analysis.diagnosis.measure_facts import PAIRS, REFUSED, SDL, MeasureFacts
from hemlp.analysis.diagnosis.system_batches import as_implied, split_batch
from hemlp.analysis.statistics.differences import subtract_scores
from hemlp.analysis.statistics.intervals import shared_bootstrap
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InstancesNotKept, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Policies
from hemlp.measures.base import Measure
from hemlp.results.inputs import Inputs
from hemlp.results.results import Results

KINDS = len(ERROR_KINDS)
BASES: tuple[CountBasis, ...] = ("closures", "labels")
PAIRED = 2
"""Systems whose differences are summed by class, too: of more there would be too many pairs."""


@dataclass(frozen=True)
class Counting:
    """What counts refer to: the content of a hierarchy, its number of levels and of classes, and the measures."""

    hierarchy: str
    levels: int
    classes: int
    measures: tuple[MeasureFacts, ...]

    @classmethod
    def of(cls, h: Hierarchy, measures: Sequence[Measure]) -> Counting:
        """Of measures on a hierarchy."""
        facts = tuple(MeasureFacts.of(each, h) for each in measures)
        return cls(h.content_hash, 1 + int(h.unit_depths.max()), len(h), facts)

    @property
    def columns(self) -> int:
        """How many numbers there are of an instance or a bucket."""
        return 3 * self.levels + 2 * KINDS + len(HIT_GROUPS)


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Of the classes with these ``numbers``, ascending: systems × classes × 6 counts, of closures and of labels.

    ``sums``: columns of ``ClassSums``, whose keys begin with two systems (one of them twice, or a difference) and a
    measure.
    """

    numbers: IntArray
    counts: IntArray
    sums: Mapping[Key, IntArray]

    def __add__(self, other: ClassCounts) -> ClassCounts:
        numbers = np.union1d(self.numbers, other.numbers)
        counts = np.zeros((len(self.counts), len(numbers), 6), np.int64)
        sums = {key: np.zeros(len(numbers), np.int64) for key in sorted({*self.sums, *other.sums})}
        for each in (self, other):
            at = np.searchsorted(numbers, each.numbers)
            counts[:, at] += each.counts
            for key, column in each.sums.items():
                sums[key][at] += column
        return ClassCounts(numbers, counts, {key: column for key, column in sums.items() if column.any()})

    def dense(self, system: int, on: CountBasis, size: int) -> IntArray:
        """The counts of all classes of the hierarchy: classes × 3."""
        counts = np.zeros((size, 3), np.int64)
        start = 3 * BASES.index(on)
        counts[self.numbers] = self.counts[system, :, start : start + 3]
        return counts

    def dense_sums(self, size: int, *of: int) -> dict[Key, IntArray]:
        """The columns of all classes whose keys begin so, by the rest of the keys."""
        columns = {key[len(of) :]: np.zeros(size, np.int64) for key in self.sums if key[: len(of)] == of}
        for key, column in columns.items():
            column[self.numbers] = self.sums[*of, *key]
        return columns


def count_batches(
    batches: Sequence[Batch], counting: Counting, measures: Sequence[Measure], scores: FloatArray
) -> tuple[IntArray, ClassCounts]:
    """Of all systems the counts of instances (systems × columns × instances), and those of classes.

    ``scores``: systems × measures × instances.
    """
    by_unit, by_class = map(np.stack, zip(*(count_batch(each, counting.levels) for each in batches), strict=True))
    met = np.flatnonzero(by_class.any(axis=(0, 2)))
    sums = {
        (*of, *key): here
        for of, columns in _sums_of(batches, counting, measures, scores)
        for key, column in columns.items()
        if (here := column[met]).any()
    }
    return by_unit, ClassCounts(met, by_class[:, met], sums)


def _sums_of(
    batches: Sequence[Batch], counting: Counting, measures: Sequence[Measure], scores: FloatArray
) -> Iterator[tuple[Key, dict[Key, IntArray]]]:
    """Columns of sums over all classes, and what their keys begin with."""
    h = batches[0].hierarchy

    def by_measure(columns: Iterable[FloatArray]) -> dict[Key, FloatArray]:
        return {(m,): of for m, of in enumerate(columns)}

    for s, batch in enumerate(batches):
        parts = [*split_batch(batch)]
        yield (s, s), sum_by_branch(h, parts, by_measure(scores[s]))
        for m, each in enumerate(measures):
            if counting.measures[m].loss == PAIRS:
                paired: Any = each
                yield (s, s, m), sum_costs((find_class_pairs(part, paired) for _, part in parts), len(h))[0]
    if len(batches) == PAIRED:
        yield (0, 1), sum_by_branch(h, split_batch(batches[0]), by_measure(map(subtract_scores, *scores)))
        both = [part for _, part in split_batch(replace(batches[0], true=batches[1].pred))]
        for what, on in zip((CLOSURES, LABELS), BASES, strict=True):
            yield (0, 1, 0), {(what, 0): class_loss(count_sides(h, both, on))}


def count_batch(batch: Batch, levels: int) -> tuple[IntArray, IntArray]:
    """Of each instance the counts of levels and kinds (columns × instances), and of each class six (classes × 6)."""
    from hemlp.kernels.closure.census import count, count_groups, kinds
    from hemlp.kernels.records import Rows, Sides

    h = batch.hierarchy
    closures, labels = np.zeros((len(h), 3), np.int64), np.zeros((len(h), 3), np.int64)
    parts = [np.zeros((0, 3 * levels + 2 * KINDS + len(HIT_GROUPS)), np.int64)]
    for _, part in split_batch(batch):
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


def refuse_labels(*_: Any) -> NoReturn:
    """Raise the error that something needs labels."""
    raise InstancesNotKept(
        "this needs the labels of instances, and a tally has counts of them alone: evaluate the dataset itself, or "
        "open its folder of results with the hierarchy (Evaluation.open(folder, hierarchy, true))"
    )


class TalliedInputs(Inputs):
    """The hierarchy and the systems of a tally; whatever reads labels is refused."""

    blocks = take = batches = property(refuse_labels)
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

    __missing__ = refuse_labels


def check_hierarchy(h: Hierarchy, counting: Counting) -> None:
    """Refuse another hierarchy than the one that was counted on."""
    if Counting.of(h, ()) != replace(counting, measures=()):
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
        return {
            "count_classes": self.count_classes,
            "count_error_kinds": self.count_error_kinds,
            "_cached_sums": self.resampled_sums,
            "measure_facts": self.measure_facts,
            "pairing_text": self.pairing_text,
            "branch_means": self.branch_means,
            "class_costs": self.class_costs,
            "count_differing": self.count_differing,
        }

    def measure_facts(self, ev: Results, name: str) -> MeasureFacts:
        """What was noted of a measure."""
        return self.counting.measures[ev.measures.index(name)]

    def pairing_text(self, ev: Results, measure: str) -> str:
        """The text of a pair-based measure that was scored."""
        losses = {name: self.measure_facts(ev, name).loss for name in ev.measures}
        if losses.get(measure, REFUSED) == REFUSED:
            refuse_labels()
        if losses[measure] == SDL:
            raise pairs_nothing(measure, [name for name, loss in losses.items() if loss != SDL])
        return self.measure_facts(ev, measure).text

    def class_costs(self, ev: Results, system: str, measure: str) -> tuple[FloatArray, int]:
        """The cost of each class on both sides, and the number of instances."""
        self.pairing_text(ev, measure)
        columns = self._sums(ev, system, system, measure)
        instances = int(ev.facts[system]["instances"]) - ev.scores[system][measure].undefined
        return costs_of(columns, self.counting.classes), instances

    def branch_means(
        self, ev: Results, system: str, baseline: str | None, measure: str
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of each branch the mean, or that of the paired differences from a baseline, and its interval's ends."""
        columns = self._sums(ev, system, baseline or system, measure)
        return means_of(ev, columns, system, baseline, measure)

    def count_differing(self, ev: Results, first: str, second: str, on: CountBasis) -> IntArray:
        """In how many instances only one of two systems predicts a class."""
        columns = self._sums(ev, first, second, ev.measures[0])
        what = (CLOSURES, LABELS)[BASES.index(on)]
        return columns.get((what, 0), np.zeros(self.counting.classes, np.int64))

    def _sums(self, ev: Results, first: str, second: str, measure: str) -> dict[Key, IntArray]:
        """The sums of a system, or of the differences of two."""
        if first != second and len(self.systems) != PAIRED:
            raise InstancesNotKept(
                f"a tally of {len(self.systems)} systems has no differences by class and branch: plan {first} and "
                f"{second} alone, or leave the intervals out (intervals=False)"
            )
        i, j = (self.systems.index(name) for name in (first, second))
        columns = self.classes.dense_sums(self.counting.classes, min(i, j), max(i, j), ev.measures.index(measure))
        return columns if i <= j else negated(columns)

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
