"""Problem 2 by enumeration with networkx, from the words of its definition; nothing of hemlp is used."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations, product

import networkx as nx

TOP = "⊤ of the enumeration"


class Instance:
    """One instance: all definitions, and the best solution over all choices of LCAs, links and paths."""

    def __init__(self, g: nx.DiGraph, true, pred, horizon=None):
        self.g, self.horizon = g, horizon
        self.up = {c: self._up(c) for c in {*true, *pred}}
        self.roots = [c for c in g if g.in_degree(c) == 0]
        self.true, self.pred = (self._pruned(side) for side in (true, pred))

    def _pruned(self, side):
        return sorted((c for c in set(side) if not nx.descendants(self.g, c) & set(side)), key=str)

    def _up(self, c):
        full = nx.single_source_shortest_path_length(self.g.reverse(), c)
        depth = min(d for a, d in full.items() if self.g.in_degree(a) == 0)
        limit = self.horizon or math.inf
        return {**{a: d for a, d in full.items() if d < limit}, TOP: min(limit, 1 + depth)}

    def lca(self, u, v):
        common = (self.up[u].keys() & self.up[v].keys()) - {TOP} or {TOP}
        sums = {a: self.up[u][a] + self.up[v][a] for a in common}
        return min(sums.values()), {a for a, s in sums.items() if s == min(sums.values())}

    def best(self, c, others):
        least = min(self.lca(c, o)[0] for o in others)
        return [o for o in others if self.lca(c, o)[0] == least]

    def own(self, c, others):
        return set().union(*(self.lca(c, o)[1] for o in self.best(c, others)))

    def eligible(self, side, others):
        pairs = {(c, a) for c in side for a in self.own(c, others)}
        return pairs | {(o, a) for c in others for o in self.best(c, side) for a in self.lca(c, o)[1]}

    def paths(self, c, a):
        """All shortest upward paths, as frozen sets of nodes."""
        return [frozenset(path) for path in self.sequences(c, a)]

    def sequences(self, c, a):
        """All shortest upward paths, from the class up."""
        upward = self.g.reverse()
        if a != TOP:
            return list(nx.all_shortest_paths(upward, c, a))
        found, length = [], self.up[c][TOP]
        full = nx.single_source_shortest_path_length(upward, c)
        for last, d in full.items():
            if d == length - 1:
                parents = list(self.g.predecessors(last))
                if not parents or (length == self.horizon and any(full[p] == self.horizon for p in parents)):
                    found += [[*p, TOP] for p in nx.all_shortest_paths(upward, c, last)]
        return found

    def extended(self):
        return [
            set().union(*(path for c, a in self.eligible(side, others) for path in self.paths(c, a)))
            for side, others in ((self.pred, self.true), (self.true, self.pred))
        ]

    def graphs(self, side, others, chosen):
        """All node sets that one side can have when ``chosen`` are the LCAs."""
        options = {(frozenset(), frozenset())}
        for c in side:
            own = [(a, path) for a in self.own(c, others) & chosen for path in self.paths(c, a)]
            picks = set()
            lcas = sorted({a for a, _ in own}, key=str)
            for some in chain.from_iterable(combinations(lcas, r) for r in range(1, len(lcas) + 1)):
                for drawn in product(*([path for b, path in own if b == a] for a in some)):
                    picks.add((frozenset().union(*drawn), frozenset(some)))
            options = {(n | m, served | more) for n, served in options for m, more in picks}
        result = set()
        pairs = self.eligible(side, others)
        for nodes, served in options:
            extra = [[p for c, b in pairs if b == a for p in self.paths(c, a)] for a in chosen - served]
            result |= {nodes.union(*drawn) for drawn in product(*extra)}
        return result

    def greedy(self):
        """(|G_p|, |G_t|, shared, |Z|) by Algorithm 1; labels are integers, ⊤ comes last."""
        order = {**{c: c for c in self.g}, TOP: math.inf}
        sides = {"t": (self.true, self.pred), "p": (self.pred, self.true)}
        serves = {}
        for name, (side, others) in sides.items():
            for c in side:
                for a in self.own(c, others):
                    serves.setdefault(a, set()).add((name, c))
        everybody = set().union(*serves.values())

        def enough(some):
            return set().union(*(serves[a] for a in some)) == everybody

        ranked = sorted(serves, key=lambda a: (-len(serves[a]), order[a]))
        kept = next(ranked[:k] for k in range(1, len(ranked) + 1) if enough(ranked[:k]))
        for a in [*kept, *kept[::-1]]:
            if a in kept and enough([b for b in kept if b != a]):
                kept = [b for b in kept if b != a]
        graphs = {"t": set(), "p": set()}
        linked = set()

        def draw(name, candidates, a):
            taken = graphs["t"] | graphs["p"]
            best = None
            for c in sorted(candidates):
                for path in sorted(self.sequences(c, a), key=lambda path: [order[v] for v in path]):
                    if best is None or len(taken & set(path)) > len(taken & set(best)):
                        best = path
            graphs[name] |= set(best)
            linked.add((name, a))

        for a in kept:
            for name in "tp":
                for c in sorted(c for side, c in serves[a] if side == name):
                    draw(name, [c], a)
        for a in kept:
            for name in "tp":
                if (name, a) not in linked:
                    draw(name, {c for c, b in self.eligible(*sides[name]) if b == a}, a)
        p, t = graphs["p"], graphs["t"]
        return len(p), len(t), len(p & t), len(kept)

    def solve(self):
        """(P, R, F, |Z|) of the best solution."""
        if not self.true or not self.pred:
            value = float(not self.true and not self.pred)
            return value, value, value, 0
        sides = (self.pred, self.true), (self.true, self.pred)
        needs = [self.own(c, others) for side, others in sides for c in side]
        lcas = sorted(set().union(*needs), key=str)
        for size in range(1, len(lcas) + 1):
            found = []
            for some in map(frozenset, combinations(lcas, size)):
                if all(need & some for need in needs):
                    for p, t in product(*(self.graphs(side, others, some) for side, others in sides)):
                        f = Fraction(2 * len(p & t), len(p) + len(t))
                        found.append((-f, len(p) + len(t), abs(len(p) - len(t)), len(p), len(t), len(p & t)))
            if found:
                _, _, _, p, t, common = min(found)
                return common / p, common / t, 2 * common / (p + t), size
        raise AssertionError("no solution")
