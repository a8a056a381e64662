"""Linear expressions over the pairs of an instance, and constraints made of them.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> x = measure("GIE").model(h, true=["sheep", "cow"], pred=["cow"]).x
>>> print(x["cow", "sheep"] + 2 * x["cow", None] <= 1, "|", x["cow", :].sum().between(0, 1).named("budget"))
x_0_1 + 2 u_0 <= 1 | budget: 0 <= x_0_0 + x_0_1 <= 1
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.optimize.program import LinearProgram, Row, number_text, sum_text
from hemlp.options import did_you_mean

_NAME = re.compile(r"(?![eE]\d)[A-Za-z]\w*", re.ASCII)
_VARIABLE = re.compile(r"(x_\d+_\d+|[uv]_\d+)(?:_time\d+)?")


@dataclass(frozen=True, eq=False)
class Expression:
    """Σ coefficient · variable + constant; variables are named as in LP files."""

    terms: Mapping[str, float]
    constant: float = 0.0

    def __add__(self, other: Expression | float) -> Expression:
        second = _expression(other)
        terms = dict(self.terms)
        for name, coefficient in second.terms.items():
            terms[name] = terms.get(name, 0.0) + coefficient
        return Expression(terms, self.constant + second.constant)

    __radd__ = __add__

    def __mul__(self, factor: float) -> Expression:
        by = _number(factor)
        return Expression({name: c * by for name, c in self.terms.items()}, self.constant * by)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Expression:
        by = _number(divisor)
        if not by:
            raise InvalidOption("an expression cannot be divided by 0")
        return Expression({name: c / by for name, c in self.terms.items()}, self.constant / by)

    def _refuse_power(self, *_: Any) -> Any:
        raise InvalidOption("powers, absolute values and quotients by an expression are not linear")

    __rtruediv__ = __pow__ = __rpow__ = __abs__ = _refuse_power

    def _refuse_strict(self, other: Any) -> Any:
        raise InvalidOption("a strict inequality need not have an optimum: write <= or >=")

    __lt__ = __gt__ = _refuse_strict

    def __ne__(self, other: object) -> Any:
        raise InvalidOption("!= is not linear: write ==, <= or >=")

    def __neg__(self) -> Expression:
        return -1 * self

    def __sub__(self, other: Expression | float) -> Expression:
        return self + -1 * _expression(other)

    def __rsub__(self, other: float) -> Expression:
        return -1 * self + other

    def __le__(self, other: Expression | float) -> Constraint:
        return Constraint(self - other, -math.inf, 0.0)

    def __ge__(self, other: Expression | float) -> Constraint:
        return Constraint(self - other, 0.0, math.inf)

    def __eq__(self, other: object) -> Constraint:  # type: ignore[override]
        return Constraint(self - _expression(other), 0.0, 0.0)

    __hash__ = None  # type: ignore[assignment]

    def between(self, lower: float, upper: float) -> Constraint:
        """lower ≤ self ≤ upper, where Python would read ``lower <= self <= upper`` as two questions."""
        low, high = _number(lower), _number(upper)
        if low > high:
            raise InvalidOption(f"no number is between {lower!r} and {upper!r}")
        return Constraint(self, low, high)


@dataclass(frozen=True, eq=False)
class Constraint:
    """lower ≤ expression ≤ upper, perhaps with a name."""

    expression: Expression
    lower: float
    upper: float
    name: str = ""

    def named(self, name: str) -> Constraint:
        """The same with a name, for files and messages: letters, digits and _, a letter first."""
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise InvalidOption(f"{name!r} cannot name a constraint: use letters, digits and _, a letter first")
        return replace(self, name=name)

    def __bool__(self) -> bool:
        raise InvalidOption("a constraint is neither true nor false: a range is written e.between(low, high)")

    def row(self, program: LinearProgram, name: str) -> Row:
        """As a row of a program."""
        place = {v.name: k for k, v in enumerate(program.variables)}
        for variable in self.expression.terms:
            if variable not in place:
                known = did_you_mean(variable, place)
                raise InvalidOption(f"the constraint {self} is about {variable}, which the model does not have{known}")
        shift = self.expression.constant
        terms = [(place[variable], c) for variable, c in self.expression.terms.items() if c]
        return Row(name, self.lower - shift, self.upper - shift, terms, self.name)

    def __str__(self) -> str:
        names, shift = list(self.expression.terms), self.expression.constant
        body = sum_text(enumerate(self.expression.terms.values()), names)
        low, high = (number_text(b - shift) if math.isfinite(b) else "" for b in (self.lower, self.upper))
        text = f"{low} <= {body} <= {high}" if low and high else f"{body} <= {high}" if high else f"{body} >= {low}"
        text = f"{body} = {low}" if self.lower == self.upper else text
        return f"{self.name}: {text}" if self.name else text


class Expressions(Sequence[Expression]):
    """The variables of several pairs."""

    def __init__(self, members: Sequence[Expression]) -> None:
        self._members = tuple(members)

    @overload
    def __getitem__(self, at: int) -> Expression: ...
    @overload
    def __getitem__(self, at: slice) -> Expressions: ...
    def __getitem__(self, at: int | slice) -> Expression | Expressions:
        return Expressions(self._members[at]) if isinstance(at, slice) else self._members[at]

    def __len__(self) -> int:
        return len(self._members)

    def _refuse_comparison(self, other: Any) -> Any:
        raise InvalidOption("several pairs at once are not an expression: write .sum() <= 1, or a constraint for each")

    __le__ = __ge__ = __lt__ = __gt__ = _refuse_comparison

    def sum(self) -> Expression:
        """Of all of them."""
        total = Expression({})
        for each in self._members:
            total = total + each
        return total


class PairVariables:
    """The variables of the pairs of one instance: ``x[predicted, true]``, labels; None for a default class.

    ``x[p, :]`` and ``x[:, t]`` are all pairs of a class with classes of the other side, ``x[:, :]`` all pairs. A pair
    that the instance does not have is 0. ``predicted`` and ``true`` are the labels of its classes.
    """

    def __init__(self, model: Any) -> None:
        if not hasattr(model, "values"):
            raise InvalidOption(f"pairs have variables in pairings and transports, not in {type(model).__name__}")
        if len(model) != 1:
            raise InvalidOption(
                f"pairs have variables in the model of one instance, this has {len(model)}: take model[i], or say "
                "what holds for each instance by a function of its model"
            )
        self._model = model
        labels = model.batch.hierarchy.labels
        self.predicted: tuple[Label, ...] = tuple(labels[c] for c in model.batch.pred.classes.tolist())
        self.true: tuple[Label, ...] = tuple(labels[c] for c in model.batch.true.classes.tolist())

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The variables of each pair: several where it can be taken several times."""
        names: dict[str, list[str]] = {}
        for variable in self._model.program().variables:
            if match := _VARIABLE.fullmatch(variable.name):
                names.setdefault(match[1], []).append(variable.name)
        return names

    def names(self, predicted: int | None, true: int | None) -> list[str]:
        """The names of the variables of a pair, by the positions of its classes; None for a default class."""
        letter = "u" if true is None else "v" if predicted is None else "x"
        return self._names.get("_".join([letter, *(str(k) for k in (predicted, true) if k is not None)]), [])

    def position(self, side: int, label: Label) -> int | None:
        """Of a class among those of its side; None where the instance does not have it."""
        at = np.flatnonzero(self._model.batch.sides[side].classes == self._model.batch.hierarchy.id(label))
        return int(at[0]) if at.size else None

    def variable(self, predicted: Label | None, true: Label | None) -> str:
        """The name of the variable of a pair, which the instance has to have."""
        for side, (label, name) in enumerate(((predicted, "predicted"), (true, "true"))):
            if label is not None and self.position(side, label) is None:
                raise InvalidOption(f"{label!r} is no {name} class of this instance")
        if not (names := self[predicted, true].terms):
            default = predicted is None or true is None
            why = "there is no default class for it" if default else "it has no finite cost, or is forbidden"
            raise InvalidOption(f"the pair {predicted!r} ~ {true!r} does not exist: {why}")
        return next(iter(names))

    @overload
    def __getitem__(self, pair: tuple[Label | None, Label | None]) -> Expression: ...
    @overload
    def __getitem__(self, pair: tuple[Label | slice | None, Label | slice | None]) -> Any: ...
    def __getitem__(self, pair: Any) -> Any:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise InvalidOption(f"x[{pair!r}] is not a pair: write x[predicted, true]")
        if pair == (None, None):
            raise InvalidOption("there is no pair of both default classes")
        if any(isinstance(side, slice) and side != slice(None) for side in pair):
            raise InvalidOption("all classes of a side are written as a colon alone: x[predicted, :]")
        sides = []
        for side, (label, own) in enumerate(zip(pair, (self.predicted, self.true), strict=True)):
            if isinstance(label, slice):
                sides.append([*range(len(own))])
            else:
                sides.append([None] if label is None else [self.position(side, label)])
                if label is not None and sides[-1] == [None]:
                    sides[-1] = []  # not in this instance
        made = [Expression(dict.fromkeys(self.names(p, t), 1.0)) for p in sides[0] for t in sides[1]]
        pairs = Expressions(made)
        return pairs if any(isinstance(label, slice) for label in pair) else pairs.sum()

    def __iter__(self) -> Iterator[Expression]:
        return iter(self[:, :])


