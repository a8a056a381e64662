"""Bounds of Problem 1: how many pairs a class takes part in, and what its default class costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, InvalidBounds, InvalidCost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Side
from hemlp.problems.pairing.capacities import ALL as ALL
from hemlp.problems.pairing.capacities import (
    Bound,
    BoundRule,
    Capacity,
    PairRule,
    Priced,
    check_capacity,
    pair_capacity,
    plain_range,
)
from hemlp.text.notation import WORDS

DefaultCost = float | Mapping[Label, float] | None


@dataclass(frozen=True, repr=False)
class Bounds:
    """How many pairs a class takes part in: (α, β) for predicted and for true classes; and what else may hold how much.

    Each of these capacity groups has a capacity: (lower, upper), or ``priced(...)`` with costs of its units.

    Parameters
    ----------
    predicted, true
        Lower and upper bound: integers, ``ALL``, or mappings from classes to those; or a rule, ``by_leaf``,
        ``by_level`` or ``by_class``. ``ALL`` as a lower bound is the size of the other side, as an upper bound the
        larger of that and the lower bound.
    pair
        How often a pair is chosen, (0, 1) unless said otherwise; ``ALL`` sets no limit of its own. Or a rule:
        ``forbid``, ``force`` or ``by_pair``.
    defaults
        How many units a default class takes, in the whole instance: one capacity, or two, for predicted and for true
        classes. ``ALL`` is no limit.
    total
        How many pairs there are in an instance, without those with a default class. ``ALL`` is no limit.

    Raises
    ------
    InvalidBounds
        If no pairing could ever keep them.

    Examples
    --------
    >>> Bounds(predicted=(1, 1), true=(0, ALL))
    Bounds(predicted=(1, 1), true=(0, ALL))
    >>> Bounds((1, 1), (1, 1), total=(0, 3))
    Bounds(predicted=(1, 1), true=(1, 1), total=(0, 3))
    """

    predicted: Capacity | BoundRule
    true: Capacity | BoundRule
    pair: Capacity | PairRule = (0, 1)
    defaults: Any = ((0, ALL), (0, ALL))
    total: Capacity = (0, ALL)

    def __post_init__(self) -> None:
        for side, given in (("predicted", self.predicted), ("true", self.true)):
            words = f"the bounds {given!r} of {side} classes"
            if not isinstance(given, BoundRule):
                object.__setattr__(self, side, check_capacity(given, words))
            elif not given.pairs and not given.custom:
                raise InvalidBounds(f"{words} are those of no class at all")
            else:
                for pair in given.pairs:
                    check_capacity(pair, words)
        if not isinstance(self.pair, PairRule):
            object.__setattr__(self, "pair", pair_capacity(self.pair, f"pair={self.pair!r}"))
        total = check_capacity(self.total, f"total={self.total!r}", by_class=False, single=True)
        object.__setattr__(self, "total", total)
        given = self.defaults
        several = isinstance(given, tuple | list) and len(given) == 2
        several = several and all(isinstance(each, Priced | tuple | list) for each in given)
        each, words = given if several else (given, given), f"defaults={given!r}"
        both = tuple(check_capacity(of, words, by_class=False, single=True) for of in each)
        object.__setattr__(self, "defaults", both)

    def __repr__(self) -> str:
        shown = {"predicted": self.predicted, "true": self.true} | self.further
        return f"Bounds({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    @cached_property
    def further(self) -> dict[str, Any]:
        """What is said beyond the bounds of classes."""
        first, second = self.defaults
        places = {"pair": self.pair, "defaults": first if first == second else self.defaults, "total": self.total}
        return {name: value for name, value in places.items() if value != _USUAL[name]}

    @cached_property
    def plain(self) -> bool:
        """Whether nothing is said beyond bounds of classes, and nothing has a price, as far as that is known."""
        return not self.further and not any(isinstance(each, Priced) for each in self._of_classes)

    @property
    def _of_classes(self) -> list[Capacity]:
        """All capacities that classes of either side can have, as far as they are known."""
        return [*_capacities(self.predicted), *_capacities(self.true)]

    @cached_property
    def ruled(self) -> bool:
        """Whether bounds depend on the class."""
        return isinstance(self.predicted, BoundRule) or isinstance(self.true, BoundRule)

    @property
    def symmetric(self) -> bool:
        """Whether both sides have the same bounds."""
        sides = self.predicted == self.true and self.defaults[0] == self.defaults[1]
        return sides and not isinstance(self.pair, PairRule)

    @property
    def free(self) -> bool:
        """Whether each class of two equal sides can be paired with itself, for nothing."""
        places = [*self._of_classes, self.pair, *self.defaults, self.total]
        charged = any(isinstance(each, Priced) and any(each.each[:1]) for each in places)
        usual = plain_range(self.total) == (0, ALL) and not isinstance(self.pair, PairRule)
        return usual and not charged and plain_range(self.pair)[0] == 0 and plain_range(self.pair)[1] != 0

    @cached_property
    def consistent(self) -> bool:
        """Whether it is known that no class has a lower bound above its upper bound."""
        pairs = map(plain_range, self._of_classes)
        return not self.custom and all(lower is not ALL or upper is ALL for lower, upper in pairs)

    @cached_property
    def custom(self) -> bool:
        """Whether a bound is a mapping or a function, which have no text form."""
        plain = map(plain_range, self._of_classes)
        ruled = (of.custom for of in (self.predicted, self.true, self.pair) if isinstance(of, BoundRule | PairRule))
        return any(ruled) or any(isinstance(bound, Mapping) for pair in plain for bound in pair)

    @property
    def least(self) -> tuple[frozenset[Any], frozenset[Any]]:
        """All lower bounds that classes of each side can have, as far as they are known."""
        lower = ((plain_range(each)[0] for each in _capacities(of)) for of in (self.predicted, self.true))
        predicted, true = (frozenset("custom" if isinstance(b, Mapping) else b for b in of) for of in lower)
        return predicted, true


_USUAL = {"pair": (0, 1), "defaults": (0, ALL), "total": (0, ALL)}


def _capacities(of: Capacity | BoundRule) -> tuple[Capacity, ...]:
    return of.pairs if isinstance(of, BoundRule) else (of,)


WORDS.update(ALL=ALL, Bounds=Bounds)
ONE_TO_ONE, COVER = Bounds((1, 1), (1, 1)), Bounds((1, ALL), (1, ALL))
EACH = Bounds((1, 1), (0, ALL)), Bounds((0, ALL), (1, 1))
"""Each predicted class takes one true class, or each true class one predicted class."""


def bound_arrays(
    bounds: Capacity | BoundRule, side: Side, other: Side, h: Hierarchy, name: str
) -> tuple[IntArray, IntArray]:
    """α and β of each class of a side; α may turn out above β.

    ALL is the size of the other side as a lower bound, and as an upper bound the larger of that and α.
    """
    size = np.repeat(other.sizes, side.sizes)
    if isinstance(bounds, tuple):
        least = _bound_array(bounds[0], side.classes, size, h.labels, name)
        return least, _bound_array(bounds[1], side.classes, np.maximum(least, size), h.labels, name)
    lower, upper = np.zeros((2, size.size), np.int64)
    group, pairs = side_prices(bounds, side, h)
    for number, pair in enumerate(map(plain_range, pairs)):
        of = np.flatnonzero(group == number)
        lower[of] = least = _bound_array(pair[0], side.classes[of], size[of], h.labels, name)
        upper[of] = _bound_array(pair[1], side.classes[of], np.maximum(least, size[of]), h.labels, name)
    return lower, upper


def side_prices(bounds: Capacity | BoundRule, side: Side, h: Hierarchy) -> tuple[IntArray, tuple[Capacity, ...]]:
    """The capacity of each class of a side, as a position in a list of capacities, and the list."""
    if isinstance(bounds, BoundRule):
        return bounds.groups(h, side.classes)
    return np.zeros(side.classes.size, np.int64), (bounds,)


def contradiction(
    lower: IntArray, upper: IntArray, side: Side, labels: tuple[Label, ...], name: str, first_row: int
) -> InfeasibleModel | None:
    """The error of the first class whose bounds contradict each other, if there is one."""
    for k in np.flatnonzero(lower > upper)[:1]:
        row, label = first_row + int(np.searchsorted(side.ptr, k, side="right")), labels[side.classes[k]]
        words = f"the {name} class {label!r} has the lower bound {lower[k]} and the upper bound {upper[k]}"
        return InfeasibleModel(f"instance {row}: {words}", row, name, label)
    return None


def _bound_array(bound: Bound, classes: IntArray, size: IntArray, labels: tuple[Label, ...], name: str) -> IntArray:
    """A bound of each class, ``size`` in place of ALL."""
    if not isinstance(bound, int | Mapping):  # ALL
        return size.astype(np.int64)
    if isinstance(bound, int):
        return np.full(classes.size, bound, np.int64)
    values = [_for_class(bound, labels[c], f"a bound of {name} classes", InvalidBounds) for c in classes]
    return np.array([s if v is ALL else v for v, s in zip(values, size, strict=True)], np.int64)


def default_array(cost: DefaultCost, side: Side, labels: tuple[Label, ...], name: str) -> FloatArray:
    """The default cost of each class of a side, infinite without a default class."""
    if isinstance(cost, Mapping):
        values = [_for_class(cost, labels[c], f"the default cost of {name} classes", InvalidCost) for c in side.classes]
        return np.array([math.inf if value is None else value for value in values], np.float64)
    return np.full(side.classes.size, math.inf if cost is None else float(cost))


def _for_class(values: Mapping[Label, Any], label: Label, what: str, error: type[Exception]) -> Any:
    if label not in values:
        raise error(f"{what} is a mapping without the class {label!r}")
    return values[label]
