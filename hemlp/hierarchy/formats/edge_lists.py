"""Edges as people list them: pairs, triples with a length, and mappings child → parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InvalidHierarchy, InvalidLabel, InvalidWeight
from hemlp.hierarchy.edges import edge_weight
from hemlp.hierarchy.labels import Label, as_label, check_blanks, label_list


def coded_edges(
    edges: Iterable[Sequence[Any]], classes: Iterable[Label]
) -> tuple[list[Label], IntArray, list[float] | None]:
    """The classes, the edges as pairs of positions among them, and their weights if they have any."""
    codes: dict[Label, int] = {}
    ends: list[int] = []
    weights: list[float] = []
    if hasattr(edges, "columns") or not isinstance(edges, Iterable):
        raise InvalidHierarchy(
            "edges are (parent, child) pairs; Hierarchy.of(frame, parent=..., child=...) takes the columns of a frame"
        )
    if isinstance(edges, Mapping) and not isinstance(edges, Set):  # the edges of a networkx graph are both
        raise InvalidHierarchy(
            "edges are (parent, child) pairs, not a dict: Hierarchy.from_parents takes a dict child → parents; of "
            "a dict of weights give [(parent, child, weight) for (parent, child), weight in edges.items()]"
        )
    for number, edge in enumerate(edges, 1):
        if isinstance(edge, str | bytes | Mapping) or not hasattr(edge, "__getitem__") or not 2 <= len(edge) <= 3:
            raise InvalidHierarchy(f"edge {number} is {edge!r}: an edge is (parent, child) or (parent, child, weight)")
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
    return list(codes), np.array(ends, np.int32).reshape(-1, 2), weights or None


def edges_of_parents(parents: Mapping[Label, Label | Iterable[Label] | None]) -> list[tuple[Label, Label]]:
    """The edges of a mapping child → parents: one label, several, or None for a root."""
    if not hasattr(parents, "items") or hasattr(parents, "columns"):
        raise InvalidHierarchy(f"{type(parents).__name__} is not a mapping child → parents")
    edges: list[tuple[Label, Label]] = []
    for child, of in parents.items():
        if isinstance(of, Mapping):
            raise InvalidHierarchy(
                f"{child!r} is mapped to {of!r:.80}: nested dicts go from parent to child, and this is a mapping "
                f"child → parents. Give it to Hierarchy.of, the edges to Hierarchy.from_edges as (parent, child) "
                f"pairs, or every way from a root down to Hierarchy.from_paths"
            )
        several = isinstance(of, Iterable) and not isinstance(of, str | bytes)
        found: Any = () if of is None else of if several else (of,)
        try:
            edges += [(as_label(parent), child) for parent in found]
        except InvalidLabel as error:
            raise InvalidLabel(f"the parent of {child!r}: {error}; a root has the parent None") from None
    return edges


def refuse_children(parents: Mapping[Any, Any]) -> None:
    """Refuse a mapping that is as good a tree from parent to children as it is a mapping from child to parents."""
    lists = [list(of) for of in parents.values() if isinstance(of, Iterable) and not isinstance(of, str | bytes)]
    ends = [*parents.values(), *(end for of in lists for end in of)]
    named = [end for end in ends if isinstance(end, str | int)]
    if any(len(of) > 1 for of in lists) and len(set(named)) == len(named):
        key = next(key for key, of in parents.items() if not isinstance(of, str) and isinstance(of, Iterable) and of)
        raise InvalidHierarchy(
            f"the dict could go from child to parents or from parent to children: say which. "
            f"Hierarchy.from_parents(data) if {key!r} is below {parents[key]!r:.60}; if it is above, "
            f"Hierarchy.from_edges((parent, child) for parent, children in data.items() for child in children)"
        )
