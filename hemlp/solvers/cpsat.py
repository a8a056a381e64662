"""Integer programs by OR-Tools CP-SAT: exact arithmetic, so coefficients have to be integers after exact scaling."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hemlp.errors import NoSolver
from hemlp.optimize.program import LinearProgram, ProgramResult, Status, exact_integers
from hemlp.processes.interrupts import interruptible
from hemlp.solvers.programs import ProgramSolver


class CpSat(ProgramSolver):
    """CP-SAT with one thread and a fixed seed, so that a run can be repeated."""

    name = "cpsat"
    part = 1  # many independent problems in one model keep it busy for minutes
    needs = "ortools.sat.python.cp_model", "ortools"

    def accepts(self, model: Any) -> bool:
        """Models with costs that are exact integers after scaling."""
        return super().accepts(model) and exact_integers(np.unique(model.cost_values)) is not None

    def solve_program(
        self,
        program: LinearProgram,
        time_limit: float | None = None,
        work_limit: float | None = None,
        start: Iterable[float] | None = None,
    ) -> ProgramResult:
        """Solve one program, perhaps from a solution that is known."""
        from ortools.sat.python import cp_model

        costs, scale = _integers("costs", [v.cost for v in program.variables])
        model = cp_model.CpModel()
        ranges = [(math.ceil(v.lower), math.floor(v.upper)) for v in program.variables]
        if any(low > high for low, high in ranges):  # no integer between the bounds of a variable
            return ProgramResult(Status.INFEASIBLE)
        names = (v.name for v in program.variables)
        columns = [model.new_int_var(low, high, name) for (low, high), name in zip(ranges, names, strict=True)]
        for row in program.rows:
            weights, factor = _integers(f"coefficients in the row {row.name}", [c for _, c in row.terms])
            body = cp_model.LinearExpr.weighted_sum([columns[i] for i, _ in row.terms], weights)
            low = cp_model.INT_MIN if row.lower == float("-inf") else math.ceil(Fraction(row.lower) * factor)
            high = cp_model.INT_MAX if row.upper == float("inf") else math.floor(Fraction(row.upper) * factor)
            model.add_linear_constraint(body, low, high)
        goal = cp_model.LinearExpr.weighted_sum(columns, costs)
        (model.maximize if program.maximize else model.minimize)(goal)
        for column, value in zip(columns, start if start is not None else (), strict=False):
            model.add_hint(column, round(value))
        backend = cp_model.CpSolver()
        backend.parameters.num_workers = 1
        backend.parameters.random_seed = 0
        backend.parameters.catch_sigint_signal = False  # it would take Ctrl-C for a limit and return what it has
        if time_limit is not None:
            backend.parameters.max_time_in_seconds = time_limit
        if work_limit is not None:
            backend.parameters.max_deterministic_time = work_limit
        found = interruptible(lambda: backend.solve(model), stop=backend.stop_search)
        statuses = {cp_model.OPTIMAL: Status.OPTIMAL, cp_model.FEASIBLE: Status.FEASIBLE}
        work = backend.response_proto.deterministic_time
        if found not in statuses:
            status = Status.INFEASIBLE if found == cp_model.INFEASIBLE else Status.UNSOLVED
            return ProgramResult(status, work=work, limited=found == cp_model.UNKNOWN)
        values = np.array([backend.value(x) for x in columns], np.float64)
        bound, limited = backend.best_objective_bound / scale, found == cp_model.FEASIBLE
        return ProgramResult(statuses[found], values, bound, work, limited)


def _integers(what: str, values: Sequence[float]) -> tuple[list[int], int]:
    scaled = exact_integers(values)
    if scaled is None:
        raise NoSolver(f"CP-SAT takes integers: the {what} are no multiples of one power of two that fit 40 bits")
    return scaled
