"""Integer programs by OR-Tools MathOpt, which carries HiGHS."""

from __future__ import annotations

from datetime import timedelta

from hemlp.optimize.exports import to_mathopt
from hemlp.optimize.program import LinearProgram, ProgramResult, Status, as_integer_values
from hemlp.solvers.programs import ProgramSolver

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
