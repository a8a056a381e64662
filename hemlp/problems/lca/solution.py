"""Solutions of LCA models: sizes, statuses and bounds of all instances, and on demand the graphs themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.hierarchy.labels import Label, Top
from hemlp.instances.sides import SIDES
from hemlp.optimize.program import Status
from hemlp.optimize.solutions import Provenance, ShownSolution
from hemlp.problems.lca.graphs import InstanceSolution

if TYPE_CHECKING:
    from hemlp.problems.lca.model import GraphModel


@dataclass(frozen=True, eq=False, repr=False)
class LcaSolution(ShownSolution):
    """The solution of each instance of ``model``.

    ``sums``: the sizes of G_p, of G_t and of their intersection; ``lcas``: the number of LCAs, 0 where a side is empty;
    ``bounds``: upper bounds on F, F itself where it is proved. ``detail`` gives the graphs of an instance. ``steps``:
    the position in ``STEPS`` of the step that solved it; 0 or None for solvers without steps.
    """

    model: GraphModel
    statuses: NDArray[np.int8]
    sums: FloatArray
    lcas: IntArray
    bounds: FloatArray
    detail: Callable[[int], InstanceSolution]
    steps: IntArray | None = None

    @classmethod
    def of(cls, model: GraphModel, solutions: Sequence[InstanceSolution]) -> LcaSolution:
        """From the solutions of all instances."""
        sizes = [(len(p), len(t), len(p & t)) for p, t in (each.nodes for each in solutions)]
        names = [(each.found_by, each.proved_by) for each in solutions]
        others = {i: who for i, who in enumerate(names) if any(who)}
        return cls(
            model,
            np.array([each.status for each in solutions], np.int8),
            np.array(sizes, np.float64).reshape(-1, 3),
            np.array([each.lcas for each in solutions], np.int64),
            np.array([float(each.bound) for each in solutions]),
            solutions.__getitem__,
            provenance=Provenance(others=others),
        )

    def __len__(self) -> int:
        return len(self.statuses)

    @property
    def columns(self) -> dict[str, FloatArray]:
        """Further columns: the number of LCAs, a bound on F, and the step that solved the instance."""
        steps = np.zeros(len(self)) if self.steps is None else self.steps.astype(np.float64)
        return {"lcas": self.lcas.astype(np.float64), "bound": self.bounds, "step": steps}

    def __getitem__(self, row: int) -> LcaSolution:
        one = LcaSolution.of(self.model[row], [self.detail(row)])
        return replace(one, provenance=self.provenance.of_row(range(len(self))[row]))

    @cached_property
    def by_instance(self) -> tuple[InstanceSolution, ...]:
        """The solution of each instance, with its graphs."""
        return tuple(self.detail(i) for i in range(len(self)))

    @property
    def equal(self) -> NDArray[np.bool_]:
        """Whether the two node sets are equal."""
        predicted, true, common = self.sums.T
        same: NDArray[np.bool_] = (predicted == common) & (true == common)
        return same

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        return self.by_instance[0].status

    @property
    def objective(self) -> float:
        """F_LCA of the only instance; nan without a solution."""
        if self.statuses[0] > Status.FEASIBLE:
            return math.nan
        predicted, true, common = self.sums[0]
        return float(2 * common / (predicted + true)) if predicted + true else 1.0

    @property
    def chosen_lcas(self) -> frozenset[Label | Top]:
        """Z of the only instance."""
        graphs = self.by_instance[0].graphs
        return frozenset(self.model.label(a) for a in (graphs.lcas if graphs else ()))

    @property
    def sets(self) -> tuple[frozenset[Label | Top], frozenset[Label | Top]]:
        """Nodes of G_p and G_t of the only instance."""
        predicted, true = (frozenset(map(self.model.label, nodes)) for nodes in self.by_instance[0].nodes)
        return predicted, true

    @property
    def paths(self) -> list[tuple[str, tuple[Label | Top, ...]]]:
        """The drawn links of the only instance: the side, and the path from the class up to the LCA."""
        graphs = self.by_instance[0].graphs
        return [(SIDES[side], tuple(map(self.model.label, path))) for side, path in (graphs.paths if graphs else ())]
