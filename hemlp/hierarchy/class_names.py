"""Names of classes: files of them, and which class a name, a synonym or a full path stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike

from hemlp.arrays import IntArray
from hemlp.errors import FileFormatError
from hemlp.hierarchy.formats.obo import read_terms
from hemlp.hierarchy.labels import Label
from hemlp.io.text import decode, file_kind, read_bytes


def read_names(path: str | PathLike[str]) -> dict[Label, str]:
    """Read readable names of classes: one ``label<TAB>name`` a line, or those of the terms of an .obo ontology."""
    source, data = read_bytes(path)
    if file_kind(source) == ".obo":
        return {label: name for label, name in read_terms(data, source).names.items() if name}
    text = decode(data, source)
    names: dict[Label, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        label, tab, name = line.partition("\t")
        if line.strip() and not tab:
            raise FileFormatError(f"{source}, line {number}: no tab between a label and its name", number)
        if tab:
            bare = label.strip()
            names[bare[1:-1] if bare[:1] + bare[-1:] == "<>" else bare] = name.strip()
    return names


def read_classes(path: str | PathLike[str]) -> list[Label]:
    """Read classes, one a line."""
    source, data = read_bytes(path)
    return [line.strip() for line in decode(data, source).splitlines() if line.strip()]


PATH_SEPARATORS = (">", "→", "::", "/", "\\", "|", ".")
"""What may stand between the classes of a full path."""


@dataclass(frozen=True, eq=False)
class NameIndex:
    """Classes by what people call them: a name, else a synonym, else the full path from a root ("Garden > Rakes").

    An address may stand in angle brackets.

    ``ids``: classes by their labels. ``by_name``: classes by name or synonym; several where a name is not unique.
    """

    ids: Mapping[Label, int]
    by_name: Mapping[str, tuple[int, ...]]
    parent_ptr: IntArray
    parent_idx: IntArray

    @staticmethod
    def group(names: Iterable[tuple[str, int]], synonyms: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
        """The classes of each name; a synonym counts where no class has it for its name."""
        groups: dict[str, tuple[int, ...]] = {}
        for text, number in names:
            groups[text] = (*groups.get(text, ()), number)
        named = groups.keys() | ()
        for text, number in synonyms:
            if text not in named and number not in groups.get(text, ()):
                groups[text] = (*groups.get(text, ()), number)
        return groups

    def classes(self, text: Label) -> tuple[int, ...]:
        """The classes that a text may stand for: none, one, or several."""
        if not isinstance(text, str):
            return ()
        if text[:1] == "<" and text[-1:] == ">" and (inner := text[1:-1]) in self.ids:
            return (self.ids[inner],)
        return self.by_name.get(text) or self._at_path(text)

    def _at_path(self, text: str) -> tuple[int, ...]:
        """The classes at the end of a path whose first class is a root, and each a parent of the next."""
        for separator in PATH_SEPARATORS:
            parts = [part.strip() for part in text.split(separator)]
            if len(parts) == 1:
                continue
            here = {c for c in self._called(parts[0]) if self.parent_ptr[c] == self.parent_ptr[c + 1]}
            for part in parts[1:]:
                here = {c for c in self._called(part) if not here.isdisjoint(self._parents(c))} if here else here
            if here:
                return tuple(sorted(here))
        return ()

    def _called(self, text: str) -> set[int]:
        return {*([self.ids[text]] if text in self.ids else ()), *self.by_name.get(text, ())}

    def _parents(self, c: int) -> list[int]:
        parents: list[int] = self.parent_idx[self.parent_ptr[c] : self.parent_ptr[c + 1]].tolist()
        return parents
