"""Short forms: what others do with a model, as methods of the model itself.

``model.to_lp(stage)`` is ``model.stage(stage).to_lp()``, and so are all exports of ``LinearProgram``; ``model.solve()``
and ``model.verify(solution)`` are those of ``hemlp.solvers.registry``. Nothing else here or in a model knows a solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, Protocol, TypeVar

from hemlp.optimize.program import LinearProgram
from hemlp.optimize.solver import Solver

S = TypeVar("S")
T_co = TypeVar("T_co", covariant=True)


class StageExport(Protocol[T_co]):
    """An export of the program of a stage."""

    def __call__(self, stage: str | None = None) -> T_co:
        """Of the only stage, or the first, where none is named."""


def _of_stage(export: Callable[[LinearProgram], T_co]) -> StageExport[T_co]:
    """An export of programs as a method of models."""

    def method(self: ShortForms[Any], stage: str | None = None) -> T_co:
        return export(self.stage(stage))

    method.__name__ = export.__name__
    method.__qualname__ = f"ShortForms.{export.__name__}"
    what = (export.__doc__ or "").rstrip()
    method.__doc__ = (
        f"{what}\n\n        Parameters\n        ----------\n        stage\n            As of ``stage``.\n        "
    )
    made: Any = method
    return made  # type: ignore[no-any-return]


class ShortForms(ABC, Generic[S]):
    """Exports and solving of a model, whose solutions have the type ``S``."""

    @abstractmethod
    def stage(self, name: str | None) -> LinearProgram:
        """The program of a stage."""

    to_lp = _of_stage(LinearProgram.to_lp)
    to_mps = _of_stage(LinearProgram.to_mps)
    to_pulp = _of_stage(LinearProgram.to_pulp)
    to_arrays = _of_stage(LinearProgram.to_arrays)
    to_opb = _of_stage(LinearProgram.to_opb)
    to_mathopt = _of_stage(LinearProgram.to_mathopt)
    to_latex = _of_stage(LinearProgram.to_latex)

    def solve(self, solver: str | Solver | None = None, time_limit: float | None = None, *, verify: bool = False) -> S:
        """Solve with the named solver, a solver object, or by default the first that accepts the model.

        What it finds is certified, never solved again; ``found_by`` and ``proved_by`` of the solution say who did. What
        nobody solved is unsolved; what costs more than it could is feasible, and ``bounds`` has the least cost. An
        optimum that is off by rounding is improved exactly, and ``found_by`` ends with "+improvement".

        Parameters
        ----------
        solver
            A name, perhaps with options as in "pulp(backend='HiGHS')", or an object.
        time_limit
            In seconds for each instance.
        verify
            Prove each claim once more (which takes far longer than solving), also as a solver of yours made it.

        Raises
        ------
        NoSolver, MissingDependency
            If the solver does not exist, does not accept the model, or cannot be used here.
        InvalidSolution
            If what a solver returns breaks a rule, or a claim cannot be proved.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> model = measure("GIE").model(h, ["sheep"], ["cow"])
        >>> solution = model.solve("cpsat", verify=True)
        >>> solution.objective == model.solve().objective, solution.found_by.tolist(), solution.proved_by.tolist()
        (True, ['cpsat'], ['certificate'])
        """
        solution: S = import_module("hemlp.solvers.registry").solve(self, solver, time_limit, verified=verify)
        return solution

    def verify(self, solution: S) -> bool:
        """True if each claim is proved again, by means that do not depend on its solver; else InvalidSolution."""
        return self._verify(solution, None)

    def _verify(self, solution: S, solver: str | Solver | None) -> bool:
        proved: bool = import_module("hemlp.solvers.registry").verify(self, solution, solver)
        return proved
