"""Problem 1, with and without further rules, and transport, as algebra."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.algebra import Algebra, Line, between, joined
from hemlp.optimize.program import number_text
from hemlp.problems.pairing.places import Place, Role

if TYPE_CHECKING:
    from hemlp.problems.pairing.flows import FlowModel
    from hemlp.problems.pairing.model import PairingModel
    from hemlp.problems.pairing.transport import TransportModel

KAPPA = r"\sum_{i,j} \kappa_{ij} x_{ij}"
WHO = "for each predicted class i", "for each true class j"
RULES = "ii", "iii"
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


def pairing_algebra(model: PairingModel) -> Algebra:
    """Problem 1 with the bounds and default costs of this model."""
    predicted, true = model.halves
    nearest = bool((model.serves != 3).any())
    has = [half.with_default.size > 0 for half in model.halves]
    sums = (r"\sum_{j \in B_i} x_{ij}", r"\sum_{i \in B_j} x_{ij}") if nearest else (r"\sum_j x_{ij}", r"\sum_i x_{ij}")
    costs = [
        _cost(half.default[half.with_default], f"d_{'ij'[side]}", f"{'uv'[side]}_{'ij'[side]}", "ij"[side])
        for side, half in enumerate(model.halves)
    ]
    lines = []
    for side, half in enumerate((predicted, true)):
        index = "ij"[side]
        lower, upper = _common(half.lower, rf"\alpha_{index}"), _common(half.upper, rf"\beta_{index}")
        body = joined(sums[side], f"{'uv'[side]}_{index}" if has[side] else "")
        lines.append(Line(RULES[side], between(lower, body, upper), WHO[side]))
    domain = [r"x_{ij} \in \{0, 1\}"]
    for side, half in enumerate(model.halves):
        index = "ij"[side]
        most = _common(half.upper[half.with_default], rf"\beta_{index}")
        domain += [rf"0 \le {'uv'[side]}_{index} \le {most}"] if has[side] else []
    lines.append(Line("i", r",\quad ".join(domain), "integers"))
    words = [_KAPPA_WORDS] + ([("u, v", "pairs with a default class")] if any(has) else [])
    words += [("B", "those whose pair counts for the class: its nearest")] if nearest else []
    return Algebra(model.title, "min", joined(KAPPA, *costs), lines, words)


def transport_algebra(model: TransportModel) -> Algebra:
    """Transport of a mass of 1, in the units of this model."""
    supply, demand = _common(model.masses[PRED], "a_i"), _common(model.masses[TRUE], "b_j")
    most, units = _common(model.room[model.finite_pairs], "c_{ij}"), _common(model.units, "so many")
    lines = [
        Line("", rf"\sum_j x_{{ij}} = {supply}", WHO[PRED]),
        Line("", rf"\sum_i x_{{ij}} = {demand}", WHO[TRUE]),
        Line("", rf"0 \le x_{{ij}} \le {most}", "integers"),
    ]
    letters = (
        (supply, "a_i", "the mass of i"), (demand, "b_j", "the mass of j"), (most, "c_{ij}", "the smaller of both"),
    )  # fmt: skip
    words = [_KAPPA_WORDS, *((letter, meaning) for found, letter, meaning in letters if found == letter)]
    words += [("x", f"units of mass: {units} are a mass of 1, so the objective is {units} times the cost")]
    return Algebra(model.title, "min", KAPPA, lines, words)


_PLACES = (
    (Place.PREDICTED, "ii", "p", "i", WHO[PRED]),
    (Place.TRUE, "iii", "t", "j", WHO[TRUE]),
    (Place.DEFAULT_TRUE, "DT", "DT", "", "what the default true class takes"),
    (Place.DEFAULT_PRED, "DP", "DP", "", "what the default predicted class takes"),
    (Place.TOTAL, "total", "x", "", "how many pairs there are"),
)
"""Place, rule, letter, index, for whom."""
_RULED_WORDS = (
    (r"\sum_k n", "n, c", "the k-th unit in a place, and its cost"),
    ("x_{ijk}", "x_{ijk}", "the k-th time that i is paired with j"),
    ("s^", "s", "what is missing in a place, where that has a price"),
    ("o^", "o", "what is too many in a place, where that has a price"),
    (r"\pi^", r"\pi", "the price of what is missing, or too many"),
    ("M^", "M", "more than could be too many"),
    ("N^", "N", "as many units as there could be"),
)
"""What stands in a formula, a letter, and its meaning."""


def flow_algebra(model: FlowModel) -> Algebra:
    """Problem 1 with the further rules of this model."""
    arcs = model.arcs
    to, back, pair = (arcs.place == place for place in (Place.TO_DEFAULT, Place.FROM_DEFAULT, Place.PAIR))
    x, k = ("x_{ijk}", ",k") if (arcs.number[pair] > 0).any() else ("x_{ij}", "")
    counted = {
        Place.PREDICTED: joined(rf"\sum_{{j{k}}} {x}", "u_i" if to.any() else ""),
        Place.TRUE: joined(rf"\sum_{{i{k}}} {x}", "v_j" if back.any() else ""),
        Place.DEFAULT_TRUE: r"\sum_i u_i" if to.any() else "0",
        Place.DEFAULT_PRED: r"\sum_j v_j" if back.any() else "0",
        Place.TOTAL: rf"\sum_{{i,j{k}}} {x}",
    }
    goal = [rf"\sum_{{i,j{k}}} \kappa{x[1:]} {x}"]
    goal += [_cost(arcs.cost[to], "d_i", "u_i", "i"), _cost(arcs.cost[back], "d_j", "v_j", "j")]
    lines: list[Line] = []
    bounds = [_range(arcs.lower[pair], arcs.upper[pair], f"l{x[1:]}", f"c{x[1:]}", x)]
    for these, variable, index in ((to, "u_i", "i"), (back, "v_j", "j")):
        bounds += (
            [_range(arcs.lower[these], arcs.upper[these], "0", rf"\beta_{index}", variable)] if these.any() else []
        )
    for place, rule, letter, index, who in _PLACES:
        written = _Place(model, place, letter, index)
        if written.exists:
            lines.append(Line(rule, written.row(counted[place]), who))
            lines += [Line(rule, rf"{counted[place]} = \sum_k {written.unit}", each) for each in written.counting(who)]
            goal += written.goal()
            bounds += written.bounds()
    lines.append(Line("i", r",\quad ".join(bounds), "integers"))
    text = " ".join([*goal, *(line.formula for line in lines)])
    words = [_KAPPA_WORDS, *((name, meaning) for where, name, meaning in _RULED_WORDS if where in text)]
    return Algebra(model.title, "min", joined(*goal), lines, words)


def _range(lower: IntArray, upper: IntArray, low: str, high: str, variable: str) -> str:
    """What values a variable takes, with letters where they differ."""
    least, most = _common(lower, low), _common(upper, high)
    binary = variable[0] == "x" and (least, most) == ("0", "1")
    return rf"{variable} \in \{{0, 1\}}" if binary else between(least, variable, most)


@dataclass(frozen=True)
class _Place:
    """The formulas of the places of one kind, with ``letter`` and, where there are several, an ``index``."""

    model: FlowModel
    place: Place
    letter: str
    index: str

    def _arcs(self, role: Role) -> IntArray:
        return np.flatnonzero((self.model.arcs.place == self.place) & (self.model.arcs.role == role))

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
        found = ((sign, self._named(head), self._arcs(role)) for role, sign, head in _SIGNED)
        return [each for each in found if each[2].size]

    def row(self, counted: str) -> str:
        """What it holds lies between its bounds, but for what has a price."""
        at, arcs = self._arcs(Role.ITSELF), self.model.arcs
        end = f"_{self.index}" if self.index else ""
        lower, upper = _common(arcs.lower[at], rf"\alpha{end}"), _common(arcs.upper[at], rf"\beta{end}")
        return between(lower, counted + "".join(f" {sign} {name}" for sign, name, _ in self._prices()), upper)

    def counting(self, who: str) -> list[str]:
        """For whom units are counted, if they have costs."""
        these, every = self._arcs(Role.EACH), self._arcs(Role.ITSELF).size
        some = np.count_nonzero(self.model.arcs.number[these] == 0)
        return [] if not some else [who if some == every else f"{who} whose units have costs"]

    def goal(self) -> list[str]:
        """What is paid in it."""
        cost, number = self.model.arcs.cost, self.model.arcs.number
        found = []
        for _, name, at in self._prices():
            found.append(_cost(cost[at], self._named(r"\pi", name[0]), name, self.index))
        at = self._arcs(Role.EACH)
        if at.size:
            alike = all(np.unique(cost[at[number[at] == k]]).size == 1 for k in np.unique(number[at]))
            price = f"c^{{{self.letter}}}_" + ("k" if alike else f"{{{self.index}k}}")
            found.insert(0, rf"\sum_{{{f'{self.index},' if self.index else ''}k}} {price} {self.unit}")
        return found

    def bounds(self) -> list[str]:
        """What values its own variables take."""
        arcs = self.model.arcs
        most = {"+": rf"\alpha_{self.index}", "-": self._named("M")}
        found = [between("0", name, _common(arcs.upper[at], most[sign])) for sign, name, at in self._prices()]
        at = self._arcs(Role.EACH)
        return [*found, between("0", self.unit, _common(arcs.upper[at], f"N{self.unit[1:]}"))] if at.size else found


_SIGNED = ((Role.BELOW, "+", "s"), (Role.ABOVE, "-", "o"))
"""How what is missing, or too many, counts in the row of its place, and its letter."""
