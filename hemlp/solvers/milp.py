"""Integer programs by OR-Tools MathOpt, which carries HiGHS."""

from __future__ import annotations

from datetime import timedelta

from hemlp.programs.program import LinearProgram, ProgramResult, Status, as_integer_values
from hemlp.programs.registry import importable
from hemlp.solvers.programs import ProgramSolver

NODES = 100
"""Subproblems that are one unit of work: HiGHS has no other measure of it that does not depend on the machine."""


class Highs(ProgramSolver):
    """HiGHS without any gap."""

    name = "milp"

    def available(self) -> str | None:
        """None if OR-Tools is installed."""
        return importable("ortools.math_opt.python.mathopt", "ortools")

    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        """Solve one program."""
        from ortools.math_opt.python import mathopt

        model = mathopt.Model(name="hemlp")
        columns = [model.add_integer_variable(lb=v.lower, ub=v.upper) for v in program.variables]
        scale = program.float_scale()
        costs = [(v.cost * scale, x) for v, x in zip(program.variables, columns, strict=True) if v.cost]
        goal = mathopt.LinearSum(cost * x for cost, x in costs)
        (model.maximize if program.maximize else model.minimize)(goal)
        for row in program.rows:
            if not row.terms and not row.lower <= 0 <= row.upper:
                return ProgramResult(Status.INFEASIBLE)
            body = mathopt.LinearSum(coefficient * columns[i] for i, coefficient in row.terms)
            model.add_linear_constraint(lb=row.lower, ub=row.upper, expr=body)
        limit = None if time_limit is None else timedelta(seconds=time_limit)
        nodes = None if work_limit is None else max(1, int(NODES * work_limit))
        parameters = mathopt.SolveParameters(
            time_limit=limit, node_limit=nodes, relative_gap_tolerance=0, absolute_gap_tolerance=0
        )
        result = mathopt.solve(model, mathopt.SolverType.HIGHS, params=parameters)
        reason = result.termination.reason
        if reason == mathopt.TerminationReason.INFEASIBLE:
            return ProgramResult(Status.INFEASIBLE)
        if not result.has_primal_feasible_solution():
            return ProgramResult(Status.UNSOLVED)
        values = result.variable_values(columns)
        status = Status.OPTIMAL if reason == mathopt.TerminationReason.OPTIMAL else Status.FEASIBLE
        return ProgramResult(status, as_integer_values(values), result.dual_bound() / scale)
