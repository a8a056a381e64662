"""Generated hierarchies of all shapes, and what networkx says of them."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
from hypothesis import strategies as st

from hemlp import Measure
from hemlp.measures.catalogue import NAMED

HOSTILE = [
    "a b",
    "x_0_1",
    "-1",
    "12",
    12,
    0,
    "0",
    "é",
    "<script>",
    '"q"',
    "L" * 300,
    "#no",
    "a,b",
    "\u2028",
    "⊤",
    "subject to",
]


def ladder(rungs: int) -> list[tuple[int, int]]:
    """A chain of diamonds: 0 over 1 and 2 over 3 over 4 and 5 over 6 ..."""
    return [
        e
        for k in range(rungs)
        for e in ((3 * k, 3 * k + 1), (3 * k, 3 * k + 2), (3 * k + 1, 3 * k + 3), (3 * k + 2, 3 * k + 3))
    ]


@st.composite
def shapes(draw: Any, most: int = 12) -> tuple[int, list[tuple[int, int]]]:
    """A number of classes and edges i → j with i < j: chain, star, ladder, tree, forest, or DAG."""
    kind = draw(st.sampled_from(["chain", "star", "ladder", "tree", "forest", "dag", "dag", "dag"]))
    if kind == "ladder":
        rungs = draw(st.integers(1, max(1, (most - 1) // 3)))
        return 3 * rungs + 1, ladder(rungs)
    n = draw(st.integers(1, most))
    if kind == "chain":
        return n, [(i - 1, i) for i in range(1, n)]
    if kind == "star":
        return n, [(0, i) for i in range(1, n)]
    least, greatest = {"tree": (1, 1), "forest": (0, 1), "dag": (0, 3)}[kind]
    edges = []
    for child in range(1, n):
        parents = draw(st.sets(st.integers(0, child - 1), min_size=least, max_size=min(greatest, child)))
        edges += [(parent, child) for parent in parents]
    return n, edges


@st.composite
def labelled(draw: Any, most: int = 12) -> tuple[list[Any], list[tuple[Any, Any]]]:
    """Labels (plain or hostile, in an order that says nothing) and edges between them, shuffled."""
    n, edges = draw(shapes(most))
    pool = HOSTILE if n <= len(HOSTILE) and draw(st.booleans()) else [f"c{i}" for i in range(n)]
    names = draw(st.permutations(pool))[:n]
    return list(names), [(names[p], names[c]) for p, c in draw(st.permutations(edges))]


@st.composite
def cyclic(draw: Any, most: int = 8) -> tuple[list[str], list[tuple[str, str]]]:
    """Any directed graph, self-loops and repeated edges included."""
    n = draw(st.integers(1, most))
    names = [f"c{i}" for i in range(n)]
    ends = st.sampled_from(names)
    return names, draw(st.lists(st.tuples(ends, ends), max_size=2 * n + 2))


def graph(labels: list[Any], edges: list[tuple[Any, Any]]) -> nx.DiGraph:
    g = nx.DiGraph()
    g.add_nodes_from(labels)
    g.add_edges_from(edges)
    return g


def usable(name: str) -> Measure:
    """The named measure as it is by default; one that cannot do without weights under another name, and without."""
    named = NAMED[name]
    return named.template if not named.needed else named.template.changed(name="without_weights")


def up(g: nx.DiGraph, c: Any, weight: str | None = None) -> dict[Any, float]:
    """up(c, a) for c and each of its ancestors a."""
    return dict(nx.single_source_dijkstra_path_length(g.reverse(), c, weight=weight or (lambda *_: 1)))


def distance(g: nx.DiGraph, u: Any, v: Any) -> tuple[float, set[Any]]:
    """Distance of u and v, and the common ancestors that attain it."""
    from_u, from_v = up(g, u), up(g, v)
    sums = {a: from_u[a] + from_v[a] for a in from_u.keys() & from_v.keys()}
    best = min(sums.values(), default=math.inf)
    return best, {a for a, s in sums.items() if s == best}
