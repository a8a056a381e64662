"""Problem 2 as a model: a plan of programs, limits, fallback, solutions and their check.

``hemlp.lca_graph`` has the programs, ``hemlp.lca_check`` the rules word for word.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.deadline import Budget
from hemlp.edges import FloatArray, IntArray
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.labels import Batch
from hemlp.lca import PRED, TRUE, LcaFacts, LcaInstance, node_label
from hemlp.lca_check import Definitions
from hemlp.lca_graph import GraphProgram, LcaGraphs, extended_program, lca_program, upper_bound
from hemlp.lca_greedy import Greedy, PathFinder
from hemlp.model import Model, Plan, carried_out
from hemlp.program import STATUSES, LinearProgram, ProgramResult, Status
from hemlp.solvers import Solver, named_solver
from hemlp.vocabulary import Label, Top

WORK_LIMIT = 30.0
"""Default limit of the programs of one instance together, in CP-SAT's deterministic seconds."""
SEARCH_LIMIT = 1_000_000
"""Combinations that the compiled search tries, over all sets of LCAs, before it leaves an instance to the programs."""
LARGEST_PROGRAM = 150_000
"""Edges of all links of an instance: one that has more gets no program for its graphs, only bounds."""
SolveProgram = Callable[[LinearProgram, float | None, float | None], ProgramResult]


@dataclass(frozen=True)
class Found:
    """The solution of one instance: graphs, or only their node sets (G_ex), and what is proved about |Z| and F."""

    status: Status
    graphs: LcaGraphs | None
    nodes: tuple[frozenset[int], frozenset[int]]
    fewest_lcas: int
    bound: Fraction

    @classmethod
    def of(cls, graphs: LcaGraphs, status: Status, fewest_lcas: int, bound: Fraction | None = None) -> Found:
        """Proved to be the best unless a larger ``bound`` of F says what else is possible."""
        nodes = graphs.nodes(PRED), graphs.nodes(TRUE)
        return cls(status, graphs, nodes, fewest_lcas, graphs.f if bound is None else bound)

    @property
    def f(self) -> Fraction:
        """F_LCA, exactly; 1 where both sides are empty."""
        predicted, true = self.nodes
        both = len(predicted) + len(true)
        return Fraction(2 * len(predicted & true), both) if both else Fraction(1)

    @property
    def lcas(self) -> int:
        """|Z|."""
        return len(self.graphs.lcas) if self.graphs else self.fewest_lcas


