"""Integer programs by OR-Tools CP-SAT: exact arithmetic, so coefficients have to be integers after exact scaling."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from hemlp.errors import NoSolver
from hemlp.interrupts import interruptible
from hemlp.model import Model
from hemlp.pairing import PairingModel
from hemlp.program import LinearProgram, ProgramResult, Status, exact_integers
from hemlp.solvers.flow import integer_costs
from hemlp.solvers.matrix import MatrixSolver


class CpSatSolver(MatrixSolver):
    """CP-SAT with one thread and a fixed seed, so that a run can be repeated."""

    name = "cpsat"
    part = 1  # many independent problems in one model keep it busy for minutes

    def available(self) -> str | None:
        """None if OR-Tools is installed."""
        return None if find_spec("ortools") else "pip install ortools"

    def accepts(self, model: Model[Any]) -> bool:
        """Models with costs that are exact integers after scaling."""
        return super().accepts(model) and (not isinstance(model, PairingModel) or integer_costs(model) is not None)

    def solve_program(self, program: LinearProgram, time_limit: float | None) -> ProgramResult:
        """Solve one program."""
        from ortools.sat.python import cp_model

        scaled = exact_integers(v.cost for v in program.variables)
        if scaled is None:
            raise NoSolver("CP-SAT needs costs that are exact multiples of a power of two")
        costs, scale = scaled
        model = cp_model.CpModel()
        columns = [model.new_int_var(int(v.lower), int(v.upper), v.name) for v in program.variables]
        for row in program.rows:
            body = cp_model.LinearExpr.weighted_sum([columns[i] for i, _ in row.terms], [int(c) for _, c in row.terms])
            low = cp_model.INT_MIN if row.lower == float("-inf") else int(row.lower)
            high = cp_model.INT_MAX if row.upper == float("inf") else int(row.upper)
            model.add_linear_constraint(body, low, high)
        goal = cp_model.LinearExpr.weighted_sum(columns, costs)
        (model.maximize if program.maximize else model.minimize)(goal)
        backend = cp_model.CpSolver()
        backend.parameters.num_workers = 1
        backend.parameters.random_seed = 0
        backend.parameters.catch_sigint_signal = False  # it would take Ctrl-C for a limit and return what it has
        if time_limit is not None:
            backend.parameters.max_time_in_seconds = time_limit
        if program.work_limit is not None:
            backend.parameters.max_deterministic_time = program.work_limit
        found = interruptible(lambda: backend.solve(model), stop=backend.stop_search)
        statuses = {cp_model.OPTIMAL: Status.OPTIMAL, cp_model.FEASIBLE: Status.FEASIBLE}
        if found not in statuses:
            return ProgramResult(Status.INFEASIBLE if found == cp_model.INFEASIBLE else Status.UNSOLVED)
        values = np.array([backend.value(x) for x in columns], np.float64)
        return ProgramResult(statuses[found], values, backend.best_objective_bound / scale)


solver = CpSatSolver()
