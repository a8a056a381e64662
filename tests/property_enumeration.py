"""Properties of measures by plain enumeration in exact fractions, from the definitions alone, without hemlp.

Hierarchies are sets of edges (parent, child) over 0 … n − 1; measures are functions of (n, edges, true, pred), None
where they are undefined.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, permutations, product

Set = tuple[int, ...]


# ---- hierarchies, one of each isomorphism class


def hierarchies(n: int) -> list[tuple[tuple[int, int], ...]]:
    """The smallest numbering of each class of isomorphic hierarchies, in the order of the search."""
    arrows = list(combinations(range(n), 2))
    best = set()
    for size in range(len(arrows) + 1):
        for edges in combinations(arrows, size):
            numberings = []
            for to in permutations(range(n)):
                moved = sorted((to[p], to[c]) for p, c in edges)
                if all(p < c for p, c in moved):
                    numberings.append(tuple(moved))
            best.add(min(numberings))
    return sorted(best, key=lambda edges: (kind(n, edges), len(edges), edges))


def kind(n: int, edges) -> int:
    parents = [[p for p, c in edges if c == of] for of in range(n)]
    if sum(not each for each in parents) > 1:
        return 2
    return int(any(len(each) > 1 for each in parents))


def up(n: int, edges, c: int) -> dict[int, int]:
    """Lengths of shortest upward ways."""
    found, layer, length = {c: 0}, {c}, 0
    while layer:
        length += 1
        layer = {p for p, of in edges if of in layer} - found.keys()
        found.update(dict.fromkeys(layer, length))
    return found


def distance(n: int, edges, u: int, v: int) -> int | None:
    a, b = up(n, edges, u), up(n, edges, v)
    return min((a[c] + b[c] for c in a.keys() & b.keys()), default=None)


# ---- errors d(T, P)


def gie(n, edges, true, pred, cost=5):
    """Every way to pair some classes one to one; the others cost the default."""
    best = cost * (len(true) + len(pred))
    for k in range(1, min(len(true), len(pred)) + 1):
        for some in combinations(pred, k):
            for others in permutations(true, k):
                parts = [distance(n, edges, p, t) for p, t in zip(some, others, strict=True)]
                if None not in parts:
                    best = min(best, sum(parts) + cost * (len(true) + len(pred) - 2 * k))
    return Fraction(best)


def mgia(n, edges, true, pred, cost=5):
    """Every set of pairs; classes without any cost the default."""
    if set(true) == set(pred):
        return Fraction(0)
    pairs = [(p, t, distance(n, edges, p, t)) for p in pred for t in true]
    pairs = [pair for pair in pairs if pair[2] is not None]
    best = None
    for chosen in chain.from_iterable(combinations(pairs, k) for k in range(len(pairs) + 1)):
        left = len(pred) + len(true) - len({p for p, _, _ in chosen}) - len({t for _, t, _ in chosen})
        total = sum(d for _, _, d in chosen) + cost * left
        best = total if best is None else min(best, total)
    return Fraction(best, len(set(true) ^ set(pred)) * cost)


def closures(n, edges, true, pred):
    return [set(chain.from_iterable(up(n, edges, c) for c in side)) for side in (true, pred)]


def f_h(n, edges, true, pred):
    a, b = closures(n, edges, true, pred)
    return 1 - (Fraction(2 * len(a & b), len(a) + len(b)) if a or b else Fraction(1))


def sdl(n, edges, true, pred):
    a, b = closures(n, edges, true, pred)
    return Fraction(len(a ^ b))


def recall(n, edges, true, pred):
    """R_H: not symmetric. One side empty: 0, both: 1."""
    a, b = closures(n, edges, true, pred)
    if not a or not b:
        return Fraction(a != b)
    return 1 - Fraction(len(a & b), len(a))


def sunlim(n, edges, true, pred):
    parts = [distance(n, edges, p, t) for p in pred for t in true]
    return None if bool(true) != bool(pred) or None in parts else Fraction(sum(parts))


def tie(n, edges, true, pred):
    return sunlim(n, edges, true, pred) if len(true) == len(pred) == 1 else None


MEASURES = {"GIE": gie, "MGIA": mgia, "F_H": f_h, "SDL": sdl, "R_H": recall, "SunLim": sunlim, "TIE": tie}


# ---- cases of each property: (sets, witness, values, broken)


def label_sets(n: int, most: int) -> list[Set]:
    return sorted(chain.from_iterable(combinations(range(n), k) for k in range(most + 1)))


def added(side: Set, c: int) -> Set:
    return tuple(sorted({*side, c}))


def shortest_way_neighbours(n, edges, p, t):
    """Neighbours of p on ways of least length from p to t that go up first, and then down: all ways, step by step."""
    least, ways = distance(n, edges, p, t), [((p,), False)]
    if least is None:
        return set()
    for _ in range(least):
        longer = []
        for way, down in ways:
            longer += [((*way, a), False) for a, c in edges if c == way[-1] and not down]
            longer += [((*way, c), True) for a, c in edges if a == way[-1]]
        ways = longer
    return {way[1] for way, _ in ways if way[-1] == t and len(way) > 1}


def cases(name: str, n: int, edges, most: int, d):
    """All cases of a property on one hierarchy, undefined ones left out; d(edges, n, true, pred)."""
    sets = label_sets(n, most)
    at = lambda a, b, m=n, e=edges: d(m, e, a, b)  # noqa: E731
    if name == "perfect":
        every = (((a,), None, [at(a, a)], lambda v: v[0] != 0) for a in sets)
    elif name == "only perfect":
        every = (((a, b), None, [at(a, b)], lambda v: v[0] == 0) for a in sets for b in sets if a != b)
    elif name == "symmetric":
        every = (((a, b), None, [at(a, b), at(b, a)], lambda v: v[0] != v[1]) for a in sets for b in sets if a < b)
    elif name == "triangle":
        every = (
            ((a, b, c), None, [at(a, b), at(b, c), at(a, c)], lambda v: v[2] > v[0] + v[1])
            for a, b, c in product(sets, repeat=3)
        )
    elif name in ("a hit never hurts", "a miss never helps"):
        hit = name == "a hit never hurts"
        every = (
            ((t, p), c, [at(t, p), at(t, added(p, c))], lambda v: v[1] > v[0] if hit else v[1] < v[0])
            for t in sets for p in sets for c in range(n)
            if c not in p and len(p) < most and (c in t) == hit
        )  # fmt: skip
    elif name == "nearer is never worse":
        every = (
            (((t,), (p,)), q, [at((t,), (p,)), at((t,), (q,))], lambda v: v[1] > v[0])
            for t in range(n) for p in range(n) if t != p
            for q in sorted(shortest_way_neighbours(n, edges, p, t))
        )  # fmt: skip
    elif name == "roots do not matter":
        roots = set(range(n)) - {c for _, c in edges}
        above = [*edges, *((n, root) for root in roots)]
        every = (((a, b), None, [at(a, b), at(a, b, n + 1, above)], lambda v: v[0] != v[1]) for a in sets for b in sets)
    else:
        assert name == "edges never reverse"
        every = (
            ((t, p, q), edge, [at(t, p), at(t, q), at(t, p, *cut), at(t, q, *cut)],
             lambda v: (v[0] - v[1]) * (v[2] - v[3]) < 0)
            for edge in edges
            for cut in [(n + 1, [*(e for e in edges if e != edge), (edge[0], n), (n, edge[1])])]
            for t in sets for p in sets for q in sets if p < q
        )  # fmt: skip
    for of, witness, values, is_broken in every:
        if None not in values:
            yield of, witness, values, is_broken(values)


def enumerate_property(name: str, d, most_classes: int, most_labels: int):
    """Cases, violations and the first counter-example: (edges, sets, witness, values)."""
    count = violations = 0
    first = None
    for n in range(1, most_classes + 1):
        for edges in hierarchies(n):
            broken = []
            for of, witness, values, bad in cases(name, n, edges, most_labels, d):
                count += 1
                if bad:
                    violations += 1
                    broken.append((sum(map(len, of)), of, () if witness is None else witness, values))
            if broken and first is None:
                _, of, witness, values = min(broken, key=lambda case: case[:3])
                first = n, edges, of, witness, values
    return count, violations, first
