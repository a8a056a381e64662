"""Label sets as users give them: the set of classes of each instance.

>>> LabelSets.of([["sheep"], "cow", []])
LabelSets(3 instances, 2 labels)
"""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from hemlp.arrays import IntArray, as_numpy
from hemlp.errors import InvalidLabel, InvalidLabelSets, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, as_label
from hemlp.instances.ambiguity import default_columns, refuse_tables, refuse_what_has_no_rows
from hemlp.io.frames import collect_query, column_names
from hemlp.options import check_choice
from hemlp.text.display import FIRST_ROWS, HtmlDisplay, abbreviate
from hemlp.text.tables import Table, plural

RowKind = Literal["sets", "paths"]


class Scored(ABC):
    """Scored predictions that can be cut to label sets: ``hemlp.ScoredSets``."""

    @property
    @abstractmethod
    def sets(self) -> LabelSets:
        """All scored classes of each instance, greatest score first, ties in the order of labels."""

    @abstractmethod
    def ranking(self, h: Hierarchy, known: Hierarchy) -> tuple[IntArray, IntArray]:
        """Pointers and classes of ``h``, greatest score first; labels that ``known`` lacks are left out."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(HtmlDisplay):
    """One label set per instance: instance i has ``vocabulary[c]`` for c in ``codes[ptr[i]:ptr[i + 1]]``.

    ``ids`` are the names of the instances, if they have any. ``source`` (and ``lines``, one for each code) say where a
    label stands, for messages; ``first_row`` is where these rows begin in it. ``rows``: whether a row is a set, or one
    path or several, whose last classes are its labels; None if nobody said, then it is a set. ``paths``: where each
    path begins in ``codes``, if a row can have several. ``index`` is that of a pandas Series: it does not name
    instances, but two sides must not contradict each other in it. ``space_separated``: whether labels were read so,
    which would have torn labels with spaces apart. ``scores``: of what the sets were cut, and ``cut``: how, in words;
    scores without ``cut`` were not cut at all, and all of them are here. ``layout``: the format of the file.
    """

    vocabulary: tuple[Label, ...]
    ptr: IntArray
    codes: IntArray
    ids: tuple[Label, ...] | None = None
    source: str | None = None
    lines: IntArray | None = None
    first_row: int = 0
    rows: RowKind | None = None
    index: tuple[Hashable, ...] | None = None
    space_separated: bool = False
    scores: Scored | None = None
    cut: str | None = None
    paths: IntArray | None = None
    layout: str | None = None

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        labels: Sequence[Label] | None = None,
        id: str | None = None,
        label: str | None = None,
        rows: RowKind | None = None,
        source: str | None = None,
    ) -> LabelSets:
        """Make label sets from any supported data.

        - a list with, for each instance, a list or set of labels, or one label (a string is one label);
        - a mapping instance id → labels;
        - a 0/1 matrix, dense or scipy sparse, with ``labels=`` naming its columns; or integer codes, one or several an
          instance, that count the ``labels`` from 0. Lists of integers are a matrix if each is as long as
          ``labels``, and else codes; ``rows="sets"`` makes them codes;
        - a frame of pandas, polars, Arrow or DuckDB, or a dict of columns, with ``label=`` and, where an instance has
          several rows, ``id=``; a frame that has the columns id and label alone needs neither;
        - the path of a file, see ``hemlp.read_labels``.

        Parameters
        ----------
        data
            One of these.
        labels
            The classes of the columns of a matrix, or those that codes count.
        id, label
            The columns of a frame that hold the ids of instances and the labels.
        rows
            What a list of labels is: a set ("sets", as without a word), or a path from the top down, perhaps padded
            with empty strings at its end, whose last class is the label ("paths"); a list of paths has several. An
            array of labels in two or three dimensions can be either, and needs a word.
        source
            Where the data comes from, for messages.

        Raises
        ------
        InvalidLabelSets
            If the data has no reading as one label set per instance, or more than one.

        Examples
        --------
        >>> list(LabelSets.of([["sheep", "cow"], "cow", []]))
        [('sheep', 'cow'), ('cow',), ()]
        >>> list(LabelSets.of([[1, 0], [1, 1]], labels=["sheep", "cow"]))
        [('sheep',), ('sheep', 'cow')]
        >>> LabelSets.of({"first": ["sheep"], "second": []}).ids
        ('first', 'second')
        """
        if rows is not None:
            check_choice("rows", rows, ("sets", "paths"))
            if rows == "paths" and (labels is not None or id is not None):
                raise InvalidOption("rows='paths' is for lists of labels: a matrix and a column of ids hold sets")
        if isinstance(data, LabelSets):
            said = data.rows is not None or (rows == "paths" and data.cut is not None)
            return data if rows is None or said else replace(data, rows=rows)
        if isinstance(data, str | PathLike):
            return _from_file(data, labels, id, label, rows)
        data = as_numpy(collect_query(data))
        default = default_columns(data) if labels is None and id is None and label is None else None
        if default is not None:
            id, label = default
        if column_names(data) is None:
            refuse_what_has_no_rows(data)
        from hemlp.instances.formats.label_lists import from_rows
        from hemlp.instances.formats.label_pairs import from_columns

        if labels is not None:
            from hemlp.instances.formats.matrices import from_matrix

            return from_matrix(data, labels, rows, source)
        if label is not None or id is not None:
            if label is None:
                raise InvalidLabelSets(f"id={id!r} without label=: name the column of labels, too")
            return from_columns(data, id, label, rows, source)
        refuse_tables(data, rows)
        if isinstance(data, Mapping):
            return replace(from_rows(data.values(), rows, source), ids=instance_ids(data, source))
        index = tuple(data.index) if hasattr(data, "iloc") else None
        return replace(from_rows(data, rows, source), index=index)

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
        return f"LabelSets({plural(len(self), 'instance')}, {plural(self.codes.size, 'label')})"

    def _html_parts(self) -> Iterator[Table]:
        ids = range(len(self)) if self.ids is None else self.ids
        rows = [[str(ids[i]), abbreviate(self[i])] for i in range(min(len(self), FIRST_ROWS))]
        empty = int(np.count_nonzero(np.diff(self.ptr) == 0))
        note = f"{self.codes.size / max(1, len(self)):.2f} labels per instance, {plural(empty, 'instance')} without any"
        yield Table(["instance" if self.ids is None else "id", "labels"], rows, [note])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids and the labels, row by row, and of the order of scores."""
        own = digest_of([self])
        return own if self.scores is None else f"{own} of {digest_of([self.scores.sets])}"

    def row_of(self, position: int) -> int:
        """The row, from 0, that the label at ``position`` of ``codes`` belongs to."""
        return int(np.searchsorted(self.ptr, position, side="right")) - 1

    def place(self, position: int) -> str:
        """The file and row, counted from 1, of the label at ``position`` of ``codes``."""
        row = self.row_of(position)
        place = f"row {self.first_row + row + 1}" if self.lines is None else f"line {self.lines[position]}"
        if self.ids is not None:
            place += f" (instance {self.ids[row]!r})"
        return place if self.source is None else f"{self.source}, {place}"


