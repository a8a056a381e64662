"""What all models have in common: they hold the data of a batch, are a plan of programs, are written down and checked.

A model never solves itself. ``plan()`` is a generator: it yields a program, is sent its result, yields perhaps another,
and returns the solution. Any solver of linear programs solves any model by carrying out its plan; a fast path is a
solver that reads the data of the models that it knows. ``certify`` proves what a solver found, or lowers its status to
what is proved.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.errors import HemlpError, InfeasibleModel, InvalidOption, InvalidSolution, UnsolvedModel
from hemlp.hierarchy.labels import Label
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, Status
from hemlp.optimize.provenance import Claim
from hemlp.optimize.solution_display import ShownSolution, signed
from hemlp.optimize.stages import Staged
from hemlp.solvers.registry import Solver, find_solver
from hemlp.text.display import HtmlDisplay, lines
from hemlp.text.phrases import plural

if TYPE_CHECKING:
    import pulp

    from hemlp.optimize.algebra import Algebra


class Solution(Protocol):
    """What is found for each instance of a model: at least a status (positions in ``STATUSES``)."""

    @property
    def statuses(self) -> NDArray[np.int8]:
        """The status of each instance."""


S = TypeVar("S", bound=Solution)


class Model(Staged, HtmlDisplay, Generic[S]):
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

    together: ClassVar[bool] = True
    """Whether a plan can be about several instances, side by side in one program."""
    work_limit: ClassVar[float | None] = None
    """How much work a solver does for one instance where no time limit is given, in its own deterministic unit."""
    usual_solver: str | None = None
    """Who solves it unless somebody else is asked; None for the first solver that accepts it."""
    rounds: ClassVar[tuple[str, str] | None] = None
    """Who solves what is easy and leaves the rest unsolved, and who solves that; None where everything is easy."""
    usual_time_limit: float | None = None
    """In how many seconds an instance, unless another limit is given."""

    @abstractmethod
    def __len__(self) -> int:
        """How many instances."""

    @abstractmethod
    def __getitem__(self, rows: int | slice) -> Model[S]:
        """The model of one instance or of some."""

    @abstractmethod
    def program(self) -> LinearProgram:
        """The explicit integer program, or the first of several; instances stand side by side in it."""

    @abstractmethod
    def plan(self) -> Plan[S]:
        """The programs that solve this model, and the solution."""

    @abstractmethod
    def joined(self, solutions: list[S]) -> S:
        """Solutions of consecutive parts as one of the whole."""

    @abstractmethod
    def check(self, solution: S) -> bool:
        """True if the solution keeps every constraint and has the objective that it claims; else InvalidSolution."""

    @abstractmethod
    def verify(self, solution: S) -> bool:
        """True if each claim is proved again, by means that do not depend on its solver; else InvalidSolution."""

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
            f"instance {number} was not solved: {who or 'its solver'} reached a limit or failed", number
        )

    def certify(self, solution: S, claim: Claim) -> S:
        """The solution with every claim proved, or lowered to what is proved; InvalidSolution if it breaks a rule.

        Unless a child has a better proof: compiled code of ours is trusted, what others claim is verified.
        """
        if not claim.compiled:
            self.verify(solution)
        return signed(solution, claim, claim.name if claim.compiled else "verify")

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
        time_limit = self.usual_time_limit if time_limit is None else time_limit
        chosen = find_solver(self, self.usual_solver if solver is None else solver)
        claim = Claim(chosen, solver is not None, time_limit)
        solution: S = chosen.solve(self, time_limit)
        if not hasattr(solution, "statuses"):
            raise InvalidSolution(f"the solver {claim.name!r} returned {type(solution).__name__}, not a solution")
        if verify and not claim.ours:
            self.verify(solution)
        solution = self.certify(solution, claim)
        if verify:
            self.verify(solution)
        return solution

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
            Made by ``to_pulp`` of this model.

        Raises
        ------
        InvalidSolution
            If it was not solved, or breaks a rule of this model.
        """
        from hemlp.optimize.side_constraints import read_pulp

        found: S = read_pulp(self, problem)
        return found

    def variable(self, predicted: Label | None, true: Label | None) -> str:
        """The name of a pair's variable in a pairing or transport of one instance, for rows and costs of your own.

        Parameters
        ----------
        predicted, true
            The labels of the two classes; None for a default class.

        Raises
        ------
        InvalidOption
            If the instance has no such class, or the model no such pair.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> model = measure("GIE").model(h, true=["sheep"], pred=["cow"])
        >>> model.variable("cow", "sheep"), model.variable("cow", None)
        ('x_0_0', 'u_0')
        """
        from hemlp.optimize.side_constraints import variable

        return variable(self, predicted, true)

    def with_rows(self, *rows: str) -> Model[S]:
        """This pairing or transport of one instance with further rows, which solvers of programs take.

        Parameters
        ----------
        rows
            As in LP files, perhaps with a name or as a range: "x_0_0 + x_0_1 <= 1", "budget: 1 <= x_0_0 + x_0_1 <= 2".
            ``variable("cow", "sheep")`` is the name of a pair's variable.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> model = measure("GIE").model(h, true=["sheep"], pred=["cow"])
        >>> measure("GIE").evaluate(model, model.with_rows("u_0 = 1").solve())
        10.0
        """
        from hemlp.optimize.side_constraints import with_rows

        return with_rows(self, rows)

    def with_costs(self, costs: Mapping[str, float]) -> Model[S]:
        """This pairing or transport with other costs of some variables.

        Parameters
        ----------
        costs
            By the names of variables: {"x_0_0": 3}, {model.variable("cow", "sheep"): 3}.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> measure("GIE").model(h, true=["sheep"], pred=["cow"]).with_costs({"x_0_0": 3}).solve().objective
        3.0
        """
        from hemlp.optimize.side_constraints import with_costs

        changed: Model[S] = with_costs(self, costs)
        return changed

    def __str__(self) -> str:
        if len(self) > 3 or (not self.together and len(self) != 1):
            return f"{type(self).__name__} of {len(self):,} instances; print model[i] for one of them"
        return "\n".join(filter(None, (self.stage_words(None), str(self.program()))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({getattr(self, 'title', '')}: {plural(len(self), 'instance')})"

    def _html_parts(self) -> Iterator[str]:
        if len(self) == 1:
            yield lines(str(self))
