r"""Integer programs of Problem 2, the minimal LCA graphs.

Choose LCAs Z and links from classes to them, each drawn as one shortest upward path; G_p and G_t are the nodes of those
paths. In order of importance: as few LCAs as possible; F = 2|G_p ∩ G_t| / (|G_p| + |G_t|) as large as possible; then
|G_p| + |G_t|, ||G_p| − |G_t|| and |G_p| as small as possible. Variables, all 0 or 1:

    z_a        LCA a is chosen
    l_k        eligible link k = (class, LCA) is drawn
    o_a        on one side, some class is linked to its own LCA a
    f_k_e      link k's path goes by edge e of the graph of its shortest paths (a unit flow: paths are never enumerated)
    p_v, t_v   node v is in G_p, in G_t
    s_v        node v is in both

A class is linked to one or more of its own LCAs. An LCA that no class of a side is linked to as its own gets exactly
one link there. Rows are named by the paper's rules: i_… each class is in its graph, ii_… each class has an LCA of its
own, iii_… as few as possible, iv_… each class is linked, v_… each LCA is linked to both sides. F is a ratio, so three
programs are solved in turn: "lcas" for |Z|; "ratio", max 2q Σs − p (Σp + Σt) at F = p/q, whose optimum is 0 exactly
at the best F (Dinkelbach's iteration, with exact fractions); "ties" for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hemlp.instances.sides import LETTERS, PRED, SIDES, TRUE
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.lca.graphs import LcaGraphs
from hemlp.problems.lca.links import LcaInstance, Link

Names = Callable[[int], object]
"""From node to label, for the notes of a program."""


def upper_bound(instance: LcaInstance) -> Fraction:
    """An upper bound on F of any solution, with any number of LCAs.

    A class of one side that G_ex of the other side does not hold is never shared, and what is shared is in both G_ex.
    """
    sides = instance.extended
    alone = sum(len(set(instance.classes[side]) - sides[1 - side]) for side in (PRED, TRUE))
    common = len(sides[PRED] & sides[TRUE])
    return Fraction(2 * common, 2 * common + alone) if common else Fraction(0)


def lca_program(instance: LcaInstance, label: Names, title: str) -> LinearProgram:
    """Stage "lcas": the fewest LCAs that include one of each class's own."""
    place = {a: k for k, a in enumerate(instance.lcas)}
    variables = [Variable(f"z_{k}", 0, 1, 1.0, f"LCA {label(a)}") for a, k in place.items()]
    rows = [
        Row(f"ii_{LETTERS[side]}_{k}", 1, math.inf, [(place[a], 1.0) for a in own], f"{SIDES[side]} {label(c)}")
        for k, ((side, c), own) in enumerate(instance.own_lcas.items())
    ]
    return LinearProgram(f"{title}: fewest LCAs", variables, rows)


