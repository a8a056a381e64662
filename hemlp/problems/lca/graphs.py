"""Minimal LCA graphs: chosen LCAs, paths and nodes, the lexicographic objective, and solutions of one instance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from hemlp.arrays import record
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status
from hemlp.problems.lca.links import LcaInstance


@dataclass(frozen=True)
class LcaGraphs:
    """LCA graphs: the chosen LCAs, and the drawn links as (side, path from the class up to the LCA)."""

    lcas: frozenset[int]
    paths: tuple[tuple[int, tuple[int, ...]], ...]

    @cached_property
    def _sides(self) -> tuple[frozenset[int], frozenset[int]]:
        predicted, true = (frozenset(v for of, path in self.paths if of == side for v in path) for side in (PRED, TRUE))
        return predicted, true

    def nodes(self, side: int) -> frozenset[int]:
        """The nodes of G_p (0) or G_t (1)."""
        return self._sides[side]

    @property
    def sizes(self) -> tuple[int, int, int]:
        """|G_p|, |G_t| and |G_p ∩ G_t|."""
        predicted, true = self.nodes(PRED), self.nodes(TRUE)
        return len(predicted), len(true), len(predicted & true)

    @property
    def f(self) -> Fraction:
        """F_LCA, exactly."""
        predicted, true, common = self.sizes
        return Fraction(2 * common, predicted + true)

    @property
    def order(self) -> tuple[int, Fraction, int, int, int]:
        """The lexicographic objective, to be minimized."""
        predicted, true, _ = self.sizes
        return len(self.lcas), -self.f, predicted + true, abs(predicted - true), predicted


@record
class InstanceSolution:
    """The solution of one instance: graphs, or only their node sets (G_ex), and bounds on |Z| and F.

    ``found_by`` and ``proved_by``: the solvers, where they differ from the one that was asked.
    """

    status: Status
    graphs: LcaGraphs | None
    nodes: tuple[frozenset[int], frozenset[int]]
    fewest_lcas: int
    bound: Fraction
    found_by: str = ""
    proved_by: str = ""

    @classmethod
    def of(
        cls, graphs: LcaGraphs, status: Status, fewest_lcas: int, bound: Fraction | None = None, found_by: str = ""
    ) -> InstanceSolution:
        """From graphs; without a ``bound`` their F is proved to be the best."""
        nodes = graphs.nodes(PRED), graphs.nodes(TRUE)
        return cls(status, graphs, nodes, fewest_lcas, graphs.f if bound is None else bound, found_by)

    @classmethod
    def fixed(cls, predicted: Iterable[int], true: Iterable[int], lcas: int = 0) -> InstanceSolution:
        """From node sets that leave no choice: G_ex, or the classes of an instance with an empty side."""
        solution = cls(Status.OPTIMAL, None, (frozenset(predicted), frozenset(true)), lcas, Fraction(1))
        return replace(solution, bound=solution.f)

    @property
    def f(self) -> Fraction:
        """F_LCA, exactly; 1 if both sides are empty."""
        predicted, true = self.nodes
        both = len(predicted) + len(true)
        return Fraction(2 * len(predicted & true), both) if both else Fraction(1)

    @property
    def lcas(self) -> int:
        """|Z|."""
        return len(self.graphs.lcas) if self.graphs else self.fewest_lcas


NO_SOLUTION = InstanceSolution(Status.UNSOLVED, None, (frozenset(), frozenset()), 0, Fraction(1))
"""Of an instance that was not solved."""


def greedy_graphs(instance: LcaInstance, lcas: Iterable[int] | None = None) -> LcaGraphs:
    """Graphs over the LCAs that Algorithm 1 chooses, or over given ones that serve every class."""
    from hemlp.kernels.lca.greedy import greedy_graphs

    chosen = None if lcas is None else list(lcas)
    _, _, links, ptr, nodes = greedy_graphs(instance.arrays, instance.size, chosen)
    return read_graphs(links, ptr, nodes, len(instance.links[0]))


def read_graphs(links: Any, ptr: Any, nodes: Any, first_true: int) -> LcaGraphs:
    """Graphs from drawn links (true ones from number ``first_true`` on) and their paths (CSR)."""
    paths = tuple((int(link >= first_true), tuple(nodes[ptr[k] : ptr[k + 1]].tolist())) for k, link in enumerate(links))
    return LcaGraphs(frozenset(path[-1] for _, path in paths), paths)
