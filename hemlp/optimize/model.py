"""Models: the data of a batch, a plan of programs, and checks of solutions.

A model never solves itself. ``plan()`` is a generator: it yields a program, is sent its result, yields perhaps another,
and returns the solution. Any solver of linear programs solves any model by running its plan; a fast path is a solver
that reads the data of the models that it knows.

Some methods are short forms: ``model.to_lp(stage)`` is ``model.stage(stage).to_lp()``, as are all exports of
``LinearProgram``; ``model.solve()`` and ``model.verify(solution)`` are those of ``hemlp.solvers.registry``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.errors import HemlpError, InfeasibleModel, InvalidOption, InvalidSolution, UnsolvedModel
from hemlp.hierarchy.labels import Label
from hemlp.optimize.expressions import PairVariables
from hemlp.optimize.plan import Plan, Solver
from hemlp.optimize.program import LinearProgram, Status
from hemlp.optimize.solutions import Claim, ShownSolution, sign
from hemlp.text.display import HtmlDisplay, lines
from hemlp.text.tables import plural

if TYPE_CHECKING:
    import pulp

    from hemlp.optimize.exports import Algebra
    from hemlp.optimize.expressions import Constraint


class Solution(Protocol):
    """What a solver returns for the instances of a model: at least the code of a ``Status`` for each."""

    @property
    def statuses(self) -> NDArray[np.int8]:
        """The status of each instance."""


S = TypeVar("S", bound=Solution)
T_co = TypeVar("T_co", covariant=True)


class StageExport(Protocol[T_co]):
    """An export of the program of a stage."""

    def __call__(self, stage: str | None = None) -> T_co:
        """Of the only stage, or the first, where none is named."""


def _of_stage(export: Callable[[LinearProgram], T_co]) -> StageExport[T_co]:
    """An export of programs as a method of models."""

    def method(self: Model[Any], stage: str | None = None) -> T_co:
        return export(self.stage(stage))

    method.__name__, method.__qualname__ = export.__name__, f"Model.{export.__name__}"
    method.__doc__ = (
        f"{export.__doc__}\n\n        Parameters\n        ----------\n        stage\n            As of ``stage``."
    )
    made: Any = method
    return made  # type: ignore[no-any-return]


class Model(HtmlDisplay, ABC, Generic[S]):
    """The optimization problems of a batch of instances; ``S`` is the type of its solutions.

    Examples
    --------
    >>> from hemlp import Hierarchy, measure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> model = measure("F_H").model(h, ["sheep"], ["cow"])
    >>> solution = model.solve("milp")
    >>> solution.objective, model.check(solution)
    (4.0, True)
    """

    printed_sizes: ClassVar[range] = range(4)
    """How many instances a model may have whose whole program is printed."""
    needs_judge: ClassVar[bool] = False
    """Whether optimality has no short proof, so that a claim is compared with the optimum of another solver."""

    @abstractmethod
    def __len__(self) -> int:
        """How many instances."""

    @abstractmethod
    def __getitem__(self, rows: int | slice) -> Model[S]:
        """The model of one instance or of some."""

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

    @abstractmethod
    def plan(self) -> Plan[S]:
        """The programs that solve this model, and the solution."""

    @abstractmethod
    def joined(self, solutions: list[S]) -> S:
        """Solutions of consecutive parts as one of the whole."""

    @abstractmethod
    def check(self, solution: S) -> bool:
        """True if the solution keeps every constraint and has the objective that it claims; else InvalidSolution."""

    @property
    def cost_values(self) -> FloatArray:
        """Costs of the programs that may not be integers."""
        return np.empty(0)

    @property
    def greatest_value(self) -> float:
        """How great variables may become, where that is much: not every solver tells such integers apart."""
        return 0.0

    def infeasibility(self, row: int, number: int) -> InfeasibleModel:
        """Why instance ``row``, ``number`` to the reader, has no solution, if a child knows."""
        return InfeasibleModel(f"instance {number} has no solution", number)

    def failure(self, solution: S, row: int, number: int) -> HemlpError:
        """The error of an instance that has no solution or was not solved."""
        if solution.statuses[row] == Status.INFEASIBLE:
            return self.infeasibility(row, number)
        who = solution.provenance.found if isinstance(solution, ShownSolution) else ""
        return UnsolvedModel(
            f"instance {number} was not solved: {who or 'its solver'} reached a limit or failed; more time "
            "(time_limit) or another solver may help",
            number,
        )

    to_lp = _of_stage(LinearProgram.to_lp)
    to_mps = _of_stage(LinearProgram.to_mps)
    to_pulp = _of_stage(LinearProgram.to_pulp)
    to_arrays = _of_stage(LinearProgram.to_arrays)
    to_opb = _of_stage(LinearProgram.to_opb)
    to_mathopt = _of_stage(LinearProgram.to_mathopt)
    to_latex = _of_stage(LinearProgram.to_latex)

    def solve(self, solver: str | Solver | None = None, time_limit: float | None = None, *, verify: bool = False) -> S:
        """Solve with the named solver, a solver object, or by default the first that accepts the model.

        Its solution is certified, never solved again; ``found_by`` and ``proved_by`` say who did what. One that costs
        too much is feasible, and ``bounds`` has the least cost; one that is off by rounding is improved exactly, and
        ``found_by`` ends with "+improvement".

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

    # ---- proofs

    def certify(self, solution: S, claim: Claim) -> S:
        """The solution with every claim proved, or lowered to what is proved; InvalidSolution if it breaks a rule.

        Unless a child has a better proof: compiled code of ours is trusted, what others claim is verified.
        """
        if claim.ours and not hasattr(claim.solver, "solve_program"):
            return sign(solution, claim, claim.solver.name)
        self.verify(solution)
        return sign(solution, claim, "verify")

    def confirm(self, solution: S, reference: Callable[[], S]) -> S:
        """The solution with its claims lowered to what the optimum of a judge proves, where a model needs one."""
        raise NotImplementedError

    def reference_plan(self) -> Plan[S]:
        """The plan by which a judge proves the solution of one instance."""
        return self.plan()

    def refute(self, solution: S, row: int, best: S, judge: str) -> None:
        """Raise InvalidSolution if the optimum ``best`` that a judge found is not what the solution of a row claims."""
        raise NotImplementedError

    def algebra(self, stage: str | None = None) -> Algebra:
        """The program in sums over classes, with the rules by their names in the paper; ``to_latex()`` of it is LaTeX.

        Parameters
        ----------
        stage
            As of ``stage``.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> print(measure("GIE").model(h, ["sheep"], ["cow"]).algebra())
        min  Σ_i,j κ_ij x_ij + 5 Σ_i u_i + 5 Σ_j v_j
        s.t.
        (ii)   Σ_j x_ij + u_i = 1    for each predicted class i
        (iii)  Σ_i x_ij + v_j = 1    for each true class j
        (i)    x_ij ∈ {0, 1}, 0 ≤ u_i ≤ 1, 0 ≤ v_j ≤ 1    integers
        κ_ij: what it costs to pair i with j; where that is infinite there is no x_ij
        u, v: pairs with a default class
        """
        raise InvalidOption(f"{type(self).__name__} is not known as algebra; print it, or write it by to_lp()")

    def read_pulp(self, problem: pulp.LpProblem) -> S:
        """The solution of a pairing or transport that a solved problem of ``to_pulp`` holds, changed or not.

        Its status is feasible: whether it is optimal here, too, is not known.

        Parameters
        ----------
        problem
            Made by ``to_pulp`` of this model; InvalidSolution if it is not solved, or breaks a rule.
        """
        if not hasattr(self, "values"):
            raise InvalidOption(f"pairings and transports are read from PuLP, not {type(self).__name__}")
        result = import_module("hemlp.solvers.pulp").read(self.program(), problem)
        if result.values is None:
            raise InvalidSolution("the PuLP problem holds no solution: solve it first")
        pairing: Any = self
        solution: S = pairing.solution(result)
        self.check(solution)
        return solution

    def variable(self, predicted: Label | None, true: Label | None) -> str:
        """The name of a pair's variable in a pairing or transport of one instance, for rows and costs of your own.

        Parameters
        ----------
        predicted, true
            The labels of the two classes; None for a default class.
        """
        return self.x.variable(predicted, true)

    @property
    def x(self) -> PairVariables:
        """The variables of the pairs of one instance, for constraints: ``model.x["cow", "sheep"]``.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> x = measure("GIE").model(h, true=["sheep"], pred=["cow"]).x
        >>> print(x["cow", :].sum() + x["cow", None] <= 1)
        x_0_0 + u_0 <= 1
        """
        return PairVariables(self)

    def with_constraints(self, *constraints: Constraint | Callable[[Any], Iterable[Constraint]]) -> Model[S]:
        """This pairing or transport with further constraints, which solvers of programs take.

        Parameters
        ----------
        constraints
            Over ``model.x`` of a model of one instance: ``x["cow", "sheep"] + x["cow", :].sum() <= 1``,
            ``e.between(1, 2).named("budget")``; or functions that make them from the model of each instance.

        """
        from hemlp.optimize.side_constraints import with_constraints

        return with_constraints(self, constraints)

    with_rows = with_constraints

    def with_costs(self, costs: Mapping[str, float]) -> Model[S]:
        """This pairing or transport with other costs of some variables.

        Parameters
        ----------
        costs
            By the names of variables: {"x_0_0": 3}, {model.variable("cow", "sheep"): 3}.
        """
        raise InvalidOption(f"costs can be changed in pairings and transports, not in {type(self).__name__}")

    def __str__(self) -> str:
        if len(self) not in self.printed_sizes:
            return f"{type(self).__name__} of {len(self):,} instances; print model[i] for one of them"
        return "\n".join(filter(None, (self.stage_words(None), str(self.program()))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getattr(self, 'title', '')}: {plural(len(self), 'instance')})"

    def _html_parts(self) -> Iterator[str]:
        if len(self) == 1:
            yield lines(str(self))
