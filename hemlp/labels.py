"""Label sets: for each instance the set of its classes, as people give them (`LabelSets`), and two sides aligned and
turned into class numbers (`Batch`).

    >>> LabelSets.of([["sheep"], "cow", []])
    LabelSets(3 instances, 2 labels)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import repeat
from operator import index
from typing import Any, Literal

import numpy as np

from hemlp.edges import IntArray, row_pointers, sorted_distinct, split
from hemlp.errors import Advice, InvalidLabel, InvalidLabelSets, InvalidOption, MisalignedSides, UnknownLabel
from hemlp.hierarchy import Hierarchy
from hemlp.vocabulary import Label, as_label, check_choice, unknown_label_message

UnknownPolicy = Literal["error", "drop", "isolate"]
MissingPolicy = Literal["error", "empty"]


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets:
    """One label set an instance: instance i has ``vocabulary[c]`` for c in ``codes[ptr[i]:ptr[i + 1]]``.

    ``ids`` are the names of the instances, if they have any. ``source`` (and ``lines``, one for each code) say where a
    label stands, for messages; ``first_row`` is where these rows begin in it.
    """

    vocabulary: tuple[Label, ...]
    ptr: IntArray
    codes: IntArray
    ids: tuple[Label, ...] | None = None
    source: str | None = None
    lines: IntArray | None = None
    first_row: int = 0

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        labels: Sequence[Label] | None = None,
        id: str | None = None,
        label: str | None = None,
        source: str | None = None,
    ) -> LabelSets:
        """From whatever holds label sets.

        - a list with, for each instance, a list or set of labels, or one label (a string is one label);
        - a mapping instance id → labels;
        - a 0/1 matrix, dense or scipy sparse, with ``labels=`` naming its columns;
        - a frame, or a dict of columns, with ``label=`` and, where an instance has several rows, ``id=``.
        """
        if isinstance(data, LabelSets):
            return data
        if data is None or not (hasattr(data, "__iter__") or hasattr(data, "tocsr")) or getattr(data, "ndim", 1) == 0:
            raise InvalidLabelSets(f"{data!r} holds no label sets: give a list with one label set an instance")
        if labels is not None:
            return _from_matrix(data, labels, source)
        if label is not None or id is not None:
            if label is None:
                raise InvalidLabelSets(f"id={id!r} without label=: name the column of labels, too")
            return _from_columns(data, id, label, source)
        if isinstance(data, str | bytes):
            raise InvalidLabelSets(f"{data!r:.80} is one string: give a list with one label set an instance")
        if hasattr(data, "columns"):
            raise InvalidLabelSets(f"a frame needs label= (and id=); its columns are {list(data.columns)}")
        if hasattr(data, "tocsr") or (getattr(data, "ndim", 1) == 2 and data.dtype.kind in "biuf"):
            raise InvalidLabelSets("a matrix needs labels=, the class of each column")
        if isinstance(data, Mapping):
            rows = _from_rows(data.values(), source)
            return cls(rows.vocabulary, rows.ptr, rows.codes, tuple(map(as_label, data)), source)
        return _from_rows(data, source)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, i: int) -> tuple[Label, ...]:
        if not -len(self) <= i < len(self):
            raise IndexError(f"instance {i} of {len(self)}")
        i %= len(self)
        return tuple(self.vocabulary[c] for c in self.codes[self.ptr[i] : self.ptr[i + 1]])

    def __iter__(self) -> Iterator[tuple[Label, ...]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"LabelSets({len(self):,} instances, {self.codes.size:,} labels)"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids and the labels, row by row."""
        return digest_of([self])

    def place(self, position: int) -> str:
        """Where the label at ``position`` of ``codes`` stands: file and row, counted from 1."""
        row = int(np.searchsorted(self.ptr, position, side="right"))
        words = f"row {self.first_row + row}" if self.lines is None else f"line {self.lines[position]}"
        if self.ids is not None:
            words += f" (instance {self.ids[row - 1]!r})"
        return words if self.source is None else f"{self.source}, {words}"


def digest_of(blocks: Iterable[LabelSets]) -> str:
    """SHA-256 of label sets, the same however they are cut into blocks."""
    found = hashlib.sha256()
    for block in blocks:
        for k, row in enumerate(block):
            name = None if block.ids is None else block.ids[k]
            found.update(json.dumps([name, *row], ensure_ascii=True).encode() + b"\n")
    return found.hexdigest()


