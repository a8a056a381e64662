"""The best answer by enumeration in exact fractions, from the words of the definitions alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, permutations

import numpy as np


def subsets(items):
    items = list(items)
    return chain.from_iterable(combinations(items, k) for k in range(len(items) + 1))


class World:
    """A small hierarchy with classes 0 … n − 1, edges (parent, child)."""

    def __init__(self, size, edges):
        self.size, self.edges = size, edges
        self.up = [{c: 0} for c in range(size)]
        changed = True
        while changed:
            changed = False
            for parent, child in edges:
                for a, d in list(self.up[parent].items()):
                    if self.up[child].get(a, size + 1) > d + 1:
                        self.up[child][a] = d + 1
                        changed = True

    def closure(self, labels):
        return frozenset(a for c in labels for a in self.up[c])

    def specific(self, nodes):
        return tuple(sorted(v for v in nodes if not any(v in self.up[w] and v != w for w in nodes)))

    def distance(self, u, v):
        ways = [self.up[u][a] + self.up[v][a] for a in self.up[u] if a in self.up[v]]
        return min(ways) if ways else None


def f_beta(true, pred, beta, top=0):
    if not true or not pred:
        return Fraction(true == pred)
    beta2 = Fraction(beta) ** 2
    common = len(true & pred) + top
    return (1 + beta2) * common / (beta2 * (len(true) + top) + len(pred) + top)


def pairing(world, true, pred, default):
    """The least cost of one-to-one pairs with default classes, by trying all."""
    small, large = sorted((sorted(true), sorted(pred)), key=len)
    best = None
    for order in permutations(large, len(small)):
        cost = Fraction(default) * (len(large) - len(small))
        for u, v in zip(small, order, strict=True):
            d = world.distance(u, v)
            cost += min(2 * Fraction(default), d) if d is not None else 2 * Fraction(default)
        best = cost if best is None else min(best, cost)
    return best


def value(world, name, true, pred, weights=None, beta=1, top=False, default=5):
    """m(T, Ŷ), both given as closures where the measure takes closures."""
    mu = (lambda s: sum((Fraction(weights[v]) for v in s), Fraction(0))) if weights else (lambda s: Fraction(len(s)))
    extra = int(top)
    if name == "SDL":
        tops = extra * (bool(true) != bool(pred)) if not weights else 0
        return mu(true ^ pred) + tops
    if name == "ICM":
        return 3 * mu(true & pred) - mu(true) - mu(pred)
    if name in ("F_H", "F"):
        return f_beta(true, pred, beta, extra)
    if name == "accuracy":
        return Fraction(true == pred)
    return pairing(world, true, pred, default)


CLOSED = ("SDL", "ICM", "F_H")
LOSSES = ("SDL", "GIE")


def enumerate_best(world, scenarios, name, at_least=0, **options):
    """(expected value, answer): fewest classes (of closures: the smallest), then the least sorted list of labels."""
    shaped = [(q, world.closure(s) if name in CLOSED else frozenset(s)) for q, s in scenarios]
    every = {world.closure(s) if name in CLOSED else frozenset(s) for s in subsets(range(world.size))}
    best = None
    for pred in every:
        if len(pred) < at_least:
            continue
        expected = sum((q * value(world, name, t, pred, **options) for q, t in shaped), Fraction(0))
        key = (expected if name in LOSSES else -expected, len(pred), sorted(pred))
        best = key if best is None or key < best else best
    expected = best[0] if name in LOSSES else -best[0]
    return expected, world.specific(best[2]) if name in CLOSED else tuple(best[2])


def random_world(rng):
    """(world, scenarios with fractions, weights of classes)."""
    size = int(rng.integers(1, 7))
    names = rng.permutation(size)
    edges = [
        (int(names[p]), int(names[c]))
        for c in range(1, size)
        for p in rng.choice(c, min(c, int(rng.integers(0, 3))), replace=False)
    ]
    count = int(rng.integers(1, 5))
    raw = rng.integers(1, 4, count) if rng.random() < 0.5 else np.ones(count, np.int64)
    sets = [tuple(sorted(rng.choice(size, min(size, int(rng.integers(0, 4))), replace=False).tolist())) for _ in raw]
    scenarios = [(Fraction(int(q), int(raw.sum())), s) for q, s in zip(raw, sets, strict=True)]
    return World(size, edges), scenarios, [float(w) for w in rng.integers(0, 3, size)]
