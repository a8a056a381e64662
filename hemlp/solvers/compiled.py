"""Compiled code: closed forms of Problem 1 (all pairs, assignment, edge cover), closures, and minimal LCA graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from hemlp.augment import ClosureModel, ClosureSolution
from hemlp.lca_model import LcaModel
from hemlp.pairing import PairingModel
from hemlp.pairing_solution import PairingSolution
from hemlp.program import STATUSES, ProgramResult, Status
from hemlp.solvers import named_solver, solve_within


class CompiledSolver:
    """Accepts the bounds whose optimum it knows."""

    name = "compiled"

    def available(self) -> str | None:
        """Always."""
        return None

    def accepts(self, model: Any) -> bool:
        """All closures, pairings whose bounds have a closed form, and minimal LCA graphs."""
        if isinstance(model, PairingModel):
            return _form(model) is not None
        return isinstance(model, ClosureModel) or (isinstance(model, LcaModel) and model.method == "exact")

    def solve(self, model: Any, time_limit: float | None) -> Any:
        """The optimum of each instance."""
        if isinstance(model, LcaModel):
            programs: Any = named_solver("cpsat")
            return model.solve_searching(programs.solve_program, time_limit)
        solve = _closures if isinstance(model, ClosureModel) else self._pairings
        return solve_within(model, time_limit, solve, lambda one: one.solution(ProgramResult(Status.UNSOLVED)))

    def _pairings(self, model: PairingModel) -> PairingSolution:
        from hemlp.kernels.pairing import best_pairings

        form = _form(model)
        if form == "all":
            bad = np.bincount(_rows(model)[~np.isfinite(model.kappa)], minlength=len(model)) > 0
            chosen = np.isfinite(model.kappa)
            nobody_p, nobody_t = np.zeros(model.default_p.size, np.int64), np.zeros(model.default_t.size, np.int64)
            return PairingSolution(model, _statuses(~bad), chosen, nobody_p, nobody_t)
        feasible, chosen, to_p, to_t = best_pairings(
            model.batch.pred.ptr, model.batch.true.ptr, model.pairs.ptr, model.kappa, model.serves,
            model.default_p, model.default_t, form == "cover",
        )  # fmt: skip
        return PairingSolution(model, _statuses(feasible), chosen, to_p, to_t)


def _closures(model: ClosureModel) -> ClosureSolution:
    """Weights of closures, from lists of what each class implies; the sets themselves are not kept."""
    from hemlp.kernels.closure import tally_lists, tally_tolerant

    batch, lists = model.batch, model.lists()
    args = (
        batch.pred.ptr, lists.row[batch.pred.classes], batch.true.ptr, lists.row[batch.true.classes],
        lists.ptr, lists.nodes, lists.gate_at >= 0, lists.beyond >= 0,
    )  # fmt: skip
    h = batch.hierarchy
    if model.augment == "tolerant":
        sums, equal = tally_tolerant(*args, h.parent_ptr, h.parent_idx, h.child_ptr, h.child_idx)
    else:
        sums, equal = tally_lists(*args, model.weights, model.has_top)
    return ClosureSolution(model, np.zeros(len(model), np.int8), sums, equal)


def _form(model: PairingModel) -> str | None:
    height, width = np.diff(model.batch.pred.ptr), np.diff(model.batch.true.ptr)
    others_p, others_t = np.repeat(width, height), np.repeat(height, width)
    no_default = not (model.u.size or model.v.size)
    each_lower = (model.lower_p == 1).all() and (model.lower_t == 1).all()
    every_pair = (model.lower_p == others_p).all() and (model.lower_t == others_t).all()
    if every_pair and no_default and (model.serves == 3).all():  # one pair, too
        return "all"
    if each_lower and (model.upper_p >= others_p).all() and (model.upper_t >= others_t).all():
        return "cover"
    everybody = model.u.size == model.default_p.size and model.v.size == model.default_t.size
    if each_lower and everybody and (model.upper_p == 1).all() and (model.upper_t == 1).all():
        return "matching"
    return None


def _rows(model: PairingModel) -> Any:
    return np.repeat(np.arange(len(model)), np.diff(model.pairs.ptr))


def _statuses(feasible: Any) -> Any:
    codes = np.where(feasible, STATUSES.index(Status.OPTIMAL), STATUSES.index(Status.INFEASIBLE))
    return codes.astype(np.int8)


solver = CompiledSolver()
