"""Models with constraints beyond a measure's own rules, such as a budget of pairs, for each instance of a batch.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
>>> model = measure("GIE").model(h, true=["sheep"], pred=["cow"])
>>> model.solve().objective, model.with_constraints(model.x["cow", "sheep"] == 0).solve().objective
(2.0, 10.0)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InfeasibleModel, InvalidOption, InvalidSolution
from hemlp.escaping import latex
from hemlp.optimize.exports import Algebra, Line
from hemlp.optimize.expressions import Constraint, Expression, PairVariables, rows_of
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, Row, Status, row_text, sum_text

ConstraintFunction = Callable[[Any], Iterable[Constraint]]
"""From the model of one instance to its constraints."""


@dataclass(frozen=True, eq=False, repr=False)
class ChangedModel(Model[Any]):
    """A pairing or transport with further constraints; its solutions are those of the model that it was made of.

    ``constraints``: functions of the model of one instance, all of which hold for each instance.
    """

    base: Any
    constraints: tuple[ConstraintFunction, ...]

    needs_judge = True

    @property
    def batch(self) -> Any:
        """The instances."""
        return self.base.batch

    @property
    def title(self) -> str:
        """As of the model."""
        return str(self.base.title)

    @property
    def x(self) -> PairVariables:
        return PairVariables(self.base)

    def __len__(self) -> int:
        return len(self.base)

    def __getitem__(self, rows: int | slice) -> ChangedModel:
        part = replace(self, base=self.base[rows])
        if "added" in vars(self):  # functions are asked once
            vars(part)["added"] = self.added[rows] if isinstance(rows, slice) else [self.added[rows]]
        return part

    @cached_property
    def added(self) -> list[list[Row]]:
        """The further rows of each instance, over the variables of its own program."""
        return [self._rows(self.base[i]) for i in range(len(self))]

    def _rows(self, one: Any) -> list[Row]:
        rows: list[Row] = []
        program = one.program()
        for function in self.constraints:
            made = function(one)
            if not isinstance(made, Constraint | Iterable):
                raise InvalidOption(f"the function of constraints returned {made}: return a constraint or several")
            rows += rows_of(program, [made] if isinstance(made, Constraint) else list(made), rows)
        return rows

    @property
    def rows(self) -> list[Row]:
        """The further rows of the only instance."""
        (rows,) = self.added
        return rows

    def program(self) -> LinearProgram:
        """The program of the model, instances side by side, with the further rows last."""
        own: LinearProgram = self.base.program()
        if len(self) == 1:
            rows = self.rows
        else:
            instance = self.base.circulation.rows[self.base.variables]
            places = [np.flatnonzero(instance == i).tolist() for i in range(len(self))]
            rows = [
                replace(row, name=_numbered(row.name, i), terms=[(places[i][k], c) for k, c in row.terms])
                for i, further in enumerate(self.added)
                for row in further
            ]
        return replace(own, name=f"{own.name}, changed", rows=[*own.rows, *rows])

    def algebra(self, stage: str | None = None) -> Algebra:
        """That of the model, and the further rows, where there is one instance."""
        own: Algebra = self.base.algebra(stage)
        rows = self.rows if len(self) == 1 else []
        letters = [_symbol(self.x, variable.name) for variable in self.base.program().variables] if rows else []
        texts = [row_text(row, sum_text(row.terms, letters), r"\le") for row in rows]
        added = [Line(row.note or "added", text) for row, text in zip(rows, texts, strict=True)]
        return replace(own, lines=[*own.lines, *added])

    def to_networkx(self) -> Any:
        """Refused: rows of your own are no part of a flow."""
        raise InvalidOption("a model with rows of your own is an integer program, not a flow network: use to_lp()")

    def plan(self) -> Plan[Any]:
        result = yield self.program()
        return self.base.solution(result)

    @property
    def cost_values(self) -> FloatArray:
        """As before, and the coefficients of the further rows, which need not be integers either."""
        coefficients = [c for rows in self.added for row in rows for _, c in row.terms]
        return np.concatenate([self.base.cost_values, coefficients])

    @property
    def greatest_value(self) -> float:
        return float(self.base.greatest_value)

    def joined(self, solutions: list[Any]) -> Any:
        return self.base.joined(solutions) if solutions else self.base.unsolved()

    def check(self, solution: Any, prices: Any = None) -> bool:
        """True if all rows hold, the further ones included; else InvalidSolution.

        With ``prices`` also that not even without the further rows anything costs less.
        """
        for i in np.flatnonzero(solution.statuses <= Status.FEASIBLE).tolist():
            self[i].program().check(self.base[i].values(solution[i]))
        return prices is None or bool(self.base.check(solution, prices))

    def confirm(self, solution: Any, reference: Callable[[], Any]) -> Any:
        if (solution.statuses == Status.UNSOLVED).all():
            return solution
        best, statuses = reference(), solution.statuses.copy()
        lower: dict[int, float] = {}
        for i, claimed in enumerate(map(Status, solution.statuses)):
            proved = Status(best.statuses[i])
            if claimed is Status.INFEASIBLE:
                statuses[i] = claimed if proved is claimed else Status.UNSOLVED
            elif claimed is not Status.UNSOLVED:
                equal = proved is Status.OPTIMAL and _close(solution.objectives[i], best.objectives[i])
                statuses[i] = Status.OPTIMAL if equal else Status.FEASIBLE
                if proved is Status.OPTIMAL and not equal:
                    lower[i] = float(best.objectives[i])
        return replace(solution, statuses=statuses, lower=lower)

    def refute(self, solution: Any, row: int, best: Any, judge: str) -> None:
        objective, other = solution.objectives[row], best.objectives[0]
        if best.statuses[0] != solution.statuses[row] or not _close(other, objective):
            raise InvalidSolution(f"instance {row + 1}: {judge} finds {other:g} and not {objective:g}")

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        one = self[row]
        words = [f"[{variable.note}]" for variable in one.base.program().variables]
        added = "; ".join(_in_words(each, words) for each in one.rows)
        return InfeasibleModel(f"instance {number}: no solution keeps the rows that were added: {added}", number)


def _in_words(row: Row, words: Sequence[str]) -> str:
    """A row of one instance, with its name if it has one of its own, and pairs as people read them."""
    body = Expression({words[k]: coefficient for k, coefficient in row.terms})
    return str(Constraint(body, row.lower, row.upper, row.note))


def _numbered(name: str, row: int) -> str:
    """The name of a variable or row of one instance among those of several, as pairings number them."""
    head, *rest = name.split("_")
    return "_".join([head, str(row), *rest])


def _symbol(x: PairVariables, variable: str) -> str:
    """A variable with the labels of its pair in LaTeX: x_0_1 is x_{\\text{cow},\\text{sheep}}."""
    letter, *places = variable.split("_")
    sides = {"x": (x.predicted, x.true), "u": (x.predicted,), "v": (x.true,)}.get(letter, ())
    labels = [rf"\text{{{latex(str(labels[int(k)]))}}}" for labels, k in zip(sides, places, strict=False)]
    return f"{letter}_{{{','.join([*labels, *places[len(labels) :]])}}}"


def _close(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(first) and math.isnan(second))


def with_constraints(model: Any, constraints: tuple[Constraint | ConstraintFunction, ...]) -> ChangedModel:
    """A model with further constraints, or functions that make them for each instance."""
    if not hasattr(model, "values") and not isinstance(model, ChangedModel):
        raise InvalidOption(f"constraints are added to pairings and transports, not to {type(model).__name__}")
    fixed = tuple(each for each in constraints if not callable(each))
    if fixed and len(model) != 1:
        raise InvalidOption(
            f"a constraint is about one instance, this model has {len(model)}: take model[i], or give a function"
        )
    functions = [each for each in constraints if callable(each)]
    if fixed:
        functions.insert(0, lambda _: fixed)
    base, before = (model.base, model.constraints) if isinstance(model, ChangedModel) else (model, ())
    made = ChangedModel(base, (*before, *functions))
    if len(made) == 1:
        made.program()  # what is wrong with a constraint is said at once
    return made
