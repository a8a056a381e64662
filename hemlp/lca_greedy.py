"""The paper's Algorithm 1: minimal LCA graphs, approximately.

LCAs are taken by the number of classes that they serve until all are served, redundant ones are removed in two passes,
and each link takes the path that shares most nodes with those taken so far. Order and ties go by label, so the result
may depend on names.
"""

from __future__ import annotations

from collections.abc import Iterable

from hemlp.lca import PRED, TRUE, LcaInstance, Link
from hemlp.lca_graph import LcaGraphs


def greedy_graphs(instance: LcaInstance) -> LcaGraphs:
    """Algorithm 1; the true side first, as everywhere in it."""
    kept = _lcas(instance)
    taken: set[int] = set()
    paths: list[tuple[int, tuple[int, ...]]] = []

    def draw(side: int, link: Link) -> None:
        _, path = best_path(link, taken)
        taken.update(path)
        paths.append((side, path))

    linked: set[tuple[int, int]] = set()
    for a in kept:
        for side in (TRUE, PRED):
            for link in _by_label(instance.links[side]):
                if link.lca == a and link.own:
                    draw(side, link)
                    linked.add((side, a))
    for a in kept:
        for side in (TRUE, PRED):
            if (side, a) not in linked:
                candidates = [link for link in _by_label(instance.links[side]) if link.lca == a]
                draw(side, max(candidates, key=lambda link: best_path(link, taken)[0]))  # the first of the best
    return LcaGraphs(frozenset(kept), tuple(paths))


def _by_label(links: Iterable[Link]) -> list[Link]:
    return sorted(links, key=lambda link: link.label)


def _lcas(instance: LcaInstance) -> list[int]:
    """LCAs that serve every class: from the top of the sorted list, then without the redundant ones."""
    serves: dict[int, set[tuple[int, int]]] = {}
    for who, own in instance.own_lcas.items():
        for a in own:
            serves.setdefault(a, set()).add(who)
    everybody = set(instance.own_lcas)

    def enough(lcas: list[int]) -> bool:
        return set().union(*(serves[a] for a in lcas)) == everybody

    kept: list[int] = []
    for a in sorted(serves, key=lambda a: (-len(serves[a]), a)):
        if enough(kept):
            break
        kept.append(a)
    for order in (list(kept), None):
        for a in order if order is not None else kept[::-1]:
            rest = [b for b in kept if b != a]
            if enough(rest):
                kept = rest
    return kept


def best_path(link: Link, taken: set[int]) -> tuple[int, tuple[int, ...]]:
    """The shortest path that has most nodes in ``taken``, and how many; ties go to the smallest sequence of labels."""
    most = {link.lca: int(link.lca in taken)}
    following: dict[int, int] = {}
    for node in link.nodes[1:]:  # from the LCA down: what is above a node is known before it
        high = min(link.upward[node], key=lambda v: (-most[v], v))
        following[node] = high
        most[node] = most[high] + (node in taken)
    path = [link.label]
    while path[-1] != link.lca:
        path.append(following[path[-1]])
    return most[link.label], tuple(path)
