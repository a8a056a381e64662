"""LCA graphs without search: the paper's Algorithm 1, and extended graphs with all shortest paths."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np

from hemlp.optimize.plan import Solver
from hemlp.optimize.program import Status
from hemlp.problems.lca.graphs import InstanceSolution, read_graphs
from hemlp.problems.lca.model import ExtendedModel, LcaModel
from hemlp.problems.lca.solution import LcaSolution
from hemlp.solvers.registry import BaseSolver


@dataclass(frozen=True, eq=False, repr=False)
class GreedyModel(LcaModel):
    """Minimal LCA graphs, by default as Algorithm 1 draws them."""

    def solve(
        self, solver: str | Solver | None = None, time_limit: float | None = None, *, verify: bool = False
    ) -> LcaSolution:
        return super().solve(solver or GreedyLca.name, time_limit, verify=verify)


class GreedyLca(BaseSolver):
    """Solves models of minimal LCA graphs approximately: the graphs keep all rules but those of size."""

    name = "greedy"
    exact = False
    kinds = (LcaModel,)

    def solve(self, model: LcaModel, time_limit: float | None) -> LcaSolution:
        """Solve all instances at once. The common nodes of G_ex bound F for any number of LCAs."""
        from hemlp.kernels.lca.extended import extended_sizes
        from hemlp.kernels.lca.greedy import greedy_graphs

        size = len(model.batch.hierarchy)
        drawn, wide = [np.zeros((0, 6), np.int64)], [np.zeros((0, 5), np.int64)]
        for block in model.link_blocks(named=True):
            drawn.append(greedy_graphs(block, size)[0])
            wide.append(extended_sizes(block, size))
        table = np.concatenate(drawn)
        *_, common, alone = np.concatenate(wide).T
        empty = table[:, 1] == 0
        bounds = np.where(common > 0, 2 * common / np.maximum(2 * common + alone, 1), 0.0)
        bounds[empty] = (table[empty, 2] + table[empty, 3]) == 0
        codes = np.where(empty, Status.OPTIMAL, Status.FEASIBLE).astype(np.int8)

        graphs = cache(lambda: greedy_graphs(model.facts, size))  # few ask for them

        def detail(i: int) -> InstanceSolution:
            if empty[i]:
                return InstanceSolution.fixed(*model.facts[i].classes)
            _, link_ptr, links, ptr, nodes = graphs()
            own, first = slice(link_ptr[i], link_ptr[i + 1]), int(model.facts.ptr[2 * i + 1])
            graphs_of_row = read_graphs(links[own], ptr[link_ptr[i] : link_ptr[i + 1] + 1], nodes, first)
            bound = Fraction(2 * int(common[i]), 2 * int(common[i]) + int(alone[i])) if common[i] else Fraction(0)
            return InstanceSolution.of(graphs_of_row, Status.FEASIBLE, 1, bound)

        return LcaSolution(model, codes, table[:, 2:5].astype(np.float64), table[:, 1].copy(), bounds, detail)


class ExtendedGraphs(BaseSolver):
    """Solves models of extended graphs."""

    name = "extended"
    kinds = (ExtendedModel,)

    def solve(self, model: ExtendedModel, time_limit: float | None) -> LcaSolution:
        from hemlp.kernels.lca.extended import extended_sizes

        size = len(model.batch.hierarchy)
        table = np.concatenate(
            [np.zeros((0, 5), np.int64), *(extended_sizes(links, size) for links in model.link_blocks())]
        )
        sums = table[:, 1:4].astype(np.float64)
        both = sums[:, 0] + sums[:, 1]
        bounds = np.where(both > 0, 2 * sums[:, 2] / np.maximum(both, 1), 1.0)
        optimal = np.zeros(len(model), np.int8)
        return LcaSolution(model, optimal, sums, table[:, 0].copy(), bounds, lambda i: model.extended(model.facts[i]))
