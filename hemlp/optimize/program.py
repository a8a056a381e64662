r"""Linear programs as plain data, in words and as LP and MPS files: what a matrix solver or an export asks a model for.

>>> p = LinearProgram("a walk", [Variable("x_0", 0, 1, 2.0, "by foot"), Variable("x_1", 0, 1, 5.0, "by bus")],
...                   [Row("go", 1, 1, [(0, 1.0), (1, 1.0)], "one way to go")])
>>> print(p)
minimize  2 [by foot] + 5 [by bus]
subject to
  [by foot] + [by bus] = 1    (one way to go)
with integers 0 ≤ each ≤ 1
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from importlib import import_module
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.escaping import in_ascii, printable

if TYPE_CHECKING:
    import pulp
    from ortools.math_opt.python import mathopt

    from hemlp.optimize.exports import ProgramArrays


STEPS = ("", "search", "programs of parts", "programs")
"""The steps that solve an instance of LCA measures: each is tried where the one before gives up."""


class Status(IntEnum):
    """What is known of a solution: a code in arrays, a word in texts; ``status == "optimal"`` compares the word."""

    OPTIMAL = 0
    """It keeps all constraints, and no other is better: proved."""
    FEASIBLE = 1
    """It keeps all constraints; that no other is better is not proved."""
    INFEASIBLE = 2
    """No solution keeps all constraints: proved."""
    UNSOLVED = 3
    """Nothing is known: a limit was reached before any solution was found, or the solver failed."""

    @classmethod
    def _missing_(cls, value: object) -> Status | None:
        return next((status for status in cls if status == value), None)

    def __str__(self) -> str:
        return self.name.lower()

    def __repr__(self) -> str:
        return f"<Status.{self.name}: {str(self)!r}>"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __eq__(self, other: object) -> bool:
        return str(self) == other if isinstance(other, str) else int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = IntEnum.__hash__


STATUSES = tuple(Status)
"""All of them, in the order of their codes."""


@dataclass(frozen=True)
class Variable:
    """An integer variable with its coefficient in the objective. ``note`` names it to a reader."""

    name: str
    lower: float
    upper: float
    cost: float
    note: str


@dataclass(frozen=True)
class Row:
    """lower ≤ Σ coefficient · variable ≤ upper; terms are (position of the variable, coefficient)."""

    name: str
    lower: float
    upper: float
    terms: Sequence[tuple[int, float]]
    note: str = ""


@dataclass(frozen=True)
class ProgramResult:
    """What a matrix solver found: values of the variables (None without a solution) and a bound on the objective.

    ``work``: what it took, in the deterministic unit of a solver that has one. ``limited``: a limit ended it. A program
    that is not solved and not limited was given up, and so is its instance.
    """

    status: Status
    values: FloatArray | None = None
    bound: float = math.nan
    work: float = 0.0
    limited: bool = False


@dataclass(frozen=True)
class LinearProgram:
    """min or max of a linear objective over integer variables, subject to rows.

    The objective is ``scale`` times what the model's own objective is; nan where that differs between instances.
    """

    name: str
    variables: Sequence[Variable]
    rows: Sequence[Row]
    maximize: bool = False
    scale: float = 1

    @property
    def goal_name(self) -> str:
        """What the objective is called in files and in models of other tools: its scale is part of the name."""
        if self.scale == 1:
            return "obj"
        return "obj_of_several_scales" if math.isnan(self.scale) else f"obj_times_{number_text(self.scale)}"

    @property
    def scale_words(self) -> str:
        """What the objective has to be divided by; "" for nothing."""
        if math.isnan(self.scale):
            return "the objective adds up instances of different scales"
        what = "value" if self.maximize else "cost"
        return "" if self.scale == 1 else f"the objective is {number_text(self.scale)} times the {what}"

    def objective(self, values: Iterable[float]) -> float:
        """The objective at ``values``."""
        return math.fsum(v.cost * x for v, x in zip(self.variables, values, strict=True) if x)

    def check(self, values: FloatArray) -> None:
        """Raise InvalidSolution unless ``values`` are integers that keep all bounds and rows."""
        if values.shape != (len(self.variables),):
            raise InvalidSolution(f"{self.name}: {values.size} values where {len(self.variables)} are needed")
        for variable, value in zip(self.variables, values.tolist(), strict=True):
            if not (variable.lower <= value <= variable.upper and value.is_integer()):
                bounds = f"integers from {variable.lower:g} to {variable.upper:g}"
                raise InvalidSolution(f"{self.name}: {variable.name} ({variable.note}) is {value:g}, not of {bounds}")
        for row in self.rows:
            total = math.fsum(c * values[i] for i, c in row.terms)
            if not row.lower - 1e-9 <= total <= row.upper + 1e-9:
                words = f" ({row.note})" if row.note not in ("", row.name) else ""
                raise InvalidSolution(f"{self.name}: the row {row.name}{words} does not hold: {total:g}")

    def float_scale(self) -> float:
        """A power of two that brings the largest cost near 1: solvers in floats have absolute tolerances."""
        largest = max((abs(v.cost) for v in self.variables), default=0.0)
        return math.ldexp(1.0, -math.frexp(largest)[1]) if largest else 1.0

    # ---- for other tools

    def check_bounded(self) -> None:
        """Raise InvalidOption unless all variables are bounded: without that not every backend ends."""
        for v in self.variables:
            if not (math.isfinite(v.lower) and math.isfinite(v.upper)):
                raise InvalidOption(f"{v.name} has no finite bounds: a solver of integer programs may never end")

    def without_empty_rows(self) -> tuple[list[Variable], list[Row]]:
        """Variables and rows such that no row is empty and there is a variable: some readers refuse both."""
        self.check_bounded()
        variables, rows = list(self.variables), list(self.rows)
        if not variables or any(not row.terms for row in rows):
            rows = [row if row.terms else replace(row, terms=[(len(variables), 1.0)], note="") for row in rows]
            variables.append(Variable("zero", 0, 0, 0, "a variable fixed at 0, for rows without any"))
        return variables, rows or [Row("none", 0, math.inf, [(0, 1.0)])]

    def _comments(self, sign: str) -> Iterator[str]:
        """The title and the notes, as comments of a file."""
        named: tuple[Variable | Row, ...] = (*self.variables, *self.rows)
        notes = (f"{item.name}: {in_ascii(item.note)}" for item in named if item.note not in ("", item.name))
        for text in (in_ascii("; ".join(filter(None, (self.name, self.scale_words)))), *notes):
            yield from (f"{sign} {line}" for line in wrap(text, 120))

    def to_lp(self) -> str:
        """The program in the LP file format; names are positional, and comments say what they stand for."""
        variables, rows = self.without_empty_rows()
        names = [v.name for v in variables]
        costs = [(i, v.cost) for i, v in enumerate(variables) if v.cost]
        lines = [*self._comments("\\"), "Maximize" if self.maximize else "Minimize"]
        lines += _fold(f" {self.goal_name}: {sum_text(costs, names) if costs else '0 ' + names[0]}")
        lines.append("Subject To")
        for name, sense, side, terms in one_sided(rows):
            lines += _fold(f" {name}: {sum_text(terms, names)} {sense} {number_text(side)}")
        lines.append("Bounds")
        lines += [f" {number_text(v.lower)} <= {v.name} <= {number_text(v.upper)}" for v in variables]
        return "\n".join([*lines, "Generals", *(f" {name}" for name in names), "End", ""])

    def to_mps(self) -> str:
        """The program in the free MPS file format; a maximum becomes the minimum of the opposite, as a comment says."""
        variables, rows = self.without_empty_rows()
        single = one_sided(rows)  # no RANGES: not every reader knows them
        kinds = {"=": "E", ">=": "G", "<=": "L"}
        sign, goal = -1 if self.maximize else 1, self.goal_name
        lines = list(self._comments("*"))
        lines += ["* the objective is the opposite of the one to be maximized"] if self.maximize else []
        lines += ["NAME hemlp", "ROWS", f" N {goal}", *(f" {kinds[sense]} {name}" for name, sense, _, _ in single)]
        lines += ["COLUMNS", " MARKER 'MARKER' 'INTORG'"]
        columns: list[list[str]] = [[f"{goal} {number_text(sign * v.cost)}"] if v.cost else [] for v in variables]
        for name, _, _, terms in single:
            for i, coefficient in terms:
                columns[i].append(f"{name} {number_text(coefficient)}")
        for variable, entries in zip(variables, columns, strict=True):
            lines += [f" {variable.name} {entry}" for entry in entries or [f"{goal} 0"]]
        lines += [" MARKER 'MARKER' 'INTEND'", "RHS"]
        lines += [*(f" side {name} {number_text(side)}" for name, _, side, _ in single), "BOUNDS"]
        for v in variables:
            lines += [f" LO limits {v.name} {number_text(v.lower)}", f" UP limits {v.name} {number_text(v.upper)}"]
        return "\n".join([*lines, "ENDATA", ""])

    def to_pulp(self) -> pulp.LpProblem:
        """The program as a PuLP problem that can be changed and solved."""
        problem: pulp.LpProblem = import_module("hemlp.solvers.pulp").build(self)
        return problem

    def to_arrays(self) -> ProgramArrays:
        """The program as arrays: costs, bounds, integrality, and the matrix as a SciPy CSR array."""
        from hemlp.optimize.exports import to_arrays

        return to_arrays(self)

    def to_opb(self) -> str:
        """The program in the OPB format of pseudo-Boolean solvers."""
        from hemlp.optimize.exports import to_opb

        return to_opb(self)

    def to_mathopt(self) -> mathopt.Model:
        """The program as a model of OR-Tools MathOpt that can be changed and solved."""
        from hemlp.optimize.exports import to_mathopt

        return to_mathopt(self)

    def to_latex(self) -> str:
        """The program in LaTeX, for an equation, with every variable; ``algebra().to_latex()`` has sums."""
        from hemlp.optimize.exports import to_latex

        return to_latex(self)

    # ---- for people

    def __str__(self) -> str:
        names = [f"[{printable(v.note)}]" for v in self.variables]
        goal = sum_text([(i, v.cost) for i, v in enumerate(self.variables) if v.cost], names)
        lines = [f"{'maximize' if self.maximize else 'minimize'}  {goal}", "subject to"]
        for row in self.rows:
            text = row_text(row, sum_text(row.terms, names), "≤")
            lines.append(f"  {text}" + (f"    ({printable(row.note)})" if row.note else ""))
        ranges: dict[tuple[float, float], list[str]] = {}
        for variable, name in zip(self.variables, names, strict=True):
            ranges.setdefault((variable.lower, variable.upper), []).append(name)
        for (lower, upper), members in sorted(ranges.items(), key=lambda item: -len(item[1])):
            who = "each" if len(ranges) == 1 else "the others" if len(members) > 8 else ", ".join(members)
            lines.append(f"with integers {number_text(lower)} ≤ {who} ≤ {number_text(upper)}")
        lines += [self.scale_words] if self.scale_words else []
        return "\n".join(part for line in lines for part in _wrap_terms(line))


_TERM = re.compile(r"(?:[-+] )?(?:[\d.e/+-]+ )?\[[^]]*\]")


def _wrap_terms(line: str) -> list[str]:
    """Lines of at most 100 characters, that no term with its sign and factor is cut by.

    >>> print("\\n".join(_wrap_terms(f"minimize  {' + '.join(['2 [sheep ~ cow]'] * 6)}")))
    minimize  2 [sheep ~ cow] + 2 [sheep ~ cow] + 2 [sheep ~ cow] + 2 [sheep ~ cow] + 2 [sheep ~ cow]
        + 2 [sheep ~ cow]
    """
    whole = _TERM.sub(lambda term: term[0].replace(" ", "\0"), line)
    parts = wrap(whole, 100, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return [part.replace("\0", " ") for part in parts]


def number_text(value: float) -> str:
    """A number as files take it: integers without a point."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))


