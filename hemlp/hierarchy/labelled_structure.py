"""Which class a label, an alias, a name, a synonym or a full path stands for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, repeat

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, record
from hemlp.errors import AmbiguousLabel, InvalidLabel, UnknownLabel
from hemlp.hierarchy.label_table import LabelTable
from hemlp.hierarchy.labels import Label, as_label, unknown_label_message
from hemlp.hierarchy.structure import Structure

AMBIGUOUS = -2
"""The number of a label that is the name of several classes."""
MANY = 10_000
"""Labels that are looked up together, by their letters."""


PATH_SEPARATORS = (">", "→", "::", "/", "\\", "|", ".")
"""Separators of the classes of a full path."""


@record
class NameIndex:
    """Classes by name, else by synonym, else by the full path from a root ("Garden > Rakes"), or by <address>.

    ``ids``: classes by label; ``by_name``: by name or synonym, several where a name is not unique.
    """

    ids: Mapping[Label, int]
    by_name: Mapping[str, tuple[int, ...]]
    parent_ptr: IntArray
    parent_idx: IntArray

    @staticmethod
    def group(names: Iterable[tuple[str, int]], synonyms: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
        """The classes of each name, and of each synonym that is not a name."""
        own = list(names)
        groups: dict[str, tuple[int, ...]] = {text: (number,) for text, number in own}
        if len(groups) < len(own):  # some have a name in common
            groups.clear()
            for text, number in own:
                groups[text] = (*groups.get(text, ()), number)
        named = groups.keys() | ()
        for text, number in synonyms:
            if text not in named and number not in groups.get(text, ()):
                groups[text] = (*groups.get(text, ()), number)
        return groups

    def classes(self, text: Label) -> tuple[int, ...]:
        """The classes that a text stands for: none, one, or several."""
        if not isinstance(text, str):
            return ()
        if text[:1] == "<" and text[-1:] == ">" and (inner := text[1:-1]) in self.ids:
            return (self.ids[inner],)
        return self.by_name.get(text) or self._at_path(text)

    def _at_path(self, text: str) -> tuple[int, ...]:
        """The classes at the end of a path from a root, each class a parent of the next."""
        for separator in PATH_SEPARATORS:
            parts = [part.strip() for part in text.split(separator)]
            if len(parts) == 1:
                continue
            here = {c for c in self._named(parts[0]) if self.parent_ptr[c] == self.parent_ptr[c + 1]}
            for part in parts[1:]:
                here = {c for c in self._named(part) if not here.isdisjoint(self._parents(c))} if here else here
            if here:
                return tuple(sorted(here))
        return ()

    def _named(self, text: str) -> set[int]:
        return {*([self.ids[text]] if text in self.ids else ()), *self.by_name.get(text, ())}

    def _parents(self, c: int) -> list[int]:
        parents: list[int] = self.parent_idx[self.parent_ptr[c] : self.parent_ptr[c + 1]].tolist()
        return parents


@dataclass(frozen=True, eq=False, repr=False)
class LabelledStructure(Structure):
    """A graph whose classes have further labels and names, see ``Hierarchy``."""

    aliases: Mapping[Label, Label] = field(default_factory=dict)
    dropped_edges: tuple[tuple[Label, Label], ...] = ()
    names: Mapping[Label, str] = field(default_factory=dict)
    synonyms: tuple[tuple[str, Label], ...] = ()
    namespaces: Mapping[Label, str] = field(default_factory=dict)

    @cached_property
    def ids(self) -> dict[Label, int]:
        """The number of each class, by label and alias."""
        ids = dict(zip(self.labels, range(len(self.labels)), strict=True))
        return ids | dict(zip(self.aliases, map(ids.__getitem__, self.aliases.values()), strict=True))

    @cached_property
    def label_table(self) -> LabelTable | None:
        """The same for many texts at once; None where a label is an integer."""
        texts = {*map(type, self.labels), *map(type, self.aliases)} <= {str}
        return LabelTable(self.labels, self.aliases) if texts else None  # type: ignore[arg-type]

    @cached_property
    def name_index(self) -> NameIndex:
        """Classes by name, synonym and full path."""
        names = ((name, self.ids[label]) for label, name in self.names.items())
        synonyms = ((text, self.ids[label]) for text, label in self.synonyms)
        return NameIndex(self.ids, NameIndex.group(names, synonyms), self.parent_ptr, self.parent_idx)

    @cached_property
    def label_words(self) -> frozenset[str]:
        """The words of labels with spaces."""
        return frozenset(
            word
            for label in chain(self.labels, self.aliases)
            if isinstance(label, str) and " " in label
            for word in label.split()
        )

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of names and synonyms with spaces."""
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
            If there is no such class, with similar labels; ``AmbiguousLabel`` for the name of several classes.

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
        """The number of a class, None if ``label`` is unknown or ambiguous."""
        number = self.ids.get(as_label(label))
        if number is None and len(classes := self.name_index.classes(label)) == 1:
            number = classes[0]
        return number

    def numbers(self, labels: Collection[Label]) -> IntArray:
        """The number of each class, -1 for an unknown label, ``AMBIGUOUS`` for the name of several classes."""
        return self.look_up(labels)[0]

    def look_up(self, labels: Collection[Label]) -> tuple[IntArray, NDArray[np.bool_] | None]:
        """``numbers``, and a mask of the labels that are names, synonyms or full paths (None: none)."""
        if len(labels) >= MANY and self.label_table is not None and {*map(type, labels)} <= {str}:
            numbers = self.label_table.find(labels)  # type: ignore[arg-type]
        else:
            numbers = np.fromiter(map(self.ids.get, labels, repeat(-1)), np.int32, len(labels))
        if numbers.size == 0 or numbers.min() >= 0:
            return numbers, None
        named, index = np.zeros(len(labels), np.bool_), self.name_index
        for k, label in enumerate(labels):
            if numbers[k] < 0 and (classes := index.classes(label)):
                numbers[k] = classes[0] if len(classes) == 1 else AMBIGUOUS
                named[k] = str(label)[1:-1] not in self.ids  # an address in angle brackets is a label
        return numbers, named if named.any() else None

    def ambiguous_label(self, label: Label, classes: Sequence[int], place: str = "") -> AmbiguousLabel:
        """The error about a name of several classes."""
        near = [self.labels[c] for c in classes]
        shown = ", ".join(map(repr, near[:5])) + (f" and {len(near) - 5:,} more" if near[5:] else "")
        message = f"{place}{label!r} is the name of {len(near):,} classes: {shown}; give the label of one of them"
        for path in filter(None, map(self._path_of, classes)):
            message += f", or a path: {path!r}"
            break
        return AmbiguousLabel(message, label, near)

    def _path_of(self, c: int) -> str | None:
        """The names from a root to a class, by first parents; None if they stand for another class, too."""
        above = [c]
        while parents := self.name_index._parents(above[-1]):
            above.append(parents[0])
        path = " > ".join(self.names.get(self.labels[k], str(self.labels[k])) for k in reversed(above))
        return path if len(above) > 1 and self.name_index.classes(path) == (c,) else None

    def known_labels(self) -> Collection[Label]:
        """All labels, aliases, names and synonyms."""
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
