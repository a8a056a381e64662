"""The result of every reader, from which ``Hierarchy.from_data`` makes a checked hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field, replace
from typing import Any

import numpy as np

from hemlp.arrays import IntArray, record
from hemlp.errors import InvalidHierarchy, InvalidLabel, InvalidWeight
from hemlp.hierarchy.edges import edge_weight
from hemlp.hierarchy.labels import Label, as_label, check_blanks, label_list


@record
class HierarchyData:
    """Distinct ``labels``, ``ends`` (positions of parent and child of each edge), and perhaps ``weights``.

    ``names``: by class; ``aliases``: other labels of a class (label → label); ``synonyms``: as (text, class);
    ``namespaces``: by class.
    """

    labels: Sequence[Label]
    ends: IntArray
    weights: Sequence[float] | None = None
    names: Mapping[Label, str] = field(default_factory=dict)
    aliases: Mapping[Label, Label] = field(default_factory=dict)
    synonyms: Sequence[tuple[str, Label]] = ()
    namespaces: Mapping[Label, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, edges: Iterable[Sequence[Any]], classes: Iterable[Label] = (), names: Mapping[Label, str] | None = None,
        aliases: Mapping[Label, Label] | None = None, synonyms: Sequence[tuple[str, Label]] = (),
    ) -> HierarchyData:  # fmt: skip
        """From (parent, child) pairs or (parent, child, weight) triples, and further ``classes``."""
        _check_edges(edges)
        codes: dict[Label, int] = {}
        ends: list[int] = []
        weights: list[float] = []
        for number, edge in enumerate(edges, 1):
            if isinstance(edge, str | bytes | Mapping) or not hasattr(edge, "__getitem__") or not 2 <= len(edge) <= 3:
                raise InvalidHierarchy(
                    f"edge {number} is {edge!r}: an edge is (parent, child) or (parent, child, weight)"
                )
            for end in edge[:2]:
                try:
                    label = as_label(end)
                except InvalidLabel as error:
                    raise InvalidLabel(f"edge {number}, {edge!r}: {error}") from None
                ends.append(codes.setdefault(label, len(codes)))
            if len(edge) == 3:
                weights.append(edge_weight(edge[2], f"edge {number}, {edge[0]!r} → {edge[1]!r}"))
            if weights and len(weights) != number:
                raise InvalidWeight(f"edge {number}, {tuple(edge)!r}: weigh all edges or none")
        for label in label_list("classes", classes):
            codes.setdefault(label, len(codes))
        check_blanks(codes)
        pairs = np.array(ends, np.int32).reshape(-1, 2)
        return cls(list(codes), pairs, weights or None, names or {}, aliases or {}, synonyms)

    def with_classes(self, classes: Sequence[Label]) -> HierarchyData:
        """With further classes."""
        labels = dict.fromkeys([*self.labels, *classes])
        check_blanks(labels)
        return replace(self, labels=list(labels))


def _check_edges(edges: Any) -> None:
    """Reject frames and dicts, which have constructors of their own."""
    if hasattr(edges, "columns") or not isinstance(edges, Iterable):
        raise InvalidHierarchy(
            "edges are (parent, child) pairs; Hierarchy.of(frame, parent=..., child=...) takes the columns of a frame"
        )
    if isinstance(edges, Mapping) and not isinstance(edges, Set):  # the edges of a networkx graph are both
        raise InvalidHierarchy(
            "edges are (parent, child) pairs, not a dict: Hierarchy.from_parents takes a dict child → parents; for "
            "a dict of weights, give [(parent, child, weight) for (parent, child), weight in edges.items()]"
        )
