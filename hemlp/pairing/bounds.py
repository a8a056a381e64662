"""Bounds of Problem 1: how many pairs a class takes part in, and what its default class costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, InvalidBounds, InvalidCost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Side
from hemlp.pairing.rules import BoundRule
from hemlp.text.notation import WORDS


class _All:
    """The type of ``ALL``, as many as the other side has."""

    def __repr__(self) -> str:
        return "ALL"

    def __reduce__(self) -> str:
        return "ALL"


ALL = _All()
Bound = int | _All | Mapping[Label, "int | _All"]
DefaultCost = float | Mapping[Label, float] | None


@dataclass(frozen=True)
class Bounds:
    """How many pairs a class takes part in: (α, β) for predicted and for true classes.

    Parameters
    ----------
    predicted, true
        Lower and upper bound: integers, ``ALL``, or mappings from classes to those; or a rule, ``by_leaf``,
        ``by_level`` or ``by_class``. ``ALL`` as a lower bound is the size of the other side, as an upper bound the
        larger of that and the lower bound.

    Raises
    ------
    InvalidBounds
        If no pairing could ever keep them.

    Examples
    --------
    >>> Bounds(predicted=(1, 1), true=(0, ALL))
    Bounds(predicted=(1, 1), true=(0, ALL))
    """

    predicted: tuple[Bound, Bound] | BoundRule
    true: tuple[Bound, Bound] | BoundRule

    def __post_init__(self) -> None:
        for side, given in (("predicted", self.predicted), ("true", self.true)):
            if isinstance(given, BoundRule):
                for pair in given.pairs:
                    checked_pair(pair, f"the bounds {side}={given!r}")
                if not given.pairs and not given.custom:
                    raise InvalidBounds(f"the bounds {side}={given!r} are those of no class at all")
            else:
                object.__setattr__(self, side, checked_pair(given, f"the bounds {side}={given!r}"))

    @property
    def custom(self) -> bool:
        """Whether a bound is a mapping or a function, which have no text form."""
        plain = (pair for of in (self.predicted, self.true) for pair in _pairs(of))
        ruled = (of.custom for of in (self.predicted, self.true) if isinstance(of, BoundRule))
        return any(ruled) or any(isinstance(bound, Mapping) for pair in plain for bound in pair)

    @property
    def least(self) -> tuple[frozenset[Any], frozenset[Any]]:
        """All lower bounds that classes of each side can have, as far as they are known."""
        predicted, true = (frozenset(_hashable(pair[0]) for pair in _pairs(of)) for of in (self.predicted, self.true))
        return predicted, true


def _pairs(of: tuple[Bound, Bound] | BoundRule) -> tuple[tuple[Bound, Bound], ...]:
    return of.pairs if isinstance(of, BoundRule) else (of,)


def _hashable(bound: Bound) -> Any:
    return "custom" if isinstance(bound, Mapping) else bound


def checked_pair(given: Any, what: str) -> tuple[Bound, Bound]:
    """(lower, upper), refused unless they are integers, ALL, or mappings to those that a pairing could keep."""
    if not (isinstance(given, tuple | list) and len(given) == 2):
        raise InvalidBounds(f"{what} are not a pair (lower, upper)")
    lower, upper = (bound.item() if isinstance(bound, np.integer) else bound for bound in given)
    for bound in (lower, upper):
        for value in bound.values() if isinstance(bound, Mapping) else (bound,):
            if value is not ALL and not (isinstance(value, int) and value is not True and 0 <= value < 2**31):
                raise InvalidBounds(f"{what}: {value!r} is not ALL or an integer ≥ 0")
    if isinstance(lower, int) and isinstance(upper, int) and lower > upper:
        raise InvalidBounds(f"{what} ask for at least {lower} and at most {upper}")
    return lower, upper


WORDS.update(ALL=ALL, Bounds=Bounds)


def bound_arrays(
    bounds: tuple[Bound, Bound] | BoundRule, side: Side, other: Side, h: Hierarchy, name: str
) -> tuple[IntArray, IntArray]:
    """α and β of each class of a side; α may turn out above β.

    ALL is the size of the other side as a lower bound, and as an upper bound the larger of that and α.
    """
    size = np.repeat(np.diff(other.ptr), np.diff(side.ptr))
    if not isinstance(bounds, BoundRule):
        return _pair_arrays(bounds, side.classes, size, h.labels, name)
    lower, upper = np.zeros((2, size.size), np.int64)
    group, pairs = bounds.grouped(h, side.classes)
    for number, pair in enumerate(pairs):
        of = np.flatnonzero(group == number)
        lower[of], upper[of] = _pair_arrays(pair, side.classes[of], size[of], h.labels, name)
    return lower, upper


def _pair_arrays(
    pair: tuple[Bound, Bound], classes: IntArray, size: IntArray, labels: tuple[Label, ...], name: str
) -> tuple[IntArray, IntArray]:
    lower = _bound_array(pair[0], classes, size, labels, name)
    return lower, _bound_array(pair[1], classes, np.maximum(lower, size), labels, name)


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
    if isinstance(bound, _All):
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
