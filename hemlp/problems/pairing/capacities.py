"""What a capacity group of Problem 1 may hold, and what each unit of it costs.

A capacity is (lower, upper), or ``priced(...)``: the same with costs. With d units in a group of bounds (α, β),

    cost(d) = Σ_{k ≤ d} each_k + below · max(0, α − d) + above · max(0, d − β),

a convex function of d, so that the problem stays a flow of least cost: a cost that rises is several arcs side by side.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InvalidBounds, InvalidCost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.options import plain_number
from hemlp.text.notation import WORDS

if TYPE_CHECKING:
    from hemlp.problems.pairing.bounds import Bound

Range = tuple["Bound", "Bound"]
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
                    f"each={each!r} falls from {first:g} to {then:g}: units that become cheaper are no flow of least "
                    f"cost; costs may stay or rise, and model.with_constraints(...) takes what is no flow"
                )
        below, above = (None if cost is None else _price(name, cost) for name, cost in self._prices(("below", "above")))
        self.__dict__.update(each=each, below=below, above=above)

    def _prices(self, names: tuple[str, ...]) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in names]

    def __repr__(self) -> str:
        given = [(name, value) for name, value in self._prices(("each", "below", "above")) if value not in ((), None)]
        return f"priced({', '.join([repr(self.bounds), *(f'{name}={value!r}' for name, value in given)])})"


Capacity = Range | Priced
"""What a group may hold."""


def _price(name: str, cost: Any) -> float:
    number = plain_number(name, cost, 0)
    if number is None or not math.isfinite(number) or number > 1e150:
        raise InvalidCost(f"{name}={cost!r} is no cost: a finite number of at least 0 is needed")
    return float(number) if number % 1 else int(number)


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


class PairRule(ABC):
    """Capacities of single pairs; ``custom`` ones have no text form."""

    custom = False

    @abstractmethod
    def grouped(self, h: Hierarchy, predicted: IntArray, true: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """The group of each pair, and the capacity of each group."""


@dataclass(frozen=True)
class ListedPairs(PairRule):
    """Pairs that are forbidden, or forced; all others are as usual."""

    pairs: frozenset[tuple[Label, Label]]
    forced: bool

    def grouped(self, h: Hierarchy, predicted: IntArray, true: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """1 for a pair that is listed."""
        keys = np.array(sorted(h.id(p) * len(h) + h.id(t) for p, t in self.pairs), np.int64)
        listed = np.isin(predicted.astype(np.int64) * len(h) + true, keys)
        return listed.astype(np.int64), ((0, 1), (1, 1) if self.forced else (0, 0))

    def __repr__(self) -> str:
        ordered = sorted(self.pairs, key=lambda pair: tuple(map(repr, pair)))
        return f"{'force' if self.forced else 'forbid'}({', '.join(map(repr, ordered))})"


@dataclass(frozen=True)
class ByPair(PairRule):
    """Capacities of each pair, from a function or a mapping; they have no text form."""

    of: Callable[[Label, Label], Capacity] | Mapping[tuple[Label, Label], Capacity] = field(hash=False)
    others: Capacity = (0, 1)
    custom = True

    def grouped(self, h: Hierarchy, predicted: IntArray, true: IntArray) -> tuple[IntArray, tuple[Capacity, ...]]:
        """Pairs of the same two classes are one group; a function is asked once for each."""
        distinct, place = np.unique(predicted.astype(np.int64) * len(h) + true, return_inverse=True)
        if isinstance(self.of, Mapping):
            known: dict[int, Any] = {h.id(p) * len(h) + h.id(t): value for (p, t), value in self.of.items()}
            found = [known.get(int(key), self.others) for key in distinct]
        else:
            found = [self.of(*(h.labels[c] for c in divmod(int(key), len(h)))) for key in distinct]
        ends = (tuple(h.labels[c] for c in divmod(int(key), len(h))) for key in distinct)
        return place.astype(np.int64), tuple(
            pair_capacity(value, f"the capacity of the pair {p!r} ~ {t!r}")
            for value, (p, t) in zip(found, ends, strict=True)
        )


def pair_capacity(given: Any, what: str) -> Capacity:
    """A capacity of a pair: its bounds are hard, since what a pair costs is its cost."""
    from hemlp.problems.pairing.bounds import ALL, checked_capacity, plain_range

    found = checked_capacity(given, what, by_class=False)
    if plain_range(found)[0] is ALL:
        raise InvalidBounds(f"{what}: ALL is no lower bound of a pair")
    if isinstance(found, Priced) and (found.below is not None or found.above is not None):
        raise InvalidBounds(f"{what}: bounds of a pair are hard; each=(0, ..., 3) lets further units cost more")
    return found


def _listed(pairs: tuple[Any, ...], word: str) -> frozenset[tuple[Label, Label]]:
    for pair in pairs:
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise InvalidBounds(f"{word}({pair!r:.80}): pairs are (predicted, true)")
    if not pairs:
        raise InvalidBounds(f"{word}() names no pair")
    return frozenset((p, t) for p, t in pairs)


def forbid(*pairs: tuple[Label, Label]) -> ListedPairs:
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
    return ListedPairs(_listed(pairs, "forbid"), forced=False)


def force(*pairs: tuple[Label, Label]) -> ListedPairs:
    """Pairs (predicted, true) that must be chosen wherever both classes are there; for ``Bounds(..., pair=...)``.

    Parameters
    ----------
    pairs
        (predicted, true) each.

    Examples
    --------
    >>> from hemlp import Bounds, Hierarchy, PairMeasure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> kept = PairMeasure("kept", Bounds((1, 1), (1, 1), pair=force(("cow", "sheep"))), default_cost=5)
    >>> kept.score(h, true=["sheep", "cow"], pred=["cow"])
    7.0
    """
    return ListedPairs(_listed(pairs, "force"), forced=True)


def by_pair(
    of: Callable[[Label, Label], Capacity] | Mapping[tuple[Label, Label], Capacity], others: Capacity = (0, 1)
) -> ByPair:
    """Capacities of each pair, from a function or a mapping; these have no text form.

    Parameters
    ----------
    of
        A function of (predicted, true), or a mapping from such pairs, to (lower, upper) or ``priced(...)``: (0, 0)
        forbids a pair, (1, 1) forces it.
    others
        Of pairs that a mapping does not name.

    Examples
    --------
    >>> from hemlp import Bounds
    >>> Bounds((1, 1), (1, 1), pair=by_pair(lambda p, t: (0, int(p != "root")))).custom
    True
    """
    if not isinstance(of, Mapping) and not callable(of):
        raise InvalidBounds(f"by_pair({of!r:.80}): a function or a mapping from pairs to (lower, upper) is needed")
    return ByPair(of, pair_capacity(others, f"by_pair(others={others!r})"))


WORDS.update(priced=priced, forbid=forbid, force=force)
