"""The classes that a page knows: those of its instances and branches, and all above them, numbered from 0."""

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
    _found: dict[Hierarchy, IntArray] = field(default_factory=dict)

    def add(self, h: Hierarchy, classes: Sequence[IntArray]) -> IntArray:
        """Know these classes and all above them; for each class of the hierarchy its number here, or -1."""
        found = self._found.setdefault(h, np.full(len(h), -1))
        for c in np.flatnonzero(mark_closure(h, classes) & (found < 0)).tolist():
            found[c] = self._number.setdefault(h.labels[c], len(self._number))
        self.labels, known = list(self._number), len(self.parents)
        self.parents += [[] for _ in range(len(self.labels) - known)]
        for c in np.flatnonzero(found >= known).tolist():
            above = h.parent_idx[h.parent_ptr[c] : h.parent_ptr[c + 1]]
            self.parents[found[c]] = found[above].tolist()
        return found

    def copy(self) -> Nodes:
        """The same classes, to add others to."""
        kept = {h: found.copy() for h, found in self._found.items()}
        return Nodes(self.names, [*self.labels], [*self.parents], {**self._number}, kept)

    def texts(self) -> dict[str, list[str]]:
        """Labels, and names where they differ from them."""
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
    """Which classes are among these, or above one of them."""
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