@dataclass(frozen=True, eq=False)
class LcaModel(Model["LcaSolution"]):
    """The minimal LCA graphs of each instance of a batch.

    ``method``: "exact", "greedy" (Algorithm 1) or "extended" (G_ex). ``time_limit`` is in seconds for an instance,
    ``work_limit`` in the solver's deterministic unit, where it has one, for all its programs. A ``search_limit`` of
    0 merges like partial choices from the start, one below 0 leaves everything to the programs.
    """

    title: str
    batch: Batch
    horizon: int | None = None
    method: str = "exact"
    time_limit: float | None = None
    work_limit: float | None = WORK_LIMIT
    search_limit: int = SEARCH_LIMIT

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: int | slice) -> LcaModel:
        return replace(self, batch=self.batch[rows])

    def __str__(self) -> str:
        return str(self.program()) if len(self) == 1 else f"LcaModel of {len(self):,} instances; print model[i] for one"

    @cached_property
    def facts(self) -> LcaFacts:
        """Most specific classes and eligible links of all instances."""
        return LcaFacts.of(self.batch, self.horizon, all_twins=self.method == "extended")

    @property
    def _label(self) -> Callable[[int], Label | Top]:
        return partial(node_label, self.batch)

    # ---- the explicit programs

    def program(self) -> LinearProgram:
        """Stage "lcas"."""
        return self.stage("lcas")

    def stage(self, name: str | None) -> LinearProgram:
        """Stage "lcas" (also by default), "ratio" at the F that is found, or "ties"; the last two solve the model.

        The graphs that are found are a solution of "ratio" with the value 0, and no other has more if they are optimal.
        G_ex ("extended") leaves no choice; those of Algorithm 1 ("greedy") may be beaten.
        """
        if len(self) != 1:
            raise InvalidOption(f"programs are for one instance, this model has {len(self)}: take model[i]")
        if name not in (None, "lcas", "ratio", "ties"):
            raise InvalidOption(f"there is no stage {name!r}; the stages are lcas, ratio and ties")
        instance = self.facts[0]
        first = name in (None, "lcas") or not all(instance.classes)
        if self.method == "extended":
            f = None if first else self._solved.found[0].f
            return extended_program(instance, self._label, self.title, f)
        if first:
            return lca_program(instance, self._label, self.title)
        graphs = self._solved.found[0].graphs
        assert graphs is not None
        builder = GraphProgram(instance, self._label, self.title, len(graphs.lcas))
        return builder.ratio(graphs.f) if name == "ratio" else builder.ties(graphs.f, sum(graphs.sizes[:2]))

    @cached_property
    def _solved(self) -> LcaSolution:
        return self.solve()

    # ---- solving

    def plan(self) -> Plan[LcaSolution]:
        """The stages of the only instance, one program after the other."""
        found = yield from _stages(self.facts[0], self._label, self.title)
        return self.collected([found])

    def solve_stages(self, solve_program: SolveProgram, time_limit: float | None) -> LcaSolution:
        """Each instance in its stages, by any solver of integer programs."""
        parts = (self[i] for i in range(len(self)))
        return self.joined([part._solve_one(solve_program, part._budget(time_limit)) for part in parts])

    def _budget(self, time_limit: float | None) -> Budget:
        return Budget.of(self.time_limit if time_limit is None else time_limit, self.work_limit)

    def _solve_one(self, solve_program: SolveProgram, budget: Budget) -> LcaSolution:
        return carried_out(self.plan(), budget.spending(solve_program))

    def solve_searching(self, solve_program: SolveProgram, time_limit: float | None) -> LcaSolution:
        """By compiled search; the instances on which that would be long go through the stages."""
        from hemlp.kernels.search import search

        begun = time.monotonic()
        facts = self.facts
        sides = facts.batch.pred, facts.batch.true
        counts = np.stack([np.diff(side.ptr) for side in sides], axis=1)
        table, ptr, links, node_ptr, nodes = search(
            facts.ptr, facts.position, facts.lca, facts.own, facts.length, facts.path_ptr, facts.nodes, facts.lower,
            facts.upper, counts, len(self.batch.hierarchy), self.search_limit,
        )  # fmt: skip
        spent = (time.monotonic() - begun) / max(1, len(self))
        hard = {
            int(i): self[int(i)]._solve_one(solve_program, self._budget(time_limit).without(spent))
            for i in np.flatnonzero(table[:, 0] == 0)
        }

        def detail(i: int) -> Found:
            if i in hard:
                return hard[i].found[0]
            instance = facts[i]
            if not all(instance.classes):
                return _one_side_empty(instance)
            paths = []
            for k in range(ptr[i], ptr[i + 1]):
                side = int(links[k] >= facts.ptr[2 * i + 1])
                finder = PathFinder(instance.size)
                finder.take(nodes[node_ptr[k] : node_ptr[k + 1]].tolist())
                paths.append((side, finder.best(instance.links[side][links[k] - facts.ptr[2 * i + side]])[1]))
            graphs = LcaGraphs(frozenset(path[-1] for _, path in paths), tuple(paths))
            return Found.of(graphs, Status.OPTIMAL, int(table[i, 1]))

        statuses, lcas, sums = np.zeros(len(self), np.int8), table[:, 1].copy(), table[:, 2:5].astype(np.float64)
        both = sums[:, 0] + sums[:, 1]
        bounds = np.where(both > 0, 2 * sums[:, 2] / np.maximum(both, 1), 1.0)
        for i, one in hard.items():
            statuses[i], lcas[i], sums[i], bounds[i] = one.statuses[0], one.lcas[0], one.sums[0], one.bounds[0]
        return LcaSolution(self, statuses, sums, lcas, bounds, detail)

    def solve_directly(self) -> LcaSolution:
        """By the method "greedy" or "extended"."""
        return self.collected([self._direct(self.facts[i]) for i in range(len(self))])

    def _direct(self, instance: LcaInstance) -> Found:
        if not all(instance.classes):
            return _one_side_empty(instance)
        if self.method == "greedy":
            return Found.of(Greedy(instance).graphs(), Status.FEASIBLE, 1, upper_bound(instance))
        predicted, true = (frozenset(side) for side in instance.extended)
        f = Fraction(2 * len(predicted & true), len(predicted) + len(true))
        return Found(Status.OPTIMAL, None, (predicted, true), len(instance.lcas), f)

    # ---- solutions

    def collected(self, found: list[Found]) -> LcaSolution:
        """The solution of the batch from those of its instances."""
        return LcaSolution.of(self, found)

    def solution(self, result: ProgramResult) -> LcaSolution:
        """A single program does not solve this model."""
        raise InvalidOption("an LCA model is solved in stages: use model.solve()")

    def joined(self, solutions: list[LcaSolution]) -> LcaSolution:
        """Solutions of consecutive parts as one of the whole."""
        return self.collected([found for solution in solutions for found in solution.found])

    def check(self, solution: LcaSolution) -> bool:
        """True if the graphs keep all rules of Problem 2 and are counted rightly, by code that no solver uses."""
        for i in range(len(self)):
            self._check_one(i, solution)
        return True

    def _check_one(self, i: int, solution: LcaSolution) -> None:
        found, place = solution.found[i], f"instance {i + 1}"
        counted = LcaSolution.of(self, [found])
        for what in ("statuses", "sums", "lcas", "bounds"):
            if not np.array_equal(getattr(solution, what)[i], getattr(counted, what)[0]):
                raise InvalidSolution(f"{place}: {what} are not those of its graphs")
        if found.status not in (Status.OPTIMAL, Status.FEASIBLE):
            raise InvalidSolution(f"{place}: LCA graphs always exist, and it is said to be {found.status}")
        rules = Definitions(self.batch, i, self.horizon)
        free = self.method == "extended" or not all(rules.sides)  # nothing to choose
        if free and found.graphs is None:
            sides = (rules.nodes(PRED), rules.nodes(TRUE)) if all(rules.sides) else tuple(map(frozenset, rules.sides))
            lcas = {a for pairs in rules.eligible for _, a in pairs} if all(rules.sides) else ()
            if found.nodes != sides or found.lcas != len(lcas):
                raise InvalidSolution(f"{place}: these are not the nodes of all shortest paths")
        elif found.graphs is None or free:
            raise InvalidSolution(f"{place}: there are no graphs" if not free else f"{place}: nothing can be chosen")
        else:
            rules.check(found.graphs, place)
            if found.nodes != (found.graphs.nodes(PRED), found.graphs.nodes(TRUE)):
                raise InvalidSolution(f"{place}: the nodes are not those of the paths")
        proved = found.status is Status.OPTIMAL
        if found.fewest_lcas > found.lcas or (proved and found.fewest_lcas != found.lcas):
            raise InvalidSolution(f"{place} has {found.lcas} LCAs, not {found.fewest_lcas}")
        if found.f > found.bound:
            raise InvalidSolution(f"{place}: F is {found.f}, above its bound {found.bound}")
        if proved and found.f < found.bound:
            raise InvalidSolution(f"{place}: F is {found.f}, and {found.bound} is not excluded")

    def verify(self, solution: LcaSolution, solver: str | Solver = "milp") -> bool:
        """True if another solver proves every claim once more, ties included; else InvalidSolution.

        The programs are built from the definitions, word for word, and not from what the solvers use. What was not
        proved keeps the rules, and that is all that it claims.
        """
        self.check(solution)
        other: Any = named_solver(solver) if isinstance(solver, str) else solver
        for i, found in enumerate(solution.found):
            if found.status is not Status.OPTIMAL or found.graphs is None:
                continue
            plan = _stages(Definitions(self.batch, i, self.horizon).instance, self._label, self.title)
            best = carried_out(plan, lambda program: other.solve_program(program, None))
            if best.status is not Status.OPTIMAL or best.graphs is None:
                raise InvalidSolution(f"instance {i + 1}: {other.name} does not prove it")
            if best.graphs.order < found.graphs.order:
                raise InvalidSolution(
                    f"instance {i + 1}: {_in_words(found.graphs)} are beaten by {_in_words(best.graphs)}, "
                    f"which {other.name} finds"
                )
        return True