def _from_rows(rows: Iterable[Any], source: str | None) -> LabelSets:
    known: dict[Label, int] = {}
    codes: list[int] = []
    lengths: list[int] = []
    for number, row in enumerate(rows, 1):
        one = isinstance(row, str | bytes) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) == 0
        values = (row,) if one else row
        before = len(codes)
        try:
            # the type is looked at before the dictionary: True and 1.0 are equal to 1 there
            codes.extend([known.setdefault(as_label(value), len(known)) for value in values])
        except InvalidLabel as error:
            where = f"row {number}" if source is None else f"{source}, row {number}"
            raise InvalidLabel(f"{where}: {error}") from None
        lengths.append(len(codes) - before)
    return LabelSets(tuple(known), pointers(lengths), np.array(codes, np.int32), source=source)


def pointers(lengths: Sequence[int] | IntArray) -> IntArray:
    """CSR pointers of rows that have these lengths."""
    ptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ptr[1:])
    return ptr


def _from_matrix(data: Any, labels: Sequence[Label], source: str | None) -> LabelSets:
    from scipy.sparse import csr_array

    if isinstance(labels, str | bytes | Set) or not isinstance(labels, Iterable) or np.ma.isMaskedArray(data):
        raise InvalidLabelSets("a matrix without gaps, and labels= as a list in the order of its columns, are needed")
    vocabulary = tuple(map(as_label, labels))
    try:
        matrix = csr_array(data if hasattr(data, "tocsr") else np.asarray(data), dtype=np.float64, copy=True)
    except (TypeError, ValueError) as error:
        raise InvalidLabelSets(f"labels= is for a 0/1 matrix of two dimensions: {error}") from None
    if matrix.ndim != 2 or matrix.shape[1] != len(vocabulary):
        raise InvalidLabelSets(f"a matrix of shape {matrix.shape} does not fit {len(vocabulary)} labels")
    if len(set(vocabulary)) < len(vocabulary):
        raise InvalidLabelSets("labels= names a class twice")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    odd = matrix.data[matrix.data != 1]
    if odd.size:
        raise InvalidLabelSets(
            f"the matrix holds {odd[0]:g}: only 0 and 1 are allowed (apply a threshold to scores first)"
        )
    return LabelSets(vocabulary, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), source=source)


def _from_columns(data: Any, id: str | None, label: str, source: str | None) -> LabelSets:
    for name in (label,) if id is None else (id, label):
        if name not in (names := list(getattr(data, "columns", data))):
            raise InvalidLabelSets(f"there is no column {name!r}; the columns are {names}")
    if any(getattr(data[name], "ndim", 1) != 1 for name in ((label,) if id is None else (id, label))):
        raise InvalidLabelSets(f"a column {label!r} (or {id!r}) stands in the frame several times")
    values = list(data[label])
    if id is None:
        return _from_rows([() if _is_missing(value) else value for value in values], source)
    keys = list(data[id])
    if len(keys) != len(values):
        raise InvalidLabelSets(f"column {id!r} has {len(keys)} rows, column {label!r} {len(values)}")
    return from_pairs(keys, [None if _is_missing(value) else value for value in values], source)


def _is_missing(value: object) -> bool:
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value)


