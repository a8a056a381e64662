"""Problem 1 by compiled code: closed forms, independent choices, transport, and successive shortest paths."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import flow_data
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver

if TYPE_CHECKING:
    from hemlp.kernels.flow.pairing import Chosen


def _statuses(feasible: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Optimal where there is a solution, and infeasible where not."""
    return np.where(feasible, Status.OPTIMAL, Status.INFEASIBLE).astype(np.int8)


def _solve_pairing(model: PairingModel, kernel: Callable[[Chosen], NDArray[np.bool_]]) -> PairingSolution:
    """The solution that a kernel writes, which says for each instance whether there is one."""
    from hemlp.kernels.flow.pairing import Chosen

    chosen, to_default, prices = model.nothing_chosen()
    feasible = kernel(Chosen(chosen, to_default, prices))
    return PairingSolution(model, _statuses(feasible), chosen, to_default, hints=prices)


class ClosedForms(BaseSolver):
    """Accepts pairings whose bounds are all pairs, one to one with defaults for everybody, or at least one."""

    name = "closed_forms"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        return isinstance(model, self.kinds) and model.plain and model.closed_form is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.closed_forms import best_pairings

        if model.closed_form != "all":
            cover = model.closed_form == "cover"
            return _solve_pairing(model, lambda chosen: best_pairings(model.data, cover, chosen))
        _, to_default, prices = model.nothing_chosen()
        chosen = np.isfinite(model.kappa)
        rows = np.repeat(np.arange(len(model)), np.diff(model.pairs.ptr))
        feasible = np.bincount(rows[~chosen], minlength=len(model)) == 0
        return PairingSolution(model, _statuses(feasible), chosen, to_default, hints=prices)


class NearestAssignment(BaseSolver):
    """Accepts pairings with the bounds (0, ALL) on one side, and at least 0 or 1 on the other."""

    name = "independent"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        return isinstance(model, self.kinds) and model.plain and _choosing_side(model) is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.closed_forms import best_matches

        side = _choosing_side(model)
        assert side is not None
        return _solve_pairing(model, lambda chosen: best_matches(model.data, side, chosen))


def _choosing_side(model: PairingModel) -> int | None:
    """The side whose classes choose on their own, if there is one."""
    for side in (PRED, TRUE):
        half, free = model.halves[side], model.halves[1 - side]
        others = np.repeat(half.side.sizes, np.diff(free.side.ptr))
        if (free.lower == 0).all() and (free.upper >= others).all() and ((half.lower == 0) | (half.lower == 1)).all():
            return side
    return None


class TransportSolver(BaseSolver):
    """Accepts transports: the network simplex method."""

    name = "transport"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        return isinstance(model, self.kinds) and model.units is not None and model.arcs is None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.transport import transport

        chosen, to_default, prices = model.nothing_chosen()
        feasible = transport(model.data, chosen, *prices)
        return PairingSolution(model, _statuses(feasible), chosen, to_default, hints=prices)


class SuccessiveShortestPaths(BaseSolver):
    """Accepts all pairings, whatever their bounds and capacities."""

    name = "augmenting"
    kinds = (PairingModel,)

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.circulations import find_flows
        from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

        if model.plain:
            return _solve_pairing(model, lambda chosen: successive_shortest_paths(model.data, chosen))
        arcs = model.circulation
        flow, potential = np.zeros(arcs.cost.size, np.int64), np.zeros(int(arcs.nodes.sum()))
        feasible = find_flows(flow_data(model), flow, potential)
        return model.solution_of(_statuses(feasible), flow, hints=(potential,))