def _in_words(graphs: LcaGraphs) -> str:
    predicted, true, common = graphs.sizes
    return f"{len(graphs.lcas)} LCAs with F = {graphs.f} and {predicted}, {true} and {common} common nodes"


def _one_side_empty(instance: LcaInstance) -> Found:
    """Nothing to link: the classes themselves, no LCA, F = 0, or 1 where both sides are empty."""
    predicted, true = (frozenset(side) for side in instance.classes)
    return Found(Status.OPTIMAL, None, (predicted, true), 0, Fraction(not predicted and not true))


def _stages(instance: LcaInstance, label: Callable[[int], Label | Top], title: str) -> Plan[Found]:
    """Problem 2 of one instance: fewest LCAs, then the best F (Dinkelbach), then the ties.

    Where a program is not solved, the best that is known is the result: greedy paths over the fewest LCAs that are
    known to be enough, or better graphs from a program.
    """
    if not all(instance.classes):
        return _one_side_empty(instance)
    greedy = Greedy(instance)
    best = greedy.graphs()
    fewest = yield lca_program(instance, label, title)
    if fewest.values is not None:
        enough = [a for a, chosen in zip(instance.lcas, fewest.values, strict=True) if chosen > 0.5]
        if len(enough) < len(best.lcas):
            best = greedy.graphs(enough)
    if fewest.status is not Status.OPTIMAL:
        least = 1 if not math.isfinite(fewest.bound) else max(1, math.ceil(fewest.bound - 1e-6))
        return Found.of(best, Status.FEASIBLE, min(least, len(best.lcas)), upper_bound(instance))
    lcas = len(best.lcas)
    if instance.edge_count > LARGEST_PROGRAM:
        return Found.of(best, Status.FEASIBLE, lcas, upper_bound(instance))
    builder = GraphProgram(instance, label, title, lcas)
    while True:
        f = best.f
        result = yield builder.ratio(f)
        if result.values is not None:
            best = min(best, builder.read(result.values), key=lambda graphs: graphs.order)
        # the objective is an integer, so a bound below 1 proves that no F is better
        solved = result.status is Status.OPTIMAL or result.bound < 1 - 1e-6
        if not solved or (best.f == f and result.bound >= 1):
            return Found.of(best, Status.FEASIBLE, lcas, _bound(instance, result, f))
        if best.f == f:
            break
    result = yield builder.ties(best.f, sum(best.sizes[:2]))
    if result.values is not None:
        best = min(best, builder.read(result.values), key=lambda graphs: graphs.order)
    proved = result.status is Status.OPTIMAL
    return Found.of(best, Status.OPTIMAL if proved else Status.FEASIBLE, lcas)


