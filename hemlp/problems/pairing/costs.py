"""κ: what it costs to predict one class instead of another, for all pairs of a batch.

A cost is an object with ``pair_costs(batch, pairs)``; ``as_cost`` makes one of a name or a function.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from hemlp.arrays import FloatArray, IntArray, sorted_distinct, split
from hemlp.errors import InvalidCost, InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, as_label, label_list
from hemlp.instances.batch import Batch
from hemlp.options import plain_number, register_by_name
from hemlp.problems.pairing.pairs import Pairs
from hemlp.text.notation import WORDS, format_call, parse_call

PROMISES = frozenset({"names", "symmetric", "monotone", "zero_if_equal", "zero_only_if_equal"})
"""All that is known of shortest paths."""
COSTS: dict[str, Callable[..., Cost]] = {}
"""Costs by name; a class with a name joins them when it is defined."""


def known_costs() -> dict[str, Callable[..., Cost]]:
    """Costs by name, once hemlp's own similarities are loaded."""
    from hemlp.problems.pairing import similarities  # noqa: F401

    return COSTS


class Cost(ABC):
    """κ of pairs of classes. A cost of your own is a frozen dataclass; with a ``name`` its plain fields are its text.

    ``unit``: a distance in edges, so that a horizon in levels has a meaning.
    """

    name: ClassVar[str]

    @property
    def unit(self) -> bool:
        """Whether it counts edges."""
        return False

    @property
    def promises(self) -> frozenset[str]:
        """What is known of it: "names" of classes do not matter, it is "symmetric", "zero_if_equal" (a class costs
        nothing for itself), "zero_only_if_equal", and "monotone": on a chain what is farther never costs less."""
        return frozenset()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            own = cls.__module__.startswith("hemlp.problems.pairing.")
            register_by_name(COSTS if own else known_costs(), "a cost", cls)

    @property
    def text(self) -> str | None:
        """How it is written, None if it has no text form. A child without a name of its own has none."""
        if "name" not in type(self).__dict__:
            return None
        mine = getattr(self, "__dataclass_fields__", {}).values()
        given = {f.name: getattr(self, f.name) for f in mine if getattr(self, f.name) != f.default}
        plain = all(value is None or isinstance(value, str | int | float) for value in given.values())
        return format_call(self.name, (), given) if plain else None

    def __str__(self) -> str:
        return self.text or "custom"

    @abstractmethod
    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """κ of each pair, infinite where the pair cannot exist."""

    def between(self, hierarchy: Hierarchy, predicted: Label, true: Label) -> float:
        """κ of one pair of classes.

        >>> ShortestPath().between(Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")]), "sheep", "cow")
        2.0
        """
        batch = Batch.of(hierarchy, [{true}], [{predicted}])
        return float(compute_costs(self, batch, Pairs.of(batch))[0])


def cost_text(cost: Any) -> str:
    """How a cost is written; "custom" if it has no text form."""
    return getattr(cost, "text", None) or "custom"


@dataclass(frozen=True)
class ShortestPath(Cost):
    """Length of the shortest path, up and then down; with ``undirected`` any way through the graph.

    Parameters
    ----------
    undirected
        Paths may go any way.
    decay
        w₀: an edge has the length w₀ to the depth of its child, and not that of the hierarchy.
    weights
        Edges have the length 1 each ("uniform"), or what a mapping (parent, child) → length says.

    Examples
    --------
    >>> from hemlp import PairMeasure, Bounds
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> PairMeasure("deep", Bounds((1, 1), (1, 1)), cost=ShortestPath(decay=0.5)).score(h, ["sheep"], ["cow"])
    1.0
    """

    undirected: bool = False
    decay: float | None = None
    weights: Mapping[tuple[Label, Label], float] | str | None = field(default=None, hash=False)

    name = "shortest_path"

    def __post_init__(self) -> None:
        if self.decay is not None:
            object.__setattr__(self, "decay", plain_number("decay", self.decay, 0))
            if not self.decay:
                raise InvalidOption("decay=0 is not a positive number")
            if self.weights is not None:
                raise InvalidOption("decay and weights both set edge lengths: give one of them")
        if self.weights != "uniform" and not isinstance(self.weights, Mapping | None):
            raise InvalidOption(f"weights={self.weights!r} is not 'uniform' or a mapping (parent, child) → length")

    @property
    def unit(self) -> bool:
        """Whether edges count 1 (on a hierarchy without weights)."""
        return self.decay is None and not isinstance(self.weights, Mapping)

    @property
    def text(self) -> str | None:
        """As of any cost; "undirected" is a name of its own."""
        if not self.undirected:
            return super().text
        directed = replace(self, undirected=False).text
        return directed and directed.replace(self.name, "undirected", 1)

    @property
    def promises(self) -> frozenset[str]:
        return PROMISES if type(self) is ShortestPath else frozenset()

    def lengths(self, h: Hierarchy) -> Hierarchy:
        """The hierarchy with the edge lengths that count."""
        if self.decay is not None and h.weighted:
            raise InvalidOption("decay sets edge lengths; this hierarchy has edge weights of its own")
        if self.decay is not None:
            return _decaying(h, self.decay)
        if self.weights is None:
            return h
        uniform = replace(h, edges=replace(h.edges, weights=None))
        return uniform if self.weights == "uniform" else uniform.with_weights(self.weights)  # type: ignore[arg-type]

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """Distances, infinite without a common ancestor (or, undirected, without a path)."""
        h = batch.hierarchy if self.decay is None and self.weights is None else self.lengths(batch.hierarchy)
        pred, true = batch.pred, batch.true
        if not self.undirected:
            from hemlp.kernels.graph.distances import pair_distances, up_lists
            from hemlp.kernels.records import Sides

            up, _, first, second = h.upward.lists(np.concatenate([pred.classes, true.classes])).local(pred, true)
            return pair_distances(up_lists(up), Sides(pred.ptr, first, true.ptr, second), pairs.ptr)
        predicted, others = pairs.classes(batch)
        key = predicted.astype(np.int64) * len(h) + others
        distinct = sorted_distinct(key)
        return _undirected_distances(h, *split(distinct, len(h)))[np.searchsorted(distinct, key)]