def rows_of(program: LinearProgram, constraints: Sequence[Constraint], before: Sequence[Row] = ()) -> list[Row]:
    """Constraints as rows of a program; those without a name are numbered."""
    if isinstance(constraints, Constraint):
        constraints = [constraints]
    taken = {row.name for row in (*program.rows, *before)}
    rows: list[Row] = []
    for constraint in constraints:
        if isinstance(constraint, list | tuple):
            raise InvalidOption("a list is not a constraint: give its members one by one, as with_constraints(*rows)")
        if not isinstance(constraint, Constraint):
            raise InvalidOption(
                f"{constraint!r} is not a constraint: write one as in model.x[p, t] + model.x[p, :].sum() <= 1"
            )
        name = constraint.name or f"added_{len(before) + len(rows)}"
        if name in taken:
            raise InvalidOption(f"the constraint {constraint}: there is a row {name!r} already")
        taken.add(name)
        rows.append(constraint.row(program, name))
    return rows


def _number(value: Any) -> float:
    if isinstance(value, Expression):
        raise InvalidOption("a product or quotient of two expressions is not linear: a number is needed")
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise InvalidOption(f"{value!r} is neither an expression nor a finite number")
    return float(value)


def _expression(value: Any) -> Expression:
    return value if isinstance(value, Expression) else Expression({}, _number(value))
