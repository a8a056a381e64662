"""Problem 1 as algebra: with further capacities or without, and as transport."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.exports import Algebra, Line, add_terms, between
from hemlp.optimize.program import number_text
from hemlp.problems.pairing.circulation import SINK, SOURCE, Group, Role

if TYPE_CHECKING:
    from hemlp.problems.pairing.model import PairingModel

WHO = "for each predicted class i", "for each true class j"
_KAPPA_WORDS = (r"\kappa_{ij}", "what it costs to pair i with j; where that is infinite there is no x_ij")


def _common(values: IntArray | FloatArray, letter: str) -> str:
    """The value that all have, or a letter for what differs."""
    distinct = np.unique(values)
    return number_text(float(distinct[0])) if distinct.size == 1 else letter


def _cost(values: FloatArray, letter: str, variable: str, index: str) -> str:
    """Σ over ``index`` (if there is one) of costs times a variable; "" without any."""
    factor = _common(values, letter) if values.size else "0"
    total = rf"\sum_{index} " if index else ""
    if factor == letter:
        return f"{total}{letter} {variable}"
    return "" if factor == "0" else f"{'' if factor == '1' else f'{factor} '}{total}{variable}"


_GROUPS = (
    (Group.PREDICTED, "ii", "p", "i", WHO[PRED]),
    (Group.TRUE, "iii", "t", "j", WHO[TRUE]),
    (Group.DEFAULT_TRUE, "DT", "DT", "", "what the default true class takes"),
    (Group.DEFAULT_PRED, "DP", "DP", "", "what the default predicted class takes"),
    (Group.TOTAL, "total", "x", "", "how many pairs there are"),
)
"""Capacity group, rule, letter, index, for whom."""
_WORDS = (
    (r"\in B", "B", "those whose pair counts for the class: its nearest"),
    (r"\sum_k n", "n, c", "the k-th unit in a capacity group, and its cost"),
    ("x_{ijk}", "x_{ijk}", "the k-th time that i is paired with j"),
    ("s^", "s", "what is missing in a capacity group, where that has a penalty"),
    ("o^", "o", "what is too many in a capacity group, where that has a penalty"),
    (r"\pi^", r"\pi", "the penalty for what is missing, or too many"),
    ("M^", "M", "more than could be too many"),
    ("N^", "N", "as many units as there could be"),
    ("a_i", "a_i", "the mass of i"),
    ("b_j", "b_j", "the mass of j"),
    ("c_{ij}", "c_{ij}", "as much as the pair could carry"),
)
"""What stands in a formula, a letter, and its meaning."""


def pairing_algebra(model: PairingModel) -> Algebra:
    """Problem 1 with the bounds, costs and further capacities of this model."""
    arcs = model.circulation
    to, back, pair = (arcs.group == group for group in (Group.TO_DEFAULT, Group.FROM_DEFAULT, Group.PAIR))
    x, k = ("x_{ijk}", ",k") if (arcs.number[pair] > 0).any() else ("x_{ij}", "")
    nearest = bool((pair & ((arcs.tail == SOURCE) | (arcs.head == SINK))).any())
    sums = (r"j \in B_i", r"i \in B_j") if nearest else (f"j{k}", f"i{k}")
    over = [rf"\sum_{{{each}}}" if len(each) > 1 else rf"\sum_{each}" for each in sums]
    counted = {
        Group.PREDICTED: add_terms(f"{over[PRED]} {x}", "u_i" if to.any() else ""),
        Group.TRUE: add_terms(f"{over[TRUE]} {x}", "v_j" if back.any() else ""),
        Group.DEFAULT_TRUE: r"\sum_i u_i" if to.any() else "0",
        Group.DEFAULT_PRED: r"\sum_j v_j" if back.any() else "0",
        Group.TOTAL: rf"\sum_{{i,j{k}}} {x}",
    }
    goal = [rf"\sum_{{i,j{k}}} \kappa{x[1:]} {x}"]
    goal += [_cost(arcs.cost[to], "d_i", "u_i", "i"), _cost(arcs.cost[back], "d_j", "v_j", "j")]
    lines: list[Line] = []
    bounds = [_range(arcs.lower[pair], arcs.upper[pair], f"l{x[1:]}", f"c{x[1:]}", x)]
    for these, variable, index in ((to, "u_i", "i"), (back, "v_j", "j")):
        bounds += (
            [_range(arcs.lower[these], arcs.upper[these], "0", rf"\beta_{index}", variable)] if these.any() else []
        )
    for group, rule, letter, index, who in _GROUPS:
        written = _Group(model, group, letter, index)
        if written.exists:
            lines.append(Line(rule, written.row(counted[group]), who))
            lines += [Line(rule, rf"{counted[group]} = \sum_k {written.unit}", each) for each in written.counting(who)]
            goal += written.goal()
            bounds += written.bounds()
    lines.append(Line("i", r",\quad ".join(bounds), "integers"))
    text = " ".join([*goal, *(line.formula for line in lines)])
    words = [_KAPPA_WORDS] + ([("u, v", "pairs with a default class")] if to.any() or back.any() else [])
    words += [(name, meaning) for where, name, meaning in _WORDS if where in text]
    if model.units is not None:
        units = _common(model.units, "so many")
        words.append(("x", f"units of mass: {units} are a mass of 1, so the objective is {units} times the cost"))
    return Algebra(model.title, "min", add_terms(*goal), lines, words)


def _range(lower: IntArray, upper: IntArray, low: str, high: str, variable: str) -> str:
    """What values a variable takes, with letters where they differ."""
    least, most = _common(lower, low), _common(upper, high)
    binary = variable[0] == "x" and (least, most) == ("0", "1")
    return rf"{variable} \in \{{0, 1\}}" if binary else between(least, variable, most)


@dataclass(frozen=True)
class _Group:
    """The formulas of the capacity groups of one kind, with ``letter`` and, where there are several, an ``index``."""

    model: PairingModel
    group: Group
    letter: str
    index: str

    def _arcs(self, role: Role) -> IntArray:
        arcs = self.model.circulation
        return np.flatnonzero((arcs.group == self.group) & (arcs.role == role))

    @property
    def exists(self) -> bool:
        """Whether the program has a row for it."""
        return self._arcs(Role.ITSELF).size > 0

    @property
    def unit(self) -> str:
        """The k-th unit in it."""
        return rf"n^{{{self.letter}}}_{{{self.index}k}}"

    def _named(self, head: str, kind: str = "") -> str:
        return f"{head}^{{{kind}{self.letter}}}" + (f"_{self.index}" if self.index else "")

    def _prices(self) -> list[tuple[str, str, IntArray]]:
        """Sign, variable and arcs of what is missing and of what is too many."""
        signed = ((sign, self._named(head), self._arcs(role)) for role, sign, head in _SIGNED)
        return [each for each in signed if each[2].size]

    def row(self, counted: str) -> str:
        """What it holds lies between its bounds, but for what has a price."""
        at, arcs = self._arcs(Role.ITSELF), self.model.circulation
        end = f"_{self.index}" if self.index else ""
        letters = (r"\alpha", r"\beta") if self.model.units is None else ("ab"["ij".index(self.index)],) * 2
        lower, upper = _common(arcs.lower[at], letters[0] + end), _common(arcs.upper[at], letters[1] + end)
        return between(lower, counted + "".join(f" {sign} {name}" for sign, name, _ in self._prices()), upper)

    def counting(self, who: str) -> list[str]:
        """For whom units are counted, if they have costs."""
        these, every = self._arcs(Role.EACH), self._arcs(Role.ITSELF).size
        some = np.count_nonzero(self.model.circulation.number[these] == 0)
        return [] if not some else [who if some == every else f"{who} whose units have costs"]

    def goal(self) -> list[str]:
        """What is paid in it."""
        cost, number = self.model.circulation.cost, self.model.circulation.number
        terms = []
        for _, name, at in self._prices():
            terms.append(_cost(cost[at], self._named(r"\pi", name[0]), name, self.index))
        at = self._arcs(Role.EACH)
        if at.size:
            alike = all(np.unique(cost[at[number[at] == k]]).size == 1 for k in np.unique(number[at]))
            price = f"c^{{{self.letter}}}_" + ("k" if alike else f"{{{self.index}k}}")
            terms.insert(0, rf"\sum_{{{f'{self.index},' if self.index else ''}k}} {price} {self.unit}")
        return terms

    def bounds(self) -> list[str]:
        """What values its own variables take."""
        arcs = self.model.circulation
        most = {"+": rf"\alpha_{self.index}", "-": self._named("M")}
        ranges = [between("0", name, _common(arcs.upper[at], most[sign])) for sign, name, at in self._prices()]
        at = self._arcs(Role.EACH)
        return [*ranges, between("0", self.unit, _common(arcs.upper[at], f"N{self.unit[1:]}"))] if at.size else ranges


_SIGNED = ((Role.BELOW, "+", "s"), (Role.ABOVE, "-", "o"))
"""How what is missing, or too many, counts in the row of its group, and its letter."""
