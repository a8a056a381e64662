"""Integer programs by OR-Tools: CP-SAT, in exact arithmetic, so that coefficients have to be integers after exact
scaling, and HiGHS through MathOpt.

A portfolio asks HiGHS first: one is better on some programs, the other on others, and nobody knows before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import timedelta
from fractions import Fraction

import numpy as np

from hemlp.errors import NoSolver
from hemlp.optimize.exports import to_mathopt
from hemlp.optimize.plan import Budget
from hemlp.optimize.program import LinearProgram, ProgramResult, Status, as_integer_values, exact_integers
from hemlp.processes.interrupts import run_interruptible
from hemlp.solvers.registry import ProgramSolver

NODES = 100
"""Subproblems that are one unit of work: HiGHS has no other measure of it that does not depend on the machine."""


class Highs(ProgramSolver):
    """HiGHS without any gap."""

    name = "milp"
    needs = "ortools.math_opt.python.mathopt", "ortools"

    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        from ortools.math_opt.python import mathopt

        if any(not row.terms and not row.lower <= 0 <= row.upper for row in program.rows):
            return ProgramResult(Status.INFEASIBLE)
        scale = program.float_scale()
        model = to_mathopt(program, scale)
        limit = None if time_limit is None else timedelta(seconds=time_limit)
        nodes = None if work_limit is None else max(1, int(NODES * work_limit))
        parameters = mathopt.SolveParameters(
            time_limit=limit, node_limit=nodes, relative_gap_tolerance=0, absolute_gap_tolerance=0
        )
        result = mathopt.solve(model, mathopt.SolverType.HIGHS, params=parameters)
        reason = result.termination.reason
        if reason == mathopt.TerminationReason.INFEASIBLE:
            return ProgramResult(Status.INFEASIBLE)
        limited = reason in (mathopt.TerminationReason.FEASIBLE, mathopt.TerminationReason.NO_SOLUTION_FOUND)
        if not result.has_primal_feasible_solution():
            return ProgramResult(Status.UNSOLVED, limited=limited)
        values = result.variable_values(sorted(model.variables(), key=lambda variable: variable.id))
        status = Status.OPTIMAL if reason == mathopt.TerminationReason.OPTIMAL else Status.FEASIBLE
        return ProgramResult(status, as_integer_values(values), result.dual_bound() / scale, limited=limited)


class CpSat(ProgramSolver):
    """CP-SAT with one thread and a fixed seed, so that a run can be repeated."""

    name = "cpsat"
    part = 1  # many independent problems in one model keep it busy for minutes
    needs = "ortools.sat.python.cp_model", "ortools"
    integral = True

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
        outcome = run_interruptible(lambda: backend.solve(model), stop=backend.stop_search)
        statuses = {cp_model.OPTIMAL: Status.OPTIMAL, cp_model.FEASIBLE: Status.FEASIBLE}
        work = backend.response_proto.deterministic_time
        if outcome not in statuses:
            status = Status.INFEASIBLE if outcome == cp_model.INFEASIBLE else Status.UNSOLVED
            return ProgramResult(status, work=work, limited=outcome == cp_model.UNKNOWN)
        values = np.array([backend.value(x) for x in columns], np.float64)
        bound, limited = backend.best_objective_bound / scale, outcome == cp_model.FEASIBLE
        return ProgramResult(statuses[outcome], values, bound, work, limited)


def _integers(what: str, values: Sequence[float]) -> tuple[list[int], int]:
    scaled = exact_integers(values)
    if scaled is None:
        raise NoSolver(f"CP-SAT takes integers: the {what} are no multiples of one power of two that fit 40 bits")
    return scaled


class Portfolio(ProgramSolver):
    """Half of what may be spent for HiGHS; where that is too little, the rest for CP-SAT, from its solution."""

    name = "portfolio"
    needs = Highs.needs
    integral = True

    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        budget, (seconds, work) = Budget.of(time_limit), (limit and limit / 2 for limit in (time_limit, work_limit))
        first = Highs().solve_program(program, seconds, work)
        if first.status in (Status.OPTIMAL, Status.INFEASIBLE) or (time_limit is None and work_limit is None):
            return first
        second = CpSat().solve_program(program, budget.seconds_left(), work, first.values)
        return _better(program, first, second)


def _better(program: LinearProgram, first: ProgramResult, second: ProgramResult) -> ProgramResult:
    """The better solution with the better bound."""
    if second.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return second
    sign = 1 if program.maximize else -1
    solutions = [r.values for r in (first, second) if r.values is not None]
    bounds = [r.bound for r in (first, second) if r.bound == r.bound]
    bound = sign * min((sign * b for b in bounds), default=math.nan)
    if not solutions:
        return ProgramResult(Status.UNSOLVED, None, bound, limited=True)
    best = max(solutions, key=lambda values: sign * program.objective(values))
    return ProgramResult(Status.FEASIBLE, best, bound, second.work, limited=True)
