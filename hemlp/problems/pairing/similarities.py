"""Costs by common ancestors: what two classes share, by how much it says, how deep it lies, or how high it is.

a runs over the common ancestors of u and v, u and v included. A similarity s in [0, 1] is the cost 1 − s; without a
common ancestor a similarity is 0, and a distance is infinite: there is no such pair.

    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> WuPalmer().between(h, "sheep", "cow"), LcaHeight().between(h, "sheep", "bird")
    (0.33333333333333337, 2.0)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidCost, InvalidOption
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.dag import Hierarchy as Hierarchy  # of the examples
from hemlp.hierarchy.labels import Label
from hemlp.hierarchy.reach import Reach
from hemlp.instances.batch import Batch
from hemlp.problems.pairing.costs import PROMISES, Cost
from hemlp.problems.pairing.pairs import Pairs
from hemlp.text.notation import format_call

if TYPE_CHECKING:
    from hemlp.kernels.records import Implied, Sides


class Similarity(Cost):
    """A cost that is 1 − s. Children say what s is."""

    @abstractmethod
    def similarities(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """s of each pair, 0 without a common ancestor."""

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        similar = self.similarities(batch, pairs)
        for k in np.flatnonzero(similar > 1)[:1]:
            u, v = pairs.labels(batch, int(k))
            raise InvalidCost(
                f"the similarity of {u!r} and {v!r} is {similar[k]:g}, above 1: an ancestor of theirs weighs more than "
                f"they do, and information content never falls from a class to its children"
            )
        return 1.0 - similar


@dataclass(frozen=True)
class _Weighted(Cost):
    """What is made of weights of classes. ``corpus``: the digest of the label sets that they come from, if known.

    Without weights it is a cost of which a run makes one with those of its corpus.
    """

    weights: Mapping[Label, float] = field(default_factory=dict, hash=False)
    corpus: str | None = field(default=None, kw_only=True)

    @property
    def lacks_weights(self) -> bool:
        """Whether nothing can be scored yet."""
        return not self.weights

    @property
    def text(self) -> str | None:
        """Known by its corpus; weights of unknown origin have no text form."""
        if "name" not in type(self).__dict__ or (self.weights and self.corpus is None):
            return None
        given = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "weights"}
        defaults = {"corpus": None, "normalized": False}
        return format_call(self.name, (), {key: value for key, value in given.items() if value != defaults.get(key)})

    def __post_init__(self) -> None:
        if not isinstance(self.weights, Mapping):
            raise InvalidOption(
                f"{type(self).__name__} needs weights, a mapping from classes to information content: {self._example}"
            )

    @property
    def _example(self) -> str:
        return f"{type(self).__name__}(hemlp.information_content(h, corpus))"

    def class_content(self, batch: Batch) -> FloatArray:
        """IC of each class."""
        if not self.weights:
            raise InvalidOption(
                f"cost='{self.name}' needs the information content of classes: give a corpus (corpus=, --corpus FILE), "
                f"or cost={self._example}"
            )
        return class_weights(batch.hierarchy, self.weights)

    def contents(self, batch: Batch, pairs: Pairs) -> tuple[FloatArray, FloatArray, FloatArray]:
        """IC(u), IC(v) and max IC(a) of each pair (u, v), the last minus infinity without a common ancestor."""
        content, (predicted, true) = self.class_content(batch), pairs.classes(batch)
        return content[predicted], content[true], _greatest(batch, pairs, content)


@dataclass(frozen=True)
class Resnik(_Weighted, Similarity):
    """Similarity max IC(a) (Resnik 1995), which has no upper bound: a cost only if it is normalised.

    Parameters
    ----------
    weights
        IC: a mapping from all classes to numbers of at least 0.
    normalized
        Divide by the greatest IC of all classes. A class is as similar to itself as it is rare then, so that right
        predictions of common classes cost something, too.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> Resnik({"animal": 1, "sheep": 4, "cow": 2}, normalized=True).between(h, "sheep", "cow")
    0.75
    """

    normalized: bool = False

    name = "resnik"

    def similarities(self, batch: Batch, pairs: Pairs) -> FloatArray:
        shared = np.maximum(self.contents(batch, pairs)[2], 0.0)
        if not self.normalized:
            return shared
        greatest = float(self.class_content(batch).max())
        return shared / greatest if greatest else shared

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        if not self.normalized:
            raise InvalidCost(
                "Resnik's similarity is not between 0 and 1, so that 1 minus it is no cost: choose "
                "Resnik(weights, normalized=True), as a text 'resnik(normalized=True)', or Lin, "
                "which is normalised by the two classes"
            )
        return super().pair_costs(batch, pairs)


@dataclass(frozen=True)
class Lin(_Weighted, Similarity):
    """Similarity max 2·IC(a) / (IC(u) + IC(v)) (Lin 1998); 0/0 is 1 if u = v and 0 if not.

    Parameters
    ----------
    weights
        IC: a mapping from all classes to numbers of at least 0.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> Lin({"animal": 1, "sheep": 4, "cow": 2}).between(h, "sheep", "cow")
    0.6666666666666667
    """

    name = "lin"
    promises = frozenset({"symmetric", "zero_if_equal"})  # weights know classes by their names

    def similarities(self, batch: Batch, pairs: Pairs) -> FloatArray:
        first, second, shared = self.contents(batch, pairs)
        total, equal = first + second, np.equal(*pairs.classes(batch))
        ratio = 2 * np.maximum(shared, 0.0) / np.where(total > 0, total, 1.0)
        return np.where(total > 0, ratio, equal)


@dataclass(frozen=True)
class JiangConrath(_Weighted):
    """Distance IC(u) + IC(v) − 2·max IC(a) (Jiang and Conrath 1997).

    Parameters
    ----------
    weights
        IC: a mapping from all classes to numbers of at least 0.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> JiangConrath({"animal": 1, "sheep": 4, "cow": 2}).between(h, "sheep", "cow")
    4.0
    """

    name = "jiang_conrath"
    promises = Lin.promises

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """IC(u) + IC(v) − 2·max IC(a), infinite without a common ancestor."""
        first, second, shared = self.contents(batch, pairs)
        return first + second - 2 * shared


@dataclass(frozen=True)
class WuPalmer(Similarity):
    """Similarity max 2·D(a) / (2·D(a) + up(u, a) + up(v, a)), D = 1 + depth (Wu and Palmer 1994).

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> WuPalmer().between(h, "sheep", "cow")
    0.5
    """

    name = "wu_palmer"
    promises = PROMISES

    def similarities(self, batch: Batch, pairs: Pairs) -> FloatArray:
        """By the best common ancestor, which need not be the nearest."""
        from hemlp.kernels.graph.common_ancestors import Ways, wu_palmer

        (up, names), sides, above = _lists(batch)
        ways = up.distances, up.hub_at, up.beyond
        distances, hub_at, beyond = (np.ascontiguousarray(of, np.float64) for of in ways)
        return wu_palmer(sides, pairs.ptr, above, Ways(distances, hub_at, beyond, 1.0 + batch.hierarchy.depths[names]))


@dataclass(frozen=True)
class LcaHeight(Cost):
    """Distance min height(a), the height of a class being its longest way down to a leaf.

    A class that is no leaf is at its own height from itself: predicting it leaves open what is below.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> LcaHeight().between(h, "sheep", "cow"), LcaHeight().between(h, "mammal", "mammal")
    (1.0, 1.0)
    """

    name = "lca_height"
    promises = PROMISES - {"zero_if_equal", "zero_only_if_equal"}

    def pair_costs(self, batch: Batch, pairs: Pairs) -> FloatArray:
        return -_greatest(batch, pairs, -batch.hierarchy.heights) + 0.0


def _greatest(batch: Batch, pairs: Pairs, values: FloatArray) -> FloatArray:
    """The greatest of the ``values`` of common ancestors of each pair."""
    from hemlp.kernels.graph.common_ancestors import greatest_common

    (_, names), sides, above = _lists(batch)
    return greatest_common(sides, pairs.ptr, above, values[names])


def _lists(batch: Batch) -> tuple[tuple[Reach, IntArray | slice], Sides, Implied]:
    """Ancestors of all classes of a batch by local numbers, the ancestors themselves, and both as kernels take them."""
    from hemlp.kernels.records import Implied, Sides

    pred, true = batch.sides
    lists = batch.hierarchy.upward.lists(np.concatenate([pred.classes, true.classes]))
    up, names, own, others = lists.local(pred, true)
    sides = Sides(pred.ptr, own, true.ptr, others)
    nodes = np.ascontiguousarray(up.nodes, np.int32)
    return (up, names), sides, Implied(up.ptr, nodes, up.hub_at >= 0, up.beyond >= 0)
