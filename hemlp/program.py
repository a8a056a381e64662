r"""Linear programs as plain data, in words and in files: what every model turns into when a matrix solver or an export
asks for it.

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from textwrap import wrap

import numpy as np

from hemlp.edges import FloatArray
from hemlp.escaping import printable


class Status(StrEnum):
    """What is known of a solution."""

    OPTIMAL = "optimal"
    """It keeps all constraints, and no other is better: proved."""
    FEASIBLE = "feasible"
    """It keeps all constraints; a limit was reached before a better one was found or excluded."""
    INFEASIBLE = "infeasible"
    """No solution keeps all constraints: proved."""
    UNSOLVED = "unsolved"
    """A limit was reached before any solution was found."""


STATUSES = tuple(Status)
"""Arrays of statuses hold positions in this."""


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

    ``work``: what it took, in the deterministic unit of a solver that has one.
    """

    status: Status
    values: FloatArray | None = None
    bound: float = math.nan
    work: float = 0.0


@dataclass(frozen=True)
class LinearProgram:
    """min or max of a linear objective over integer variables, subject to rows."""

    name: str
    variables: Sequence[Variable]
    rows: Sequence[Row]
    maximize: bool = False

    def objective(self, values: Iterable[float]) -> float:
        """The objective at ``values``."""
        return math.fsum(v.cost * x for v, x in zip(self.variables, values, strict=True) if x)

    def float_scale(self) -> float:
        """A power of two that brings the largest cost near 1: solvers in floats have absolute tolerances."""
        largest = max((abs(v.cost) for v in self.variables), default=0.0)
        return math.ldexp(1.0, -math.frexp(largest)[1]) if largest else 1.0

    # ---- for people

    def __str__(self) -> str:
        names = [f"[{printable(v.note)}]" for v in self.variables]
        goal = _sum([(i, v.cost) for i, v in enumerate(self.variables) if v.cost], names)
        lines = [f"{'maximize' if self.maximize else 'minimize'}  {goal}", "subject to"]
        for row in self.rows:
            body = _sum(row.terms, names)
            if row.lower == row.upper:
                text = f"{body} = {_number(row.lower)}"
            else:
                low = "" if math.isinf(row.lower) else f"{_number(row.lower)} ≤ "
                text = low + body + ("" if math.isinf(row.upper) else f" ≤ {_number(row.upper)}")
            lines.append(f"  {text}" + (f"    ({printable(row.note)})" if row.note else ""))
        ranges: dict[tuple[float, float], list[str]] = {}
        for variable, name in zip(self.variables, names, strict=True):
            ranges.setdefault((variable.lower, variable.upper), []).append(name)
        for (lower, upper), members in sorted(ranges.items(), key=lambda item: -len(item[1])):
            who = "each" if len(ranges) == 1 else "the others" if len(members) > 8 else ", ".join(members)
            lines.append(f"with integers {_number(lower)} ≤ {who} ≤ {_number(upper)}")
        return "\n".join(lines)

    # ---- for files

    def guarded(self) -> tuple[list[Variable], list[Row]]:
        """Variables and rows such that no row is empty and there is a variable: some readers refuse both."""
        variables, rows = list(self.variables), list(self.rows)
        if not variables or any(not row.terms for row in rows):
            rows = [row if row.terms else Row(row.name, row.lower, row.upper, [(len(variables), 1.0)]) for row in rows]
            variables.append(Variable("zero", 0, 0, 0, "a variable fixed at 0, for rows without any"))
        if not rows:
            rows.append(Row("none", 0, math.inf, [(0, 1.0)]))
        return variables, rows

    def _comments(self, sign: str) -> Iterator[str]:
        yield from (f"{sign} {line}" for line in wrap(ascii(self.name)[1:-1], 120))
        named: tuple[Variable | Row, ...] = (*self.variables, *self.rows)
        for item in named:
            if item.note:
                yield from (f"{sign} {line}" for line in wrap(f"{item.name}: {ascii(item.note)[1:-1]}", 120))

    def to_lp(self) -> str:
        """In the LP file format. Names are positional; what they stand for is said in comments."""
        variables, rows = self.guarded()
        names = [v.name for v in variables]
        lines = [*self._comments("\\"), "Maximize" if self.maximize else "Minimize"]
        costs = [(i, v.cost) for i, v in enumerate(variables) if v.cost]
        lines += _folded(f" obj: {_sum(costs, names) if costs else '0 ' + names[0]}")
        lines.append("Subject To")
        for name, sense, side, terms in one_sided(rows):
            lines += _folded(f" {name}: {_sum(terms, names)} {sense} {_number(side)}")
        lines.append("Bounds")
        lines += [f" {_number(v.lower)} <= {v.name} <= {_number(v.upper)}" for v in variables]
        lines.append("Generals")
        lines += [f" {name}" for name in names]
        return "\n".join([*lines, "End", ""])

    def to_mps(self) -> str:
        """In the free MPS file format. A maximum is written as the minimum of the opposite, as a comment says."""
        variables, rows = self.guarded()
        single = one_sided(rows)  # no RANGES: not every reader knows them
        kinds = {"=": "E", ">=": "G", "<=": "L"}
        sign = -1 if self.maximize else 1
        lines = list(self._comments("*"))
        if self.maximize:
            lines.append("* the objective is the opposite of the one to be maximized")
        lines += [
            "NAME hemlp",
            "ROWS",
            " N obj",
            *(f" {kinds[sense]} {name}" for name, sense, _, _ in single),
            "COLUMNS",
        ]
        columns: list[list[str]] = [[f"obj {_number(sign * v.cost)}"] if v.cost else [] for v in variables]
        for name, _, _, terms in single:
            for i, coefficient in terms:
                columns[i].append(f"{name} {_number(coefficient)}")
        lines.append(" MARKER 'MARKER' 'INTORG'")
        for variable, entries in zip(variables, columns, strict=True):
            lines += [f" {variable.name} {entry}" for entry in entries or ["obj 0"]]
        lines += [" MARKER 'MARKER' 'INTEND'", "RHS", *(f" side {name} {_number(side)}" for name, _, side, _ in single)]
        lines.append("BOUNDS")
        for v in variables:
            lines += [f" LO limits {v.name} {_number(v.lower)}", f" UP limits {v.name} {_number(v.upper)}"]
        return "\n".join([*lines, "ENDATA", ""])


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


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))


def _sum(terms: Iterable[tuple[int, float]], names: Sequence[str]) -> str:
    """Σ coefficient · name, or 0."""
    text = ""
    for i, coefficient in terms:
        sign = " - " if coefficient < 0 else " + " if text else ""
        size = "" if abs(coefficient) == 1 else f"{_number(abs(coefficient))} "
        text += f"{sign}{size}{names[i]}"
    return text.strip() or "0"


def _folded(line: str) -> list[str]:
    """Cut at spaces: some readers of LP files stop at 255 characters."""
    return wrap(line, 200, initial_indent=" ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def exact_integers(values: Iterable[float], digits: int = 40) -> tuple[list[int], int] | None:
    """Integers v·s and the scale s, a power of two, with no rounding at all; None if they need over ``digits`` bits."""
    fractions = [Fraction(float(value)) for value in values]
    scale = max((f.denominator for f in fractions), default=1)
    integers = [int(f * scale) for f in fractions]
    return (integers, scale) if all(abs(i) < 2**digits for i in integers) else None


def as_integer_values(values: Iterable[float]) -> FloatArray:
    """A solver's values rounded to the integers that they stand for."""
    return np.rint(np.fromiter(values, np.float64))
