"""Problem 1 written down: its linear program, what its arcs and nodes are called, and why it has no solution."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import InfeasibleModel
from hemlp.instances.sides import PRED, SIDES, TRUE
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.pairing.circulation import OWN, SINK, SOURCE, Group, Role
from hemlp.text.display import abbreviate
from hemlp.text.tables import plural

if TYPE_CHECKING:
    import networkx

    from hemlp.problems.pairing.model import PairingModel

NAMES = ("source", "sink", "DP", "DT")
"""Nodes that each instance has: the source, the sink, the default predicted and the default true class."""
LETTERS = {
    Group.PAIR: "x", Group.TO_DEFAULT: "u", Group.FROM_DEFAULT: "v", Group.PREDICTED: "p", Group.TRUE: "t",
    Group.DEFAULT_TRUE: "DT", Group.DEFAULT_PRED: "DP", Group.TOTAL: "total",
}  # fmt: skip
WORDS = {
    Group.PAIR: "{0} {2} {1}", Group.TO_DEFAULT: "{0} {2} {1}", Group.FROM_DEFAULT: "{0} {2} {1}",
    Group.PREDICTED: "predicted {0}", Group.TRUE: "true {1}", Group.DEFAULT_TRUE: "default for predicted",
    Group.DEFAULT_PRED: "default for true", Group.TOTAL: "all pairs",
}  # fmt: skip
GROUPS, ROLES = tuple(Group), tuple(Role)
PARTS = {Role.BELOW: ("missing", "missing"), Role.ABOVE: ("too many", "beyond")}
"""What is missing, or too many: in words and in names."""
SIGNS = {Role.BELOW: 1.0, Role.ABOVE: -1.0}
"""How what is missing, or too many, counts in the row of its group."""
WHOLE = {Group.PAIR: Group.TOTAL, Group.TO_DEFAULT: Group.DEFAULT_TRUE, Group.FROM_DEFAULT: Group.DEFAULT_PRED}
"""The group of the whole instance that a pair, or a pair with a default class, counts in."""


class Arcs:
    """The arcs of all instances as plain numbers, and what they are called."""

    def __init__(self, model: PairingModel) -> None:
        arcs = self.arcs = model.circulation
        self.model, self.rows = model, arcs.rows.tolist()
        self.group, self.role = list(map(GROUPS.__getitem__, arcs.group)), list(map(ROLES.__getitem__, arcs.role))
        self.first, self.second, self.number = (of.tolist() for of in (arcs.first, arcs.second, arcs.number))
        self.lower, self.upper = arcs.lower.tolist(), arcs.upper.tolist()
        labels, sides = model.batch.hierarchy.labels, model.batch.sides
        self._labels = [[str(labels[c]) for c in side.classes.tolist()] for side in sides]
        self._starts = [side.ptr.tolist() for side in sides]

    def _label(self, row: int, side: int, at: int) -> str:
        return "default" if at < 0 else self._labels[side][self._starts[side][row] + at]

    def group_words(self, a: int) -> str:
        """What an arc is about."""
        predicted, true = (
            self._label(self.rows[a], PRED, self.first[a]),
            self._label(self.rows[a], TRUE, self.second[a]),
        )
        return WORDS[self.group[a]].format(predicted, true, "~" if self.model.units is None else "→")

    def words(self, a: int) -> str:
        """An arc as people read it: what it is about, and which part of that it is."""
        words, role, number = self.group_words(a), self.role[a], self.number[a]
        if role is Role.EACH:
            return f"{words}: unit {number + 1}{' and further' if self.upper[a] > 1 else ''}"
        part = f": {PARTS[role][0]}" if role in PARTS else ""
        return words + part + (f", time {number + 1}" if number else "")

    def name(self, a: int) -> str:
        """As in files: the letter of the group, the instance where there are several, positions, and the part."""
        at: list[Any] = [] if len(self.model) == 1 else [self.rows[a]]
        at += [k for k in (self.first[a], self.second[a]) if k >= 0]
        role, number = self.role[a], self.number[a]
        if role in PARTS:
            at.append(PARTS[role][1])
        elif role is Role.EACH or number:
            at.append(f"{'unit' if role is Role.EACH else 'time'}{number + 1}")
        return "_".join([LETTERS[self.group[a]], *map(str, at)])

    def key(self, a: int) -> tuple[int, Group, int]:
        """The group of an arc that is none of a pair: instance, kind, and position of its class (-1: there is one)."""
        return self.rows[a], self.group[a], max(self.first[a], self.second[a])

    def groups(self, a: int, tail: int, head: int) -> list[tuple[int, Group, int]]:
        """The groups that a pair between two nodes counts in."""
        row, kind, groups = self.rows[a], self.group[a], []
        if kind is not Group.FROM_DEFAULT and tail != SOURCE:
            groups.append((row, Group.PREDICTED, self.first[a]))
        if kind is not Group.TO_DEFAULT and head != SINK:
            groups.append((row, Group.TRUE, self.second[a]))
        return [*groups, (row, WHOLE[kind], -1)]


def node_names(model: PairingModel) -> list[str]:
    """The nodes of all instances."""
    names = []
    sizes = zip(*(np.diff(side.ptr).tolist() for side in model.batch.sides), strict=True)
    for row, (size, (predicted, true)) in enumerate(zip(model.circulation.nodes.tolist(), sizes, strict=True)):
        code = "" if len(model) == 1 else f"{row}_"
        names += [f"{code}{name}" for name in NAMES]
        names += [f"P_{code}{i}" for i in range(predicted)] + [f"T_{code}{j}" for j in range(true)]
        names += [f"N_{code}{k}" for k in range(size - OWN - predicted - true)]
    return names


def to_networkx(model: PairingModel) -> networkx.DiGraph[Any]:
    """The circulation as a graph that ``networkx.network_simplex`` solves; with weights that are no integers it may
    run for ever."""
    import networkx

    arcs, (tails, heads), names = model.circulation, model.circulation.ends, node_names(model)
    several = np.unique(tails * len(names) + heads).size < tails.size
    graph: networkx.DiGraph[Any] = networkx.MultiDiGraph() if several else networkx.DiGraph()
    costs = [Fraction(cost) for cost in arcs.cost.tolist()]
    scale = max((cost.denominator for cost in costs), default=1)  # powers of two
    graph.graph["scale"] = scale * model.scale
    for node, supply in zip(names, arcs.excess(arcs.lower).tolist(), strict=True):
        graph.add_node(node, demand=-supply)
    for row, first in enumerate(arcs.first_nodes[:-1].tolist()):
        classes = np.concatenate([side[row] for side in model.batch.sides])
        for at, c in enumerate(classes, first + OWN):
            graph.nodes[names[at]]["label"] = model.batch.hierarchy.labels[c]
    columns = zip(tails, heads, arcs.lower.tolist(), arcs.upper.tolist(), costs, strict=True)
    for number, (tail, head, lower, upper, cost) in enumerate(columns):
        graph.add_edge(
            names[tail], names[head], **({"key": number} if several else {}),
            lower=lower, upper=upper, cost=float(cost), capacity=upper - lower, weight=int(cost * scale),
        )  # fmt: skip
    return graph


def write_program(model: PairingModel) -> LinearProgram:
    """One row for what each group holds, and another where its units have costs."""
    of, arcs = Arcs(model), model.circulation
    tails, heads, costs = arcs.tail.tolist(), arcs.head.tolist(), arcs.cost.tolist()
    members: defaultdict[Any, list[tuple[int, float]]] = defaultdict(list)
    units: defaultdict[Any, list[tuple[int, float]]] = defaultdict(list)
    paid: defaultdict[Any, list[tuple[int, float]]] = defaultdict(list)
    variables = []
    for k, a in enumerate(model.variables.tolist()):
        variables.append(Variable(of.name(a), of.lower[a], of.upper[a], costs[a], of.words(a)))
        if of.group[a] <= Group.FROM_DEFAULT:
            for key in of.groups(a, tails[a], heads[a]):
                members[key].append((k, 1.0))
        elif of.role[a] is Role.EACH:
            units[of.key(a)].append((k, -1.0))
        else:
            paid[of.key(a)].append((k, SIGNS[of.role[a]]))
    rows = []
    for a in model.rows.tolist():
        key, name, note = of.key(a), of.name(a), of.group_words(a)
        rows.append(Row(name, of.lower[a], of.upper[a], [*members[key], *paid[key]], note))
        if units[key]:
            rows.append(Row(f"{name}_each", 0, 0, [*members[key], *units[key]], f"{note}: its units"))
    return LinearProgram(model.title, variables, rows, scale=model.scale)


def describe_shortage(one: PairingModel, cut: frozenset[int], number: int) -> InfeasibleModel:
    """Which bounds of the only instance, ``number`` to the reader, contradict each other."""
    arcs, of = one.circulation, Arcs(one)
    tail, head = (np.isin(ends, list(cut)) for ends in (arcs.tail, arcs.head))
    needs, limits = np.flatnonzero(head & ~tail & (arcs.lower > 0)), np.flatnonzero(tail & ~head)
    needed, capacity = int(arcs.lower[needs].sum()), int(arcs.upper[limits].sum())
    for side, group in ((PRED, Group.PREDICTED), (TRUE, Group.TRUE)):
        if one.plain and (arcs.group[needs] == group).all():
            return _short_classes(one, side, (needs, limits), (needed, capacity), number)
        if one.units is not None and (arcs.group[needs] == group).all():
            return _stranded_mass(one, side, (needs, limits), (needed, capacity), number)
    what = abbreviate(dict.fromkeys(of.words(a) for a in needs.tolist()))
    limiting = (a for a in limits.tolist() if of.upper[a] or not capacity)
    who = abbreviate(dict.fromkeys(of.words(a) for a in limiting))
    but = f"at most {capacity} for {who}" if who else "there is nothing that could take it"
    ends = [(side, k) for a in (*needs, *limits) for side, k in ((PRED, of.first[a]), (TRUE, of.second[a])) if k >= 0]
    classes = [one.label(side, k) for side, k in ends]
    return InfeasibleModel(
        f"instance {number}: no pairing keeps all bounds: at least {needed} for {what}, and {but}",
        number, label=classes[0] if classes else None, labels=tuple(dict.fromkeys(classes)),
    )  # fmt: skip


def _positions(one: PairingModel, arcs: IntArray, side: int) -> list[int]:
    of = (one.circulation.first, one.circulation.second)[side][arcs]
    return sorted({int(k) for k in of if k >= 0})


def _short_classes(
    one: PairingModel, side: int, arcs: tuple[IntArray, IntArray], amounts: tuple[int, int], number: int
) -> InfeasibleModel:
    """Classes of one side need more pairs than there can be."""
    labels = [one.label(side, k) for k in _positions(one, arcs[0], side)]
    of, limiting = one.circulation, set(one.circulation.group[arcs[1]].tolist())
    known = np.isin((of.first, of.second)[side], _positions(one, arcs[0], side)) & (of.group == Group.PAIR)
    reasons = [
        (int(known.sum()) < len(labels) * one.batch.sides[1 - side].classes.size, "pairs without a finite cost"),
        (Group.PAIR in limiting, "a pair counts once"),
        (bool({Group.PREDICTED, Group.TRUE} & limiting), f"the bounds of {SIDES[1 - side]} classes"),
    ]
    why = ", ".join(reason for holds, reason in reasons if holds) or f"there is no {SIDES[1 - side]} class"
    alone = len(labels) == 1
    who = f"the {SIDES[side]} class{'' if alone else 'es'} {abbreviate(map(repr, labels))}"
    return InfeasibleModel(
        f"instance {number}: {who} {'needs' if alone else 'together need'} at least {plural(amounts[0], 'pair')}"
        f" and can have {amounts[1]} ({why}); "
        f"a default class (default_cost) would take what is left, as far as its bounds let it",
        number, SIDES[side], labels[0], tuple(labels),
    )  # fmt: skip


def _stranded_mass(
    one: PairingModel, side: int, arcs: tuple[IntArray, IntArray], amounts: tuple[int, int], number: int
) -> InfeasibleModel:
    """The mass of some classes has nowhere to go."""
    if not all(of.lower.any() for of in one.halves):
        return InfeasibleModel(f"instance {number}: a side is empty, or weighs nothing", number)
    labels, others = (
        [one.label(s, k) for k in _positions(one, a, s)] for s, a in zip((side, 1 - side), arcs, strict=True)
    )
    units, other = int(one.scale), SIDES[1 - side]
    where = f" ({abbreviate(map(repr, others))})" if others else ""
    return InfeasibleModel(
        f"instance {number}: the mass of the {SIDES[side]} class{'es' if labels[1:] else ''} "
        f"{abbreviate(map(repr, labels))} is {amounts[0] / units:.4g} and reaches only {amounts[1] / units:.4g} of the "
        f"{other} mass{where}: other pairs have no finite cost, as without a common ancestor",
        number, label=labels[0], labels=tuple(labels),
    )  # fmt: skip
