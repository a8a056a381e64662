"""Scored predictions aligned with the gold: the scored classes of each gold instance, greatest score first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import InvalidLabelSets, MisalignedSides
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import other_type_label
from hemlp.instances.batch import Batch, Policies, UnknownPolicy
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.instances.score_files import as_gold, as_scores
from hemlp.instances.scored_sets import ScoredSets
from hemlp.kernels.records import Rows
from hemlp.text.tables import plural


@record
class AlignedScores:
    """The scored classes of each instance of the gold: numbers of classes, greatest score first.

    ``batch``: the true side, and on the predicted side all scored classes. ``unscored``: how many instances of the gold
    have no scores. ``left_out``: how many scored instances are not in the gold. ``raw_scores``: the scores of its
    instances as they were given; None of a part of the data.
    """

    batch: Batch
    ptr: IntArray
    classes: IntArray
    values: FloatArray
    unscored: int = 0
    left_out: int = 0
    source: str | None = None
    raw_scores: ScoredSets | None = None

    @classmethod
    def of(
        cls,
        hierarchy: Any,
        true: Any,
        scores: Any,
        unknown: UnknownPolicy = "error",
        unknown_true: UnknownPolicy | None = None,
        rows: RowKind | None = None,
    ) -> AlignedScores:
        """Align by instance id if there are ids, else by position; the instances are those of the gold."""
        hierarchy = Hierarchy.of(hierarchy)
        gold, s = as_gold(true, rows), as_scores(scores)
        if not len(gold):
            raise InvalidLabelSets(f"{gold.source or 'the gold'} holds no instance")
        number = len(s)
        if gold.ids is not None and s.ids is not None:
            _check_id_types(gold, s)
            left_out = number - len(set(gold.ids) & set(s.ids))
            if number and left_out == number:
                raise MisalignedSides(
                    f"{s.source or 'the scores'}: no instance is in the gold; {s.ids[0]!r} is scored, {gold.ids[0]!r} "
                    f"is in the gold"
                )
            s = s.take(gold.ids)
        else:
            left_out = 0
        predicted = s.sets if rows != "sets" else LabelSets.of(s.sets, rows=rows)
        batch = Batch.over(hierarchy, gold, predicted, Policies(unknown, unknown_true))
        known = s.over(batch.hierarchy, hierarchy if unknown == "drop" else None)
        unscored = int((np.diff(s.ptr) == 0).sum())
        return cls(batch, known.ptr, known.codes, known.values, unscored, left_out, s.source, s)

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the batch, isolated labels included."""
        return self.batch.hierarchy

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @property
    def rows(self) -> IntArray:
        """The instance of each score."""
        return np.repeat(np.arange(len(self)), np.diff(self.ptr))

    @property
    def scored(self) -> Rows:
        """The classes, for kernels."""
        return Rows(self.ptr, self.classes)

    @property
    def true(self) -> Rows:
        """The true classes, for kernels."""
        return Rows(self.batch.true.ptr, self.batch.true.classes)

    def take(self, rows: IntArray) -> AlignedScores:
        """The instances with these numbers, in this order."""
        lengths = np.diff(self.ptr)[rows]
        ptr = np.concatenate([[0], np.cumsum(lengths)])
        at = np.repeat(self.ptr[rows] - ptr[:-1], lengths) + np.arange(ptr[-1])
        unscored = int((lengths == 0).sum())
        batch = self.batch.take(np.asarray(rows))
        own = {"classes": self.classes[at], "values": self.values[at], "unscored": unscored, "raw_scores": None}
        return replace(self, batch=batch, ptr=ptr, **own)

    @property
    def notes(self) -> list[str]:
        """Notes on instances and labels that are left out or unknown."""
        notes = []
        if self.unscored:
            notes.append(
                f"no scores for {self.unscored:,} of {plural(len(self), 'instance')}: nothing is predicted there"
            )
        if self.left_out:
            notes.append(f"{plural(self.left_out, 'scored instance')} left out: not in the gold")
        unknown, unknown_true = self.batch.pred.unknown, self.batch.true.unknown
        if unknown:
            notes.append(f"{plural(unknown, 'unknown scored class', 'unknown scored classes')}: {self.batch.policies}")
        if unknown_true:
            notes.append(f"{plural(unknown_true, 'unknown true label')}: {self.batch.policies}")
        return notes


def _check_id_types(gold: LabelSets, s: ScoredSets) -> None:
    """Refuse ids that are integers on one side and strings that look like them on the other."""
    known = set(s.ids or ())
    for name in gold.ids or ():
        if name not in known and (other := other_type_label(name)) in known:
            raise MisalignedSides(
                f"the gold has the instance {name!r} and the scores have {other!r}: convert the ids to one type"
            )
