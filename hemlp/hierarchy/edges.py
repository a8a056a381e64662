"""Edge arrays: from any list of edges to a checked, acyclic, sorted graph, under one of three cycle policies."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, record, row_pointers, sorted_distinct, split
from hemlp.errors import Advice, CyclicHierarchy, InvalidWeight, UpsideDown
from hemlp.hierarchy.labels import Label, label_order
from hemlp.io.text import parse_number
from hemlp.options import check_choice
from hemlp.text.tables import plural

CyclePolicy = Literal["error", "condense", "break"]


@record
class Edges:
    """Distinct edges over ``size`` classes, sorted by parent, then child. ``weights`` is None for unit lengths."""

    size: int
    parents: IntArray
    children: IntArray
    weights: FloatArray | None = None

    def select(self, keep: NDArray[np.bool_]) -> Edges:
        """The edges where ``keep`` is true."""
        weights = None if self.weights is None else self.weights[keep]
        return replace(self, parents=self.parents[keep], children=self.children[keep], weights=weights)

    def contain(self, parents: IntArray, children: IntArray) -> NDArray[np.bool_]:
        """Which pairs of classes are edges."""
        keys = self.parents.astype(np.int64) * self.size + self.children
        wanted = np.asarray(parents, np.int64) * self.size + children
        place = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        return keys[place] == wanted if keys.size else np.zeros(wanted.size, np.bool_)


def deduplicate(edges: Edges, labels: Sequence[Label], merge: bool = False) -> Edges:
    """Each edge once, sorted. Two weights of one edge are an error, or ``merge`` keeps the smaller."""
    key = edges.parents.astype(np.int64) * edges.size + edges.children
    if edges.weights is None:
        return Edges(edges.size, *split(sorted_distinct(key), edges.size))
    order = np.lexsort((edges.weights, key))
    key, weights = key[order], edges.weights[order]
    first = np.ones(key.size, np.bool_)
    first[1:] = key[1:] != key[:-1]
    clash = np.flatnonzero(~first[1:] & (weights[1:] != weights[:-1]))
    if clash.size and not merge:
        (parent,), (child,) = split(key[clash[:1]], edges.size)
        raise InvalidWeight(
            f"the edge {labels[parent]!r} → {labels[child]!r} occurs twice, with the weights "
            f"{weights[clash[0]]:g} and {weights[clash[0] + 1]:g}: keep one of them"
        )
    return Edges(edges.size, *split(key[first], edges.size), weights[first])


@record
class Acyclic:
    """A graph without cycles, with a topological ``order`` (parents first).

    ``dropped``: edges removed by "break"; ``component``: the new number of each class after "condense", None if
    nothing was merged.
    """

    edges: Edges
    order: IntArray
    dropped: tuple[tuple[Label, Label], ...] = ()
    component: IntArray | None = None


def make_acyclic(edges: Edges, labels: Sequence[Label], policy: CyclePolicy) -> Acyclic:
    """Apply the cycle policy to distinct edges."""
    check_choice("cycles", policy, ("error", "condense", "break"))
    if policy == "condense":
        return _condense(edges, labels)
    postorder, closing, cycle = _search(edges)
    if cycle.size and policy == "error":
        raise _cycle_error([labels[c] for c in cycle])
    if not closing.any():
        return Acyclic(edges, postorder[::-1])
    gone = zip(edges.parents[closing], edges.children[closing], strict=True)
    dropped = tuple((labels[p], labels[c]) for p, c in gone)
    return Acyclic(edges.select(~closing), postorder[::-1], dropped)


MANY_ROOTS = 1000
"""Fewer roots say nothing about the direction of edges."""


def doubt_direction(edges: Edges) -> str | None:
    """What makes edges seem to be upside down: thousands of roots, many inner classes and few leaves."""
    roots, leaves = (
        int((np.bincount(ends, minlength=edges.size) == 0).sum()) for ends in (edges.children, edges.parents)
    )
    inner = edges.size - roots - leaves
    if roots < MANY_ROOTS or roots < 100 * leaves or 50 * inner < roots:
        return None
    return (
        f"{plural(roots, 'root')} and {plural(leaves, 'leaf', 'leaves')}: edges go from parent to child, and these "
        f"seem to go from child to parent"
    )


def warn_if_upside_down(edges: Edges) -> None:
    """Warn of edges that seem to be upside down."""
    if doubt := doubt_direction(edges):
        warnings.warn(f"the hierarchy has {doubt}", UpsideDown, stacklevel=3)


def _search(edges: Edges) -> tuple[IntArray, NDArray[np.bool_], IntArray]:
    """Depth-first search from the roots, then from the smallest class not yet seen, without self-loops."""
    from hemlp.kernels.graph.orders import depth_first
    from hemlp.kernels.records import Rows

    strict = edges.parents != edges.children
    inner = np.zeros(edges.size, np.bool_)
    inner[edges.children[strict]] = True
    starts = np.concatenate([np.flatnonzero(~inner), np.flatnonzero(inner)])
    return depth_first(Rows(row_pointers(edges.parents, edges.size), edges.children), starts)


def _condense(edges: Edges, labels: Sequence[Label]) -> Acyclic:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(edges.parents.size, np.int8)
    pointers = row_pointers(edges.parents, edges.size)
    graph = csr_array((ones, edges.children, pointers), shape=(edges.size, edges.size))
    count, group = connected_components(graph, directed=True, connection="strong")
    # components are numbered by their smallest class, in the order of labels
    smallest = np.full(count, edges.size, np.int64)
    np.minimum.at(smallest, group, np.arange(edges.size))
    rank = np.empty(count, np.int32)
    rank[np.argsort(smallest)] = np.arange(count, dtype=np.int32)
    component = rank[group]
    merged = Edges(count, component[edges.parents], component[edges.children], edges.weights)
    merged = deduplicate(merged.select(merged.parents != merged.children), labels, merge=True)
    postorder, _, _ = _search(merged)
    return Acyclic(merged, postorder[::-1], component=component if count < edges.size else None)


def _cycle_error(cycle: list[Label]) -> CyclicHierarchy:
    if len(cycle) == 1:
        shown = f"{cycle[0]!r} is its own parent"
    else:
        names = [repr(label) for label in cycle]
        if len(names) > 12:
            names = [*names[:9], f"… ({len(names) - 10} more) …", names[-1]]
        shown = " → ".join([*names, names[0]])
    return CyclicHierarchy(f"the hierarchy has a cycle: {shown}", cycle).with_advice(
        Advice("cycles", "condense", "to make a cycle one class"),
        Advice("cycles", "break", "to drop the edges that close a cycle, which are reported"),
    )


def edge_weight(value: Any, place: str) -> float:
    """The length of an edge; ``place`` names the edge in messages."""
    try:
        number = parse_number(value.encode("utf-8", "replace")) if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or isinstance(value, bool | np.bool_) or not (math.isfinite(number) and number >= 0):
        raise InvalidWeight(f"{place}: the weight {value!r} is not a finite number of at least 0")
    return number + 0.0  # turns -0.0 into 0.0


def content_hash(labels: Sequence[Label], aliases: Mapping[Label, Label], edges: Edges) -> str:
    """SHA-256 of labels, aliases, edges and weights."""
    other = sorted(aliases, key=label_order)
    names = [*labels, *other, *(aliases[alias] for alias in other)]
    texts = [*map(str, names)]
    content = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = map(len, texts) if content.isascii() else [len(each.encode("utf-8", "surrogatepass")) for each in texts]
    sizes = [len(labels), len(other), edges.parents.size, edges.weights is not None]
    digest = hashlib.sha256(b"hemlp hierarchy 1" + np.array(sizes, "<i8").tobytes())
    digest.update(np.fromiter(lengths, "<i8", len(texts)).tobytes())
    digest.update(bytes([isinstance(name, str) for name in names]) + content)
    for ends in (edges.parents, edges.children):
        digest.update(ends.astype("<i4").tobytes())
    if edges.weights is not None:
        digest.update(edges.weights.astype("<f8").tobytes())
    return digest.hexdigest()