def as_predictions(data: Any, source: str, rows: RowKind | None = None) -> LabelSets:
    """Predictions as ``LabelSets``, or scores without a cut."""
    if isinstance(data, Scored):
        return replace(data.sets, scores=data, rows="sets" if rows == "sets" else None)
    return LabelSets.of(data, rows=rows, source=source)


def digest_of(blocks: Iterable[LabelSets]) -> str:
    """SHA-256 of label sets, the same however they are cut into blocks."""
    digest = hashlib.sha256()
    for block in blocks:
        if block.rows == "paths":
            digest.update(b"paths\n")
        for k, row in enumerate(block):
            name = None if block.ids is None else block.ids[k]
            digest.update(json.dumps([name, *row], ensure_ascii=True).encode() + b"\n")
    return digest.hexdigest()


def instance_ids(ids: Iterable[Any], source: str | None) -> tuple[Label, ...]:
    """The ids of instances; no two may differ in their type alone."""
    ids = tuple(ids)
    if {*map(type, ids)} <= {str} and "" not in ids:
        return ids
    try:
        made = tuple(map(as_label, ids))
    except InvalidLabel as error:
        raise InvalidLabel(f"{source or 'data'}, instance id: {error}") from None
    texts = {name for name in made if isinstance(name, str)}
    for name in made:
        if texts and isinstance(name, int) and str(name) in texts:
            raise InvalidLabelSets(
                f"{source or 'data'}: there are an instance {name} (an integer) and an instance {str(name)!r} (a "
                f"string): convert the ids to one type"
            )
    return made


def _from_file(
    path: str | PathLike[str], labels: Any, id: str | None, label: str | None, rows: RowKind | None
) -> LabelSets:
    if labels is not None:
        raise InvalidOption(f"{fspath(path)!r} is a file: labels= is for data in memory")
    if isinstance(path, str) and not os.path.exists(path):
        refuse_what_has_no_rows(path)
    from hemlp.instances.label_files import read_labels

    return read_labels(path, id=id, label=label, rows=rows)
