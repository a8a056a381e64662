"""Reads the formulas of an algebra, in LaTeX, and makes the program that they say for one instance.

A ``Meaning`` knows what the letters of an instance stand for: which variables there are, numbers, what sums run over,
and for whom a line holds, by its words. It says so from the definitions, without looking at the program.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from hemlp.optimize.exports import Algebra
from hemlp.optimize.program import LinearProgram

Env = dict[str, object]
Form = dict[str | None, float]
"""Coefficients of variables; None: the constant."""
TOKEN = re.compile(
    r"\\sum_(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\w))|\\(le|ge)\b|(\d+(?:\.\d+)?)"
    r"|((?:\\[a-z]+|[A-Za-z])'?)((?:[_^](?:\{[^{}]*\}|\\top|[\w+-]))*)|([=()+-])|\s+"
)


@dataclass
class Meaning:
    """``variable(letter, above, places, env)``: a name, or None where there is none; a letter that is not known raises.

    ``sets``: what a sum runs over, ``holds``: for whom a line holds. What ``env`` says beside indices is theirs.
    """

    variable: Callable[[str, str, tuple, Env], str | None]
    numbers: dict[str, Callable[..., float]]
    sets: dict[str, Callable[[Env], list[Env]]]
    holds: dict[str, Callable[[str], list[Env]]]
    all_of: Callable[[str], list[str]] = lambda letter: []


class Reader:
    """Recursive descent; what is read is a function of the values of indices."""

    def __init__(self, meaning: Meaning, formula: str) -> None:
        self.meaning, self.found, self.at = meaning, [], 0
        end = 0
        while end < len(formula):
            match = TOKEN.match(formula, end)
            assert match, f"cannot read {formula[end:]!r}"
            many, one, relation, number, letter, marks, sign = match.groups()
            if many or one:
                self.found.append(("sum", many or one))
            elif relation or sign == "=":
                self.found.append(("relation", relation or "="))
            elif number or letter:
                self.found.append(("number", float(number)) if number else ("letter", letter, marks))
            elif sign:
                self.found.append((sign,))
            end = match.end()

    def peek(self) -> str:
        return self.found[self.at][0] if self.at < len(self.found) else ""

    def take(self) -> tuple:
        self.at += 1
        return self.found[self.at - 1]

    def relations(self) -> list[tuple[Callable[[Env], Form], str, Callable[[Env], Form]]]:
        sides, signs = [self.expression()], []
        while self.peek() == "relation":
            signs.append(self.take()[1])
            sides.append(self.expression())
        assert self.at == len(self.found)
        return list(zip(sides, signs, sides[1:], strict=False))

    def expression(self) -> Callable[[Env], Form]:
        terms = []
        while True:
            sign = -1 if self.peek() == "-" else 1
            self.at += self.peek() in ("+", "-")
            terms.append((sign, self.term()))
            if self.peek() not in ("+", "-"):
                return lambda env: added((sign, term(env)) for sign, term in terms)

    def term(self) -> Callable[[Env], Form]:
        """A product; a sum reaches to the end of its term."""
        factors = []
        while self.peek() in ("sum", "number", "letter", "("):
            kind, *what = self.take()
            if kind == "sum":
                factors.append(self.sum(self.meaning.sets[what[0]]))
            elif kind == "(":
                factors.append(self.expression())
                assert self.take() == (")",)
            elif kind == "number":
                factors.append(lambda env, value=what[0]: {None: value})
            else:
                factors.append(lambda env, letter=what[0], marks=what[1]: self.letter(letter, marks, env))
        assert factors
        return lambda env: product([factor(env) for factor in factors])

    def sum(self, over: Callable[[Env], list[Env]]) -> Callable[[Env], Form]:
        inner = self.term()
        return lambda env: added((1, inner(env | more)) for more in over(env))

    def letter(self, letter: str, marks: str, env: Env) -> Form:
        parts = {mark: text.strip("{}") for mark, text in re.findall(r"([_^])(\{[^{}]*\}|\\top|[\w+-])", marks)}
        below, above = parts.get("_", ""), parts.get("^", "")
        places = below.split(",") if "," in below or below.isdigit() or below[:1] == "\\" else list(below)
        at = tuple(int(place) if place.isdigit() else env.get(place, place) for place in places)
        key = letter + (f"^{above}" if above else "")
        for known in (f"{key}_{below}", key):  # of classes of a side, by the letter of its index, or of all
            if known in self.meaning.numbers:
                return {None: float(self.meaning.numbers[known](*at))}
        name = self.meaning.variable(letter, above, at, env)
        return {} if name is None else {name: 1.0}


def added(forms) -> Form:
    total: Form = {}
    for sign, form in forms:
        for name, value in form.items():
            total[name] = total.get(name, 0.0) + sign * value
    return total


def product(factors: list[Form]) -> Form:
    """Of numbers and at most one form."""
    size = math.prod(form.get(None, 0.0) for form in factors if set(form) <= {None} and form)
    forms = [form for form in factors if not set(form) <= {None} or not form]
    assert len(forms) <= 1, "not linear"
    return {name: size * value for name, value in forms[0].items()} if forms else {None: size}


Bounds = dict[str, tuple[float, float]]
Rows = Counter[tuple[frozenset, float, float]]


def said(algebra: Algebra, meaning: Meaning) -> tuple[dict[str, float], Bounds, Rows, set[str], bool]:
    """The program of an algebra: costs, ranges of variables, other rows, which are integers, whether it is a max."""
    bounds: Bounds = {}
    rows: list[tuple[Form, float, float]] = []
    whole: set[str] = set()
    for line in algebra.lines:
        for formula in line.formula.split(r",\quad "):
            binary = formula.removesuffix(r" \in \{0, 1\}")
            for env in meaning.holds[line.note](formula):
                if binary != formula:
                    for each in binary.split(", "):
                        single = len(each) > 1
                        for name in Reader(meaning, each).expression()(env) if single else meaning.all_of(each):
                            tighten(bounds, name, 0, 1)
                            whole.add(name)
                    continue
                for left, sign, right in Reader(meaning, formula).relations():
                    form = added([(1, left(env)), (-1, right(env))])
                    least = -form.pop(None, 0.0)
                    rows.append((form, -math.inf if sign == "le" else least, math.inf if sign == "ge" else least))
                    whole |= set(form) if line.note.endswith("integers") else set()
    goal = Reader(meaning, algebra.goal).expression()({})
    return {k: v for k, v in goal.items() if v}, *split(rows, bounds), whole, algebra.sense == "max"


def written(program: LinearProgram) -> tuple[dict[str, float], Bounds, Rows, set[str], bool]:
    """The same of the program that is solved."""
    names = [v.name for v in program.variables]
    bounds = {v.name: (float(v.lower), float(v.upper)) for v in program.variables}
    rows = [(added((1, {names[i]: c}) for i, c in row.terms), row.lower, row.upper) for row in program.rows]
    costs = {v.name: v.cost for v in program.variables if v.cost}
    return costs, *split(rows, bounds), set(names), program.maximize


def tighten(bounds: Bounds, name: str, lower: float, upper: float) -> None:
    low, high = bounds.get(name, (-math.inf, math.inf))
    bounds[name] = max(low, lower), min(high, upper)


def split(rows: list[tuple[Form, float, float]], bounds: Bounds) -> tuple[Bounds, Rows]:
    """Rows of one variable are ranges; of others both sides are joined, and what follows from ranges is left out."""
    longer: dict[tuple[tuple[str, float], ...], list[tuple[float, float]]] = {}
    for form, lower, upper in rows:
        terms = sorted((name, value) for name, value in form.items() if value)
        if not terms:  # it holds, or nothing can keep it
            longer.update({} if lower <= 0 <= upper else {(): [(math.inf, math.inf)]})
            continue
        size = terms[0][1]
        low, high = sorted((lower / size, upper / size))
        if len(terms) == 1:
            tighten(bounds, terms[0][0], low, high)
        else:
            longer.setdefault(tuple((name, value / size) for name, value in terms), []).append((low, high))
    found: Rows = Counter()
    for terms, sides in longer.items():
        low, high = max(side[0] for side in sides), min(side[1] for side in sides)
        reach = [sorted((c * bounds[n][0], c * bounds[n][1])) for n, c in terms]
        low = -math.inf if low <= sum(r[0] for r in reach) else low
        high = math.inf if high >= sum(r[1] for r in reach) else high
        if (low, high) != (-math.inf, math.inf):
            found[frozenset(terms), low, high] += 1
    return bounds, found
