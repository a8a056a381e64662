"""Problem 2 as algebra, stage by stage. Links, paths and o are of either side; on the true side t stands for p."""

from __future__ import annotations

from hemlp.optimize.exports import Algebra, Line

_BINARY = r" \in \{0, 1\}"
_ENDS, _BETWEEN = "for each link k and v its class or its LCA", "for each link k and node v between"
_FLOW = r"\sum_{e \in out_k(v)} f_{ke}"
_SIDED = " (true side: t)"
_LCAS = (
    Line("ii", r"\sum_{a \in L(c)} z_a \ge 1", "for each class c of both sides, unless a side is empty"),
    Line("", f"z_a{_BINARY}", "for each LCA a"),
)
_GRAPHS = (
    Line("i", r"p_v \ge l_k", _ENDS + _SIDED),
    Line("i", rf"p_v \ge {_FLOW}", _BETWEEN + _SIDED),
    Line(
        "i", rf"p_v \le \sum_{{k \in D(v)}} l_k + \sum_{{k \in W(v)}} {_FLOW}",
        f"for each node v: it is in the graph only if a path goes through it{_SIDED}",
    ),
    Line("ii", r"z_a \ge l_k", "for each link k = (c, a)"),
    Line("iii", r"\sum_a z_a = m", "m: the optimum of the first stage"),
    Line("iv", r"\sum_{k \in K(c)} l_k \ge 1", "for each class c: it is linked to an LCA of its own"),
    Line(
        "v", r"z_a = o_a + \sum_{k \in X(a)} l_k",
        "for each LCA a and side: it serves a class as its own, or has one link",
    ),
    Line("v", r"o_a \ge l_k", "for each link k = (c, a) to an LCA of its own"),
    Line("v", r"o_a \le \sum_{k \in O(a)} l_k", "for each LCA a that is some class's own"),
    Line("", r"\sum_{e \in out_k(c)} f_{ke} = l_k", "for each link k = (c, a) with c ≠ a: its path begins"),
    Line("", r"\sum_{e \in in_k(a)} f_{ke} = l_k", "for each link k = (c, a) with c ≠ a: its path ends"),
    Line("", rf"{_FLOW} = \sum_{{e \in in_k(v)}} f_{{ke}}", _BETWEEN),
    Line("", r"s_v \le p_v,\quad s_v \le t_v,\quad s_v \ge p_v + t_v - 1", "for each node v of both graphs"),
    Line("", f"z, l, o, f, p, t, s{_BINARY}"),
)  # fmt: skip
_RATIO = r"2 h \sum_v s_v - g (\sum_v p_v + \sum_v t_v)"
_TIES = (
    Line("", r"2 h \sum_v s_v = g (\sum_v p_v + \sum_v t_v)", "F = g/h stays the best"),
    Line("", r"\sum_v p_v - \sum_v t_v = d^+ - d^-", "how different the graphs are in size"),
    Line("", r"b \le d^-", "whether the predicted graph is smaller"),
    Line("", r"0 \le d^+ \le n,\quad 0 \le d^- \le n,\quad 0 \le b \le 1", "integers"),
)
_WORDS = (
    ("L(c)", "the LCAs of class c with the other side"),
    ("z", "chosen LCAs"),
    ("l, f", "links that are drawn, and the edges of their paths"),
    ("out_k(v), in_k(v)", "edges of shortest paths of link k that leave v upward, and that reach it"),
    ("D(v), W(v)", "links that begin or end at v; links with v between"),
    ("K(c), O(a), X(a)", "links of c to LCAs of its own; links to a of classes whose own LCA it is, and of others"),
    ("p, t, s", "nodes of the predicted graph, of the true graph, of both"),
    ("o", "LCAs that serve a class as its own; there is none for an LCA that is no class's own"),
)
_BEST = ("g/h", "the best F that is known")


def lca_algebra(title: str, stage: str) -> Algebra:
    """The program of a stage of minimal graphs: fewest LCAs, best F = g / h (optimum 0), or smallest graphs with it."""
    if stage == "lcas":
        return Algebra(title, "min", r"\sum_a z_a", _LCAS, _WORDS[:2])
    if stage == "ratio":
        return Algebra(title, "max", _RATIO, _GRAPHS, [*_WORDS, _BEST])
    goal = r"(2 n + 2) (\sum_v p_v + \sum_v t_v) + 2 d^+ + 2 d^- - b"
    sized = ("n", "nodes of both graphs of a solution that is known")
    return Algebra(title, "min", goal, [*_GRAPHS, *_TIES], [*_WORDS, _BEST, sized])


def extended_algebra(title: str, stage: str) -> Algebra:
    """The program of a stage of extended graphs, which leave no choice."""
    if stage == "lcas":
        return Algebra(title, "min", r"\sum_a z_a", [Line("", "z_a = 1", "for each LCA a, integers")], _WORDS[1:2])
    whose = (("p", "predicted links"), ("t", "true links"), ("s", "links of both sides"))
    fixed = [
        Line("", f"{letter}_v = 1", f"for each node v of shortest paths of {links}, integers")
        for letter, links in whose
    ]
    return Algebra(title, "max", _RATIO, fixed, [_WORDS[6], ("g/h", "F")])
