"""Problem 2 as a model: minimal LCA graphs, a plan of programs, and extended ones, which leave no choice.

``hemlp.problems.lca.programs`` has the programs, ``hemlp.problems.lca.rules`` the rules word for word.
"""

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
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram, ProgramResult, Status
from hemlp.optimize.solver import Solver
from hemlp.problems.lca.graphs import NOTHING_FOUND, Found, LcaGraphs
from hemlp.problems.lca.greedy import greedy_graphs
from hemlp.problems.lca.links import LcaFacts, LcaInstance, LinkArrays, LinkSource
from hemlp.problems.lca.programs import GraphProgram, extended_program, lca_program, upper_bound
from hemlp.problems.lca.rules import Definitions
from hemlp.problems.lca.solution import LcaSolution

if TYPE_CHECKING:
    from hemlp.optimize.algebra import Algebra

LARGEST_PROGRAM = 150_000
"""Edges of all links of an instance: one that has more gets no program for its graphs, only bounds."""
BLOCK = 128
"""Instances whose links are found together, to be solved before the next ones are looked at."""


@dataclass(frozen=True, eq=False, repr=False)
class GraphModel(Model[LcaSolution]):
    """LCA graphs of each instance of a batch."""

    title: str
    batch: Batch
    horizon: int | None = None

    printed_sizes = range(1, 2)
    all_twins: ClassVar[bool] = False
    """Whether all nodes beyond a hub that are interchangeable are needed, or only as many as can be used."""

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> GraphModel:
        return replace(self, batch=self.batch[rows])

    @cached_property
    def facts(self) -> LcaFacts:
        """Most specific classes and eligible links of all instances."""
        return LcaFacts.of(self.batch, self.horizon, all_twins=self.all_twins)

    def link_blocks(self, named: bool = False) -> Iterator[LinkArrays]:
        """The same links, some instances at a time, which takes less memory.

        ``named``: by nodes of the hierarchy; else by numbers of each instance.
        """
        return self.link_source(named).blocks(named)

    def link_source(self, named: bool = False) -> LinkSource:
        """What finds them."""
        return LinkSource.of(self.batch, BLOCK, self.horizon, all_twins=self.all_twins, named=named)

    def label(self, node: int) -> Label | Top:
        """The label of a node, TOP for ⊤."""
        return TOP if node == len(self.batch.hierarchy) else self.batch.hierarchy.labels[node]

    # ---- the explicit programs

    def program(self) -> LinearProgram:
        """Stage "lcas"."""
        return self.stage("lcas")

    @property
    def stages(self) -> tuple[str, ...]:
        """The fewest LCAs, the best F, and the smallest graphs; extended graphs leave nothing to choose."""
        return "lcas", "ratio", "ties"

    def stage(self, name: str | None) -> LinearProgram:
        """Stage "lcas" (also by default), "ratio" at the F that is found, or "ties"; the last two solve the model.

        The graphs that are found are a solution of "ratio" with the value 0, and no other has more if they are optimal.

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
        if len(self) != 1:
            raise InvalidOption(f"programs are for one instance, this model has {len(self)}: take model[i]")
        self.check_stage(name)
        program = self._stage(self._written(name), self.solve)
        return replace(program, name=f"{program.name}; {self.stage_words(name)}")

    def _written(self, name: str | None) -> str:
        """The stage whose program stands for a stage: with an empty side there is nothing beyond the first."""
        alone = len(self) == 1 and not all(self.facts[0].classes)
        return "lcas" if name is None or alone else name

    def algebra(self, stage: str | None = None) -> Algebra:
        """In sums over LCAs, links and nodes; for any number of instances, since each has the same."""
        self.check_stage(stage)
        made = self._algebra(self._written(stage))
        which = self.stage_words(stage).removeprefix("stage ")
        return replace(made, words=[*made.words, (r"\text{stage}", which)])

    def _algebra(self, stage: str) -> Algebra:
        from hemlp.problems.lca.algebra import lca_algebra

        return lca_algebra(self.title, stage)

    @abstractmethod
    def _stage(self, name: str, solve: Callable[[], LcaSolution]) -> LinearProgram:
        """The program of a stage of the only instance; ``solve`` gives the graphs that a later stage is about."""

    # ---- solutions

    def collected(self, found: list[Found]) -> LcaSolution:
        """The solution of the batch from those of its instances."""
        return LcaSolution.of(self, found)

    def joined(self, solutions: list[LcaSolution]) -> LcaSolution:
        """Solutions of consecutive parts as one of the whole."""
        return self.collected([found for solution in solutions for found in solution.found])

    def check(self, solution: LcaSolution) -> bool:
        """True if the graphs keep all rules of Problem 2 and are counted rightly, by code that no solver uses."""
        for i in range(len(self)):
            found, place = solution.found[i], f"instance {i + 1}"
            counted = self.collected([found])
            for what in ("statuses", "sums", "lcas", "bounds"):
                if not np.array_equal(getattr(solution, what)[i], getattr(counted, what)[0]):
                    raise InvalidSolution(f"{place}: {what} are not those of its graphs")
            if found.status is Status.UNSOLVED and found.graphs is None:
                continue  # nothing is claimed
            if found.status not in (Status.OPTIMAL, Status.FEASIBLE):
                raise InvalidSolution(f"{place}: LCA graphs always exist, and it is said to be {found.status}")
            self._check_graphs(Definitions(self.batch, i, self.horizon), found, place)
            proved = found.status is Status.OPTIMAL
            if found.fewest_lcas > found.lcas or (proved and found.fewest_lcas != found.lcas):
                raise InvalidSolution(f"{place} has {found.lcas} LCAs, not {found.fewest_lcas}")
            if found.f > found.bound:
                raise InvalidSolution(f"{place}: F is {found.f}, above its bound {found.bound}")
            if proved and found.f < found.bound:
                raise InvalidSolution(f"{place}: F is {found.f}, and {found.bound} is not excluded")
        return True

    def _check_graphs(self, rules: Definitions, found: Found, place: str) -> None:
        """Raise InvalidSolution unless these are graphs of the instance. With an empty side there is no choice."""
        sides = tuple(map(frozenset, rules.sides))
        if found.graphs is not None or found.nodes != sides or found.lcas != 0:
            raise InvalidSolution(f"{place}: a side is empty, so the graphs are the nodes of the other side alone")


@dataclass(frozen=True, eq=False, repr=False)
class LcaModel(GraphModel):
    """The minimal LCA graphs."""

    needs_judge = True

    def _stage(self, name: str, solve: Callable[[], LcaSolution]) -> LinearProgram:
        instance = self.facts[0]
        if name == "lcas":
            return lca_program(instance, self.label, self.title)
        graphs = solve().found[0].graphs
        assert graphs is not None
        builder = GraphProgram(instance, self.label, self.title, len(graphs.lcas))
        return builder.ratio(graphs.f) if name == "ratio" else builder.ties(graphs.f, sum(graphs.sizes[:2]))

    def plan(self) -> Plan[LcaSolution]:
        """The stages of the only instance, one program after the other."""
        found = yield from stages(self.facts[0], self.label, self.title)
        return self.collected([found])

    def _check_graphs(self, rules: Definitions, found: Found, place: str) -> None:
        if not all(rules.sides):
            super()._check_graphs(rules, found, place)
            return
        if found.graphs is None:
            raise InvalidSolution(f"{place}: there are no graphs")
        rules.check(found.graphs, place)
        if found.nodes != (found.graphs.nodes(PRED), found.graphs.nodes(TRUE)):
            raise InvalidSolution(f"{place}: the nodes are not those of the paths")

    def confirm(self, solution: LcaSolution, reference: Callable[[], LcaSolution]) -> LcaSolution:
        """With what the search confirms of the claims."""
        found = solution.found
        claimed = any(each.status is Status.OPTIMAL and each.graphs for each in found)
        best = reference().found if claimed else [NOTHING_FOUND] * len(self)
        return self.collected([self._confirm(i, each, best[i]) for i, each in enumerate(found)])

    def _confirm(self, row: int, found: Found, best: Found) -> Found:
        """What was found, with the status and the bounds that ``best`` proves of it, if that is proved itself."""
        if found.graphs is None:
            return found
        if found.status is not Status.OPTIMAL or best.status is not Status.OPTIMAL or best.graphs is None:
            return replace(found, status=Status.FEASIBLE, fewest_lcas=1, bound=upper_bound(self.facts[row]))
        if found.graphs.order <= best.graphs.order:
            return found
        bound = best.f if found.lcas == best.lcas else upper_bound(self.facts[row])
        return replace(found, status=Status.FEASIBLE, fewest_lcas=best.lcas, bound=bound)

    def reference_plan(self) -> Plan[LcaSolution]:
        """From the definitions, word for word, and not from what the solvers use."""
        found = yield from stages(Definitions(self.batch, 0, self.horizon).instance, self.label, self.title)
        return self.collected([found])

    def verify(self, solution: LcaSolution, solver: str | Solver = "milp") -> bool:
        """True if another solver proves every claim once more, ties included; else InvalidSolution.

        Parameters
        ----------
        solution
            Of this model.
        solver
            Who proves it: a solver of programs.
        """
        return self._verify(solution, solver)

    def refute(self, solution: LcaSolution, row: int, best: LcaSolution, judge: str) -> None:
        """Ties count, too. What was not proved keeps the rules, and that is all that it claims."""
        found, other = solution.found[row], best.found[0]
        if found.status is not Status.OPTIMAL or found.graphs is None:
            return
        if other.status is not Status.OPTIMAL or other.graphs is None:
            raise InvalidSolution(f"instance {row + 1}: {judge} does not prove it")
        if other.graphs.order < found.graphs.order:
            raise InvalidSolution(
                f"instance {row + 1}: {_in_words(found.graphs)} are beaten by {_in_words(other.graphs)}, "
                f"which {judge} finds"
            )


@dataclass(frozen=True, eq=False, repr=False)
class ExtendedModel(GraphModel):
    """The extended graphs G_ex: all shortest paths of all eligible links."""

    all_twins = True

    def _algebra(self, stage: str) -> Algebra:
        from hemlp.problems.lca.algebra import extended_algebra

        return extended_algebra(self.title, stage)

    def _stage(self, name: str, solve: Callable[[], LcaSolution]) -> LinearProgram:
        f = None if name == "lcas" else self.extended(self.facts[0]).f
        return extended_program(self.facts[0], self.label, self.title, f)

    def plan(self) -> Plan[LcaSolution]:
        """Two programs, which fix all their variables: all LCAs, and all nodes. There is nothing to choose."""
        instance = self.facts[0]
        if not all(instance.classes):
            return self.collected([one_side_empty(instance)])
        lcas = yield extended_program(instance, self.label, self.title, None)
        nodes = yield extended_program(instance, self.label, self.title, Fraction(0))
        if lcas.values is None or nodes.values is None:
            return self.collected([NOTHING_FOUND])
        values = iter(nodes.values.tolist())
        predicted, true = (frozenset(v for v in sorted(side) if next(values)) for side in instance.extended)
        f = Fraction(2 * len(predicted & true), len(predicted) + len(true))
        return self.collected([Found(Status.OPTIMAL, None, (predicted, true), int(lcas.values.sum()), f)])

    @staticmethod
    def extended(instance: LcaInstance) -> Found:
        """G_ex of an instance."""
        if not all(instance.classes):
            return one_side_empty(instance)
        predicted, true = (frozenset(side) for side in instance.extended)
        f = Fraction(2 * len(predicted & true), len(predicted) + len(true))
        return Found(Status.OPTIMAL, None, (predicted, true), len(instance.lcas), f)

    def _check_graphs(self, rules: Definitions, found: Found, place: str) -> None:
        if not all(rules.sides):
            super()._check_graphs(rules, found, place)
            return
        lcas = {a for pairs in rules.eligible for _, a in pairs}
        if found.nodes != (rules.nodes(PRED), rules.nodes(TRUE)) or found.lcas != len(lcas):
            raise InvalidSolution(f"{place}: these are not the nodes of all shortest paths")

    def verify(self, solution: LcaSolution) -> bool:
        """Graphs that ``check`` passes are those that the definition says: there is nothing more to prove."""
        return self.check(solution)


def _in_words(graphs: LcaGraphs) -> str:
    predicted, true, common = graphs.sizes
    return f"{len(graphs.lcas)} LCAs with F = {graphs.f} and {predicted}, {true} and {common} common nodes"


def one_side_empty(instance: LcaInstance) -> Found:
    """Nothing to link: the classes themselves, no LCA, F = 0, or 1 where both sides are empty."""
    predicted, true = (frozenset(side) for side in instance.classes)
    return Found(Status.OPTIMAL, None, (predicted, true), 0, Fraction(not predicted and not true))


def stages(instance: LcaInstance, label: Callable[[int], Label | Top], title: str) -> Plan[Found]:
    """Problem 2 of one instance: fewest LCAs, then the best F (Dinkelbach), then the ties.

    Where a limit ends a program, the best that is known is the result: greedy paths over the fewest LCAs that are
    known to be enough, or better graphs from a program. A program that is given up leaves the instance unsolved.
    """
    if not all(instance.classes):
        return one_side_empty(instance)
    best, by = greedy_graphs(instance), "greedy"
    fewest = yield lca_program(instance, label, title)
    if _given_up(fewest):
        return NOTHING_FOUND
    if fewest.values is not None:
        enough = [a for a, chosen in zip(instance.lcas, fewest.values, strict=True) if chosen > 0.5]
        if len(enough) < len(best.lcas):
            best = greedy_graphs(instance, enough)
    if fewest.status is not Status.OPTIMAL:
        least = 1 if not math.isfinite(fewest.bound) else max(1, math.ceil(fewest.bound - 1e-6))
        return Found.of(best, Status.FEASIBLE, min(least, len(best.lcas)), upper_bound(instance), by)
    lcas = len(best.lcas)
    if instance.edge_count > LARGEST_PROGRAM:
        return Found.of(best, Status.FEASIBLE, lcas, upper_bound(instance), by)
    builder = GraphProgram(instance, label, title, lcas)
    while True:
        f = best.f
        result = yield builder.ratio(f)
        if _given_up(result):
            return NOTHING_FOUND
        best, by = _better(builder, result, best, by)
        # the objective is an integer, so a bound below 1 proves that no F is better
        solved = result.status is Status.OPTIMAL or result.bound < 1 - 1e-6
        if not solved or (best.f == f and result.bound >= 1):
            return Found.of(best, Status.FEASIBLE, lcas, _bound(instance, result, f), by)
        if best.f == f:
            break
    result = yield builder.ties(best.f, sum(best.sizes[:2]))
    if _given_up(result):
        return NOTHING_FOUND
    best, by = _better(builder, result, best, by)
    proved = result.status is Status.OPTIMAL
    return Found.of(best, Status.OPTIMAL if proved else Status.FEASIBLE, lcas, None, by)


def _given_up(result: ProgramResult) -> bool:
    """Whether a program was left without a solution, and not because of a limit."""
    return result.values is None and not result.limited


def _better(builder: GraphProgram, result: ProgramResult, best: LcaGraphs, by: str) -> tuple[LcaGraphs, str]:
    """The graphs of a result, of the solver that was asked, unless those that are known are better; and whose."""
    if result.values is None or best.order < (graphs := builder.read(result.values)).order:
        return best, by
    return graphs, ""


def _bound(instance: LcaInstance, result: ProgramResult, f: Fraction) -> Fraction:
    """2q·C − p·S ≤ B for all solutions, so F = 2C/S ≤ p/q + B/(q·S), and S is at least the number of classes."""
    least = sum(map(len, instance.classes))
    if not math.isfinite(result.bound):
        return upper_bound(instance)
    room = Fraction(math.floor(result.bound + 1e-6), f.denominator * least)
    return min(upper_bound(instance), f + max(room, Fraction(0)))
