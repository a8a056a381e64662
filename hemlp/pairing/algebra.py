"""Problem 1, with and without further rules, and transport, as algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.instances.sides import PRED, TRUE
from hemlp.pairing.places import Place, Role
from hemlp.programs.algebra import Algebra, Line, between, joined
from hemlp.programs.program import number_text

if TYPE_CHECKING:
    from hemlp.pairing.flows import FlowModel
    from hemlp.pairing.model import PairingModel
    from hemlp.pairing.transport import TransportModel

KAPPA = r"\sum_{i,j} \kappa_{ij} x_{ij}"
WHO = "for each predicted class i", "for each true class j"
RULES = "ii", "iii"
_KAPPA_WORDS = (r"\kappa_{ij}", "what it costs to pair i with j; where that is infinite there is no x_ij")


def _common(values: IntArray | FloatArray, letter: str) -> str:
    """The value that all have, or a letter for what differs."""
    distinct = np.unique(values)
    return number_text(float(distinct[0])) if distinct.size == 1 else letter


def _cost(values: FloatArray, letter: str, variable: str) -> str:
    """Σ of costs times a variable; "" without any."""
    if not values.size:
        return ""
    index = letter[-1]
    factor = _common(values, letter)
    if factor == "0":
        return ""
    size = "" if factor == "1" else f"{factor} " if factor != letter else ""
    inner = f"{letter} {variable}" if factor == letter else variable
    return rf"{size}\sum_{index} {inner}"


def pairing_algebra(model: PairingModel) -> Algebra:
    """Problem 1 with the bounds and default costs of this model."""
    predicted, true = model.halves
    nearest = bool((model.serves != 3).any())
    has = [half.with_default.size > 0 for half in model.halves]
    sums = (r"\sum_{j \in B_i} x_{ij}", r"\sum_{i \in B_j} x_{ij}") if nearest else (r"\sum_j x_{ij}", r"\sum_i x_{ij}")
    costs = [
        _cost(half.default[half.with_default], f"d_{'ij'[side]}", f"{'uv'[side]}_{'ij'[side]}")
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
    supply, demand = model.masses
    lines = [
        Line("", rf"\sum_j x_{{ij}} = {_common(supply, 'a_i')}", WHO[PRED]),
        Line("", rf"\sum_i x_{{ij}} = {_common(demand, 'b_j')}", WHO[TRUE]),
        Line("", r"x_{ij} \ge 0", "integers"),
    ]
    units = _common(model.units, "lcm(M, N)")
    return Algebra(model.title, "min", KAPPA, lines, [_KAPPA_WORDS, ("x", f"units of mass, of which {units} are 1")])


_PLACES: tuple[tuple[Place, str, str, str, str], ...] = (
    (Place.PREDICTED, "ii", r"\sum_j x_{ij}", "i", WHO[PRED]),
    (Place.TRUE, "iii", r"\sum_i x_{ij}", "j", WHO[TRUE]),
    (Place.DEFAULT_TRUE, "DT", r"\sum_i u_i", "", "what the default true class takes"),
    (Place.DEFAULT_PRED, "DP", r"\sum_j v_j", "", "what the default predicted class takes"),
    (Place.TOTAL, "total", r"\sum_{i,j} x_{ij}", "", "how many pairs there are"),
)
"""Place, rule, what is counted, index, for whom."""
_LETTERS = {
    Place.PREDICTED: "p", Place.TRUE: "t", Place.DEFAULT_TRUE: "DT", Place.DEFAULT_PRED: "DP", Place.TOTAL: "x",
}  # fmt: skip


def flow_algebra(model: FlowModel) -> Algebra:
    """Problem 1 with the further rules of this model."""
    arcs = model.arcs
    to, back = (arcs.place == place for place in (Place.TO_DEFAULT, Place.FROM_DEFAULT))
    has = {Place.PREDICTED: " + u_i" if to.any() else "", Place.TRUE: " + v_j" if back.any() else ""}
    pair = arcs.place == Place.PAIR
    several = bool((arcs.number[pair] > 0).any())
    x = r"\sum_{i,j,k} \kappa_{ijk} x_{ijk}" if several else KAPPA
    goal = [x, _cost(arcs.cost[to], "d_i", "u_i"), _cost(arcs.cost[back], "d_j", "v_j")]
    lines: list[Line] = []
    for place, rule, body, index, who in _PLACES:
        of = arcs.place == place
        if not (of & (arcs.role == Role.ITSELF)).any():
            continue
        counted = body + has.get(place, "")
        added, prices = _prices(model, of, place, index)
        itself = of & (arcs.role == Role.ITSELF)
        at = f"_{index}" if index else ""
        lower, upper = _common(arcs.lower[itself], rf"\alpha{at}"), _common(arcs.upper[itself], rf"\beta{at}")
        lines.append(Line(rule, between(lower, counted + added, upper), who))
        units = _units(place, index)
        if (of & (arcs.role == Role.EACH)).any():
            lines.append(Line(rule, rf"{counted} = \sum_k {units}", who))
            goal.append(rf"\sum_{{{f'{index},' if index else ''}k}} c^{{{_LETTERS[place]}}}_k {units}")
        goal += prices
    lines.append(Line("i", _domain(model, several), "integers"))
    words = [_KAPPA_WORDS]
    if any(r"\sum_k" in line.formula for line in lines):
        words += [("n, c", "the k-th unit in a place, and its cost")]
    words += [("x_{ij}", r"the sum of x_ijk: the k-th time that i is paired with j")] if several else []
    words += [("s, o", "what is missing in a place, and what is too many")] if _has_prices(arcs.role) else []
    return Algebra(model.title, "min", joined(*goal), lines, words)


def _has_prices(role: IntArray) -> bool:
    return bool(((role == Role.BELOW) | (role == Role.ABOVE)).any())


def _units(place: Place, index: str) -> str:
    return rf"n^{{{_LETTERS[place]}}}_{{{index}k}}"


def _prices(model: FlowModel, of: Any, place: Place, index: str) -> tuple[str, list[str]]:
    """What is added to the count of a place, and what that costs."""
    added, goal = "", []
    for role, sign, letter in ((Role.BELOW, "+", "s"), (Role.ABOVE, "-", "o")):
        these = of & (model.arcs.role == role)
        if these.any():
            variable = rf"{letter}^{{{_LETTERS[place]}}}" + (f"_{index}" if index else "")
            price = _common(model.arcs.cost[these], rf"\pi^{{{letter}}}")
            added += f" {sign} {variable}"
            total = (rf"\sum_{index} " if index else "") + variable
            goal.append(total if price == "1" else f"{price} {total}")
    return added, goal


def _domain(model: FlowModel, several: bool) -> str:
    """What values pairs take."""
    arcs = model.arcs
    pair = (arcs.place == Place.PAIR) & (arcs.role == Role.ITSELF)
    name = "x_{ijk}" if several else "x_{ij}"
    lower, upper = (_common(of[pair], letter) for of, letter in ((arcs.lower, "l_{ij}"), (arcs.upper, "c_{ij}")))
    found = [rf"{name} \in \{{0, 1\}}" if (lower, upper) == ("0", "1") else between(lower, name, upper)]
    for place, letter, index in ((Place.TO_DEFAULT, "u", "i"), (Place.FROM_DEFAULT, "v", "j")):
        these = arcs.place == place
        if these.any():
            most = _common(arcs.upper[these], rf"\beta_{index}")
            found.append(rf"0 \le {letter}_{index} \le {most}")
    further = ["s", "o"] if _has_prices(arcs.role) else []
    further += ["n"] if (arcs.role == Role.EACH).any() else []
    return r",\quad ".join([*found, rf"{', '.join(further)} \ge 0"] if further else found)
