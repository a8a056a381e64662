"""Linear programs as files: LP and free MPS. Names are positional; what they stand for is said in comments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from hemlp.optimize.program import LinearProgram, Row, Variable, number_text, sum_text


def guarded(program: LinearProgram) -> tuple[list[Variable], list[Row]]:
    """Variables and rows such that no row is empty and there is a variable: some readers refuse both."""
    program.check_bounded()
    variables, rows = list(program.variables), list(program.rows)
    if not variables or any(not row.terms for row in rows):
        rows = [row if row.terms else Row(row.name, row.lower, row.upper, [(len(variables), 1.0)]) for row in rows]
        variables.append(Variable("zero", 0, 0, 0, "a variable fixed at 0, for rows without any"))
    if not rows:
        rows.append(Row("none", 0, math.inf, [(0, 1.0)]))
    return variables, rows


def _comments(program: LinearProgram, sign: str) -> Iterator[str]:
    title = "; ".join(filter(None, (program.name, program.scale_words)))
    yield from (f"{sign} {line}" for line in wrap(ascii(title)[1:-1], 120))
    named: tuple[Variable | Row, ...] = (*program.variables, *program.rows)
    for item in named:
        if item.note:
            yield from (f"{sign} {line}" for line in wrap(f"{item.name}: {ascii(item.note)[1:-1]}", 120))


def to_lp(program: LinearProgram) -> str:
    """In the LP file format. Names are positional; what they stand for is said in comments."""
    variables, rows = guarded(program)
    names = [v.name for v in variables]
    lines = [*_comments(program, "\\"), "Maximize" if program.maximize else "Minimize"]
    costs = [(i, v.cost) for i, v in enumerate(variables) if v.cost]
    lines += _folded(f" {program.goal_name}: {sum_text(costs, names) if costs else '0 ' + names[0]}")
    lines.append("Subject To")
    for name, sense, side, terms in one_sided(rows):
        lines += _folded(f" {name}: {sum_text(terms, names)} {sense} {number_text(side)}")
    lines.append("Bounds")
    lines += [f" {number_text(v.lower)} <= {v.name} <= {number_text(v.upper)}" for v in variables]
    lines.append("Generals")
    lines += [f" {name}" for name in names]
    return "\n".join([*lines, "End", ""])


def to_mps(program: LinearProgram) -> str:
    """In the free MPS file format. A maximum is written as the minimum of the opposite, as a comment says."""
    variables, rows = guarded(program)
    single = one_sided(rows)  # no RANGES: not every reader knows them
    kinds = {"=": "E", ">=": "G", "<=": "L"}
    sign, goal = -1 if program.maximize else 1, program.goal_name
    lines = list(_comments(program, "*"))
    if program.maximize:
        lines.append("* the objective is the opposite of the one to be maximized")
    lines += [
        "NAME hemlp",
        "ROWS",
        f" N {goal}",
        *(f" {kinds[sense]} {name}" for name, sense, _, _ in single),
        "COLUMNS",
    ]
    columns: list[list[str]] = [[f"{goal} {number_text(sign * v.cost)}"] if v.cost else [] for v in variables]
    for name, _, _, terms in single:
        for i, coefficient in terms:
            columns[i].append(f"{name} {number_text(coefficient)}")
    lines.append(" MARKER 'MARKER' 'INTORG'")
    for variable, entries in zip(variables, columns, strict=True):
        lines += [f" {variable.name} {entry}" for entry in entries or [f"{goal} 0"]]
    lines += [" MARKER 'MARKER' 'INTEND'", "RHS", *(f" side {name} {number_text(side)}" for name, _, side, _ in single)]
    lines.append("BOUNDS")
    for v in variables:
        lines += [f" LO limits {v.name} {number_text(v.lower)}", f" UP limits {v.name} {number_text(v.upper)}"]
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


def _folded(line: str) -> list[str]:
    """Cut at spaces: some readers of LP files stop at 255 characters."""
    return wrap(line, 200, initial_indent=" ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
