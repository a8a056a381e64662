r"""Programs for other tools: arrays with a sparse matrix, OPB files, MathOpt models, LaTeX; and models as algebra, in
sums over classes, with the rules by their names in the paper.

>>> line = Line("ii", r"\alpha_i \le \sum_j x_{ij} \le \beta_i", "for each predicted class i")
>>> print(Algebra("pairs", "min", r"\sum_{i,j} \kappa_{ij} x_{ij}", [line]))
min  Σ_i,j κ_ij x_ij
s.t.
(ii)  α_i ≤ Σ_j x_ij ≤ β_i    for each predicted class i
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption, MissingDependency
from hemlp.escaping import in_ascii, latex
from hemlp.optimize.plan import importable
from hemlp.optimize.program import (
    LinearProgram,
    Row,
    Variable,
    exact_integers,
    number_text,
    one_sided,
    row_text,
    sum_text,
)

if TYPE_CHECKING:
    from ortools.math_opt.python import mathopt
    from scipy.sparse import csr_array


@dataclass(frozen=True, eq=False)
class ProgramArrays:
    """min (or max) cost·x  s.t.  row_lower ≤ matrix·x ≤ row_upper, lower ≤ x ≤ upper, x integer.

    ``names`` and ``row_names`` are those of the LP file. ``integrality`` is as ``scipy.optimize.milp`` takes it. The
    objective is ``scale`` times that of the model: a transport counts units of mass.
    """

    cost: FloatArray
    matrix: csr_array
    row_lower: FloatArray
    row_upper: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]
    row_names: tuple[str, ...]
    maximize: bool
    integrality: NDArray[np.uint8]
    scale: float


def to_arrays(program: LinearProgram) -> ProgramArrays:
    """The program as arrays, with its matrix in SciPy's CSR form."""
    from scipy.sparse import csr_array

    program.check_bounded()
    terms = [(r, i, c) for r, row in enumerate(program.rows) for i, c in row.terms]
    rows, columns, values = zip(*terms, strict=True) if terms else ((), (), ())
    shape = len(program.rows), len(program.variables)
    places = np.array(rows, np.int64), np.array(columns, np.int64)
    return ProgramArrays(
        _floats(v.cost for v in program.variables),
        csr_array((np.array(values, np.float64), places), shape=shape),
        _floats(row.lower for row in program.rows),
        _floats(row.upper for row in program.rows),
        _floats(v.lower for v in program.variables),
        _floats(v.upper for v in program.variables),
        tuple(v.name for v in program.variables),
        tuple(row.name for row in program.rows),
        program.maximize,
        np.ones(len(program.variables), np.uint8),
        program.scale,
    )


def _floats(values: Iterable[float]) -> FloatArray:
    return np.fromiter(values, np.float64)


# ---- OPB


def to_opb(program: LinearProgram) -> str:
    """In the OPB format of pseudo-Boolean solvers: 0/1 variables and integer coefficients.

    An integer variable becomes its lower bound and bits; costs are multiplied until they are integers. Comments say
    what each variable stands for, and how to get the objective back.
    """
    program.check_bounded()
    bits: list[tuple[str, int]] = []  # what a bit stands for, and how much of the variable it is
    of_variable: list[list[tuple[int, int]]] = []  # (bit, weight) of each variable
    limits = []
    for v in program.variables:
        room = int(v.upper) - int(v.lower)
        own = [(len(bits) + k, 1 << k) for k in range(room.bit_length())]
        bits += [(f"{v.name}, {v.note}", weight) for _, weight in own]
        of_variable.append(own)
        if room & (room + 1):  # not all that the bits can say is allowed
            limits.append([(bit, -weight) for bit, weight in own] + [(-1, -room)])
    goal, scale = _integers([v.cost for v in program.variables])
    sign = -1 if program.maximize else 1
    shift = sum(cost * int(v.lower) for cost, v in zip(goal, program.variables, strict=True))
    objective = [(b, sign * c * w) for c, own in zip(goal, of_variable, strict=True) for b, w in own if c]
    rows = [_opb_row(program, terms, side, sense, of_variable) for _, sense, side, terms in one_sided(program.rows)]
    rows += [f"{_opb_sum([t for t in terms if t[0] >= 0])} >= {terms[-1][1]} ;" for terms in limits]
    words = f"the objective is ({shift} {'-' if program.maximize else '+'} value) / {scale}"
    words = "; ".join(filter(None, (words, program.scale_words)))
    lines = [f"* #variable= {len(bits)} #constraint= {len(rows)}", f"* {in_ascii(program.name)}: {words}"]
    lines += [f"* x{k + 1} = {weight} of {in_ascii(text)}" for k, (text, weight) in enumerate(bits)]
    lines += [f"min: {_opb_sum(objective)} ;"] if objective else []
    return "\n".join([*lines, *rows, ""])