@dataclass
class GraphProgram:
    """Stages "ratio" and "ties": all constraints of Problem 2 with ``chosen`` LCAs, built once for an instance."""

    instance: LcaInstance
    label: Names
    title: str
    chosen: int
    variables: list[Variable] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    lca_at: dict[int, int] = field(default_factory=dict)
    link_at: list[list[int]] = field(default_factory=lambda: [[], []])
    flow_at: list[list[dict[tuple[int, int], int]]] = field(default_factory=lambda: [[], []])
    node_at: list[dict[int, int]] = field(default_factory=lambda: [{}, {}])
    shared_at: list[int] = field(default_factory=list)
    through: list[dict[int, list[list[tuple[int, float]]]]] = field(default_factory=lambda: [{}, {}])

    def __post_init__(self) -> None:
        for a in self.instance.lcas:
            self.lca_at[a] = self._variable(f"z_{len(self.lca_at)}", f"LCA {self.label(a)}")
        self._row([(v, 1.0) for v in self.lca_at.values()], self.chosen, self.chosen, "as few LCAs as possible", "iii")
        for side in (PRED, TRUE):
            for k, link in enumerate(self.instance.links[side]):
                self._add_link(side, k, link)
            self._add_rules(side)
            self._add_nodes(side)
        for v in sorted(self.node_at[PRED].keys() & self.node_at[TRUE].keys()):
            s = self._variable(f"s_{len(self.shared_at)}", f"{self.label(v)} in both")
            p, t = self.node_at[PRED][v], self.node_at[TRUE][v]
            self._row([(p, 1.0), (s, -1.0)], 0, math.inf)
            self._row([(t, 1.0), (s, -1.0)], 0, math.inf)
            self._row([(s, 1.0), (p, -1.0), (t, -1.0)], -1, math.inf)
            self.shared_at.append(s)

    def _variable(self, name: str, note: str) -> int:
        self.variables.append(Variable(name, 0, 1, 0.0, note))
        return len(self.variables) - 1

    def _row(
        self, terms: Iterable[tuple[int, float]], lower: float, upper: float, note: str = "", rule: str = "r"
    ) -> None:
        """Add a row, named after its rule in the paper if it is one."""
        self.rows.append(Row(f"{rule}_{len(self.rows)}", lower, upper, list(terms), note))

    def _add_link(self, side: int, k: int, link: Link) -> None:
        """A drawn link needs its LCA, and one unit of flow from the class to the LCA."""
        letter = LETTERS[side]
        words = f"{SIDES[side]} {self.label(link.label)} to {self.label(link.lca)}"
        drawn = self._variable(f"l_{letter}_{k}", f"link {words}")
        rule = "ii" if link.own else "v"
        self._row([(self.lca_at[link.lca], 1.0), (drawn, -1.0)], 0, 1, f"link {words} needs its LCA", rule)
        out: dict[int, list[tuple[int, float]]] = {int(node): [] for node in link.nodes}
        into: dict[int, list[tuple[int, float]]] = {int(node): [] for node in link.nodes}
        flows: dict[tuple[int, int], int] = {}
        for e, (low, high) in enumerate(link.edges):
            flow = self._variable(f"f_{letter}_{k}_{e}", f"{words} by {self.label(low)}, {self.label(high)}")
            flows[low, high] = flow
            out[low].append((flow, 1.0))
            into[high].append((flow, -1.0))
        for node in out if link.label != link.lca else ():
            if node == link.label:
                self._row([*out[node], (drawn, -1.0)], 0, 0, f"{words} begins")
            elif node == link.lca:
                self._row([*into[node], (drawn, 1.0)], 0, 0, f"{words} ends")
            else:
                self._row([*out[node], *into[node]], 0, 0)
        for node in out:
            through = [(drawn, 1.0)] if node in (link.label, link.lca) else out[node]
            self.through[side].setdefault(node, []).append(through)
        self.link_at[side].append(drawn)
        self.flow_at[side].append(flows)

    def _add_rules(self, side: int) -> None:
        """Each class is linked to an LCA of its own; an LCA that serves no class as its own gets one extra link."""
        serving: dict[int, list[tuple[int, float]]] = {c: [] for c in self.instance.classes[side]}
        own: dict[int, list[int]] = {a: [] for a in self.lca_at}
        extra: dict[int, list[tuple[int, float]]] = {a: [] for a in self.lca_at}
        for link, drawn in zip(self.instance.links[side], self.link_at[side], strict=True):
            if link.own:
                serving[link.label].append((drawn, 1.0))
                own[link.lca].append(drawn)
            else:
                extra[link.lca].append((drawn, 1.0))
        for c, terms in serving.items():
            self._row(terms, 1, math.inf, f"{SIDES[side]} {self.label(c)} is linked", "iv")
        for k, (a, z) in enumerate(self.lca_at.items()):
            if own[a]:
                served = self._variable(f"o_{LETTERS[side]}_{k}", f"{self.label(a)} serves a {SIDES[side]} class")
                for v in own[a]:
                    self._row([(served, 1.0), (v, -1.0)], 0, 1)
                self._row([(served, -1.0), *((v, 1.0) for v in own[a])], 0, math.inf)
                extra[a].append((served, 1.0))
            note = f"{self.label(a)} is linked to a {SIDES[side]} class"
            self._row([(z, 1.0), *((v, -c) for v, c in extra[a])], 0, 0, note, "v")

    def _add_nodes(self, side: int) -> None:
        """A node is in the graph iff a drawn path goes through it."""
        for node, through in sorted(self.through[side].items()):
            used = self._variable(f"{LETTERS[side]}_{len(self.node_at[side])}", f"{self.label(node)} in {SIDES[side]}")
            self.node_at[side][node] = used
            own = node in self.instance.classes[side]
            note, rule = (f"{SIDES[side]} {self.label(node)} is in its graph", "i") if own else ("", "r")
            for terms in through:
                self._row([(used, 1.0), *((v, -c) for v, c in terms)], 0, 1, note, rule)
            self._row([(used, -1.0), *(term for terms in through for term in terms)], 0, math.inf)

    def _program(
        self, title: str, costs: dict[int, float], maximize: bool, further: Sequence[Variable] = (),
        rows: Sequence[Row] = (),
    ) -> LinearProgram:  # fmt: skip
        variables = [replace(v, cost=costs.get(k, 0.0)) for k, v in enumerate([*self.variables, *further])]
        return LinearProgram(f"{self.title}: {title}", variables, [*self.rows, *rows], maximize)

    def _ratio_terms(self, f: Fraction) -> dict[int, float]:
        terms = {v: -float(f.numerator) for nodes in self.node_at for v in nodes.values()}
        return terms | dict.fromkeys(self.shared_at, 2.0 * f.denominator)

    def ratio(self, f: Fraction) -> LinearProgram:
        """Stage "ratio" at F = p/q: positive where a better F exists, 0 at the best."""
        return self._program(f"better than F = {f}", self._ratio_terms(f), True)

    def ties(self, f: Fraction, size: int) -> LinearProgram:
        """Stage "ties": of the solutions with this F the smallest graphs, most equal in size, with the smallest G_p.

        ``size``: |G_p| + |G_t| of one of them. The difference d = |G_p| − |G_t| costs 2|d|, and 1 less where G_p is the
        smaller one; one node costs more than any difference.
        """
        at = len(self.variables)
        further = [
            Variable("more_p", 0, size, 0.0, "nodes that the predicted graph has more"),
            Variable("more_t", 0, size, 0.0, "nodes that the true graph has more"),
            Variable("less_p", 0, 1, 0.0, "the predicted graph is smaller"),
        ]
        p, t = (list(nodes.values()) for nodes in self.node_at)
        difference = [*((v, 1.0) for v in p), *((v, -1.0) for v in t), (at, -1.0), (at + 1, 1.0)]
        rows = [
            Row("same_f", 0, 0, list(self._ratio_terms(f).items()), "F stays the best"),
            Row("difference", 0, 0, difference, "how different the graphs are in size"),
            Row("smaller", 0, math.inf, [(at + 1, 1.0), (at + 2, -1.0)], "whether the predicted graph is smaller"),
        ]
        costs = dict.fromkeys([*p, *t], 2.0 * size + 2) | {at: 2.0, at + 1: 2.0, at + 2: -1.0}
        return self._program("smallest graphs", costs, False, further, rows)

    def read(self, values: Iterable[float]) -> LcaGraphs:
        """The graphs of a solution of the program."""
        on = [value > 0.5 for value in values]
        paths: list[tuple[int, tuple[int, ...]]] = []
        for side in (PRED, TRUE):
            for link, drawn, flows in zip(
                self.instance.links[side], self.link_at[side], self.flow_at[side], strict=True
            ):
                if on[drawn]:
                    above = {low: high for (low, high), flow in flows.items() if on[flow]}
                    path = [link.label]
                    while path[-1] != link.lca:
                        path.append(above[path[-1]])
                    paths.append((side, tuple(path)))
        return LcaGraphs(frozenset(a for a, z in self.lca_at.items() if on[z]), tuple(paths))


def extended_program(instance: LcaInstance, label: Names, title: str, f: Fraction | None) -> LinearProgram:
    """G_ex, with all variables fixed: all LCAs (without ``f``), or the nodes of all shortest paths, as in "ratio"."""
    if f is None:
        lcas = [Variable(f"z_{k}", 1, 1, 1.0, f"LCA {label(a)}") for k, a in enumerate(instance.lcas)]
        return LinearProgram(f"{title}: all LCAs", lcas, [])
    variables = [
        Variable(f"{LETTERS[side]}_{k}", 1, 1, -float(f.numerator), f"{label(v)} in {SIDES[side]}")
        for side in (PRED, TRUE)
        for k, v in enumerate(sorted(instance.extended[side]))
    ]
    common = sorted(instance.extended[PRED] & instance.extended[TRUE])
    variables += [Variable(f"s_{k}", 1, 1, 2.0 * f.denominator, f"{label(v)} in both") for k, v in enumerate(common)]
    return LinearProgram(f"{title}: all shortest paths, at F = {f}", variables, [], maximize=True)
