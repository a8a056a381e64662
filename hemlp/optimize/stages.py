"""The programs of a model by their stages, for other tools: files, PuLP, arrays, MathOpt, LaTeX."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.optimize.lp_files import to_lp, to_mps
from hemlp.optimize.program import LinearProgram
from hemlp.solvers.registry import named_solver

if TYPE_CHECKING:
    import pulp
    from ortools.math_opt.python import mathopt

    from hemlp.optimize.exports import ProgramArrays


class Staged(ABC):
    """What has one program, or several in stages."""

    @abstractmethod
    def program(self) -> LinearProgram:
        """The explicit integer program, or the first of several; instances stand side by side in it."""

    @property
    def stages(self) -> tuple[str, ...]:
        """The names of the programs of the model, for ``stage``: "program" where there is only one.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> [measure(name).model(h, ["sheep"], ["cow"]).stages for name in ("GIE", "F_LCA", "BMA")]
        [('program',), ('lcas', 'ratio', 'ties'), ('predicted', 'true')]
        """
        return ("program",)

    def stage(self, name: str | None) -> LinearProgram:
        """The program of a stage, for models that are solved in several.

        Parameters
        ----------
        name
            One of ``stages``; None for the only one, or the first.
        """
        self.check_stage(name)
        return self.program()

    def check_stage(self, name: str | None) -> None:
        """Raise InvalidOption unless there is such a stage."""
        if name not in (None, *self.stages):
            one = "this model is one program: " if len(self.stages) == 1 else ""
            raise InvalidOption(f"{one}there is no stage {name!r}; the stages are {', '.join(self.stages)}")

    def stage_words(self, name: str | None) -> str:
        """Which stage it is, and which others there are; "" for the only one."""
        name = self.stages[0] if name is None else name
        others = [stage for stage in self.stages if stage != name]
        are = "the others are" if len(others) > 1 else "the other is"
        return f"stage {name}; {are} {' and '.join(others)}" if others else ""

    def to_lp(self, stage: str | None = None) -> str:
        """The program in the LP file format.

        Parameters
        ----------
        stage
            As of ``stage``.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> print(measure("TIE").model(h, ["sheep"], ["cow"]).to_lp().splitlines()[-1])
        End
        """
        return to_lp(self.stage(stage))

    def to_mps(self, stage: str | None = None) -> str:
        """The program in the free MPS file format.

        Parameters
        ----------
        stage
            As of ``stage``.
        """
        return to_mps(self.stage(stage))

    def to_pulp(self, stage: str | None = None) -> pulp.LpProblem:
        """The program as a PuLP problem that can be changed and solved.

        Parameters
        ----------
        stage
            As of ``stage``.
        """
        builder: Any = named_solver("pulp")
        return builder.build(self.stage(stage))

    def to_arrays(self, stage: str | None = None) -> ProgramArrays:
        """The program as arrays: costs, bounds, and the matrix as a SciPy CSR array.

        Parameters
        ----------
        stage
            As of ``stage``.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> arrays = measure("GIE").model(h, ["sheep"], ["cow"]).to_arrays()
        >>> arrays.cost.tolist(), arrays.matrix.shape
        ([2.0, 5.0, 5.0], (2, 3))
        """
        from hemlp.optimize.exports import to_arrays

        return to_arrays(self.stage(stage))

    def to_opb(self, stage: str | None = None) -> str:
        """The program in the OPB format of pseudo-Boolean solvers.

        Parameters
        ----------
        stage
            As of ``stage``.
        """
        from hemlp.optimize.exports import to_opb

        return to_opb(self.stage(stage))

    def to_mathopt(self, stage: str | None = None) -> mathopt.Model:
        """The program as a model of OR-Tools MathOpt that can be changed and solved.

        Parameters
        ----------
        stage
            As of ``stage``.
        """
        from hemlp.optimize.exports import to_mathopt

        return to_mathopt(self.stage(stage))

    def to_latex(self, stage: str | None = None) -> str:
        """The program in LaTeX, for an equation, with every variable; ``algebra().to_latex()`` has sums.

        Parameters
        ----------
        stage
            As of ``stage``.
        """
        from hemlp.optimize.exports import to_latex

        return to_latex(self.stage(stage))
