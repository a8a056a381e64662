"""The classes on a page: those of its instances and branches, and their ancestors, numbered from 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, pointers
from hemlp.escaping import printable
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.report.page_data import narrow


@dataclass
class Nodes:
    """Classes of one or several hierarchies, which differ at most in isolated classes; the same label is one node."""

    names: Mapping[Label, str] | None = None
    labels: list[Label] = field(default_factory=list)
    parents: list[list[int]] = field(default_factory=list)
    _number: dict[Label, int] = field(default_factory=dict)
    _numbers_of: dict[Hierarchy, IntArray] = field(default_factory=dict)

    def add(self, h: Hierarchy, classes: Sequence[IntArray]) -> IntArray:
        """Add these classes and their ancestors; return for each class of the hierarchy its number here, or -1."""
        numbers = self._numbers_of.setdefault(h, np.full(len(h), -1))
        for c in np.flatnonzero(mark_closure(h, classes) & (numbers < 0)).tolist():
            numbers[c] = self._number.setdefault(h.labels[c], len(self._number))
        self.labels, known = list(self._number), len(self.parents)
        self.parents += [[] for _ in range(len(self.labels) - known)]
        for c in np.flatnonzero(numbers >= known).tolist():
            above = h.parent_idx[h.parent_ptr[c] : h.parent_ptr[c + 1]]
            self.parents[numbers[c]] = numbers[above].tolist()
        return numbers

    def copy(self) -> Nodes:
        """A copy, to which others can be added."""
        kept = {h: numbers.copy() for h, numbers in self._numbers_of.items()}
        return Nodes(self.names, [*self.labels], [*self.parents], {**self._number}, kept)

    def texts(self) -> dict[str, list[str]]:
        """Labels, and names that differ from them."""
        labels = [printable(str(label)) for label in self.labels]
        if self.names is None:
            return {"labels": labels, "names": []}
        names = [printable(self.names.get(label, "")) for label in self.labels]
        return {"labels": labels, "names": ["" if a == b else b for a, b in zip(labels, names, strict=True)]}

    def arrays(self) -> dict[str, NDArray[np.unsignedinteger]]:
        """The parents of each node."""
        ptr = pointers([len(above) for above in self.parents])
        flat = np.array([parent for above in self.parents for parent in above], np.int64)
        return {"parentPtr": narrow(ptr), "parents": narrow(flat)}


def mark_closure(h: Hierarchy, classes: Sequence[IntArray]) -> NDArray[np.bool_]:
    """Mark these classes and their ancestors."""
    used = np.zeros(len(h), np.bool_)
    waiting = np.unique(np.concatenate([np.empty(0, np.int64), *classes])).astype(np.int64)
    while waiting.size:
        used[waiting] = True
        lengths = np.diff(h.parent_ptr)[waiting]
        ptr = pointers(lengths)
        at = np.arange(ptr[-1]) - np.repeat(ptr[:-1], lengths) + np.repeat(h.parent_ptr[waiting], lengths)
        above = np.unique(h.parent_idx[at])
        waiting = above[~used[above]]
    return used
