"""Problem 1 by compiled code: closed forms, independent choices, transport, and successive shortest paths."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.program import Status
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import flow_data
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.registry import BaseSolver


def _solution(
    model: PairingModel, feasible: NDArray[np.bool_], chosen: NDArray[Any], to_default: tuple[IntArray, IntArray],
    prices: tuple[FloatArray, FloatArray],
) -> PairingSolution:  # fmt: skip
    """What a kernel wrote, optimal where it says that there is a solution, and infeasible where not."""
    statuses = np.where(feasible, Status.OPTIMAL, Status.INFEASIBLE).astype(np.int8)
    return PairingSolution(model, statuses, chosen, to_default, hints=prices)


class ClosedForms(BaseSolver):
    """Accepts pairings whose bounds are all pairs, one to one with defaults for everybody, or at least one."""

    name = "closed_forms"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        return isinstance(model, self.kinds) and model.plain and model.closed_form is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.closed_forms import best_pairings
        from hemlp.kernels.flow.pairing import Chosen

        made = model.nothing_chosen()
        if model.closed_form != "all":
            return _solution(model, best_pairings(model.data, model.closed_form == "cover", Chosen(*made)), *made)
        chosen = np.isfinite(model.kappa)
        rows = np.repeat(np.arange(len(model)), np.diff(model.pairs.ptr))
        return _solution(model, np.bincount(rows[~chosen], minlength=len(model)) == 0, chosen, *made[1:])


class NearestAssignment(BaseSolver):
    """Accepts pairings with the bounds (0, ALL) on one side, and at least 0 or 1 on the other."""

    name = "independent"
    kinds = (PairingModel,)

    def accepts(self, model: Any) -> bool:
        return isinstance(model, self.kinds) and model.plain and _choosing_side(model) is not None

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.closed_forms import best_matches
        from hemlp.kernels.flow.pairing import Chosen

        made, side = model.nothing_chosen(), _choosing_side(model)
        assert side is not None
        return _solution(model, best_matches(model.data, side, Chosen(*made)), *made)


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

        made = model.nothing_chosen()
        return _solution(model, transport(model.data, made[0], *made[2]), *made)


class SuccessiveShortestPaths(BaseSolver):
    """Accepts all pairings, whatever their bounds and capacities."""

    name = "augmenting"
    kinds = (PairingModel,)

    def solve_batch(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.flow.circulations import find_flows
        from hemlp.kernels.flow.pairing import Chosen
        from hemlp.kernels.flow.successive_shortest_paths import successive_shortest_paths

        if model.plain:
            made = model.nothing_chosen()
            return _solution(model, successive_shortest_paths(model.data, Chosen(*made)), *made)
        arcs = model.circulation
        flow, potential = np.zeros(arcs.cost.size, np.int64), np.zeros(int(arcs.nodes.sum()))
        feasible = find_flows(flow_data(model), flow, potential)
        statuses = np.where(feasible, Status.OPTIMAL, Status.INFEASIBLE).astype(np.int8)
        return model.solution_of(statuses, flow, hints=(potential,))
