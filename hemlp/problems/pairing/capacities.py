"""What a capacity group of Problem 1 may hold, what each unit of it costs, and capacities by class and by pair.

A capacity is (lower, upper), or ``priced(...)``: the same with costs. With d units in a group of bounds (α, β),

    cost(d) = Σ_{k ≤ d} each_k + below · max(0, α − d) + above · max(0, d − β),

a convex function of d, so that the problem stays a flow of least cost: a cost that rises is several arcs side by side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InvalidBounds, InvalidCost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.options import plain_number
from hemlp.text.notation import WORDS


class _All:
    """The type of ``ALL``, as many as the other side has."""

    def __repr__(self) -> str:
        return "ALL"

    __reduce__ = __repr__


ALL = _All()
Bound = int | _All | Mapping[Label, "int | _All"]
Range = tuple[Bound, Bound]
"""Lower and upper bound."""


@dataclass(frozen=True)
class Priced:
    """Bounds with costs: of each unit in turn, and of each unit below or above the bounds (None: they are hard)."""

    bounds: Range
    each: tuple[float, ...] = ()
    below: float | None = None
    above: float | None = None

    def __post_init__(self) -> None:
        given = self.each if isinstance(self.each, tuple | list) else (self.each,)
        each = tuple(_price("each", cost) for cost in given)
        for first, then in pairwise(each):
            if then < first:
                raise InvalidCost(
                    f"each={each!r} falls from {first:g} to {then:g}: a minimum-cost flow needs costs that do "
                    f"not fall; model.with_constraints(...) takes others"
                )
        soft = {name: getattr(self, name) for name in ("below", "above")}
        prices = {name: None if cost is None else _price(name, cost) for name, cost in soft.items()}
        self.__dict__.update(each=each, **prices)

    def __repr__(self) -> str:
        named = ((name, getattr(self, name)) for name in ("each", "below", "above"))
        costs = (f"{name}={value!r}" for name, value in named if value not in ((), None))
        return f"priced({', '.join([repr(self.bounds), *costs])})"


Capacity = Range | Priced
"""What a group may hold."""


def _price(name: str, cost: Any) -> float:
    number = plain_number(name, cost, 0)
    if number is None or not math.isfinite(number) or number > 1e150:
        raise InvalidCost(f"{name}={cost!r} is not a cost: a finite number of at least 0 is needed")
    return float(number) if number % 1 else int(number)


def plain_range(of: Any) -> Range:
    """A capacity without its prices."""
    bounds: Range = of.bounds if isinstance(of, Priced) else of
    return bounds


def check_capacity(given: Any, what: str, *, by_class: bool = True, single: bool = False) -> Capacity:
    """A capacity, refused unless a pairing could keep its bounds: integers, ALL, or (``by_class``) mappings to those.

    ``single``: of something that an instance has once, so that its lower bound is a number.
    """
    bounds: Any = plain_range(given)
    if not (isinstance(bounds, tuple | list) and len(bounds) == 2):
        raise InvalidBounds(f"{what}: {given!r} is not a pair (lower, upper)")
    lower, upper = (bound.item() if isinstance(bound, np.integer) else bound for bound in bounds)
    for bound in (lower, upper):
        for value in bound.values() if isinstance(bound, Mapping) else (bound,):
            number = isinstance(value, int) and not isinstance(value, bool)
            if value is not ALL and not (number and 0 <= value < 2**31):
                where = '; ALL is hemlp.ALL in Python, and "ALL" in files' if str(value).upper() == "ALL" else ""
                raise InvalidBounds(f"{what}: {value!r} is not ALL or an integer of at least 0{where}")
    if isinstance(lower, int) and isinstance(upper, int) and lower > upper:
        raise InvalidBounds(f"{what}: at least {lower} and at most {upper} contradict each other")
    if not by_class and any(isinstance(bound, Mapping) for bound in (lower, upper)):
        raise InvalidBounds(f"{what}: only bounds of classes can be mappings")
    if single and lower is ALL:
        raise InvalidBounds(f"{what}: ALL is not allowed as its lower bound")
    return replace(given, bounds=(lower, upper)) if isinstance(given, Priced) else (lower, upper)


def pair_capacity(given: Any, what: str) -> Capacity:
    """A capacity of a pair: its bounds are hard, since what a pair costs is its cost."""
    capacity = check_capacity(given, what, by_class=False, single=True)
    if isinstance(capacity, Priced) and (capacity.below is not None or capacity.above is not None):
        raise InvalidBounds(f"{what}: bounds of a pair are hard; each=(0, ..., 3) lets further units cost more")
    return capacity


def priced(bounds: Range, each: Any = (), *, below: float | None = None, above: float | None = None) -> Priced:
    """Bounds (lower, upper) with costs, for any capacity group of ``Bounds``.

    Parameters
    ----------
    bounds
        Lower and upper bound: integers or ``ALL``.
    each
        What the first, the second, ... unit costs beside its pair; the last cost is also that of all further ones. It
        must not fall.
    below, above
        What each unit that is missing, or too many, costs. None: the bound is hard.

    Raises
    ------
    InvalidCost
        If costs fall, or are no numbers of at least 0.

    Examples
    --------
    >>> from hemlp import ALL, Bounds, Hierarchy, PairMeasure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow"), ("animal", "bird")])
    >>> crowd = Bounds(predicted=priced((1, ALL), each=(0, 1, 2)), true=(1, 1))
    >>> PairMeasure("crowd", crowd, default_cost=9).score(h, true=["sheep", "cow", "bird"], pred=["animal"])
    6.0
    """
    return Priced(bounds, each, below, above)


# ---- by class


@dataclass(frozen=True)
class BoundRule:
    """Bounds by groups of classes: "by_leaf", leaves first, "by_level", from the roots down, or "by_class".

    ``of``: a function of a class, or a mapping; a rule that has one is ``custom`` and has no text form.
    """

    name: str
    capacities: tuple[Capacity, ...] = ()
    of: Callable[[Label], Capacity] | Mapping[Label, Capacity] | None = field(default=None, hash=False)

    @property
    def custom(self) -> bool:
        """Whether it has no text form."""
        return self.of is not None

    @property
    def pairs(self) -> tuple[Capacity, ...]:
        """The bounds of each group, as far as they are known: nothing is of a function before it is asked."""
        return tuple(self.of.values()) if isinstance(self.of, Mapping) else self.capacities

    def groups(self, h: Hierarchy, classes: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """The group of each of the classes, and the bounds of each group; a function is asked once for each class."""
        if self.name == "by_leaf":
            return (np.diff(h.child_ptr)[classes] > 0).astype(np.int64), self.capacities
        if self.name == "by_level":  # the last bounds are those of all levels below, too
            return np.minimum(h.unit_depths[classes], len(self.capacities) - 1).astype(np.int64), self.capacities
        distinct, place = np.unique(classes, return_inverse=True)
        return place.astype(np.int64), tuple(self._of_class(h.labels[c]) for c in distinct)

    def _of_class(self, label: Label) -> Capacity:
        of: Any = self.of
        if isinstance(of, Mapping) and label not in of:
            raise InvalidBounds(f"bounds by class have none for the class {label!r}")
        bounds = of[label] if isinstance(of, Mapping) else of(label)
        return check_capacity(bounds, f"the bounds of the class {label!r}")

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.capacities)) if self.of is None else repr(self.of)})"


def by_leaf(leaf: Capacity, inner: Capacity) -> BoundRule:
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
    return BoundRule("by_leaf", (leaf, inner))


def by_level(*levels: Capacity) -> BoundRule:
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
    return BoundRule("by_level", tuple(levels))


def by_class(of: Callable[[Label], Capacity] | Mapping[Label, Capacity]) -> BoundRule:
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
    return BoundRule("by_class", of=of)


# ---- by pair


@dataclass(frozen=True)
class PairRule:
    """Capacities of single pairs: ``pairs`` that are forbidden, or forced; or those that a function or mapping gives.

    A rule with ``of`` is ``custom`` and has no text form; ``others``: of pairs that a mapping does not name.
    """

    pairs: frozenset[tuple[Label, Label]] = frozenset()
    forced: bool = False
    of: Callable[[Label, Label], Capacity] | Mapping[tuple[Label, Label], Capacity] | None = field(
        default=None, hash=False
    )
    others: Capacity = (0, 1)

    @property
    def custom(self) -> bool:
        """Whether it has no text form."""
        return self.of is not None

    def groups(self, h: Hierarchy, predicted: IntArray, true: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """The group of each pair, and the capacity of each group; a function is asked once for each two classes."""
        keys = predicted.astype(np.int64) * len(h) + true
        if self.of is None:
            listed = np.array(sorted(h.id(p) * len(h) + h.id(t) for p, t in self.pairs), np.int64)
            return np.isin(keys, listed).astype(np.int64), ((0, 1), (1, 1) if self.forced else (0, 0))
        distinct, place = np.unique(keys, return_inverse=True)
        ends = [(h.labels[p], h.labels[t]) for p, t in (divmod(int(key), len(h)) for key in distinct)]
        if isinstance(self.of, Mapping):
            known = {h.id(p) * len(h) + h.id(t): value for (p, t), value in self.of.items()}
            values = [known.get(int(key), self.others) for key in distinct]
        else:
            values = [self.of(*pair) for pair in ends]
        named = zip(values, ends, strict=True)
        capacities = (pair_capacity(value, f"the capacity of the pair {p!r} ~ {t!r}") for value, (p, t) in named)
        return place.astype(np.int64), tuple(capacities)

    def __repr__(self) -> str:
        if self.of is not None:
            return f"by_pair({self.of!r}, {self.others!r})"
        ordered = sorted(self.pairs, key=lambda pair: tuple(map(repr, pair)))
        return f"{'force' if self.forced else 'forbid'}({', '.join(map(repr, ordered))})"


def _list_pairs(pairs: tuple[Any, ...], word: str) -> PairRule:
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise InvalidBounds(f"{word}({pair!r:.80}): pairs are (predicted, true)")
    if not pairs:
        raise InvalidBounds(f"{word}() names no pair")
    return PairRule(frozenset((p, t) for p, t in pairs), word == "force")


def forbid(*pairs: tuple[Label, Label]) -> PairRule:
    """Pairs (predicted, true) that do not exist; for ``Bounds(..., pair=...)``.

    Parameters
    ----------
    pairs
        (predicted, true) each.

    Examples
    --------
    >>> from hemlp import Bounds, Hierarchy, PairMeasure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> strict = PairMeasure("strict", Bounds((1, 1), (1, 1), pair=forbid(("cow", "sheep"))), default_cost=5)
    >>> strict.score(h, true=["sheep"], pred=["cow"]), strict.score(h, true=["cow"], pred=["sheep"])
    (10.0, 2.0)
    """
    return _list_pairs(pairs, "forbid")


def force(*pairs: tuple[Label, Label]) -> PairRule:
    """Pairs (predicted, true) that must be chosen wherever both classes are there; for ``Bounds(..., pair=...)``.

    Parameters
    ----------
    pairs
        (predicted, true) each.
    """
    return _list_pairs(pairs, "force")


def by_pair(
    of: Callable[[Label, Label], Capacity] | Mapping[tuple[Label, Label], Capacity], others: Capacity = (0, 1)
) -> PairRule:
    """Capacities of each pair, from a function or a mapping; these have no text form.

    Parameters
    ----------
    of
        A function of (predicted, true), or a mapping from such pairs, to (lower, upper) or ``priced(...)``: (0, 0)
        forbids a pair, (1, 1) forces it.
    others
        Of pairs that a mapping does not name.
    """
    if not isinstance(of, Mapping) and not callable(of):
        raise InvalidBounds(f"by_pair({of!r:.80}): a function or a mapping from pairs to (lower, upper) is needed")
    return PairRule(of=of, others=pair_capacity(others, f"by_pair(others={others!r})"))


WORDS.update(priced=priced, forbid=forbid, force=force, by_leaf=by_leaf, by_level=by_level)
