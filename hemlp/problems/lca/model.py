"""Problem 2 as models: minimal LCA graphs by a plan of programs, and extended graphs, which leave no choice."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.hierarchy.labels import TOP, Label, Top
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan, Solver
from hemlp.optimize.program import LinearProgram, ProgramResult, Status
from hemlp.problems.lca.graphs import NO_SOLUTION, InstanceSolution, LcaGraphs, greedy_graphs
from hemlp.problems.lca.links import LcaFacts, LcaInstance, LinkArrays, LinkSource
from hemlp.problems.lca.programs import GraphProgram, extended_program, lca_program, upper_bound
from hemlp.problems.lca.rules import Definitions
from hemlp.problems.lca.solution import LcaSolution

if TYPE_CHECKING:
    from hemlp.optimize.exports import Algebra

LARGEST_PROGRAM = 150_000
"""The most edges of all links of an instance: one with more gets no program for its graphs, only bounds."""
BLOCK = 128
"""Instances whose links are found and solved together."""


@dataclass(frozen=True, eq=False, repr=False)
class GraphModel(Model[LcaSolution]):
    """LCA graphs of each instance of a batch."""

    title: str
    batch: Batch
    horizon: int | None = None

    printed_sizes = range(1, 2)
    all_twins: ClassVar[bool] = False
    """Whether all interchangeable nodes beyond a hub are needed, or only as many as can be used."""

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> GraphModel:
        return replace(self, batch=self.batch[rows])

    @cached_property
    def facts(self) -> LcaFacts:
        """The most specific classes and eligible links of all instances."""
        return LcaFacts.of(self.batch, self.horizon, all_twins=self.all_twins)

    def link_blocks(self, named: bool = False) -> Iterator[LinkArrays]:
        """The same links in blocks, which takes less memory, by nodes if ``named``, else by local numbers."""
        return self.link_source(named).blocks(named)

    def link_source(self, named: bool = False) -> LinkSource:
        """The finder of the links."""
        return LinkSource.of(self.batch, BLOCK, self.horizon, all_twins=self.all_twins, named=named)

    def label(self, node: int) -> Label | Top:
        """The label of a node, TOP for ⊤."""
        return TOP if node == len(self.batch.hierarchy) else self.batch.hierarchy.labels[node]

    # ---- the explicit programs

    def program(self, stage: str | None = None, incumbent: InstanceSolution | None = None) -> LinearProgram:
        """The program of a stage, "lcas" by default; "ratio" and "ties" start from the graphs of ``incumbent``."""
        if len(self) != 1:
            raise InvalidOption(f"programs are for one instance, this model has {len(self)}: take model[i]")
        self.check_stage(stage)
        program = self._program(self._program_stage(stage), incumbent)
        return replace(program, name=f"{program.name}; {self.stage_words(stage)}")

    @property
    def stages(self) -> tuple[str, ...]:
        """The fewest LCAs, the best F, and the smallest graphs."""
        return "lcas", "ratio", "ties"

    def stage(self, name: str | None) -> LinearProgram:
        """The program of stage "lcas" (the default), "ratio" or "ties"; for the last two the model is solved first.

        The graphs of that solution have the value 0 in "ratio", which is the optimum if they are optimal.

        Parameters
        ----------
        name
            The stage.

        Examples
        --------
        >>> from hemlp import Hierarchy, measure
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> print(measure("F_LCA").model(h, ["sheep"], ["cow"]).stage("lcas"))
        minimize  [LCA animal]
        subject to
          1 ≤ [LCA animal]    (predicted cow)
          1 ≤ [LCA animal]    (true sheep)
        with integers 0 ≤ each ≤ 1
        """
        self.check_stage(name)
        later = len(self) == 1 and self._program_stage(name) != "lcas"
        return self.program(name, self.solve().by_instance[0] if later else None)

    def _program_stage(self, name: str | None) -> str:
        """The stage whose program is written: with an empty side always the first."""
        alone = len(self) == 1 and not all(self.facts[0].classes)
        return "lcas" if name is None or alone else name

    def algebra(self, stage: str | None = None) -> Algebra:
        """The program of a stage in sums over LCAs, links and nodes, the same for every instance."""
        self.check_stage(stage)
        algebra = self._algebra(self._program_stage(stage))
        which = self.stage_words(stage).removeprefix("stage ")
        return replace(algebra, words=[*algebra.words, (r"\text{stage}", which)])

    def _algebra(self, stage: str) -> Algebra:
        from hemlp.problems.lca.algebra import lca_algebra

        return lca_algebra(self.title, stage)

    @abstractmethod
    def _program(self, stage: str, incumbent: InstanceSolution | None) -> LinearProgram:
        """The program of a stage of the only instance."""

    # ---- solutions

    def joined(self, solutions: list[LcaSolution]) -> LcaSolution:
        """Solutions of consecutive parts as one of the whole."""
        return LcaSolution.of(self, [each for solution in solutions for each in solution.by_instance])

    def check(self, solution: LcaSolution) -> bool:
        """True if the graphs keep all rules of Problem 2 and are counted rightly; shares no code with solvers."""
        for i in range(len(self)):
            one, place = solution.by_instance[i], f"instance {i + 1}"
            counted = LcaSolution.of(self, [one])
            for what in ("statuses", "sums", "lcas", "bounds"):
                if not np.array_equal(getattr(solution, what)[i], getattr(counted, what)[0]):
                    raise InvalidSolution(f"{place}: {what} are not those of its graphs")
            if one.status is Status.UNSOLVED and one.graphs is None:
                continue  # nothing is claimed
            if one.status not in (Status.OPTIMAL, Status.FEASIBLE):
                raise InvalidSolution(f"{place}: LCA graphs always exist, and it is said to be {one.status}")
            rules = Definitions(self.batch, i, self.horizon)
            if all(rules.sides):
                self._check_graphs(rules, one, place)
            elif one.graphs is not None or one.nodes != tuple(map(frozenset, rules.sides)) or one.lcas != 0:
                raise InvalidSolution(f"{place}: a side is empty, so the graphs are the nodes of the other side alone")
            proved = one.status is Status.OPTIMAL
            if one.fewest_lcas > one.lcas or (proved and one.fewest_lcas != one.lcas):
                raise InvalidSolution(f"{place} has {one.lcas} LCAs, not {one.fewest_lcas}")
            if one.f > one.bound:
                raise InvalidSolution(f"{place}: F is {one.f}, above its bound {one.bound}")
            if proved and one.f < one.bound:
                raise InvalidSolution(f"{place}: F is {one.f}, and {one.bound} is not excluded")
        return True

    @abstractmethod
    def _check_graphs(self, rules: Definitions, solution: InstanceSolution, place: str) -> None:
        """Raise InvalidSolution unless these are graphs of the instance, whose sides are not empty."""


@dataclass(frozen=True, eq=False, repr=False)
class LcaModel(GraphModel):
    """The minimal LCA graphs."""

    needs_judge = True

    def _program(self, stage: str, incumbent: InstanceSolution | None) -> LinearProgram:
        instance = self.facts[0]
        if stage == "lcas":
            return lca_program(instance, self.label, self.title)
        if incumbent is None or incumbent.graphs is None:
            raise InvalidOption(f"the program of stage {stage} needs an incumbent: call model.stage({stage!r})")
        graphs = incumbent.graphs
        builder = GraphProgram(instance, self.label, self.title, len(graphs.lcas))
        return builder.ratio(graphs.f) if stage == "ratio" else builder.ties(graphs.f, sum(graphs.sizes[:2]))

    def plan(self) -> Plan[LcaSolution]:
        """The stages of the only instance, one program after the other."""
        optimum = yield from stages(self.facts[0], self.label, self.title)
        return LcaSolution.of(self, [optimum])

    def _check_graphs(self, rules: Definitions, solution: InstanceSolution, place: str) -> None:
        if solution.graphs is None:
            raise InvalidSolution(f"{place}: there are no graphs")
        rules.check(solution.graphs, place)
        if solution.nodes != (solution.graphs.nodes(PRED), solution.graphs.nodes(TRUE)):
            raise InvalidSolution(f"{place}: the nodes are not those of the paths")

    def confirm(self, solution: LcaSolution, reference: Callable[[], LcaSolution]) -> LcaSolution:
        """The solution with its claims lowered to what the optimum of ``reference`` proves."""
        claims = solution.by_instance
        claimed = any(each.status is Status.OPTIMAL and each.graphs for each in claims)
        best = reference().by_instance if claimed else [NO_SOLUTION] * len(self)
        return LcaSolution.of(self, [self._confirm(i, each, best[i]) for i, each in enumerate(claims)])

    def _confirm(self, row: int, claim: InstanceSolution, best: InstanceSolution) -> InstanceSolution:
        """The claim with the status and bounds that ``best`` proves, if that is proved itself."""
        if claim.graphs is None:
            return claim
        if claim.status is not Status.OPTIMAL or best.status is not Status.OPTIMAL or best.graphs is None:
            return replace(claim, status=Status.FEASIBLE, fewest_lcas=1, bound=upper_bound(self.facts[row]))
        if claim.graphs.order <= best.graphs.order:
            return claim
        bound = best.f if claim.lcas == best.lcas else upper_bound(self.facts[row])
        return replace(claim, status=Status.FEASIBLE, fewest_lcas=best.lcas, bound=bound)

    def reference_plan(self) -> Plan[LcaSolution]:
        """The same stages from the definitions, word for word: no code is shared with solvers."""
        optimum = yield from stages(Definitions(self.batch, 0, self.horizon).instance, self.label, self.title)
        return LcaSolution.of(self, [optimum])

    def verify(self, solution: LcaSolution, solver: str | Solver = "milp") -> bool:
        """True if another solver proves every claim again, ties included; else InvalidSolution.

        Parameters
        ----------
        solution
            Of this model.
        solver
            A solver of programs that proves it.
        """
        return self._verify(solution, solver)

    def refute(self, solution: LcaSolution, row: int, best: LcaSolution, judge: str) -> None:
        """Raise InvalidSolution if ``best`` beats a proved solution, ties included, or is not proved itself."""
        claim, other = solution.by_instance[row], best.by_instance[0]
        if claim.status is not Status.OPTIMAL or claim.graphs is None:
            return
        if other.status is not Status.OPTIMAL or other.graphs is None:
            raise InvalidSolution(f"instance {row + 1}: {judge} does not prove it")
        if other.graphs.order < claim.graphs.order:
            raise InvalidSolution(
                f"instance {row + 1}: {_describe(claim.graphs)} are beaten by {_describe(other.graphs)}, "
                f"which {judge} finds"
            )


@dataclass(frozen=True, eq=False, repr=False)
class ExtendedModel(GraphModel):
    """The extended graphs G_ex: all shortest paths of all eligible links."""

    all_twins = True

    def _algebra(self, stage: str) -> Algebra:
        from hemlp.problems.lca.algebra import extended_algebra

        return extended_algebra(self.title, stage)

    def _program(self, stage: str, incumbent: InstanceSolution | None) -> LinearProgram:
        f = None if stage == "lcas" else self.extended(self.facts[0]).f
        return extended_program(self.facts[0], self.label, self.title, f)

    def plan(self) -> Plan[LcaSolution]:
        """Two programs with all variables fixed: all LCAs, and all nodes."""
        instance = self.facts[0]
        if not all(instance.classes):
            return LcaSolution.of(self, [InstanceSolution.fixed(*instance.classes)])
        lcas = yield extended_program(instance, self.label, self.title, None)
        nodes = yield extended_program(instance, self.label, self.title, Fraction(0))
        if lcas.values is None or nodes.values is None:
            return LcaSolution.of(self, [NO_SOLUTION])
        values = iter(nodes.values.tolist())
        predicted, true = (frozenset(v for v in sorted(side) if next(values)) for side in instance.extended)
        return LcaSolution.of(self, [InstanceSolution.fixed(predicted, true, int(lcas.values.sum()))])

    @staticmethod
    def extended(instance: LcaInstance) -> InstanceSolution:
        """G_ex of an instance."""
        if not all(instance.classes):
            return InstanceSolution.fixed(*instance.classes)
        return InstanceSolution.fixed(*instance.extended, len(instance.lcas))

    def _check_graphs(self, rules: Definitions, solution: InstanceSolution, place: str) -> None:
        lcas = {a for pairs in rules.eligible for _, a in pairs}
        if solution.nodes != (rules.nodes(PRED), rules.nodes(TRUE)) or solution.lcas != len(lcas):
            raise InvalidSolution(f"{place}: these are not the nodes of all shortest paths")

    def verify(self, solution: LcaSolution) -> bool:
        """True if ``check`` passes: G_ex leaves no choice, so there is nothing more to prove."""
        return self.check(solution)


def _describe(graphs: LcaGraphs) -> str:
    predicted, true, common = graphs.sizes
    return f"{len(graphs.lcas)} LCAs with F = {graphs.f} and {predicted}, {true} and {common} common nodes"


def stages(instance: LcaInstance, label: Callable[[int], Label | Top], title: str) -> Plan[InstanceSolution]:
    """Solve one instance: fewest LCAs, then the best F (Dinkelbach), then the ties.

    If a limit ends a program, the incumbent is the result: greedy paths over the fewest LCAs known to suffice, or
    better graphs from a program. A program without a solution or a limit leaves the instance unsolved.
    """
    if not all(instance.classes):
        return InstanceSolution.fixed(*instance.classes)
    incumbent, by = greedy_graphs(instance), "greedy"
    fewest = yield lca_program(instance, label, title)
    if _lacks_solution(fewest):
        return NO_SOLUTION
    if fewest.values is not None:
        enough = [a for a, chosen in zip(instance.lcas, fewest.values, strict=True) if chosen > 0.5]
        if len(enough) < len(incumbent.lcas):
            incumbent = greedy_graphs(instance, enough)
    if fewest.status is not Status.OPTIMAL:
        least = 1 if not math.isfinite(fewest.bound) else max(1, math.ceil(fewest.bound - 1e-6))
        least = min(least, len(incumbent.lcas))
        return InstanceSolution.of(incumbent, Status.FEASIBLE, least, upper_bound(instance), by)
    lcas = len(incumbent.lcas)
    if instance.edge_count > LARGEST_PROGRAM:
        return InstanceSolution.of(incumbent, Status.FEASIBLE, lcas, upper_bound(instance), by)
    builder = GraphProgram(instance, label, title, lcas)
    while True:
        f = incumbent.f
        result = yield builder.ratio(f)
        if _lacks_solution(result):
            return NO_SOLUTION
        incumbent, by = _better(builder, result, incumbent, by)
        # the objective is an integer, so a bound below 1 proves that no F is better
        solved = result.status is Status.OPTIMAL or result.bound < 1 - 1e-6
        if not solved or (incumbent.f == f and result.bound >= 1):
            return InstanceSolution.of(incumbent, Status.FEASIBLE, lcas, _bound(instance, result, f), by)
        if incumbent.f == f:
            break
    result = yield builder.ties(incumbent.f, sum(incumbent.sizes[:2]))
    if _lacks_solution(result):
        return NO_SOLUTION
    incumbent, by = _better(builder, result, incumbent, by)
    proved = result.status is Status.OPTIMAL
    return InstanceSolution.of(incumbent, Status.OPTIMAL if proved else Status.FEASIBLE, lcas, None, by)


def _lacks_solution(result: ProgramResult) -> bool:
    """Whether a program has no solution, and not because of a limit."""
    return result.values is None and not result.limited


def _better(builder: GraphProgram, result: ProgramResult, incumbent: LcaGraphs, by: str) -> tuple[LcaGraphs, str]:
    """The graphs of a result unless the incumbent is better, and their solver ("" for the one that was asked)."""
    if result.values is None or incumbent.order < (graphs := builder.read(result.values)).order:
        return incumbent, by
    return graphs, ""


def _bound(instance: LcaInstance, result: ProgramResult, f: Fraction) -> Fraction:
    """A bound on F: 2q·C − p·S ≤ B, so F = 2C/S ≤ p/q + B/(q·S), and S is at least the number of classes."""
    least = sum(map(len, instance.classes))
    if not math.isfinite(result.bound):
        return upper_bound(instance)
    room = Fraction(math.floor(result.bound + 1e-6), f.denominator * least)
    return min(upper_bound(instance), f + max(room, Fraction(0)))