@lru_cache(maxsize=2)
def _decaying(h: Hierarchy, decay: float) -> Hierarchy:
    with np.errstate(over="ignore", under="ignore"):
        lengths = decay ** h.unit_depths[h.edges.children].astype(np.float64)
    if not ((lengths >= LEAST) & (lengths <= GREATEST)).all():
        raise InvalidCost(f"decay={decay!r} makes edges {lengths.min():g} to {lengths.max():g} long: beyond floats")
    return replace(h, edges=replace(h.edges, weights=lengths))


def _undirected_distances(h: Hierarchy, us: IntArray, vs: IntArray) -> FloatArray:
    """Shortest paths through the graph without directions; ``us`` is sorted."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    lengths = np.ones(h.edges.parents.size) if h.edges.weights is None else h.edges.weights
    graph = csr_array((lengths, h.edges.children, h.child_ptr), shape=(len(h), len(h)))
    result = np.empty(us.size)
    sources, starts = np.unique(us, return_index=True)
    ends = np.append(starts[1:], us.size)[: sources.size]
    for source, start, end in zip(sources, starts, ends, strict=True):
        reached = dijkstra(graph, directed=False, indices=source)
        result[start:end] = reached[vs[start:end]]
    return result


@dataclass(frozen=True, eq=False)
class FunctionCost(Cost):
    """κ(predicted, true) as any function of two labels; it is asked once for each pair of classes."""

    function: Callable[[Label, Label], float]

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        labels = batch.hierarchy.labels

        @cache
        def value(predicted: int, true: int) -> float:
            p, t = labels[predicted], labels[true]
            result = self.function(p, t)
            try:
                return float(result)
            except (TypeError, ValueError, OverflowError):
                raise InvalidCost(f"the cost of predicting {p!r} for {t!r} is {result!r}, which is no number") from None

        predicted, true = (classes.tolist() for classes in pairs.classes(batch))
        return np.fromiter(map(value, predicted, true), np.float64, len(true))


@dataclass(frozen=True, eq=False)
class MatrixCost(Cost):
    """κ from a table: rows are predicted and columns true classes, in the order of ``labels``.

    Parameters
    ----------
    labels
        The classes of the rows and of the columns.
    values
        A square table of numbers of at least 0.
    similarity
        The table holds similarities, and κ = 1 − similarity.

    Examples
    --------
    >>> from hemlp import PairMeasure, Bounds
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> table = MatrixCost(["sheep", "cow"], [[0, 3], [0.5, 0]])
    >>> PairMeasure("table", Bounds((1, 1), (1, 1)), cost=table).score(h, true=["sheep"], pred=["cow"])
    0.5
    """

    labels: Sequence[Label]
    values: Any
    similarity: bool = False

    def __post_init__(self) -> None:
        names = label_list("labels", self.labels)
        try:
            table = np.asarray(self.values, np.float64)
        except (TypeError, ValueError):
            raise InvalidCost("the matrix is not a square table of numbers") from None
        if table.shape != (len(names), len(names)) or len(set(names)) < len(names):
            raise InvalidCost(f"a matrix of shape {table.shape} does not fit {len(set(names))} different labels")
        object.__setattr__(self, "labels", tuple(names))
        object.__setattr__(self, "values", table)

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        table = 1 - self.values if self.similarity else self.values
        place = np.full(len(batch.hierarchy), -1, np.int64)
        for position, label in enumerate(self.labels):
            number = batch.hierarchy.find(as_label(label))
            if number is not None:
                place[number] = position
        for classes in (batch.pred.classes, batch.true.classes):
            absent = classes[place[classes] < 0]
            if absent.size:
                raise InvalidCost(f"the matrix has no row for the class {batch.hierarchy.labels[absent[0]]!r}")
        predicted, true = pairs.classes(batch)
        values: FloatArray = table[place[predicted], place[true]]
        return values


def cost_bytes(cost: Any) -> float:
    """How many bytes a pair takes while its cost is computed, as seen on large instances."""
    if isinstance(cost, FunctionCost):
        return 270.0
    known = isinstance(cost, Cost) and not isinstance(cost, MatrixCost) and not getattr(cost, "undirected", False)
    return 20.0 if known else 175.0


LEAST, GREATEST = 1e-300, 1e300
"""Costs other than 0 lie between these: what is smaller or larger cannot be added up without overflow or underflow."""


def check_magnitude(values: FloatArray | float, what: Callable[[int], str]) -> None:
    """Refuse finite values that floats cannot carry; ``what(k)`` names the value at position k."""
    given = np.atleast_1d(values)
    odd = np.isfinite(given) & (given != 0) & ((given < LEAST) | (given > GREATEST))
    for k in np.flatnonzero(odd)[:1]:
        raise InvalidCost(
            f"{what(int(k))} is {given[k]:g}: costs have to be 0 or between {LEAST:.0e} and {GREATEST:.0e}; scale them"
        )


def compute_costs(cost: Cost, batch: Batch, pairs: Pairs) -> FloatArray:
    """κ of all pairs of a batch, refused unless each is a number of at least 0 (infinite: there is no such pair)."""
    from hemlp.kernels.flow.pairing import extent

    values = np.ascontiguousarray(cost.pair_costs(batch, pairs), np.float64)
    if values.shape != (int(pairs.ptr[-1]),):
        raise InvalidCost(f"{type(cost).__name__} gave costs of shape {values.shape} for {pairs.ptr[-1]} pairs")

    fine, least, greatest = extent(values)
    if fine and least >= LEAST and greatest <= GREATEST:
        return values

    def pair(k: int) -> str:
        predicted, true = pairs.labels(batch, k)
        return f"the cost of predicting {predicted!r} for {true!r}"

    for k in np.flatnonzero(~(values >= 0))[:1]:
        of = " (1 minus a similarity)" if getattr(cost, "similarity", False) else ""
        raise InvalidCost(f"{pair(k)} is {values[k]}{of}: it must be at least 0")
    check_magnitude(values, pair)
    return values


def shares_of_one(cost: Cost, batch: Batch, pairs: Pairs) -> FloatArray:
    """κ of all pairs for a measure of similarities: refused unless each is at most 1."""
    values = compute_costs(cost, batch, pairs)
    for k in np.flatnonzero(values > 1)[:1]:
        raise InvalidCost(
            f"the cost has to be 1 minus a similarity, and {cost} is {values[k]:g} for a pair of classes: "
            f"choose wu_palmer, Lin(weights), or MatrixCost(labels, values, similarity=True)"
        )
    return values


COSTS["undirected"] = partial(ShortestPath, undirected=True)
WORDS["uniform"] = "uniform"


def as_cost(value: Any) -> Any:
    """A cost from its text, from a function of two labels, or from a cost."""
    if isinstance(value, str):
        if (meant := re.sub(r"\W+", "_", value).lower()) != value and meant in known_costs():
            raise InvalidOption(f"cost={value!r} is not known; did you mean {meant!r}?")
        name, positional, options = parse_call(value, "cost", InvalidOption)
        if positional or (name not in COSTS and name not in known_costs()):
            known = ", ".join(known_costs())
            raise InvalidOption(f"cost={value!r} is not known; names are {known}, also with options, as in (decay=w)")
        try:
            return COSTS[name](**options)
        except TypeError as error:
            raise InvalidOption(f"cost={value!r}: {error}") from None
    if hasattr(value, "pair_costs"):
        return value
    if callable(value):
        return FunctionCost(value)
    raise InvalidOption(f"cost={value!r:.80} is neither a name, nor a function of two labels, nor a cost")
