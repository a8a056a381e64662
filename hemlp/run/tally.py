"""Tallies: what a set of instances leaves behind, and how two of them merge.

Merging is associative and commutative, and equal sets of instances leave equal bytes, however they were cut, ordered
and merged. Below 100,000 instances a tally keeps ids and scores, and its evaluation is that of the instances. From
there on it holds exact sums, of each measure by 4,096 buckets of the ids (``MeasureSums``).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.statistics import resampling
from hemlp.analysis.statistics.resampling import BUCKETS, assign_buckets
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidLabelSets, InvalidTally
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Policies
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import Status
from hemlp.results.inputs import LabelCounts
from hemlp.results.merged_sums import NO_STATUSES, KeptColumns, MeasureSums, ScoreCounts, TalliedScores, add_counts
from hemlp.results.results import Origin
from hemlp.run.evaluation import Evaluation

IdKind = Literal["text", "integer", "row", "none"]
"""What names an instance: a string, an integer, its row in the whole data (from 1), or nothing."""
COUNTED = tuple(each.name for each in fields(LabelCounts) if each.name != "policies")
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
    """What tallies have to agree in to be merged."""

    systems: tuple[str, ...]
    measures: tuple[TalliedMeasure, ...]
    policies: Policies
    roots: int
    ids: IdKind

    @classmethod
    def of(
        cls, systems: Sequence[str], measures: Mapping[str, Measure], scores: Sequence[Scores], policies: Policies,
        roots: int, ids: IdKind,
    ) -> TallyHead:  # fmt: skip
        """Of measures by their names, and the scores of one system by each."""
        told = tuple(
            TalliedMeasure(called, each.name, each.signature, made.greater_is_better, each.exact, (*each.columns,))
            for (called, made), each in zip(measures.items(), scores, strict=True)
        )
        return cls(tuple(systems), told, policies, roots, ids)


@dataclass(frozen=True, eq=False)
class Kept:
    """Instances in the order of their ids as UTF-8 (rows in their own): scores and statuses, systems × measures × n."""

    ids: tuple[Label, ...]
    values: FloatArray
    statuses: NDArray[np.int8]

    @classmethod
    def of(
        cls, kind: IdKind, ids: Sequence[Label], values: FloatArray, statuses: NDArray[np.int8], where: str = "merge"
    ) -> Kept:
        """The same in that order.

        Raises
        ------
        InvalidLabelSets
            If an id is met twice.
        """
        keys: Sequence[Any] = ids if kind in ("row", "text") else list(map(str, ids))
        order = sorted(range(len(ids)), key=keys.__getitem__)  # code points are in the order of UTF-8
        names = tuple(ids[k] for k in order)
        for name, following in itertools.pairwise(names):
            if name == following:
                raise InvalidLabelSets(f"{where}: the instance {name!r} is met twice; give each instance once")
        return cls(names, values[:, :, order], statuses[:, :, order])

    def __len__(self) -> int:
        return len(self.ids)


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
    sums: tuple[MeasureSums, ...] | None

    @classmethod
    def of(
        cls, head: TallyHead, labels: Sequence[LabelCounts], scores: Sequence[Sequence[Scores]], ids: Sequence[Label],
        where: str,
    ) -> Tally:  # fmt: skip
        """Of scores, systems × measures; ``where`` they come from is said in messages."""
        values = np.array([[each.values for each in of] for of in scores])
        statuses = np.array([[each.statuses for each in of] for of in scores], np.int8)
        counts = tuple(tuple(getattr(of, name) for name in COUNTED) for of in labels)
        told = tuple(tuple(map(ScoreCounts.of, of)) for of in scores)
        if head.ids == "none":
            return cls(head, counts, told, None, _sums(head, values, np.zeros(values.shape[2], np.int64), 1))
        if len(ids) >= resampling.BUCKETED_FROM:
            return cls(head, counts, told, None, _sums(head, values, assign_buckets(ids), BUCKETS))
        return cls(head, counts, told, Kept.of(head.ids, ids, values, statuses, where), None)._settled()

    def __len__(self) -> int:
        return self.labels[0][COUNTED.index("instances")]

    def _settled(self) -> Tally:
        """Without instances, if there are many."""
        if self.kept is None or len(self) < resampling.BUCKETED_FROM:
            return self
        return replace(self, kept=None, sums=self._sums)

    @cached_property
    def _sums(self) -> tuple[MeasureSums, ...]:
        """Exact sums, also of instances that are kept."""
        if self.sums is not None or self.kept is None:
            return self.sums or ()
        return _sums(self.head, self.kept.values, assign_buckets(self.kept.ids), BUCKETS)

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
        if self.kept is not None and other.kept is not None:
            values = np.concatenate([self.kept.values, other.kept.values], axis=2)
            statuses = np.concatenate([self.kept.statuses, other.kept.statuses], axis=2)
            kept = Kept.of(self.head.ids, self.kept.ids + other.kept.ids, values, statuses)
            return Tally(self.head, labels, scores, kept, None)._settled()
        sums = tuple(a + b for a, b in zip(self._sums, other._sums, strict=True))
        return Tally(self.head, labels, scores, None, sums)

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

    def finish(self, columns: Callable[[int, int, str], FloatArray] | None = None) -> Evaluation:
        """The evaluation of the instances: means, intervals, places, letters and tests, equal to those of ``evaluate``.

        What needs the labels, or single instances that are not kept, raises ``InstancesNotKept`` or ``InvalidOption``:
        the tables that ``Plan.score`` returns have them.

        Parameters
        ----------
        columns
            Reads a column of all instances, of the system and the measure of these numbers, where they are in files.

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
        sums = None if self.kept is not None else dict(zip(scores[systems[0]], self._sums, strict=True))
        better = {each.called: each.greater_is_better for each in measures}
        return Evaluation(scores, better, facts, origin=Origin(ids=ids, roots=self.head.roots), sums=sums)

    def tallied(self, system: int, measure: int, read: Callable[[str], FloatArray] | None = None) -> TalliedScores:
        """The scores of a system by a measure, as far as they are here."""
        of, counts = self.head.measures[measure], self.scores[system][measure]
        values = None if self.kept is None else self.kept.values[system, measure]
        statuses = NO_STATUSES if self.kept is None else self.kept.statuses[system, measure]
        undefined = len(self) - counts.columns[0].number
        return TalliedScores(
            of.name, KeptColumns(of.columns, values, read), statuses, of.signature, undefined, of.exact, counts
        )


def _sums(head: TallyHead, values: FloatArray, members: IntArray, number: int) -> tuple[MeasureSums, ...]:
    """Of scores (systems × measures × instances), measure by measure."""
    return tuple(MeasureSums.of(head.systems, values[:, k], members, number) for k in range(values.shape[1]))