def row_text(row: Row, body: str, at_most: str) -> str:
    """lower ≤ body ≤ upper, without bounds that are infinite, or body = lower."""
    if row.lower == row.upper:
        return f"{body} = {number_text(row.lower)}"
    low = "" if math.isinf(row.lower) else f"{number_text(row.lower)} {at_most} "
    return low + body + ("" if math.isinf(row.upper) else f" {at_most} {number_text(row.upper)}")


def sum_text(terms: Iterable[tuple[int, float]], names: Sequence[str], times: str = " ") -> str:
    """Σ coefficient · name, or 0."""
    text = ""
    for i, coefficient in terms:
        sign = " - " if coefficient < 0 else " + " if text else ""
        size = "" if abs(coefficient) == 1 else number_text(abs(coefficient)) + times
        text += f"{sign}{size}{names[i]}"
    return text.strip() or "0"


def exact_integers(values: Iterable[float], digits: int = 40) -> tuple[list[int], int] | None:
    """Integers v·s and the scale s, a power of two, with no rounding at all; None if they need over ``digits`` bits."""
    from fractions import Fraction

    fractions = [Fraction(float(value)) for value in values]
    scale = max((f.denominator for f in fractions), default=1)
    integers = [int(f * scale) for f in fractions]
    return (integers, scale) if all(abs(i) < 2**digits for i in integers) else None


def as_integer_values(values: Iterable[float]) -> FloatArray:
    """A solver's values rounded to the integers that they stand for."""
    return np.rint(np.fromiter(values, np.float64))


def one_sided(rows: Iterable[Row]) -> list[tuple[str, str, float, Sequence[tuple[int, float]]]]:
    """Rows as (name, "=", ">=" or "<=", side, terms); one with two different bounds becomes two."""
    single: list[tuple[str, str, float, Sequence[tuple[int, float]]]] = []
    for row in rows:
        if row.lower == row.upper:
            single.append((row.name, "=", row.lower, row.terms))
            continue
        if not math.isinf(row.lower):
            single.append((f"{row.name}_low", ">=", row.lower, row.terms))
        if not math.isinf(row.upper):
            single.append((f"{row.name}_high", "<=", row.upper, row.terms))
    return single


def _fold(line: str) -> list[str]:
    """Cut at spaces: some readers of LP files stop at 255 characters."""
    return wrap(line, 200, initial_indent=" ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
