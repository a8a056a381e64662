"""Two sides of label sets, aligned and turned into class numbers of one hierarchy (`Batch`).

What is done about unknown labels and missing instances is a choice (`Policies`), and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, entry_rows, pointers, record, row_pointers, split
from hemlp.errors import Advice, InvalidOption, UnscoredPredictions
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.checks import (
    MissingPolicy,
    align,
    refuse_ambiguous,
    refuse_misread,
    refuse_other_layouts,
    refuse_pieces,
    refuse_suspect_labels,
    refuse_unknown,
)
from hemlp.instances.label_sets import LabelSets, RowKind, as_predictions
from hemlp.instances.sides import PRED, TRUE
from hemlp.options import check_choice
from hemlp.text.display import FIRST_ROWS, HtmlDisplay, abbreviate
from hemlp.text.tables import Table, plural

__all__ = ["Batch", "LabelSets", "MissingPolicy", "Policies", "Side", "UnknownPolicy"]

UnknownPolicy = Literal["error", "drop", "isolate"]


@dataclass(frozen=True)
class Policies:
    """What to do with labels that the hierarchy lacks, and with instances that one side lacks.

    ``unknown`` speaks of predicted labels. ``unknown_true`` speaks of true labels: dropping them changes what is
    measured, so that is a choice of its own; by default they are isolated if predicted ones are, and else an error.
    """

    unknown: UnknownPolicy = "error"
    unknown_true: UnknownPolicy | None = None
    missing: MissingPolicy = "error"

    def __post_init__(self) -> None:
        choices = ("error", "drop", "isolate")
        check_choice("unknown", self.unknown, choices)
        if self.unknown_true is None:
            object.__setattr__(self, "unknown_true", "isolate" if self.unknown == "isolate" else "error")
        check_choice("unknown_true", self.unknown_true, choices)
        check_choice("missing", self.missing, ("error", "empty"))

    @property
    def advice(self) -> tuple[tuple[Advice, Advice], tuple[Advice, Advice]]:
        """Options to choose where unknown labels of a side are an error."""
        apart = "to make each a class that is related to nothing"
        return (
            (Advice("unknown", "drop", "to leave such labels out"), Advice("unknown", "isolate", apart)),
            (Advice("unknown_true", "isolate", apart),
             Advice("unknown_true", "drop", "to leave such true labels out of every score")),
        )  # fmt: skip

    def __str__(self) -> str:
        """The policies as part of a signature."""
        default = "isolate" if self.unknown == "isolate" else "error"
        true = "" if self.unknown_true == default else f"|unknown_true:{self.unknown_true}"
        return f"unknown:{self.unknown}{true}|missing:{self.missing}"


@record
class Side:
    """One side of a batch: instance i has the classes ``classes[ptr[i]:ptr[i + 1]]``, sorted, each once.

    ``unknown_counts``: how many labels of each instance were unknown, and dropped or made isolated classes (None: none
    anywhere); ``named_counts``: how many were names of classes. ``missing_rows``: which instances were missing, so that
    they are empty (None: none). ``ranking``: where there are scores, all scored classes, the greatest score first.
    ``uncut``: nobody said which of them are predicted.
    """

    ptr: IntArray
    classes: IntArray
    unknown_counts: IntArray | None = None
    missing_rows: NDArray[np.bool_] | None = None
    named_counts: IntArray | None = None
    ranking: Side | None = None
    uncut: bool = False

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, i: int) -> IntArray:
        return self.classes[self.ptr[i] : self.ptr[i + 1]]

    @cached_property
    def sizes(self) -> IntArray:
        """How many classes each instance has."""
        return np.diff(self.ptr)

    @property
    def unknown(self) -> int:
        """The number of labels that were dropped or made isolated classes."""
        return 0 if self.unknown_counts is None else int(self.unknown_counts.sum())

    @property
    def emptied(self) -> int:
        """How many instances are empty because all their labels were dropped."""
        return 0 if self.unknown_counts is None else int(((self.unknown_counts > 0) & (self.sizes == 0)).sum())

    @property
    def missing(self) -> int:
        """How many instances were missing."""
        return 0 if self.missing_rows is None else int(self.missing_rows.sum())

    def part(self, start: int, stop: int) -> Side:
        """The instances from ``start`` up to ``stop``."""
        ptr = self.ptr[start : stop + 1]
        ranking = None if self.ranking is None else self.ranking.part(start, stop)
        return self._with(slice(start, stop), ptr - ptr[0], self.classes[ptr[0] : ptr[-1]], ranking)

    def take(self, rows: IntArray) -> Side:
        """The instances with these numbers, in this order."""
        lengths = self.sizes[rows]
        ptr = pointers(lengths)
        within = np.arange(ptr[-1]) - np.repeat(ptr[:-1], lengths)
        ranking = None if self.ranking is None else self.ranking.take(rows)
        classes = self.classes[np.repeat(self.ptr[rows], lengths) + within]
        return self._with(rows, ptr, classes, ranking)

    def first(self, k: int) -> Side:
        """The first k classes of each instance, or all where there are fewer, in their order."""
        rows = entry_rows(self.ptr)
        kept = np.arange(rows.size) - self.ptr[rows] < k
        return Side(row_pointers(rows[kept], len(self)), self.classes[kept])

    def _with(self, rows: Any, ptr: IntArray, classes: IntArray, ranking: Side | None) -> Side:
        unknown, missing, named = (
            None if each is None else each[rows] for each in (self.unknown_counts, self.missing_rows, self.named_counts)
        )
        return Side(ptr, classes, unknown, missing, named, ranking, self.uncut)

    @classmethod
    def concatenate(cls, parts: Sequence[Side]) -> Side:
        """Join parts of one side in order."""
        lengths = [np.diff(part.ptr) for part in parts]
        marks: dict[str, Any] = {}
        for name, kind in (("unknown_counts", np.int32), ("missing_rows", np.bool_), ("named_counts", np.int32)):
            arrays = [getattr(part, name) for part in parts]
            filled = [np.zeros(len(part), kind) if a is None else a for part, a in zip(parts, arrays, strict=True)]
            marks[name] = None if all(a is None for a in arrays) else np.concatenate(filled)
        classes = np.concatenate([part.classes for part in parts])
        ranked = [part.ranking for part in parts if part.ranking is not None]
        ranking = cls.concatenate(ranked) if ranked else None
        return cls(pointers(np.concatenate(lengths)), classes, **marks, ranking=ranking, uncut=parts[0].uncut)


@dataclass(frozen=True, eq=False, repr=False)
class Batch(HtmlDisplay):
    """True and predicted class sets of the same instances, over one hierarchy. Make one with ``Batch.of``.

    ``given`` is the hierarchy before unknown labels were added to it as isolated classes. ``lenient``: true classes may
    be too general, so that pairings excuse predicted classes below them.
    """

    hierarchy: Hierarchy
    true: Side
    pred: Side
    ids: tuple[Label, ...] | None
    given: Hierarchy
    policies: str
    lenient: bool = False

    @classmethod
    def concatenate(cls, parts: Sequence[Batch]) -> Batch:
        """Join parts of one batch in order, without ids."""
        true, pred = Side.concatenate([part.true for part in parts]), Side.concatenate([part.pred for part in parts])
        return replace(parts[0], true=true, pred=pred, ids=None)

    @classmethod
    def of(
        cls,
        hierarchy: Any,
        true: Any,
        pred: Any,
        *,
        unknown: UnknownPolicy = "error",
        unknown_true: UnknownPolicy | None = None,
        missing: MissingPolicy = "error",
        instances: Iterable[Label] = (),
        rows: RowKind | None = None,
    ) -> Batch:
        """Align both sides, by instance id where they carry ids and by position otherwise, and look up their classes.

        What was done is counted in ``true`` and ``pred``.

        Parameters
        ----------
        hierarchy
            What both sides speak of: anything that ``Hierarchy.of`` takes.
        true, pred
            Anything that ``LabelSets.of`` takes; predictions may be ``ScoredSets``, for measures such as F_H@5.
        unknown
            Predicted labels that the hierarchy does not have are an "error", or "drop", or "isolate": made classes that
            are related to nothing.
        unknown_true
            The same for true labels; "isolate" by default if ``unknown`` is, and else "error".
        missing
            An instance that one side does not have is an "error", or "empty" there.
        instances
            Ids that come first, in this order, whether a side has them or not.
        rows
            Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.

        Raises
        ------
        UnknownLabel, MisalignedSides
            Unless another policy was chosen.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> batch = Batch.of(h, ["sheep", "cow"], [["cow"], ["cow", "yeti"]], unknown="drop")
        >>> batch.pred.unknown, batch.pred[1].tolist()
        (1, [1])
        """
        policies = Policies(unknown, unknown_true, missing)
        gold, predicted = LabelSets.of(true, rows=rows, source="true labels"), as_predictions(pred, "predictions", rows)
        if predicted.cut is not None:  # the cut counts, and not what it left out
            predicted = replace(predicted, scores=None)
        return cls.over(Hierarchy.of(hierarchy), gold, predicted, policies, instances)

    @classmethod
    def over(
        cls, given: Hierarchy, true: LabelSets, pred: LabelSets, policies: Policies, instances: Iterable[Label] = (),
        isolated: Hierarchy | None = None, known: tuple[IntArray, NDArray[np.bool_] | None] | None = None,
    ) -> Batch:  # fmt: skip
        """``of`` label sets; ``isolated``: with all isolated classes; ``known``: the true vocabulary, looked up."""
        if not isinstance(given, Hierarchy):
            raise InvalidOption(f"{type(given).__name__} is not a Hierarchy: make one with Hierarchy.from_edges(...)")
        if "paths" in (true.rows, pred.rows):
            from hemlp.instances.formats.label_paths import resolve_paths

            true, pred = resolve_paths(given, true), resolve_paths(given, pred)
        scores = pred.scores
        sets = pred if scores is None else replace(scores.sets, rows=pred.rows), true
        found = [given.look_up(sets[PRED].vocabulary), known or given.look_up(sets[TRUE].vocabulary)]
        numbers, named = zip(*found, strict=True)
        unknown = [each < 0 for each in numbers]
        for side in (TRUE, PRED):
            refuse_other_layouts(given, sets[side], unknown[side])
        ids, places = align(true, pred, policies.missing, instances)
        chosen = policies.unknown, policies.unknown_true
        alone: list[Label] = []
        for side in (TRUE, PRED):
            labels, new = sets[side], unknown[side]
            if (names := named[side]) is not None:
                refuse_ambiguous(given, labels, numbers[side])
            if chosen[side] == "error" and new.any():
                refuse_unknown(given, labels, new, policies.advice[side])
            if given.label_words or names is not None:
                refuse_pieces(given, labels, new, names is not None)
            if new.any():
                refuse_misread(given, labels, new)
                refuse_suspect_labels(given, labels, new)
            if chosen[side] == "isolate":
                alone += map(labels.vocabulary.__getitem__, np.unique(labels.codes[new[labels.codes]]))
        if isolated is None:
            isolated = given.with_isolated(alone) if alone else given
        if isolated is not given:
            numbers = tuple(isolated.numbers(each.vocabulary) for each in sets)
        size = true.ptr.size - 1 if ids is None else len(ids)
        predicted, gold = (
            _side(side, numbers[k], unknown[k], named[k], chosen[k] == "drop", places[k], size)
            for k, side in ((PRED, pred), (TRUE, true))
        )
        if scores is not None:
            ptr, classes = scores.ranking(isolated, given if policies.unknown == "drop" else isolated)
            ranking = _align_rows(ptr, classes, places[PRED], size)
            predicted = replace(predicted, ranking=ranking, uncut=pred.cut is None)
        return cls(isolated, gold, predicted, ids, given, str(policies))

    @property
    def sides(self) -> tuple[Side, Side]:
        """The predicted and the true side."""
        return self.pred, self.true

    def __len__(self) -> int:
        return len(self.true.ptr) - 1

    def __getitem__(self, rows: int | slice) -> Batch:
        """Some consecutive instances, as a view."""
        if hasattr(rows, "__index__"):
            rows = index(rows)
            if not -len(self) <= rows < len(self):
                raise IndexError(f"instance {rows} of {len(self)}")
            rows = slice(rows % len(self), rows % len(self) + 1)
        if not isinstance(rows, slice):
            raise IndexError("a batch is cut by a number or a slice; batch.take takes an array of numbers")
        start, stop, step = rows.indices(len(self))
        if step != 1:
            raise IndexError("a batch is cut into consecutive instances only")
        stop = max(start, stop)
        ids = None if self.ids is None else self.ids[start:stop]
        return replace(self, true=self.true.part(start, stop), pred=self.pred.part(start, stop), ids=ids)

    def take(self, rows: IntArray) -> Batch:
        """The instances with these numbers, in this order, without ids.

        Parameters
        ----------
        rows
            Numbers of instances, from 0.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> len(Batch.of(h, ["sheep", "cow"], ["cow", "cow"]).take(np.array([1, 1, 0])))
        3
        """
        return replace(self, true=self.true.take(rows), pred=self.pred.take(rows), ids=None)

    def first(self, k: int) -> Batch:
        """The batch with the k greatest scores of each instance as predictions, or all if there are fewer."""
        if self.pred.ranking is None:
            raise UnscoredPredictions(
                f"these are label sets without scores, and the {k} greatest are asked for: give hemlp.ScoredSets"
            )
        ranking = self.pred.ranking.first(k)
        rows = entry_rows(ranking.ptr)
        _, classes = split(np.sort(rows * len(self.hierarchy) + ranking.classes), len(self.hierarchy))
        pred = replace(self.pred, ptr=ranking.ptr, classes=classes, ranking=ranking, uncut=False)
        return replace(self, pred=pred)

    def first_duplicates(self) -> IntArray:
        """For each instance the first one that has the same classes on both sides."""
        if len(self) == 1:
            return np.zeros(1, np.int64)
        from hemlp.kernels.text.label_sets import first_equal

        sizes = np.stack([self.pred.sizes + 1, self.true.sizes], axis=1)  # a mark follows the predictions
        ptr = pointers(sizes.ravel())
        values = np.full(ptr[-1], -1, np.int32)
        for side, begin in ((self.pred, ptr[0:-1:2]), (self.true, ptr[1::2])):
            lengths = side.sizes
            values[np.repeat(begin - side.ptr[:-1], lengths) + np.arange(side.classes.size)] = side.classes
        return first_equal(ptr[0:-1:2].copy(), ptr[2::2].copy(), values)

    def __repr__(self) -> str:
        return f"Batch({plural(len(self), 'instance')}, {self.hierarchy!r})"

    def _html_parts(self) -> Iterator[Table]:
        name = self.hierarchy.labels.__getitem__
        rows = [
            [
                str(i if self.ids is None else self.ids[i]),
                abbreviate(map(name, self.true[i])),
                abbreviate(map(name, self.pred[i])),
            ]
            for i in range(min(len(self), FIRST_ROWS))
        ]
        yield Table(["instance" if self.ids is None else "id", "true", "predicted"], rows)


def _side(
    side: LabelSets, numbers: IntArray, new: NDArray[np.bool_], named: NDArray[np.bool_] | None, dropped: bool,
    place: IntArray, size: int,
) -> Side:  # fmt: skip
    """Class numbers of a side, sorted and distinct within an instance; ``new``: unknown labels, ``named``: names."""
    from hemlp.kernels.text.label_sets import class_rows

    unknown_counts, named_counts = (
        None if which is None or not which.any() else _counts(side, which, place, size) for which in (new, named)
    )
    numbers = np.where(new, np.int32(-1), numbers) if dropped else numbers
    order = np.full(size, -1, np.int64)
    order[place] = np.arange(place.size)
    ptr, classes = class_rows(side.ptr, side.codes, numbers, order)
    return Side(ptr, classes, unknown_counts, order < 0 if place.size < size else None, named_counts)


def _counts(side: LabelSets, which: NDArray[np.bool_], place: IntArray, size: int) -> IntArray | None:
    """How many labels of each instance are among ``which`` of the vocabulary; None if none is."""
    rows = np.repeat(place, np.diff(side.ptr))[which[side.codes]]
    return np.bincount(rows, minlength=size).astype(np.int32) if rows.size else None


def _align_rows(ptr: IntArray, classes: IntArray, place: IntArray, size: int) -> Side:
    """Rows of a side at their places among ``size`` instances, each in its own order."""
    rows = np.repeat(place, np.diff(ptr))
    order = np.argsort(rows, kind="stable")
    return Side(row_pointers(rows[order], size), classes[order])
