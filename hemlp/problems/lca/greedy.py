"""The paper's Algorithm 1: minimal LCA graphs, approximately."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hemlp.problems.lca.graphs import LcaGraphs
from hemlp.problems.lca.links import LcaInstance


def greedy_graphs(instance: LcaInstance, lcas: Iterable[int] | None = None) -> LcaGraphs:
    """Graphs over the LCAs that the algorithm chooses, or over given ones that serve every class."""
    from hemlp.kernels.lca.greedy import greedy_graphs

    chosen = None if lcas is None else list(lcas)
    _, _, links, ptr, nodes = greedy_graphs(instance.arrays, instance.size, chosen)
    return read_graphs(links, ptr, nodes, len(instance.links[0]))


def read_graphs(links: Any, ptr: Any, nodes: Any, first_true: int) -> LcaGraphs:
    """Graphs from drawn links (true ones from number ``first_true`` on) and their paths (CSR)."""
    paths = tuple((int(link >= first_true), tuple(nodes[ptr[k] : ptr[k + 1]].tolist())) for k, link in enumerate(links))
    return LcaGraphs(frozenset(path[-1] for _, path in paths), paths)
