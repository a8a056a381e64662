"""Tallies: what a set of instances leaves behind, and how two of them merge.

Merging is associative and commutative, and equal sets of instances leave equal bytes, however they were cut, ordered
and merged. Below 100,000 instances a tally keeps ids and scores, and its evaluation is that of the instances. From
there on it holds exact sums, of each measure by 4,096 buckets of the ids (``MeasureSums``).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.diagnosis.error_kinds import HIT_GROUPS
from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.resampling import BUCKETS, assign_buckets
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidLabelSets, InvalidTally
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Policies
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import Status
from hemlp.results.exact_sums import BucketSums
from hemlp.results.inputs import LabelCounts
from hemlp.results.merged_sums import NO_STATUSES, KeptColumns, MeasureSums, ScoreCounts, TalliedScores, add_counts
from hemlp.results.results import Counted, Origin
from hemlp.run.evaluation import Evaluation
from hemlp.run.tally_diagnosis import (
    ClassCounts,
    Counters,
    Counting,
    TalliedInputs,
    check_hierarchy,
    count_batches,
    sum_buckets,
)
from hemlp.run.worst import WORST, rank_worst

IdKind = Literal["text", "integer", "row", "none"]
"""What names an instance: a string, an integer, its row in the whole data (from 1), or nothing."""
COUNTED = tuple(each.name for each in fields(LabelCounts) if each.name != "policies")
Worst = tuple[tuple[Label, float], ...]
"""Ids and scores of instances, the worst first."""
SOLVED = Status.FEASIBLE
"""The last status of instances that have a score."""


@dataclass(frozen=True)
class TalliedMeasure:
    """A measure: what it is called, and what its ``Scores`` say of it."""

    called: str
    name: str
    signature: str
    greater_is_better: bool
    exact: bool
    columns: tuple[str, ...]


@dataclass(frozen=True)
class TallyHead:
    """What tallies have to agree in to be merged. ``counting``: what the counts of diagnosis refer to, if any."""

    systems: tuple[str, ...]
    measures: tuple[TalliedMeasure, ...]
    policies: Policies
    roots: int
    ids: IdKind
    counting: Counting | None = None

    @classmethod
    def of(
        cls, systems: Sequence[str], measures: Mapping[str, Measure], scores: Sequence[Scores], policies: Policies,
        roots: int, ids: IdKind, counting: Counting | None = None,
    ) -> TallyHead:  # fmt: skip
        """Of measures by their names, and the scores of one system by each."""
        described = tuple(
            TalliedMeasure(called, each.name, each.signature, made.greater_is_better, each.exact, (*each.columns,))
            for (called, made), each in zip(measures.items(), scores, strict=True)
        )
        return cls(tuple(systems), described, policies, roots, ids, counting)


@dataclass(frozen=True, eq=False)
class Kept:
    """Instances in the order of their ids as UTF-8 (rows in their own): scores and statuses, systems × measures × n.

    ``counts``: those of diagnosis, systems × columns × n.
    """

    ids: tuple[Label, ...]
    values: FloatArray
    statuses: NDArray[np.int8]
    counts: IntArray | None = None

    @classmethod
    def of(cls, kind: IdKind, ids: Sequence[Label], arrays: Sequence[Any], where: str = "merge") -> Kept:
        """Values, statuses and counts in that order.

        Raises
        ------
        InvalidLabelSets
            If an id is met twice.
        """
        keys: Sequence[Any] = ids if kind in ("row", "text") else list(map(str, ids))
        order = sorted(range(len(ids)), key=keys.__getitem__)  # code points are in the order of UTF-8
        names = tuple(map(ids.__getitem__, order))
        for name, following in itertools.pairwise(names):
            if name == following:
                raise InvalidLabelSets(f"{where}: the instance {name!r} is met twice; give each instance once")
        values, statuses, counts = (None if each is None else each[:, :, order] for each in arrays)
        return cls(names, values, statuses, counts)  # type: ignore[arg-type]

    @property
    def arrays(self) -> tuple[Any, ...]:
        """What there is of each instance."""
        return self.values, self.statuses, self.counts

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, eq=False)
class Buckets:
    """Many instances: exact sums of each measure, and ids and scores of the worst ones (systems × measures).

    ``counts``: those of diagnosis, systems × columns × buckets; ``hits``: the sums of the scores of instances of which
    all, some or none were hit (systems × measures × groups).
    """

    sums: tuple[MeasureSums, ...]
    worst: tuple[tuple[Worst, ...], ...]
    counts: IntArray | None = None
    hits: tuple[tuple[tuple[BucketSums, ...], ...], ...] | None = None

    @classmethod
    def of(cls, head: TallyHead, ids: Sequence[Label], values: FloatArray, counts: IntArray | None) -> Buckets:
        """Of scores (systems × measures × instances); without ids all instances are one bucket, and none is named."""
        named = head.ids != "none"
        members, number = (assign_buckets(ids), BUCKETS) if named else (np.zeros(values.shape[2], np.int64), 1)
        sums = (MeasureSums.of(head.systems, values[:, k], members, number) for k in range(values.shape[1]))

        def rank(of: FloatArray, greater_is_better: bool) -> Worst:
            rows = rank_worst(of, greater_is_better, ids, members, WORST) if named else []
            return tuple((ids[k], float(of[k])) for k in rows)

        better = [each.greater_is_better for each in head.measures]
        worst = (tuple(map(rank, by_measure, better)) for by_measure in values)
        if counts is None:
            return cls(tuple(sums), tuple(worst))

        def divide(scores: FloatArray, groups: IntArray) -> tuple[BucketSums, ...]:
            return tuple(BucketSums.of(np.where(here > 0, scores, np.nan), members, number) for here in groups)

        by_group = zip(values, counts[:, -len(HIT_GROUPS) :], strict=True)
        hits = tuple(tuple(divide(scores, groups) for scores in of) for of, groups in by_group)
        return cls(tuple(sums), tuple(worst), sum_buckets(counts, members, number), hits)

    def merge(self, other: Buckets, head: TallyHead) -> Buckets:
        """Those of the instances of both."""
        sums = tuple(a + b for a, b in zip(self.sums, other.sums, strict=True))
        worst = tuple(
            tuple(map(_merge_worst, *pair, [each.greater_is_better for each in head.measures]))
            for pair in zip(self.worst, other.worst, strict=True)
        )
        if self.counts is None or self.hits is None or other.counts is None or other.hits is None:
            return Buckets(sums, worst)
        hits = tuple(
            tuple(tuple(map(BucketSums.__add__, *groups)) for groups in zip(*of, strict=True))
            for of in zip(self.hits, other.hits, strict=True)
        )
        return Buckets(sums, worst, self.counts + other.counts, hits)


def _merge_worst(first: Worst, second: Worst, greater_is_better: bool) -> Worst:
    """The worst instances of both."""
    both = first + second
    ids = [name for name, _ in both]
    values = np.array([value for _, value in both])
    return tuple(both[k] for k in rank_worst(values, greater_is_better, ids, assign_buckets(ids), WORST))


@dataclass(frozen=True, eq=False)
class Tally:
    """What a set of instances leaves behind; ``Plan.score`` makes one of each part, and ``merge`` one of two.

    Examples
    --------
    >>> import pyarrow
    >>> from hemlp import Hierarchy, Plan, Tally
    >>> plan = Plan(Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")]), ["F_H"], systems=["A"])
    >>> first = plan.score(pyarrow.table({"id": ["a"], "true": [["cow"]], "A": [["cow"]]})).tally
    >>> second = plan.score(pyarrow.table({"id": ["b"], "true": [["cow"]], "A": [["sheep"]]})).tally
    >>> tally = first.merge(second)
    >>> tally == second.merge(first) == Tally.from_bytes(tally.to_bytes()), tally.finish().mean("A", "F_H")
    (True, 0.75)
    """

    head: TallyHead
    labels: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[ScoreCounts, ...], ...]
    kept: Kept | None
    buckets: Buckets | None
    classes: ClassCounts | None = None
    hierarchy: Hierarchy | None = None

    @classmethod
    def of(
        cls, head: TallyHead, labels: Sequence[LabelCounts], scores: Sequence[Sequence[Scores]], ids: Sequence[Label],
        where: str, batches: Sequence[Batch] = (), measures: Sequence[Measure] = (),
    ) -> Tally:  # fmt: skip
        """Of scores, systems × measures; ``where`` they come from is said in messages.

        ``batches``, ``measures``: the labels of each system, and what scored them, where diagnosis counts.
        """
        values = np.array([[each.values for each in of] for of in scores])
        statuses = np.array([[each.statuses for each in of] for of in scores], np.int8)
        label_counts = tuple(tuple(getattr(of, name) for name in COUNTED) for of in labels)
        score_counts = tuple(tuple(map(ScoreCounts.of, of)) for of in scores)
        counts = classes = hierarchy = None
        if head.counting is not None:
            counts, classes = count_batches(batches, head.counting, measures, values)
            hierarchy = batches[0].hierarchy
        kept, buckets = None, None
        if head.ids == "none" or len(ids) >= resampling.BUCKETED_FROM:
            buckets = Buckets.of(head, ids, values, counts)
        else:
            kept = Kept.of(head.ids, tuple(ids), (values, statuses, counts), where)
        return cls(head, label_counts, score_counts, kept, buckets, classes, hierarchy)

    def __len__(self) -> int:
        return self.labels[0][COUNTED.index("instances")]

    @cached_property
    def _buckets(self) -> Buckets:
        """The buckets, also of instances that are kept."""
        if self.kept is None:
            assert self.buckets is not None
            return self.buckets
        return Buckets.of(self.head, self.kept.ids, self.kept.values, self.kept.counts)

    def merge(self, other: Tally) -> Tally:
        """The tally of the instances of both; neither is changed.

        Parameters
        ----------
        other
            Of the same systems, measures, hierarchy and options, and of other instances.

        Raises
        ------
        InvalidTally
            If it is of another plan.
        InvalidLabelSets
            If an instance is in both. From 100,000 instances on ids are not kept, and this cannot be seen.
        """
        if not isinstance(other, Tally):
            raise InvalidTally(f"a tally merges with another tally, not with {type(other).__name__}")
        for each in fields(TallyHead):
            mine, others = getattr(self.head, each.name), getattr(other.head, each.name)
            if mine != others:
                raise InvalidTally(
                    f"only tallies of one plan merge, and these have different {each.name}: {mine!r:.300} and "
                    f"{others!r:.300}"
                )
        labels = tuple(map(add_counts, self.labels, other.labels))
        scores = tuple(tuple(map(ScoreCounts.merge, *of)) for of in zip(self.scores, other.scores, strict=True))
        classes = None if self.classes is None or other.classes is None else self.classes + other.classes
        kept, buckets = None, None
        if self.kept is not None and other.kept is not None:
            pairs = zip(self.kept.arrays, other.kept.arrays, strict=True)
            joined = [None if a is None else np.concatenate([a, b], axis=2) for a, b in pairs]
            both = Kept.of(self.head.ids, self.kept.ids + other.kept.ids, joined)
            if len(both) < resampling.BUCKETED_FROM:
                kept = both
            else:
                buckets = Buckets.of(self.head, both.ids, both.values, both.counts)
        else:
            buckets = self._buckets.merge(other._buckets, self.head)
        return Tally(self.head, labels, scores, kept, buckets, classes, self.hierarchy or other.hierarchy)

    def to_bytes(self) -> bytes:
        """The tally as bytes: of equal sets of instances the same ones. docs/cluster.md has the format."""
        from hemlp.run.tally_bytes import encode_tally

        return encode_tally(self)

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """What ``to_bytes`` made.

        Parameters
        ----------
        data
            Bytes of any origin.

        Raises
        ------
        InvalidTally
            If they are anything else.
        """
        from hemlp.run.tally_bytes import decode_tally

        return decode_tally(data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self.head.systems, self.labels))

    def __reduce__(self) -> tuple[Any, ...]:
        return Tally.from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"Tally({len(self):,} instances, {', '.join(self.head.systems)})"

    # ---- the evaluation

    def finish(
        self, columns: Callable[[int, int, str], FloatArray] | None = None, *, hierarchy: Hierarchy | None = None
    ) -> Evaluation:
        """The evaluation of the instances: means, intervals, places, letters and tests, equal to those of ``evaluate``.

        With ``Plan(..., diagnosis=True)`` also levels, classes, branches, kinds of errors, hits and costs. What needs
        the labels, or single instances that are not kept, raises ``InstancesNotKept`` or ``InvalidOption``: the tables
        that ``Plan.score`` returns have them.

        Parameters
        ----------
        columns
            Reads a column of all instances, of the system and the measure of these numbers, where they are in files.
        hierarchy
            That of the plan, for diagnosis of a tally from bytes, which do not hold it.

        Raises
        ------
        InvalidTally
            If there is no instance.
        """
        if not len(self):
            raise InvalidTally("a tally of no instance has no evaluation")
        systems, measures = self.head.systems, self.head.measures
        facts = {
            system: LabelCounts(self.head.policies, *counts).as_dict()
            for system, counts in zip(systems, self.labels, strict=True)
        }
        scores = {
            system: {
                each.called: self.tallied(s, m, columns and partial(columns, s, m)) for m, each in enumerate(measures)
            }
            for s, system in enumerate(systems)
        }
        ids = None if self.kept is None or self.head.ids == "row" else self.kept.ids
        sums = None if self.buckets is None else dict(zip(scores[systems[0]], self.buckets.sums, strict=True))
        better = {each.called: each.greater_is_better for each in measures}
        origin = Origin(ids=ids, roots=self.head.roots)
        return Evaluation(scores, better, facts, origin=origin, sums=sums, counted=self._counted(hierarchy))

    def _counted(self, hierarchy: Hierarchy | None) -> Counted:
        """What is known of worst instances, and of labels if the hierarchy is."""
        head, worst = self.head, None
        if self.buckets is not None:
            worst = {
                (system, each.called): of
                for system, by_measure in zip(head.systems, self.buckets.worst, strict=True)
                for each, of in zip(head.measures, by_measure, strict=True)
            }
        named = head.ids != "row"
        h = self.hierarchy if hierarchy is None else hierarchy
        units = self.kept if self.buckets is None else self.buckets
        counts = None if units is None else units.counts
        if head.counting is None or counts is None or self.classes is None or h is None:
            return Counted(worst=worst, named=named)
        check_hierarchy(h, head.counting)
        counters = Counters(head.systems, head.counting, counts, self.classes, self.buckets is not None)
        inputs = TalliedInputs.of(h, head.systems, head.policies)
        hits = None if self.buckets is None else dict(zip(head.systems, self.buckets.hits or (), strict=True))
        return Counted(counters.functions(), inputs, worst, named, hits)

    def tallied(self, system: int, measure: int, read: Callable[[str], FloatArray] | None = None) -> TalliedScores:
        """The scores of a system by a measure, as far as they are here."""
        of, counts = self.head.measures[measure], self.scores[system][measure]
        values = None if self.kept is None else self.kept.values[system, measure]
        statuses = NO_STATUSES if self.kept is None else self.kept.statuses[system, measure]
        undefined = len(self) - counts.columns[0].number
        return TalliedScores(
            of.name, KeptColumns(of.columns, values, read), statuses, of.signature, undefined, of.exact, counts
        )