def _bound(instance: LcaInstance, result: ProgramResult, f: Fraction) -> Fraction:
    """2q·C − p·S ≤ B for all solutions, so F = 2C/S ≤ p/q + B/(q·S), and S is at least the number of classes."""
    least = sum(map(len, instance.classes))
    if math.isnan(result.bound) or math.isinf(result.bound):
        return upper_bound(instance)
    room = Fraction(math.floor(result.bound + 1e-6), f.denominator * least)
    return min(upper_bound(instance), f + max(room, Fraction(0)))


@dataclass(frozen=True, eq=False)
class LcaSolution:
    """What was found for each instance of ``model``.

    ``sums``: sizes of G_p, of G_t and of what they share; ``lcas``: how many LCAs, 0 where a side is empty; ``bounds``:
    upper bounds on F, F itself where it is proved. ``detail`` gives the graphs of an instance.
    """

    model: LcaModel
    statuses: NDArray[np.int8]
    sums: FloatArray
    lcas: IntArray
    bounds: FloatArray
    detail: Callable[[int], Found]

    @classmethod
    def of(cls, model: LcaModel, found: Sequence[Found]) -> LcaSolution:
        """From the solutions of all instances."""
        sizes = [(len(p), len(t), len(p & t)) for p, t in (each.nodes for each in found)]
        return cls(
            model,
            np.array([STATUSES.index(each.status) for each in found], np.int8),
            np.array(sizes, np.float64).reshape(-1, 3),
            np.array([each.lcas for each in found], np.int64),
            np.array([float(each.bound) for each in found]),
            found.__getitem__,
        )

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, row: int) -> LcaSolution:
        return LcaSolution.of(self.model[row], [self.detail(row)])

    @cached_property
    def found(self) -> tuple[Found, ...]:
        """The graphs of all instances, with what is proved about them."""
        return tuple(self.detail(i) for i in range(len(self)))

    @property
    def equal(self) -> NDArray[np.bool_]:
        """Whether the two node sets are equal."""
        predicted, true, common = self.sums.T
        same: NDArray[np.bool_] = (predicted == common) & (true == common)
        return same

    @property
    def status(self) -> Status:
        """The status of the only instance."""
        return self.found[0].status

    @property
    def objective(self) -> float:
        """F_LCA of the only instance."""
        predicted, true, common = self.sums[0]
        return float(2 * common / (predicted + true)) if predicted + true else 1.0

    @property
    def chosen_lcas(self) -> frozenset[Label | Top]:
        """Z of the only instance."""
        graphs = self.found[0].graphs
        return frozenset(self.model._label(a) for a in (graphs.lcas if graphs else ()))

    @property
    def sets(self) -> tuple[frozenset[Label | Top], frozenset[Label | Top]]:
        """Nodes of G_p and G_t of the only instance."""
        predicted, true = (frozenset(map(self.model._label, nodes)) for nodes in self.found[0].nodes)
        return predicted, true

    @property
    def paths(self) -> list[tuple[str, tuple[Label | Top, ...]]]:
        """The drawn links of the only instance: the side, and the path from the class up to the LCA."""
        graphs = self.found[0].graphs
        names = ("predicted", "true")
        return [(names[side], tuple(map(self.model._label, path))) for side, path in (graphs.paths if graphs else ())]
