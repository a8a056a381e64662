"""Problem 1 as compiled code takes it: records of arrays, made from a model and from a solution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hemlp.errors import InvalidSolution
from hemlp.instances.sides import PRED, TRUE

if TYPE_CHECKING:
    from hemlp.kernels.circulations import Circulations
    from hemlp.kernels.pairing import Chosen, Pairing
    from hemlp.problems.pairing.model import PairingModel
    from hemlp.problems.pairing.solution import PairingSolution


def given_data(model: PairingModel) -> Pairing:
    """Costs, default costs and bounds of all instances."""
    from hemlp.kernels.pairing import Pairing

    predicted, true = model.halves
    return Pairing(
        (predicted.side.ptr, true.side.ptr, model.pairs.ptr), model.kappa, model.serves,
        (predicted.default, true.default), (predicted.lower, predicted.upper), (true.lower, true.upper),
    )  # fmt: skip


def flow_data(model: PairingModel) -> Circulations:
    """The arcs of all instances."""
    from hemlp.kernels.circulations import Circulations

    arcs = model.circulation
    return Circulations((arcs.first_nodes, arcs.ptr), (arcs.tail, arcs.head), (arcs.lower, arcs.upper), arcs.cost)


def check_sizes(model: PairingModel, solution: PairingSolution) -> None:
    """Raise InvalidSolution where a value is missing, or too many."""
    sizes = [(model.kappa.size, solution.chosen.size), (len(model), solution.statuses.size)]
    sizes += [(half.default.size, n.size) for half, n in zip(model.halves, solution.to_default, strict=True)]
    if model.arcs is not None:
        sizes.append((model.arcs.cost.size, 0 if solution.flow is None else solution.flow.size))
    for wanted, given in sizes:
        if wanted != given:
            raise InvalidSolution(f"the solution has {given} values where {wanted} are needed")


def chosen_data(model: PairingModel, solution: PairingSolution) -> Chosen:
    """What a solution has chosen: its own arrays, where they have the right types. Prices are 0 where it has none."""
    from hemlp.kernels.pairing import Chosen

    check_sizes(model, solution)
    sizes = tuple(half.default.size for half in model.halves)
    hints = solution.hints
    if hints is None or tuple(of.size for of in hints) != sizes:
        hints = np.zeros(sizes[PRED]), np.zeros(sizes[TRUE])
    prices = np.ascontiguousarray(hints[PRED], np.float64), np.ascontiguousarray(hints[TRUE], np.float64)
    taken = solution.to_default
    to_default = np.ascontiguousarray(taken[PRED], np.int64), np.ascontiguousarray(taken[TRUE], np.int64)
    return Chosen(np.ascontiguousarray(solution.chosen, np.bool_), to_default, prices)