def from_pairs(
    ids: Sequence[Any], labels: Sequence[Any], source: str | None, lines: Sequence[int] | None = None
) -> LabelSets:
    """Label sets from rows (instance id, label), in any order; a label of None is no label."""
    instances: dict[Label, int] = {}
    known: dict[Label, int] = {}
    rows = np.empty(len(ids), np.int64)
    codes = np.empty(len(ids), np.int32)
    for k, (key, label) in enumerate(zip(ids, labels, strict=True)):
        try:
            rows[k] = instances.setdefault(as_label(key), len(instances))
            codes[k] = -1 if label is None else known.setdefault(as_label(label), len(known))
        except InvalidLabel as error:
            line = k + 1 if lines is None else lines[k]
            raise InvalidLabel(f"{source or 'data'}, line {line}: {error}") from None
    order = np.argsort(rows, kind="stable")
    order = order[codes[order] >= 0]
    return LabelSets(
        tuple(known), row_pointers(rows[order], len(instances)), codes[order], tuple(instances), source,
        None if lines is None else np.asarray(lines)[order],
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Side:
    """One side of a batch: instance i has the classes ``classes[ptr[i]:ptr[i + 1]]``, sorted, each once.

    ``unknown``: how many labels were dropped or made isolated classes. ``missing``: how many instances were absent
    and count as empty.
    """

    ptr: IntArray
    classes: IntArray
    unknown: int = 0
    missing: int = 0

    def __getitem__(self, i: int) -> IntArray:
        return self.classes[self.ptr[i] : self.ptr[i + 1]]

    def part(self, start: int, stop: int) -> Side:
        """The instances from ``start`` on and before ``stop``."""
        ptr = self.ptr[start : stop + 1]
        return Side(ptr - ptr[0], self.classes[ptr[0] : ptr[-1]])

    def take(self, rows: IntArray) -> Side:
        """The instances with these numbers, in this order."""
        lengths = np.diff(self.ptr)[rows]
        ptr = pointers(lengths)
        within = np.arange(ptr[-1]) - np.repeat(ptr[:-1], lengths)
        return Side(ptr, self.classes[np.repeat(self.ptr[rows], lengths) + within])


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """True and predicted class sets of the same instances, over one hierarchy. Make one with ``Batch.of``.

    ``given`` is the hierarchy before unknown labels were added to it as isolated classes.
    """

    hierarchy: Hierarchy
    true: Side
    pred: Side
    ids: tuple[Label, ...] | None
    given: Hierarchy
    policies: str

    @classmethod
    def joined(cls, parts: Sequence[Batch]) -> Batch:
        """Parts of one batch, one after the other; ids are left behind."""
        sides = [
            Side(
                pointers(np.concatenate([np.diff(side.ptr) for side in of])),
                np.concatenate([side.classes for side in of]),
                sum(side.unknown for side in of),
                sum(side.missing for side in of),
            )
            for of in ([part.true for part in parts], [part.pred for part in parts])
        ]
        return replace(parts[0], true=sides[0], pred=sides[1], ids=None)

    @classmethod
    def of(
        cls,
        hierarchy: Hierarchy,
        true: Any,
        pred: Any,
        *,
        unknown: UnknownPolicy = "error",
        missing: MissingPolicy = "error",
        instances: Iterable[Label] = (),
    ) -> Batch:
        """Align both sides, by instance id where they carry ids and by position otherwise, and look up their classes.

        ``unknown`` labels are an error, dropped, or made classes that are related to nothing; an instance that is
        ``missing`` on one side is an error, or empty there. What was done is counted in ``true`` and ``pred``.
        ``instances``: ids that come first, in this order, whether a side has them or not.
        """
        if not isinstance(hierarchy, Hierarchy):
            raise InvalidOption(
                f"{type(hierarchy).__name__} is not a Hierarchy: make one with Hierarchy.from_edges(...)"
            )
        check_choice("unknown", unknown, ("error", "drop", "isolate"))
        check_choice("missing", missing, ("error", "empty"))
        sides = LabelSets.of(true, source="true labels"), LabelSets.of(pred, source="predictions")
        ids, places = _align(*sides, missing, instances)
        numbers = [_numbers(hierarchy, side) for side in sides]
        lost = [np.flatnonzero(of[side.codes] < 0) for side, of in zip(sides, numbers, strict=True)]
        for side, positions in zip(sides, lost, strict=True):
            if positions.size and unknown == "error":
                raise _unknown_label(hierarchy, side, positions)
        given = hierarchy
        if unknown == "isolate" and any(positions.size for positions in lost):
            hierarchy = hierarchy.with_isolated(
                side.vocabulary[side.codes[k]] for side, ks in zip(sides, lost, strict=True) for k in ks
            )
            numbers = [_numbers(hierarchy, side) for side in sides]
        size = len(sides[0]) if ids is None else len(ids)
        made = [_side(len(hierarchy), *each, size) for each in zip(sides, numbers, places, lost, strict=True)]
        return cls(hierarchy, made[0], made[1], ids, given, f"unknown:{unknown}|missing:{missing}")

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
        """The instances with these numbers, in this order; their ids are left behind."""
        return replace(self, true=self.true.take(rows), pred=self.pred.take(rows), ids=None)

    def first_alike(self) -> IntArray:
        """For each instance the first one that has the same classes on both sides."""
        from hemlp.kernels.alike import first_equal

        sizes = np.stack([np.diff(self.pred.ptr) + 1, np.diff(self.true.ptr)], axis=1)  # a mark follows the predictions
        ptr = pointers(sizes.ravel())
        values = np.full(ptr[-1], -1, np.int32)
        for side, begin in ((self.pred, ptr[0:-1:2]), (self.true, ptr[1::2])):
            lengths = np.diff(side.ptr)
            values[np.repeat(begin - side.ptr[:-1], lengths) + np.arange(side.classes.size)] = side.classes
        return first_equal(ptr[0:-1:2].copy(), ptr[2::2].copy(), values)

    def __repr__(self) -> str:
        return f"Batch({len(self):,} instances, {self.hierarchy!r})"


def _align(
    true: LabelSets, pred: LabelSets, missing: MissingPolicy, instances: Iterable[Label]
) -> tuple[tuple[Label, ...] | None, tuple[IntArray, IntArray]]:
    """Names of the instances of both sides together, and for each side which of them each of its rows is."""
    names = true.source or "true labels", pred.source or "predictions"
    if true.ids is None and pred.ids is None:
        if len(true) != len(pred):
            raise different_rows(names[0], len(true), names[1], len(pred))
        return None, (np.arange(len(true)), np.arange(len(pred)))
    if true.ids is None or pred.ids is None:
        bare = names[0] if true.ids is None else names[1]
        raise MisalignedSides(f"only one side carries instance ids: give ids to {bare}, or take them from the other")
    place: dict[Label, int] = {name: k for k, name in enumerate(instances)}
    rows = tuple(
        np.fromiter((place.setdefault(i, len(place)) for i in side), np.int64, len(side))
        for side in (true.ids, pred.ids)
    )
    if missing == "error":
        for side, other, name in ((true.ids, pred.ids, names[1]), (pred.ids, true.ids, names[0])):
            absent = list(dict.fromkeys(side).keys() - set(other))
            if absent:
                first = next(i for i in side if i in set(absent))
                raise MisalignedSides(
                    f"{name} lacks instance {first!r}" + (f" and {len(absent) - 1:,} more" if absent[1:] else "")
                ).advised(Advice("missing", "empty", "to take an instance that a side lacks for empty there"))
    return tuple(place), (rows[0], rows[1])


def different_rows(first: str, rows: int, second: str, others: int) -> MisalignedSides:
    """What is wrong with two sides of different length."""
    return MisalignedSides(
        f"{first} has {rows:,} rows and {second} has {others:,}: one row an instance on both sides (a blank row is an "
        f"instance without labels)"
    )


def _numbers(hierarchy: Hierarchy, side: LabelSets) -> IntArray:
    """The class of each label of the vocabulary, -1 if it is unknown."""
    return np.fromiter(map(hierarchy.ids.get, side.vocabulary, repeat(-1)), np.int64, len(side.vocabulary))


def _unknown_label(hierarchy: Hierarchy, side: LabelSets, positions: IntArray) -> UnknownLabel:
    label = side.vocabulary[side.codes[positions[0]]]
    message, near = unknown_label_message(label, hierarchy.known_labels())
    more = f" ({positions.size - 1:,} more unknown labels follow)" if positions.size > 1 else ""
    return UnknownLabel(f"{side.place(int(positions[0]))}: {message}{more}", label, near).advised(
        Advice("unknown", "drop", "to leave such labels out"),
        Advice("unknown", "isolate", "to make each a class that is related to nothing"),
    )


def _side(classes: int, side: LabelSets, numbers: IntArray, place: IntArray, lost: IntArray, size: int) -> Side:
    """Class numbers of a side: sorted and each once within an instance."""
    rows = np.repeat(place, np.diff(side.ptr))
    found = numbers[side.codes]
    row, found = split(sorted_distinct((rows * classes + found)[found >= 0]), classes)
    return Side(row_pointers(row, size), found, int(lost.size), size - len(side))