def _opb_row(
    program: LinearProgram, terms: Sequence[tuple[int, float]], side: float, sense: str,
    of_variable: Sequence[Sequence[tuple[int, int]]],
) -> str:  # fmt: skip
    (*coefficients, bound), _ = _integers([*(c for _, c in terms), side])
    moved = zip(coefficients, terms, strict=True)
    body = []
    for c, (i, _) in moved:
        bound -= c * int(program.variables[i].lower)
        body += [(bit, c * weight) for bit, weight in of_variable[i]]
    if sense == "<=":
        body, bound, sense = [(bit, -c) for bit, c in body], -bound, ">="
    return f"{_opb_sum(body) or '0 x1'} {sense} {bound} ;"


def _opb_sum(terms: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{c:+d} x{bit + 1}" for bit, c in terms)


def _integers(values: Sequence[float]) -> tuple[list[int], int]:
    scaled = exact_integers(values, digits=200)
    if scaled is None:
        raise InvalidOption("the coefficients are too far apart to be written as integers without rounding")
    return scaled


# ---- MathOpt


def to_mathopt(program: LinearProgram, scale: float = 1.0) -> mathopt.Model:
    """As a model of OR-Tools MathOpt, which can be changed and solved; names are those of the LP file.

    ``scale``: what costs are multiplied by.
    """
    missing = importable("ortools.math_opt.python.mathopt", "ortools")
    if missing:
        raise MissingDependency(f"MathOpt models need OR-Tools: {missing}")
    from ortools.math_opt.model_pb2 import ModelProto
    from ortools.math_opt.python import mathopt

    program.check_bounded()
    made = ModelProto(name="hemlp")  # whole arrays at once: term by term takes longer than solving
    columns, costs = made.variables, [v.cost * scale for v in program.variables]
    _fill(columns, program.variables)
    columns.integers.extend([True] * len(costs))
    made.objective.maximize = program.maximize
    made.objective.name = program.goal_name
    made.objective.linear_coefficients.ids.extend(k for k, cost in enumerate(costs) if cost)
    made.objective.linear_coefficients.values.extend(filter(None, costs))
    _fill(made.linear_constraints, program.rows)
    matrix = made.linear_constraint_matrix
    for number, row in enumerate(program.rows):
        terms: dict[int, float] = {}
        for column, coefficient in row.terms:
            terms[column] = terms.get(column, 0.0) + coefficient
        kept = sorted((column, coefficient) for column, coefficient in terms.items() if coefficient)
        matrix.row_ids.extend([number] * len(kept))
        matrix.column_ids.extend(column for column, _ in kept)
        matrix.coefficients.extend(coefficient for _, coefficient in kept)
    return mathopt.Model.from_model_proto(made)


def _fill(proto: Any, things: Sequence[Variable] | Sequence[Row]) -> None:
    proto.ids.extend(range(len(things)))
    proto.lower_bounds.extend(each.lower for each in things)
    proto.upper_bounds.extend(each.upper for each in things)
    proto.names.extend(each.name for each in things)


# ---- LaTeX


def to_latex(program: LinearProgram) -> str:
    r"""As an ``aligned`` block for an equation; what rows stand for is said beside them.

    x_0_1 is written x_{0,1}.
    """
    program.check_bounded()
    names = [symbol(v.name) for v in program.variables]
    goal = sum_text(((i, v.cost) for i, v in enumerate(program.variables) if v.cost), names, r"\,")
    word = r"\max" if program.maximize else r"\min"
    lines = [rf"{word}\ & {goal}"]
    for k, row in enumerate(program.rows):
        text = row_text(row, sum_text(row.terms, names, r"\,"), r"\le")
        note = rf" && \text{{{latex(row.note)}}}" if row.note else ""
        lines.append(("" if k else r"\text{s.t.}\ ") + f"& {text}{note}")
    ranges: dict[tuple[float, float], list[str]] = {}
    for v, name in zip(program.variables, names, strict=True):
        ranges.setdefault((v.lower, v.upper), []).append(name)
    for (lower, upper), members in ranges.items():
        allowed = (
            r"\{0, 1\}" if (lower, upper) == (0, 1) else rf"\{{{number_text(lower)}, \dots, {number_text(upper)}\}}"
        )
        lines.append(rf"& {', '.join(members)} \in {allowed}")
    scaled = f"% {program.scale_words}\n" if program.scale_words else ""
    return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}\n" + scaled


