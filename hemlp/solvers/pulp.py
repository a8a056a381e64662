"""Integer programs by PuLP, with any solver that PuLP finds (CBC comes with PuLP 3; PuLP 4 brings none)."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from inspect import signature
from typing import TYPE_CHECKING, Any

from hemlp.optimize.plan import importable
from hemlp.optimize.program import LinearProgram, ProgramResult, Status, as_integer_values, one_sided
from hemlp.solvers.registry import ProgramSolver

if TYPE_CHECKING:
    import pulp

NODES = 100
"""Subproblems that are one unit of work, as with HiGHS."""
EXACT = 1e9
"""The greatest integer that CBC is sure to distinguish from its neighbours."""


class Pulp(ProgramSolver):
    """``backend`` names one of ``pulp.listSolvers(onlyAvailable=True)``; by default the CBC that comes with PuLP."""

    name = "pulp"

    def __init__(self, backend: str | None = None) -> None:
        self.backend = backend

    def available(self) -> str | None:
        if find_spec("highspy"):  # then OR-Tools cannot be loaded once PuLP is
            importable("ortools.math_opt.python.mathopt", "ortools")
        if missing := importable("pulp", "'pulp>=3.3,<4'"):
            return missing
        import pulp

        try:
            usable = self._make(None).available()
        except Exception as error:  # a name that PuLP does not know, or a package that cannot be loaded
            usable, why = False, f" ({type(error).__name__})"
        else:
            why = ""
        if usable:
            return None
        if self.backend is None:
            return "PuLP finds no solver: pip install 'pulp[cbc]'"
        known = ", ".join(pulp.listSolvers(onlyAvailable=True))
        return f"PuLP finds no backend {self.backend!r:.80}{why}; it finds {known or 'none'}"

    def accepts(self, model: Any) -> bool:
        """Models with variables of few digits: others would be rounded where CBC reads them."""
        return super().accepts(model) and model.greatest_value <= EXACT

    def _make(self, time_limit: float | None, work_limit: float | None = None) -> Any:
        import pulp

        limits: dict[str, Any] = {"timeLimit": time_limit}
        if work_limit is not None and self._takes("maxNodes"):
            limits["maxNodes"] = int(NODES * work_limit) + 1
        if self.backend is None:
            return pulp.COIN_CMD(path=pulp.apis.PULP_CBC_CMD.pulp_cbc_path, msg=False, gapRel=0, **limits)
        return pulp.getSolver(self.backend, msg=False, **limits, **({"gapRel": 0} if self._takes("gapRel") else {}))

    def _takes(self, option: str) -> bool:
        """Whether the backend has an option. Without gapRel what it calls optimal may be its usual gap away."""
        import pulp

        kind = pulp.COIN_CMD if self.backend is None else type(pulp.getSolver(self.backend))
        return option in signature(kind.__init__).parameters

    def solve_program(
        self, program: LinearProgram, time_limit: float | None = None, work_limit: float | None = None
    ) -> ProgramResult:
        scale = program.float_scale()
        scaled = [replace(v, cost=v.cost * scale) for v in program.variables]
        problem = build(replace(program, variables=scaled))
        problem.solve(self._make(time_limit, work_limit))
        result = read(program, problem, Status.OPTIMAL if self._takes("gapRel") else Status.FEASIBLE)
        limited = (time_limit, work_limit) != (None, None) and result.status is Status.UNSOLVED
        ended = result.status in (Status.OPTIMAL, Status.INFEASIBLE)
        return replace(result, limited=limited, work=result.work if ended or work_limit is None else work_limit)


def build(program: LinearProgram) -> pulp.LpProblem:
    """A program as a ``pulp.LpProblem`` that can be changed and solved."""
    import pulp

    name = "hemlp" if program.scale == 1 else f"hemlp_{program.goal_name}"  # PuLP forgets the objective's own name
    problem = pulp.LpProblem(name, pulp.LpMaximize if program.maximize else pulp.LpMinimize)
    variables, rows = program.without_empty_rows()
    columns = [problem.add_variable(v.name, v.lower, v.upper, pulp.LpInteger) for v in variables]
    problem += pulp.lpSum(v.cost * x for v, x in zip(variables, columns, strict=True) if v.cost) + 0 * columns[0]
    senses = {"=": pulp.LpConstraintEQ, ">=": pulp.LpConstraintGE, "<=": pulp.LpConstraintLE}
    for name, sense, side, terms in one_sided(rows):
        body = pulp.lpSum(coefficient * columns[i] for i, coefficient in terms)
        problem += pulp.LpConstraint(body, senses[sense], name, side)
    return problem


def read(program: LinearProgram, problem: pulp.LpProblem, optimal: Status = Status.FEASIBLE) -> ProgramResult:
    """What a problem that ``build`` made holds, once it is solved; ``optimal``: what its optimum is worth here."""
    import pulp

    statuses = {
        pulp.LpSolutionOptimal: optimal,
        pulp.LpSolutionIntegerFeasible: Status.FEASIBLE,
        pulp.LpSolutionInfeasible: Status.INFEASIBLE,
    }
    status = statuses.get(problem.sol_status, Status.UNSOLVED)
    if status not in (Status.OPTIMAL, Status.FEASIBLE):
        return ProgramResult(status)
    values = {variable.name: variable.varValue or 0.0 for variable in problem.variables()}
    # PuLP forgets a variable without cost that no row has: it may be anything within its bounds
    return ProgramResult(status, as_integer_values(values.get(v.name, v.lower) for v in program.variables))
