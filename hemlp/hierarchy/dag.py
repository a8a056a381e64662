"""The hierarchy: a checked directed acyclic graph of classes, with edges parent → child.

A class is numbered by its position among the sorted labels, so nothing depends on the order of the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hemlp.errors import EmptyHierarchy, InvalidHierarchy, InvalidOption, InvalidWeight
from hemlp.hierarchy.edges import (
    MANY_ROOTS,
    CyclePolicy,
    Edges,
    content_hash,
    deduplicate,
    edge_weight,
    make_acyclic,
    warn_if_upside_down,
)
from hemlp.hierarchy.formats.hierarchy_data import HierarchyData
from hemlp.hierarchy.formats.parent_tables import EdgeColumns, from_parents
from hemlp.hierarchy.labelled_structure import LabelledStructure
from hemlp.hierarchy.labels import Label, as_label, check_aliases, label_list, label_order
from hemlp.io.frames import collect_query
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table

if TYPE_CHECKING:
    import networkx

    from hemlp.hierarchy.formats.source_file import SameNames


@dataclass(frozen=True, eq=False, repr=False)
class Hierarchy(LabelledStructure, HtmlDisplay):
    """A hierarchy of classes. Make one by ``of``, ``from_edges`` and the like, or ``hemlp.read_hierarchy``.

    ``labels``: the classes, sorted. ``aliases``: further labels of classes (label → label). ``dropped_edges``: what
    ``cycles="break"`` removed. ``names``: readable names of classes; ``synonyms``: other names, as (text, class);
    ``namespaces``: of the classes of an ontology. A name, a synonym or a full path ("animal > mammal > cow") may stand
    for a label everywhere.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")], classes=["rock"])
    >>> h, "cow" in h
    (Hierarchy(5 classes, 3 edges, 2 roots), True)
    >>> sorted(h.ancestors("cow")), sorted(h.descendants("mammal")), h.parents("cow"), h.children("animal")
    (['animal', 'mammal'], ['cow', 'sheep'], frozenset({'mammal'}), frozenset({'mammal'}))
    >>> h.depth("cow"), h.up("cow", "animal"), h.up("animal", "cow"), h.distance("cow", "sheep")
    (2, 2, inf, 2)
    >>> h.lca("cow", "sheep"), h.lca("cow", "rock")
    (frozenset({'mammal'}), frozenset({⊤}))
    """

    @classmethod
    def of(
        cls, data: Any, *, parent: str | None = None, child: str | None = None, name: str | None = None,
        weight: str | None = None, same_names: SameNames = "error", cycles: CyclePolicy = "error", **reading: Any,
    ) -> Hierarchy:  # fmt: skip
        """From data of any kind; ambiguous data is rejected.

        Parameters
        ----------
        data
            The path of a file (see ``read_hierarchy``); (parent, child) pairs, or triples with lengths; {child:
            parents}; nested dicts and lists, also nodes with "name" (or "id") and "children"; rows of paths, or strings
            like "A > B > C", with or without ids ("12 : A > B"); a frame of pandas, polars or Arrow, a dict of columns
            or a list of records, where a row without a parent is a root; a DiGraph of networkx; a Hierarchy.
        parent, child, name, weight
            Columns of a table, by default those with these names; attributes of a graph (``name``, ``weight``).
        same_names, cycles
            As in ``from_paths`` and ``from_edges``.
        reading
            Further options of ``read_hierarchy``, for a file.

        Examples
        --------
        >>> h = Hierarchy.of({"animal": {"mammal": ["sheep", "cow"], "bird": {}}})
        >>> h == Hierarchy.of(["animal > mammal > sheep", "animal > mammal > cow", "animal > bird"])
        True
        """
        columns = EdgeColumns(parent, child, name, weight)
        if isinstance(data, str | PathLike):
            from hemlp.hierarchy.hierarchy_files import read_hierarchy

            return read_hierarchy(data, same_names=same_names, cycles=cycles, **vars(columns), **reading)
        if reading:
            raise InvalidOption(
                f"{next(iter(reading))}= is an option for files, but the data is a {type(data).__name__}"
            )
        if isinstance(data, Hierarchy):
            return data
        from hemlp.hierarchy.formats.infer import infer

        return cls.from_data(infer(collect_query(data), columns, same_names), cycles=cycles)

    @classmethod
    def from_data(cls, data: HierarchyData, *, cycles: CyclePolicy = "error") -> Hierarchy:
        """From the result of a reader."""
        weights, aliases = data.weights, data.aliases
        made = cls.from_codes(data.labels, *data.ends.T, weights=weights, aliases=aliases, cycles=cycles)
        names, spaces = ({c: name for c, name in of.items() if c in made.ids} for of in (data.names, data.namespaces))
        synonyms = tuple(pair for pair in data.synonyms if pair[1] in made.ids)
        return replace(made, names=names, synonyms=synonyms, namespaces=spaces)

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], *, classes: Iterable[Label] = (),
        aliases: Mapping[Label, Label] | None = None, cycles: CyclePolicy = "error",
    ) -> Hierarchy:  # fmt: skip
        """From (parent, child) pairs or (parent, child, weight) triples.

        Parameters
        ----------
        edges
            The pairs or triples; a weight is the length of an edge.
        classes
            Further classes, with or without edges.
        aliases
            Other names of classes: name → class.
        cycles
            "error", "break" (drop the edges that close a cycle) or "condense" (merge each cycle into one class).

        Raises
        ------
        InvalidHierarchy
            If the edges do not make a hierarchy; ``CyclicHierarchy`` shows a cycle.

        Examples
        --------
        >>> Hierarchy.from_edges([("a", "b", 2.5), ("a", "c", 1)]).distance("b", "c")
        3.5
        """
        data = HierarchyData.of(edges, classes)
        return cls.from_codes(data.labels, *data.ends.T, weights=data.weights, aliases=aliases, cycles=cycles)

    @classmethod
    def from_codes(
        cls, labels: Sequence[Label], parents: ArrayLike, children: ArrayLike, *, weights: ArrayLike | None = None,
        aliases: Mapping[Label, Label] | None = None, cycles: CyclePolicy = "error",
    ) -> Hierarchy:  # fmt: skip
        """From distinct ``labels`` and edges as arrays of positions among them; every other constructor ends here.

        Parameters
        ----------
        labels
            All classes, in any order.
        parents, children
            The positions of the ends of each edge.
        weights
            The length of each edge.
        aliases, cycles
            As in ``from_edges``.

        Examples
        --------
        >>> Hierarchy.from_codes(["a", "b", "c"], [0, 0], [1, 2]).distance("b", "c")
        2
        """
        if len(set(labels)) < len(labels) or np.shape(parents) != np.shape(children):
            raise InvalidHierarchy("labels must be distinct, and parents and children of equal number")
        if not labels:
            raise EmptyHierarchy("the hierarchy has no class: give at least one edge, or one class")
        one_type = len(set(map(type, labels))) == 1  # then labels compare by themselves, which is faster
        by_label = sorted(range(len(labels)), key=labels.__getitem__ if one_type else lambda i: label_order(labels[i]))
        rank = np.empty(len(labels), np.int32)
        rank[by_label] = np.arange(len(labels), dtype=np.int32)
        ordered = tuple(map(labels.__getitem__, by_label))
        lengths = None if weights is None else np.asarray(weights, np.float64)
        given = Edges(len(labels), rank[np.asarray(parents)], rank[np.asarray(children)], lengths)
        result = make_acyclic(deduplicate(given, ordered), ordered, cycles)
        if aliases is not None and not isinstance(aliases, Mapping):
            raise InvalidHierarchy(f"aliases= is a mapping name → class, not {type(aliases).__name__}")
        names = dict(zip(map(as_label, aliases), map(as_label, aliases.values()), strict=True)) if aliases else {}
        if result.component is not None:
            _, heads = np.unique(result.component, return_index=True)  # the smallest class of each component
            head_of = heads[result.component]
            joined = {ordered[i]: ordered[head_of[i]] for i in np.flatnonzero(head_of != np.arange(len(ordered)))}
            names = {alias: joined.get(label, label) for alias, label in names.items()} | joined
            ordered = tuple(ordered[i] for i in heads)
        if names:
            check_aliases(names, ordered)
        if len(ordered) >= MANY_ROOTS:
            warn_if_upside_down(result.edges)
        return cls(ordered, result.edges, result.order, names, result.dropped)

    @classmethod
    def from_networkx(
        cls, graph: networkx.DiGraph[Any], *, weight: str | None = None, cycles: CyclePolicy = "error"
    ) -> Hierarchy:
        """From a directed networkx graph with edges parent → child; ``weight`` names an edge attribute.

        Parameters
        ----------
        graph
            Its nodes are the classes.
        weight
            The attribute with the lengths of edges, if any.
        cycles
            As in ``from_edges``.

        Examples
        --------
        >>> import networkx
        >>> Hierarchy.from_networkx(networkx.DiGraph([("a", "b"), ("a", "c")])).roots
        frozenset({'a'})
        """
        from hemlp.hierarchy.formats.infer import from_graph

        return cls.from_data(from_graph(graph, weight), cycles=cycles)

    @classmethod
    def from_parents(
        cls, parents: Mapping[Label, Label | Iterable[Label] | None], *, cycles: CyclePolicy = "error"
    ) -> Hierarchy:
        """From a mapping child → parents: one label, several, or None for a root.

        Parameters
        ----------
        parents
            The parents of each class.
        cycles
            As in ``from_edges``.

        Examples
        --------
        >>> sorted(Hierarchy.from_parents({"a": None, "b": "a", "c": ["a", "b"]}).parents("c"))
        ['a', 'b']
        """
        return cls.from_data(from_parents(parents), cycles=cycles)

    @classmethod
    def from_paths(
        cls, paths: Iterable[Sequence[Any]], *, same_names: SameNames = "error", cycles: CyclePolicy = "error"
    ) -> Hierarchy:
        """From paths: rows that list classes from a root down, perhaps padded with empty strings.

        Parameters
        ----------
        paths
            One path per row.
        same_names
            What to do with a name in several places of the tree: "error"; "join" makes it one class with several
            parents, "apart" names every class by its whole path ("Garden > Other").
        cycles
            As in ``from_edges``.

        Examples
        --------
        >>> sorted(Hierarchy.from_paths([["a", "b", "c"], ["a", "d", ""]]).leaves)
        ['c', 'd']
        """
        from hemlp.hierarchy.formats.path_lists import from_paths

        return cls.from_data(from_paths(paths, same_names), cycles=cycles)

    def with_weights(self, weights: Mapping[tuple[Label, Label], float]) -> Hierarchy:
        """The same hierarchy with edge lengths, given as (parent, child) → length for every edge.

        Parameters
        ----------
        weights
            Lengths of at least 0.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("a", "b"), ("a", "c")])
        >>> h.with_weights({("a", "b"): 0.5, ("a", "c"): 2}).distance("b", "c")
        2.5
        """
        pairs = zip(self.edges.parents.tolist(), self.edges.children.tolist(), strict=True)
        lengths = []
        for pair in ((self.labels[p], self.labels[c]) for p, c in pairs):
            if pair not in weights:
                raise InvalidWeight(f"the edge {pair[0]!r} → {pair[1]!r} has no weight")
            lengths.append(edge_weight(weights[pair], f"edge {pair[0]!r} → {pair[1]!r}"))
        return replace(self, edges=replace(self.edges, weights=np.array(lengths, np.float64)))

    def with_isolated(self, labels: Iterable[Label]) -> Hierarchy:
        """With one more isolated class for each unknown label."""
        new = sorted(set(label_list("labels", labels)) - self.ids.keys(), key=label_order)
        if not new:
            return self
        made = Hierarchy.from_codes(
            [*self.labels, *new], self.edges.parents, self.edges.children,
            weights=self.edges.weights, aliases=self.aliases,
        )  # fmt: skip
        return replace(made, names=self.names, synonyms=self.synonyms, namespaces=self.namespaces)

    def with_names(self, names: Mapping[Label, str]) -> Hierarchy:
        """The same hierarchy with further readable names.

        Parameters
        ----------
        names
            Names by class; those of unknown classes are left out.

        Examples
        --------
        >>> Hierarchy.from_edges([("a", "b")]).with_names({"b": "Bread"}).id("Bread")
        1
        """
        return replace(self, names={**self.names, **{c: name for c, name in names.items() if c in self.ids}})

    def __repr__(self) -> str:
        from hemlp.hierarchy.summary import summarize

        return summarize(self)

    def _html_parts(self) -> Iterator[Table | str]:
        from hemlp.hierarchy.summary import notebook_parts

        return notebook_parts(self)

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of labels, aliases, edges and weights, the same in every process and for every order of edges."""
        return content_hash(self.labels, self.aliases, self.edges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)