def symbol(name: str) -> str:
    """A name of an LP file in LaTeX: x_0_1 is x_{0,1}."""
    head, *places = name.split("_")
    return f"{head}_{{{','.join(places)}}}" if places else head


_SIGNS = {
    r"\sum": "Σ", r"\le": "≤", r"\ge": "≥", r"\in": "∈", r"\cap": "∩", r"\cdot": "·", r"\kappa": "κ", r"\alpha": "α",
    r"\beta": "β", r"\pi": "π", r"\lambda": "λ", r"\infty": "∞", r"\{": "{", r"\}": "}", r"\dots": "…", r"\hat": "",
    r"\,": " ", r"\quad": " ", r"\top": "⊤", r"\ ": " ", r"\cup": "∪", r"\setminus": "∖",
}  # fmt: skip
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+|.)")


@dataclass(frozen=True)
class Line:
    """A rule: its name in the paper (or ""), its formula in LaTeX, and for whom it holds."""

    rule: str
    formula: str
    note: str = ""


@dataclass(frozen=True)
class Algebra:
    """A program in sums over classes; formulas are in LaTeX. ``words``: what letters stand for."""

    title: str
    sense: str
    goal: str
    lines: Sequence[Line]
    words: Sequence[tuple[str, str]] = field(default=())

    def __str__(self) -> str:
        names = [f"({line.rule})" if line.rule else "" for line in self.lines]
        wide = max(map(len, names), default=0)
        rows = [f"{self.sense}  {plain(self.goal)}", "s.t."] if self.lines else [f"{self.sense}  {plain(self.goal)}"]
        for name, line in zip(names, self.lines, strict=True):
            note = f"    {line.note}" if line.note else ""
            rows.append(f"{name:<{wide}}  {plain(line.formula)}{note}")
        rows += [f"{plain(letter)}: {meaning}" for letter, meaning in self.words]
        return "\n".join(rows)

    def to_latex(self) -> str:
        r"""As an ``aligned`` block for an equation, and what letters stand for as text behind it."""
        rows = [rf"\{self.sense}\ & {self.goal}"]
        for k, line in enumerate(self.lines):
            rule = rf"\text{{({latex(line.rule)})}}\quad " if line.rule else ""
            note = rf" && \text{{{latex(line.note)}}}" if line.note else ""
            rows.append((r"\text{s.t.}\ " if not k else "") + f"& {rule}{line.formula}{note}")
        block = "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}\n"
        words = ", ".join(rf"${letter}$: {latex(meaning)}" for letter, meaning in self.words)
        return block + (f"% {words}\n" if words else "")


def plain(formula: str) -> str:
    r"""LaTeX as one line of text: ``\sum_j x_{ij} \le 1`` is Σ_j x_ij ≤ 1."""
    text = re.sub(r"\\(?:text|mathrm)\{([^{}]*)\}", r"\1", formula)
    text = re.sub(r"([_^])\{([^{} ]*)\}", r"\1\2", text)
    text = _COMMAND.sub(lambda match: _SIGNS.get(match[0], match[0] if match[0][1].isalpha() else match[0][1]), text)
    return re.sub(r" +", " ", text).strip()


def add_terms(*terms: str) -> str:
    """A sum of the terms that there are."""
    return " + ".join(term for term in terms if term) or "0"


def between(lower: str, formula: str, upper: str) -> str:
    """lower ≤ formula ≤ upper; an equation where both are the same."""
    return f"{formula} = {lower}" if lower == upper else rf"{lower} \le {formula} \le {upper}"
