"""Data within a page: arrays and plain values, packed into one text that the page unpacks when it opens.

The text is base64 of deflated bytes: the length of a JSON text (four bytes), that text, and the arrays that its
``arrays`` lists, each at a multiple of eight bytes. All numbers are little-endian.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray, pointers
from hemlp.escaping import printable
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label

TYPES = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "f8": np.float64}
"""Types of arrays, by the names that the page knows them by."""


def pack(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Pack ``values`` for JSON and ``arrays`` of the supported types as Base64 text."""
    kinds = {name: next(kind for kind, of in TYPES.items() if array.dtype == of) for name, array in arrays.items()}
    head = {**values, "arrays": [[name, kinds[name], int(array.size)] for name, array in arrays.items()]}
    text = script_json(head).encode("ascii")
    parts = [len(text).to_bytes(4, "little"), text]
    size = 4 + len(text)
    for array in arrays.values():
        body = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        parts += [bytes(-size % 8), body]
        size += -size % 8 + len(body)
    return base64.b64encode(zlib.compress(b"".join(parts), 4)).decode("ascii")


def narrow(numbers: IntArray) -> NDArray[Any]:
    """Nonnegative integers in the smallest type that holds them all."""
    greatest = int(numbers.max(initial=0))
    return numbers.astype(np.uint8 if greatest < 2**8 else np.uint16 if greatest < 2**16 else np.uint32)


def script_json(value: Any) -> str:
    """JSON that is safe in a script element: it neither ends the element nor controls a terminal."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def security_policy(style: str, script: str) -> str:
    """A Content-Security-Policy: this style, this script, images within the page, and nothing else."""
    of_style, of_script = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; style-src 'sha256-{of_style}'; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )


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
