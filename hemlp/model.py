"""What all models have in common: they hold the data of a batch, can be written down, solved and checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from hemlp.errors import InfeasibleModel, InvalidOption
from hemlp.program import LinearProgram, ProgramResult
from hemlp.solvers import Solver, find_solver, named_solver

if TYPE_CHECKING:
    import pulp

S = TypeVar("S")
Plan = Generator[LinearProgram, ProgramResult, S]
"""The programs of a model, one after the other: each is yielded, its result is sent back, the solution is returned."""


def carried_out(plan: Plan[S], solve: Callable[[LinearProgram], ProgramResult]) -> S:
    """What a plan comes to when each of its programs is solved by ``solve``."""
    try:
        program = next(plan)
        while True:
            program = plan.send(solve(program))
    except StopIteration as end:
        solution: S = end.value
        return solution


class Model(ABC, Generic[S]):
    """The optimization problems of a batch of instances; ``S`` is the type of its solutions."""

    @abstractmethod
    def __len__(self) -> int:
        """How many instances."""

    @abstractmethod
    def __getitem__(self, rows: int | slice) -> Model[S]:
        """The model of one instance or of some."""

    @abstractmethod
    def program(self) -> LinearProgram:
        """The explicit integer program; several instances stand side by side in it."""

    def plan(self) -> Plan[S]:
        """The programs that solve this model: one, unless a child says otherwise."""
        return self.solution((yield self.program()))

    @abstractmethod
    def solution(self, result: ProgramResult) -> S:
        """The solution that a solver of ``program()`` found."""

    @abstractmethod
    def joined(self, solutions: list[S]) -> S:
        """Solutions of consecutive parts as one of the whole."""

    @abstractmethod
    def check(self, solution: S) -> bool:
        """True if the solution keeps every constraint and has the objective that it claims; else InvalidSolution."""

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """Why instance ``row``, ``number`` to the reader, has no solution: unless a child knows more, a limit."""
        return InfeasibleModel(f"instance {number} was not solved within its limit", number)

    def certified(self, solution: S, limited: bool) -> S:
        """The solution with every claim proved. ``limited``: a limit may have kept the solver from solving."""
        return solution

    @abstractmethod
    def verify(self, solution: S) -> bool:
        """True if each optimum is proved again, by means that do not depend on its solver; else InvalidSolution."""

    def solve(self, solver: str | Solver | None = None, time_limit: float | None = None, *, verify: bool = False) -> S:
        """Solve with the named solver, a solver object, or by default the first that accepts the model.

        What any solver finds is certified: a pairing that is not of least cost is improved until it is. ``verify``
        proves each claim once more (and takes far longer than solving); a solver object's claims as they are.
        """
        chosen = find_solver(self, solver)
        solution: S = chosen.solve(self, time_limit)
        ours = solver is None or isinstance(solver, str)
        if verify and not ours:
            self.verify(solution)
        solution = self.certified(solution, time_limit is not None)
        if not ours:
            self.check(solution)  # a stranger's result is not taken on trust
        elif verify:
            self.verify(solution)
        return solution

    def stage(self, name: str | None) -> LinearProgram:
        """The program of a stage, for models that are solved in several."""
        if name is not None:
            raise InvalidOption(f"this model is one program: it has no stage {name!r}")
        return self.program()

    def to_lp(self, stage: str | None = None) -> str:
        """The program in the LP file format."""
        return self.stage(stage).to_lp()

    def to_mps(self, stage: str | None = None) -> str:
        """The program in the free MPS file format."""
        return self.stage(stage).to_mps()

    def to_pulp(self, stage: str | None = None) -> pulp.LpProblem:
        """The program as a PuLP problem that can be changed and solved."""
        builder: Any = named_solver("pulp")
        return builder.build(self.stage(stage))

    def __str__(self) -> str:
        if len(self) > 3:
            return f"{type(self).__name__} of {len(self):,} instances; print model[i] for one of them"
        return str(self.program())
