"""Problem 1 with more rules, written down: its linear program, and what its arcs and nodes are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.pairing.places import OWN, Place, Role

if TYPE_CHECKING:
    from hemlp.problems.pairing.flows import FlowModel

NAMES = ("source", "sink", "DP", "DT")
"""Nodes that each instance has: the source, the sink, the default predicted and the default true class."""
LETTERS = {
    Place.PAIR: "x", Place.TO_DEFAULT: "u", Place.FROM_DEFAULT: "v", Place.PREDICTED: "p", Place.TRUE: "t",
    Place.DEFAULT_TRUE: "DT", Place.DEFAULT_PRED: "DP", Place.TOTAL: "total",
}  # fmt: skip
SIGNS = {Role.BELOW: 1.0, Role.ABOVE: -1.0}
"""How what is missing, or too many, counts in the row of its place."""


def place_words(model: FlowModel, a: int | np.integer[Any]) -> str:
    """What an arc is about."""
    arcs = model.arcs
    row, place = int(np.searchsorted(arcs.ptr, a, side="right")) - 1, Place(int(arcs.place[a]))
    ends = (PRED, arcs.first[a]), (TRUE, arcs.second[a])
    predicted, true = ("default" if at < 0 else str(model.label(side, at, row)) for side, at in ends)
    if place <= Place.FROM_DEFAULT:
        return f"{predicted} ~ {true}"
    words = {
        Place.PREDICTED: f"predicted {predicted}", Place.TRUE: f"true {true}",
        Place.DEFAULT_TRUE: "default for predicted", Place.DEFAULT_PRED: "default for true",
    }  # fmt: skip
    return words.get(place, "all pairs")


def arc_words(model: FlowModel, a: int | np.integer[Any]) -> str:
    """An arc as people read it: what it is about, and which part of that it is."""
    arcs, words = model.arcs, place_words(model, a)
    role, number = Role(int(arcs.role[a])), int(arcs.number[a])
    if role is Role.EACH:
        further = arcs.upper[a] > 1
        return f"{words}: unit {number + 1}{' and further' if further else ''}"
    part = {Role.BELOW: ": missing", Role.ABOVE: ": too many"}.get(role, "")
    return words + part + (f", time {number + 1}" if number else "")


def node_names(model: FlowModel) -> list[str]:
    """The nodes of all instances."""
    names = []
    sizes = zip(*(np.diff(side.ptr).tolist() for side in model.batch.sides), strict=True)
    for row, (size, (predicted, true)) in enumerate(zip(model.arcs.nodes.tolist(), sizes, strict=True)):
        code = "" if len(model) == 1 else f"{row}_"
        names += [f"{code}{name}" for name in NAMES]
        names += [f"P_{code}{i}" for i in range(predicted)] + [f"T_{code}{j}" for j in range(true)]
        names += [f"N_{code}{k}" for k in range(size - OWN - predicted - true)]
    return names


def program_of(model: FlowModel) -> LinearProgram:
    """One row for what each place holds, and another where its units have costs; variables are in the order of arcs."""
    arcs = model.arcs
    rows = arcs.rows.tolist()
    variables = []
    members: dict[tuple[int, Place, int], list[tuple[int, float]]] = {}
    counted: dict[tuple[int, Place, int], list[tuple[int, float]]] = {}
    for position, a in enumerate(model.variables.tolist()):
        place, role, row = Place(int(arcs.place[a])), Role(int(arcs.role[a])), rows[a]
        upper, cost = int(arcs.upper[a]), float(arcs.cost[a])
        variables.append(Variable(_name(model, a, row), int(arcs.lower[a]), upper, cost, arc_words(model, a)))
        if place <= Place.FROM_DEFAULT:
            for whole, number in _places_of(model, a, place):
                members.setdefault((row, whole, number), []).append((position, 1.0))
        else:
            of = counted if role is Role.EACH else members
            of.setdefault((row, place, _number(model, a)), []).append((position, SIGNS.get(role, 1.0)))
    made = []
    itself = (arcs.place > Place.FROM_DEFAULT) & (arcs.role == Role.ITSELF)
    for a in np.flatnonzero(itself).tolist():
        key = (rows[a], Place(int(arcs.place[a])), _number(model, a))
        name, note = _name(model, a, rows[a]), place_words(model, a)
        terms = members.get(key, [])
        made.append(Row(name, int(arcs.lower[a]), int(arcs.upper[a]), terms, note))
        if key in counted:
            own = [(i, c) for i, c in terms if not _is_price(model, i)]
            minus = [(i, -1.0) for i, _ in counted[key]]
            made.append(Row(f"{name}_each", 0, 0, [*own, *minus], f"{note}: its units"))
    return LinearProgram(model.title, variables, made)


def _is_price(model: FlowModel, position: int) -> bool:
    """Whether a variable says what is missing or too many."""
    return int(model.arcs.place[model.variables[position]]) > Place.FROM_DEFAULT


def _number(model: FlowModel, a: int) -> int:
    """Which of the places of its kind: the position of its class, -1 where there is one only."""
    return max(int(model.arcs.first[a]), int(model.arcs.second[a]))


def _places_of(model: FlowModel, a: int, place: Place) -> list[tuple[Place, int]]:
    """The places that a pair counts in."""
    found = []
    if place is not Place.FROM_DEFAULT:
        found.append((Place.PREDICTED, int(model.arcs.first[a])))
    if place is not Place.TO_DEFAULT:
        found.append((Place.TRUE, int(model.arcs.second[a])))
    whole = {Place.PAIR: Place.TOTAL, Place.TO_DEFAULT: Place.DEFAULT_TRUE, Place.FROM_DEFAULT: Place.DEFAULT_PRED}
    return [*found, (whole[place], -1)]


def _name(model: FlowModel, a: int, row: int) -> str:
    """As in files: the letter of the place, the instance where there are several, positions, and the part."""
    arcs = model.arcs
    places = [] if len(model) == 1 else [row]
    places += [int(at) for at in (arcs.first[a], arcs.second[a]) if at >= 0]
    role, number = Role(int(arcs.role[a])), int(arcs.number[a])
    part = {Role.BELOW: ["missing"], Role.ABOVE: ["beyond"], Role.EACH: [f"unit{number + 1}"]}.get(role, [])
    if role is Role.ITSELF and number:
        part = [f"time{number + 1}"]
    return "_".join([LETTERS[Place(int(arcs.place[a]))], *map(str, places), *part])
