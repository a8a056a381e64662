"""The paper's Algorithm 1: minimal LCA graphs, approximately."""

from __future__ import annotations

from typing import Any

from hemlp.lca.graphs import Found
from hemlp.lca.greedy import Greedy
from hemlp.lca.links import LcaInstance
from hemlp.lca.model import LcaModel, one_side_empty
from hemlp.lca.programs import upper_bound
from hemlp.lca.solution import LcaSolution
from hemlp.programs.program import Status


class AlgorithmOne:
    """Accepts models of minimal LCA graphs; its graphs keep all rules but those of size."""

    name = "greedy"
    exact = False

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """Models of minimal LCA graphs."""
        return isinstance(model, LcaModel)

    def solve(self, model: LcaModel, time_limit: float | None) -> LcaSolution:
        """Instance by instance."""
        return model.collected([_graphs(model.facts[i]) for i in range(len(model))])


def _graphs(instance: LcaInstance) -> Found:
    if not all(instance.classes):
        return one_side_empty(instance)
    return Found.of(Greedy(instance).graphs(), Status.FEASIBLE, 1, upper_bound(instance))
