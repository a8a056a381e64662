"""Problem 2 as algebra, stage by stage."""

from __future__ import annotations

from hemlp.programs.algebra import Algebra, Line

_LCAS = (
    Line("ii", r"\sum_{a \in L(c)} z_a \ge 1", "for each class c of both sides"),
    Line("", r"z_a \in \{0, 1\}", "for each LCA a"),
)
_GRAPHS = (
    Line("i", r"p_v \ge f_{ke}", "nodes of paths that are drawn are in their graph, classes included (true side: t)"),
    Line("ii", r"z_a \ge l_k", "each link k = (c, a) needs its LCA"),
    Line("iii", r"\sum_a z_a = m", "m: the optimum of the first stage"),
    Line("iv", r"\sum_{k \in K(c)} l_k \ge 1", "each class c is linked to an LCA of its own"),
    Line(
        "v",
        r"z_a = o_a + \sum_{k \in X(a)} l_k",
        "on each side an LCA serves a class as its own, or has one link",
    ),
    Line("", r"\sum_{e \in out(v)} f_{ke} - \sum_{e \in in(v)} f_{ke} = l_k ([v = c] - [v = a])", "the path of link k"),
    Line("", r"s_v \le p_v,\quad s_v \le t_v,\quad s_v \ge p_v + t_v - 1", "for each node v of both graphs"),
    Line("", r"z, l, o, f, p, t, s \in \{0, 1\}"),
)
_RATIO = r"2 h \sum_v s_v - g (\sum_v p_v + \sum_v t_v)"
_WORDS = (
    ("L(c)", "the LCAs of class c with the other side"),
    ("z", "chosen LCAs"),
    ("l, f", "links that are drawn, and the edges of their paths"),
    ("K(c), X(a)", "links of c to LCAs of its own; links to a of classes whose own LCA it is not"),
    ("p, t, s", "nodes of the predicted graph, of the true graph, of both"),
    ("o", "LCAs that serve a class as its own"),
)


def lca_algebra(title: str, stage: str) -> Algebra:
    """The fewest LCAs; the best F = g / h, by a program whose optimum is 0 there; the smallest graphs with that F."""
    if stage == "lcas":
        return Algebra(title, "min", r"\sum_a z_a", _LCAS, _WORDS[:2])
    if stage == "ratio":
        return Algebra(title, "max", _RATIO, _GRAPHS, [*_WORDS, ("g/h", "the best F that is known")])
    kept = Line("", r"2 h \sum_v s_v = g (\sum_v p_v + \sum_v t_v)", "F = g/h stays the best")
    differ = Line("", r"d = \sum_v p_v - \sum_v t_v", "how different the graphs are in size")
    goal = r"(2 n + 2) (\sum_v p_v + \sum_v t_v) + 2 |d| - [d < 0]"
    sized = ("n", "nodes of both graphs of a solution that is known")
    return Algebra(title, "min", goal, [*_GRAPHS, kept, differ], [*_WORDS, sized])


def extended_algebra(title: str) -> Algebra:
    """G_ex leaves no choice."""
    fixed = Line("", r"p_v = t_w = s_x = 1", "for all nodes of all shortest paths of eligible links")
    return Algebra(title, "max", _RATIO, [fixed], [("g/h", "F")])
