"""Bounds that depend on the class: on whether it is a leaf, on its level, or on anything that a function knows.

>>> from hemlp import ALL, Bounds
>>> Bounds(predicted=(1, 2), true=by_leaf((1, 1), (1, ALL)))
Bounds(predicted=(1, 2), true=by_leaf((1, 1), (1, ALL)))
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InvalidBounds
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.text.notation import WORDS

if TYPE_CHECKING:
    from hemlp.problems.pairing.capacities import Capacity


class BoundRule(ABC):
    """Bounds of classes by groups. A rule that is not ``custom`` is written as what makes it."""

    custom = False

    @property
    @abstractmethod
    def pairs(self) -> tuple[Capacity, ...]:
        """(lower, upper) of each group that there may be."""

    @abstractmethod
    def grouped(self, h: Hierarchy, classes: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """The group of each of the classes, and the bounds of each group."""


@dataclass(frozen=True)
class ByLeaf(BoundRule):
    """Bounds of leaves, and of inner classes."""

    leaf: Capacity
    inner: Capacity

    @property
    def pairs(self) -> tuple[Capacity, ...]:
        """Leaves first."""
        return self.leaf, self.inner

    def grouped(self, h: Hierarchy, classes: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """0 for a leaf, 1 for an inner class."""
        return (np.diff(h.child_ptr)[classes] > 0).astype(np.int64), self.pairs

    def __repr__(self) -> str:
        return f"by_leaf({self.leaf!r}, {self.inner!r})"


@dataclass(frozen=True)
class ByLevel(BoundRule):
    """Bounds of each level, from the roots down; the last ones are also those of all levels below."""

    levels: tuple[Capacity, ...]

    @property
    def pairs(self) -> tuple[Capacity, ...]:
        """From the roots down."""
        return self.levels

    def grouped(self, h: Hierarchy, classes: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """The level, that of the last bounds at most."""
        return np.minimum(h.unit_depths[classes], len(self.levels) - 1).astype(np.int64), self.pairs

    def __repr__(self) -> str:
        return f"by_level({', '.join(map(repr, self.levels))})"


@dataclass(frozen=True)
class ByClass(BoundRule):
    """Bounds of each class, from a function or a mapping; they have no text form."""

    of: Callable[[Label], Capacity] | Mapping[Label, Capacity] = field(hash=False)
    custom = True

    @property
    def pairs(self) -> tuple[Capacity, ...]:
        """Nothing is known of a function before it is asked."""
        return tuple(self.of.values()) if isinstance(self.of, Mapping) else ()

    def grouped(self, h: Hierarchy, classes: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """Each class is a group of its own; a function is asked once for each class."""
        distinct, place = np.unique(classes, return_inverse=True)
        return place.astype(np.int64), tuple(self._pair(h.labels[c]) for c in distinct)

    def _pair(self, label: Label) -> Capacity:
        from hemlp.problems.pairing.bounds import checked_capacity

        if isinstance(self.of, Mapping) and label not in self.of:
            raise InvalidBounds(f"bounds by class have none for the class {label!r}")
        found: Any = self.of[label] if isinstance(self.of, Mapping) else self.of(label)
        return checked_capacity(found, f"the bounds of the class {label!r}")


def by_leaf(leaf: Capacity, inner: Capacity) -> ByLeaf:
    """Bounds (lower, upper) of leaves, and of inner classes.

    Parameters
    ----------
    leaf, inner
        Pairs of integers or ``ALL``, or ``priced(...)``.

    Examples
    --------
    >>> from hemlp import ALL, Bounds, Hierarchy, PairMeasure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> patient = PairMeasure("patient", Bounds((1, 1), by_leaf((1, 1), (0, ALL))), default_cost=5)
    >>> patient.score(h, true=["sheep", "animal"], pred=["sheep"])
    0.0
    """
    return ByLeaf(leaf, inner)


def by_level(*levels: Capacity) -> ByLevel:
    """Bounds (lower, upper) of each level, from the roots down; the last are those of all levels below, too.

    Parameters
    ----------
    levels
        Pairs of integers or ``ALL``, or ``priced(...)``, that of the roots first.

    Examples
    --------
    >>> by_level((0, 1), (1, 1))
    by_level((0, 1), (1, 1))
    """
    return ByLevel(tuple(levels))


def by_class(of: Callable[[Label], Capacity] | Mapping[Label, Capacity]) -> ByClass:
    """Bounds (lower, upper) of each class, from a function or a mapping; these have no text form.

    Parameters
    ----------
    of
        A function of a label, or a mapping from labels, to (lower, upper) or ``priced(...)``.

    Examples
    --------
    >>> by_class({"cow": (1, 2), "sheep": (1, 1)}).custom
    True
    """
    if not isinstance(of, Mapping) and not callable(of):
        raise InvalidBounds(f"by_class({of!r:.80}): a function or a mapping from classes to (lower, upper) is needed")
    return ByClass(of)


WORDS.update(by_leaf=by_leaf, by_level=by_level)
