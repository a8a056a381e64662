"""Labels of a hierarchy: which class a label, an alias, a name, a synonym or a full path stands for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray
from hemlp.errors import AmbiguousLabel, InvalidLabel, UnknownLabel
from hemlp.hierarchy.class_names import NameIndex
from hemlp.hierarchy.labels import Label, as_label, unknown_label_message
from hemlp.hierarchy.structure import Structure

AMBIGUOUS = -2
"""The number of a label that is the name of several classes."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelledStructure(Structure):
    """A structure whose classes have further names, see ``Hierarchy``."""

    aliases: Mapping[Label, Label] = field(default_factory=dict)
    dropped_edges: tuple[tuple[Label, Label], ...] = ()
    names: Mapping[Label, str] = field(default_factory=dict)
    synonyms: tuple[tuple[str, Label], ...] = ()

    @cached_property
    def ids(self) -> dict[Label, int]:
        """The number of each class, by its label and its aliases."""
        ids = dict(zip(self.labels, range(len(self.labels)), strict=True))
        return ids | dict(zip(self.aliases, map(ids.__getitem__, self.aliases.values()), strict=True))

    @cached_property
    def name_index(self) -> NameIndex:
        """Classes by name, synonym and full path."""
        names = ((name, self.ids[label]) for label, name in self.names.items())
        synonyms = ((text, self.ids[label]) for text, label in self.synonyms)
        return NameIndex(self.ids, NameIndex.group(names, synonyms), self.parent_ptr, self.parent_idx)

    @cached_property
    def label_words(self) -> frozenset[str]:
        """The words of those labels that have spaces."""
        return frozenset(
            word for label in self.ids if isinstance(label, str) and " " in label for word in label.split()
        )

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of those names and synonyms that have spaces."""
        return frozenset(word for name in self.name_index.by_name if " " in name for word in name.split())

    def id(self, label: Label) -> int:
        """The number of a class: its position among the sorted labels.

        Parameters
        ----------
        label
            A class, one of its aliases, its name, a synonym, or its full path from a root.

        Raises
        ------
        UnknownLabel
            If there is no such class; the message names labels that look like it. ``AmbiguousLabel`` if it is the name
            of several.

        Examples
        --------
        >>> from hemlp import Hierarchy
        >>> Hierarchy.from_edges([("a", "b"), ("a", "c")]).id("c")
        2
        """
        number = self.find(label)
        if number is None:
            if len(classes := self.name_index.classes(label)) > 1:
                raise self.ambiguous_label(label, classes)
            message, near = unknown_label_message(as_label(label), self.known_labels())
            raise UnknownLabel(message, as_label(label), near)
        return number

    def find(self, label: Label) -> int | None:
        """The number of a class, or None if ``label`` is unknown, or the name of several classes."""
        number = self.ids.get(as_label(label))
        if number is None and len(classes := self.name_index.classes(label)) == 1:
            number = classes[0]
        return number

    def numbers(self, labels: Collection[Label]) -> IntArray:
        """The number of each class, -1 where a label is unknown, ``AMBIGUOUS`` where it is the name of several."""
        return self.look_up(labels)[0]

    def look_up(self, labels: Collection[Label]) -> tuple[IntArray, NDArray[np.bool_] | None]:
        """``numbers``, and which labels are names, synonyms or full paths (None: none)."""
        numbers = np.fromiter(map(self.ids.get, labels, repeat(-1)), np.int32, len(labels))
        if numbers.size == 0 or numbers.min() >= 0:
            return numbers, None
        named, index = np.zeros(len(labels), np.bool_), self.name_index
        for k, label in enumerate(labels):
            if numbers[k] < 0 and (classes := index.classes(label)):
                numbers[k] = classes[0] if len(classes) == 1 else AMBIGUOUS
                named[k] = str(label)[1:-1] not in self.ids  # an address in angle brackets is no name
        return numbers, named if named.any() else None

    def ambiguous_label(self, label: Label, classes: Sequence[int], place: str = "") -> AmbiguousLabel:
        """What is wrong with a name of several classes."""
        near = [self.labels[c] for c in classes]
        shown = ", ".join(map(repr, near[:5])) + (f" and {len(near) - 5:,} more" if near[5:] else "")
        message = f"{place}{label!r} is the name of {len(near):,} classes: {shown}; give the label of one of them"
        return AmbiguousLabel(message, label, near)

    def known_labels(self) -> Collection[Label]:
        """All labels that name a class, aliases, names and synonyms included."""
        return self._labels_and_names if self.names or self.synonyms else self.ids.keys()

    @cached_property
    def _labels_and_names(self) -> set[Label]:
        return self.ids.keys() | self.name_index.by_name.keys()

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    def __contains__(self, label: object) -> bool:
        try:
            return self.find(as_label(label)) is not None
        except InvalidLabel:
            return False
