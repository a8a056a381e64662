"""Integer programs by PuLP, with any solver that PuLP finds (CBC comes with PuLP 3; PuLP 4 brings none)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hemlp.program import LinearProgram, ProgramResult, Status, as_integer_values, one_sided
from hemlp.solvers.matrix import MatrixSolver

if TYPE_CHECKING:
    import pulp


class PulpSolver(MatrixSolver):
    """``backend`` names one of ``pulp.listSolvers(onlyAvailable=True)``; by default the CBC that comes with PuLP."""

    name = "pulp"

    def __init__(self, backend: str | None = None) -> None:
        self.backend = backend

    def available(self) -> str | None:
        """None if PuLP is installed and has a solver."""
        if not find_spec("pulp"):
            return "pip install 'pulp>=3.3,<4'"
        return None if self._make(None).available() else "PuLP finds no solver: pip install 'pulp[cbc]'"

    def build(self, program: LinearProgram) -> pulp.LpProblem:
        """The program as a ``pulp.LpProblem`` that can be changed and solved."""
        import pulp

        problem = pulp.LpProblem("hemlp", pulp.LpMaximize if program.maximize else pulp.LpMinimize)
        guarded, rows = program.guarded()
        columns = [problem.add_variable(v.name, v.lower, v.upper, pulp.LpInteger) for v in guarded]
        problem += pulp.lpSum(v.cost * x for v, x in zip(guarded, columns, strict=True) if v.cost) + 0 * columns[0]
        senses = {"=": pulp.LpConstraintEQ, ">=": pulp.LpConstraintGE, "<=": pulp.LpConstraintLE}
        for name, sense, side, terms in one_sided(rows):
            body = pulp.lpSum(coefficient * columns[i] for i, coefficient in terms)
            problem += pulp.LpConstraint(body, senses[sense], name, side)
        return problem

    def _make(self, time_limit: float | None) -> Any:
        import pulp

        if self.backend is None:
            return pulp.COIN_CMD(path=pulp.apis.PULP_CBC_CMD.pulp_cbc_path, msg=False, timeLimit=time_limit, gapRel=0)
        return pulp.getSolver(self.backend, msg=False, timeLimit=time_limit)

    def solve_program(self, program: LinearProgram, time_limit: float | None) -> ProgramResult:
        """Solve one program."""
        import pulp

        problem = self.build(program)
        problem.solve(self._make(time_limit))
        statuses = {
            pulp.LpSolutionOptimal: Status.OPTIMAL,
            pulp.LpSolutionIntegerFeasible: Status.FEASIBLE,
            pulp.LpSolutionInfeasible: Status.INFEASIBLE,
        }
        status = statuses.get(problem.sol_status, Status.UNSOLVED)
        if status not in (Status.OPTIMAL, Status.FEASIBLE):
            return ProgramResult(status)
        found = {variable.name: variable.varValue or 0.0 for variable in problem.variables()}
        return ProgramResult(status, as_integer_values(found.get(v.name, 0.0) for v in program.variables))


solver = PulpSolver()
