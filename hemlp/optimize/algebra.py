r"""Models as algebra: the program in sums over classes, with the rules by their names in the paper.

>>> line = Line("ii", r"\alpha_i \le \sum_j x_{ij} \le \beta_i", "for each predicted class i")
>>> print(Algebra("pairs", "min", r"\sum_{i,j} \kappa_{ij} x_{ij}", [line]))
min  Σ_i,j κ_ij x_ij
s.t.
(ii)  α_i ≤ Σ_j x_ij ≤ β_i    for each predicted class i
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hemlp.escaping import latex

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
    text = _COMMAND.sub(lambda match: _SIGNS.get(match.group(), match.group()), text)
    return re.sub(r" +", " ", text).strip()


def add_terms(*terms: str) -> str:
    """A sum of the terms that there are."""
    return " + ".join(term for term in terms if term) or "0"


def between(lower: str, formula: str, upper: str) -> str:
    """lower ≤ formula ≤ upper; an equation where both are the same."""
    return f"{formula} = {lower}" if lower == upper else rf"{lower} \le {formula} \le {upper}"
