"""Models with further rows: what a user wants beyond a measure's own rules, such as a budget of pairs.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> model = measure("GIE").model(h, true=["sheep"], pred=["cow"])
>>> model.solve().objective, model.with_rows("x_0_0 <= 0").solve().objective
(2.0, 10.0)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InfeasibleModel, InvalidOption, InvalidSolution
from hemlp.hierarchy.labels import Label
from hemlp.optimize.algebra import Algebra, Line
from hemlp.optimize.exports import symbol
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, Row, Status
from hemlp.options import did_you_mean, plain_number

_SENSE = re.compile(r"(<=|>=|=)")
_ADDED = re.compile(r"added_\d+")
_NAME = re.compile(r"(?![eE]\d)[A-Za-z]\w*", re.ASCII)
_TERM = re.compile(r"\s*([+-]?)\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)?\s*\*?\s*([A-Za-z]\w*)")


@dataclass(frozen=True, eq=False, repr=False)
class ChangedModel(Model[Any]):
    """A model of one instance with further ``rows``; its solutions are those of the model that it was made of."""

    base: Any
    rows: tuple[Row, ...]

    needs_judge = True

    @property
    def batch(self) -> Any:
        """The instance."""
        return self.base.batch

    def __len__(self) -> int:
        return 1

    def __getitem__(self, rows: int | slice) -> ChangedModel:
        if rows not in (0, -1) and not (isinstance(rows, slice) and range(1)[rows]):
            raise IndexError("a model with further rows has one instance")
        return self

    def program(self) -> LinearProgram:
        """The program with the further rows last."""
        own: LinearProgram = self.base.program()
        return replace(own, name=f"{own.name}, changed", rows=[*own.rows, *self.rows])

    def algebra(self, stage: str | None = None) -> Algebra:
        """That of the model, and the further rows."""
        own: Algebra = self.base.algebra(stage)
        added = [Line("added" if _ADDED.fullmatch(row.name) else row.name, _as_latex(row.note)) for row in self.rows]
        return replace(own, lines=[*own.lines, *added])

    def plan(self) -> Plan[Any]:
        """One program."""
        result = yield self.program()
        return self.base.solution(result)

    def with_rows(self, *rows: str) -> Model[Any]:
        """With yet more rows."""
        return replace(self, rows=(*self.rows, *_parsed(self.base.program(), rows, self.rows)))

    @property
    def cost_values(self) -> FloatArray:
        """As before, and the coefficients of the further rows, which need not be integers either."""
        coefficients = [c for row in self.rows for _, c in row.terms]
        return np.concatenate([self.base.cost_values, coefficients])

    @property
    def greatest_value(self) -> float:
        """As before."""
        return float(self.base.greatest_value)

    def joined(self, solutions: list[Any]) -> Any:
        """There is one."""
        return self.base.joined(solutions)

    def confirm(self, solution: Any, reference: Callable[[], Any]) -> Any:
        """With what the optimum of a judge proves."""
        status = Status(solution.statuses[0])
        if status is Status.UNSOLVED:
            return solution
        best = reference()
        proved = Status(best.statuses[0])
        lower: dict[int, float] = {}
        if status is Status.INFEASIBLE:
            status = status if proved is status else Status.UNSOLVED
        elif proved is Status.OPTIMAL and _close(solution.objective, best.objective):
            status = Status.OPTIMAL
        else:
            status = Status.FEASIBLE
            lower |= {0: best.objective} if proved is Status.OPTIMAL else {}
        return replace(solution, statuses=np.array([status], np.int8), lower=lower)

    def check(self, solution: Any) -> bool:
        """True if all rows hold, the further ones included; else InvalidSolution."""
        if solution.statuses[0] > Status.FEASIBLE:
            return True
        self.program().check(self.base.values(solution))
        return True

    def refute(self, solution: Any, row: int, best: Any, judge: str) -> None:
        """Another status or another optimum."""
        if best.statuses[0] != solution.statuses[row] or not _close(best.objective, solution.objective):
            raise InvalidSolution(f"{judge} finds {best.objective:g} and not {solution.objective:g}")

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """The rows contradict each other."""
        added = "; ".join(each.note for each in self.rows)
        return InfeasibleModel(f"instance {number}: no solution keeps the rows that were added: {added}", number)


def _as_latex(row: str) -> str:
    signs = {"<=": r"\le", ">=": r"\ge", "=": "="}
    text = _SENSE.sub(lambda found: signs[found.group()], row)
    return re.sub(r"\b[A-Za-z]\w*\b(?<!\ble)(?<!\bge)", lambda found: symbol(found.group()), text)


def _close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(first) and math.isnan(second))


def variable(model: Any, predicted: Label | None, true: Label | None) -> str:
    """The name of the variable of a pair of the only instance; None for a default class."""
    base = model.base if isinstance(model, ChangedModel) else model
    _check_single(base, "pairs have variables")
    if predicted is None and true is None:
        raise InvalidOption("there is no pair of both default classes")
    places = []
    for label, side, name in ((predicted, base.batch.pred, "predicted"), (true, base.batch.true, "true")):
        if label is not None:
            at = np.flatnonzero(side.classes == base.batch.hierarchy.id(label))
            if not at.size:
                raise InvalidOption(f"{label!r} is no {name} class of this instance")
            places.append(int(at[0]))
    letter = "x" if len(places) == 2 else "u" if true is None else "v"
    found = "_".join([letter, *map(str, places)])
    if found not in {each.name for each in base.program().variables}:
        why = "it has no finite cost, or is forbidden" if letter == "x" else "there is no default class for it"
        raise InvalidOption(f"the pair {predicted!r} ~ {true!r} does not exist: {why}")
    return found


def _check_single(model: Any, what: str) -> None:
    if not hasattr(model, "values"):
        raise InvalidOption(f"{what} in pairings and transports, not in {type(model).__name__}")
    if len(model) != 1:
        raise InvalidOption(f"{what} in the model of one instance, this has {len(model)}: take model[i]")


def read_pulp(model: Any, problem: Any) -> Any:
    """The solution that a solved PuLP problem of a model holds, checked against the rules of the model."""
    if not hasattr(model, "values"):
        raise InvalidOption(f"pairings and transports are read from PuLP, not {type(model).__name__}")
    result = import_module("hemlp.solvers.pulp").read(model.program(), problem)
    if result.values is None:
        raise InvalidSolution("the PuLP problem holds no solution: solve it first")
    solution = model.solution(result)
    model.check(solution)
    return solution


def with_rows(model: Any, rows: Sequence[str]) -> ChangedModel:
    """A model of one instance with further rows, written as in LP files."""
    _check_single(model, "rows can be added")
    return ChangedModel(model, tuple(_parsed(model.program(), rows, ())))


def with_costs(model: Any, costs: Mapping[str, float]) -> Any:
    """A pairing or transport with other costs of some variables, by their names in LP files."""
    if not hasattr(model, "with_cost_values"):
        raise InvalidOption(f"costs can be changed in pairings and transports, not in {type(model).__name__}")
    place = {v.name: k for k, v in enumerate(model.program().variables)}
    values = model.cost_values.copy()
    for name, cost in costs.items():
        if name not in place:
            raise InvalidOption(f"there is no variable {name!r}{did_you_mean(name, place)}; model.to_lp() names them")
        values[place[name]] = plain_number(f"the cost of {name}", cost, 0)
        if cost is None or not np.isfinite(values[place[name]]):
            raise InvalidOption(f"the cost of {name} is {cost!r}: to forbid it, add the row {name!r} + ' <= 0'")
    return model.with_cost_values(values)


def _parsed(program: LinearProgram, rows: Sequence[str], before: Sequence[Row]) -> list[Row]:
    place = {v.name: k for k, v in enumerate(program.variables)}
    taken = {row.name for row in (*program.rows, *before)}
    made: list[Row] = []
    for text in rows:
        name, named, body = text.rpartition(":") if isinstance(text, str) else ("", "", "")
        name = name.strip() if named else f"added_{len(before) + len(made)}"
        if named and not _NAME.fullmatch(name):
            raise InvalidOption(f"the row {text!r}: {name!r} is no name: use letters, digits and _, a letter first")
        if name in taken:
            raise InvalidOption(f"the row {text!r}: there is a row {name!r} already")
        taken.add(name)
        made.append(_row(text, body, place, name))
    return made


def _row(text: str, body: str, place: Mapping[str, int], name: str) -> Row:
    """A row from text: ``x_0_0 + 2 x_0_1 - u_1 <= 3``, or ``1 <= x_0_0 + x_0_1 <= 2``."""
    parts = _SENSE.split(body)
    if len(parts) == 3 and _number(parts[0]) is not None:
        parts = [parts[2], {"<=": ">=", ">=": "<="}.get(parts[1], "="), parts[0]]
    elif len(parts) == 5 and parts[1] == parts[3] != "=":
        first = _row(text, "".join(parts[:3]), place, name)
        second = _row(text, "".join(parts[2:]), place, name)
        lower, upper = max(first.lower, second.lower), min(first.upper, second.upper)
        if lower > upper:
            raise InvalidOption(f"the row {text!r}: nothing lies between its bounds")
        return Row(name, lower, upper, second.terms, body.strip())
    bound = _number(parts[2]) if len(parts) == 3 else None
    if bound is None:
        forms = "'x_0_0 + 2 x_0_1 <= 1', '1 <= x_0_0 + x_0_1 <= 2' or 'budget: x_0_0 <= 1'"
        raise InvalidOption(f"cannot read the row {text!r}: write it as in {forms}")
    terms = _terms(text, parts[0], place)
    if not terms or not math.isfinite(bound):
        raise InvalidOption(f"the row {text!r} needs a variable on one side and a number on the other")
    lower, upper = {"<=": (-math.inf, bound), ">=": (bound, math.inf), "=": (bound, bound)}[parts[1]]
    return Row(name, lower, upper, list(terms.items()), body.strip())


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _terms(text: str, body: str, place: Mapping[str, int]) -> dict[int, float]:
    """The coefficient of each variable of a sum."""
    terms: dict[int, float] = {}
    at = 0
    while at < len(body.rstrip()):
        found = _TERM.match(body, at)
        if found is None or (at and not found[1]):
            raise InvalidOption(f"cannot read the row {text!r} at {body[at:].strip()!r}: write 'x_0_0 + 2 x_0_1 <= 1'")
        variable = found[3]
        if variable not in place:
            known = did_you_mean(variable, place)
            raise InvalidOption(f"the row {text!r} names {variable!r}, which is no variable{known}; see model.to_lp()")
        size = float(found[2] or 1) * (-1 if found[1] == "-" else 1)
        terms[place[variable]] = terms.get(place[variable], 0.0) + size
        at = found.end()
    return terms
