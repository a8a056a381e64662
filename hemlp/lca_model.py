"""Problem 2 as a model: stages, limits, fallback, solutions and their check. ``hemlp.lca_graph`` has the programs."""

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

from hemlp.edges import FloatArray, IntArray
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.labels import Batch
from hemlp.lca import PRED, TRUE, LcaFacts, LcaInstance, node_label
from hemlp.lca_check import check_graphs
from hemlp.lca_graph import GraphProgram, LcaGraphs, lca_program, upper_bound
from hemlp.lca_greedy import best_path, greedy_graphs
from hemlp.model import Model
from hemlp.program import STATUSES, LinearProgram, ProgramResult, Status
from hemlp.solvers import Solver, named_solver
from hemlp.vocabulary import Label, Top

WORK_LIMIT = 30.0
"""Default limit of one integer program, in CP-SAT's deterministic seconds."""
SEARCH_LIMIT = 1_000_000
"""Combinations that the compiled search tries, over all sets of LCAs, before it leaves an instance to the programs."""
SolveProgram = Callable[[LinearProgram, float | None], ProgramResult]


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


@dataclass(frozen=True, eq=False)
class LcaModel(Model["LcaSolution"]):
    """The minimal LCA graphs of each instance of a batch.

    ``method``: "exact", "greedy" (Algorithm 1) or "extended" (G_ex). ``time_limit`` is in seconds for an instance,
    ``work_limit`` in the solver's deterministic unit, where it has one, for each of its programs. A ``search_limit`` of
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
        """Stage "lcas" (also by default), "ratio" at the optimal F, or "ties"; the last two solve the model first."""
        if len(self) != 1:
            raise InvalidOption(f"programs are for one instance, this model has {len(self)}: take model[i]")
        if name not in (None, "lcas", "ratio", "ties"):
            raise InvalidOption(f"there is no stage {name!r}; the stages are lcas, ratio and ties")
        instance = self.facts[0]
        if name in (None, "lcas") or not all(instance.classes):
            return lca_program(instance, self._label, self.title)
        found = self._solved.found[0]
        builder = GraphProgram(instance, self._label, self.title, found.fewest_lcas)
        f = found.graphs.f if found.graphs else Fraction(0)
        return builder.ratio(f) if name == "ratio" else builder.ties(f)

    @cached_property
    def _solved(self) -> LcaSolution:
        return self.solve()

    # ---- solving

    def solve_stages(self, solve_program: SolveProgram, time_limit: float | None) -> LcaSolution:
        """Each instance in its stages, by any solver of integer programs."""
        limit = self.time_limit if time_limit is None else time_limit
        return self.collected([self._solve_one(self.facts[i], solve_program, limit) for i in range(len(self))])

    def _solve_one(self, instance: LcaInstance, solve_program: SolveProgram, time_limit: float | None) -> Found:
        if not all(instance.classes):
            return _one_side_empty(instance)
        end = math.inf if time_limit is None else time.monotonic() + time_limit

        def run(program: LinearProgram) -> ProgramResult:
            left = None if math.isinf(end) else max(0.0, end - time.monotonic())
            if left == 0.0:
                return ProgramResult(Status.UNSOLVED)
            return solve_program(replace(program, work_limit=self.work_limit), left)

        greedy = greedy_graphs(instance)
        fewest = run(lca_program(instance, self._label, self.title))
        if fewest.status is not Status.OPTIMAL or fewest.values is None:
            return Found.of(greedy, Status.FEASIBLE, 1, upper_bound(instance))
        lcas = round(float(fewest.values.sum()))
        builder = GraphProgram(instance, self._label, self.title, lcas)
        best = greedy if len(greedy.lcas) == lcas else None
        while True:
            f = best.f if best else Fraction(0)
            result = run(builder.ratio(f))
            if result.values is not None:
                found = builder.read(result.values)
                if best is None or found.order < best.order:
                    best = found
            if result.status is not Status.OPTIMAL:
                return Found.of(best or greedy, Status.FEASIBLE, lcas, _bound(instance, result, f))
            if best is not None and best.f == f:
                break
        result = run(builder.ties(best.f))
        if result.values is not None:
            best = min(best, builder.read(result.values), key=lambda graphs: graphs.order)
        return Found.of(best, result.status if result.values is not None else Status.FEASIBLE, lcas)

    def solve_searching(self, solve_program: SolveProgram, time_limit: float | None) -> LcaSolution:
        """By compiled search; the instances on which that would be long go through the stages."""
        from hemlp.kernels.search import search

        facts = self.facts
        sides = facts.batch.pred, facts.batch.true
        counts = np.stack([np.diff(side.ptr) for side in sides], axis=1)
        table, ptr, links, node_ptr, nodes = search(
            facts.ptr, facts.position, facts.lca, facts.own, facts.length, facts.path_ptr, facts.nodes, facts.lower,
            facts.upper, counts, len(self.batch.hierarchy), self.search_limit,
        )  # fmt: skip
        limit = self.time_limit if time_limit is None else time_limit
        hard = {int(i): self._solve_one(facts[int(i)], solve_program, limit) for i in np.flatnonzero(table[:, 0] == 0)}

        def detail(i: int) -> Found:
            instance = facts[i]
            if i in hard:
                return hard[i]
            if not all(instance.classes):
                return _one_side_empty(instance)
            paths = []
            for k in range(ptr[i], ptr[i + 1]):
                side = int(links[k] >= facts.ptr[2 * i + 1])
                link = instance.links[side][links[k] - facts.ptr[2 * i + side]]
                paths.append((side, best_path(link, set(nodes[node_ptr[k] : node_ptr[k + 1]].tolist()))[1]))
            graphs = LcaGraphs(frozenset(path[-1] for _, path in paths), tuple(paths))
            return Found.of(graphs, Status.OPTIMAL, int(table[i, 1]))

        statuses, lcas, sums = np.zeros(len(self), np.int8), table[:, 1].copy(), table[:, 2:5].astype(np.float64)
        both = sums[:, 0] + sums[:, 1]
        bounds = np.where(both > 0, 2 * sums[:, 2] / np.maximum(both, 1), 1.0)
        for i, found in hard.items():
            one = LcaSolution.of(self, [found])
            statuses[i], lcas[i], sums[i], bounds[i] = one.statuses[0], one.lcas[0], one.sums[0], one.bounds[0]
        return LcaSolution(self, statuses, sums, lcas, bounds, detail)

    def solve_directly(self) -> LcaSolution:
        """By the method "greedy" or "extended"."""
        return self.collected([self._direct(self.facts[i]) for i in range(len(self))])

    def _direct(self, instance: LcaInstance) -> Found:
        if not all(instance.classes):
            return _one_side_empty(instance)
        if self.method == "greedy":
            return Found.of(greedy_graphs(instance), Status.FEASIBLE, 1, upper_bound(instance))
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
        """True if the graphs keep all rules of Problem 2, by definitions that share no code with the solvers."""
        for i, found in enumerate(solution.found):
            if found.graphs is not None:
                check_graphs(self.batch, i, self.horizon, found.graphs, f"instance {i + 1}")
                if found.status is Status.OPTIMAL and len(found.graphs.lcas) != found.fewest_lcas:
                    raise InvalidSolution(
                        f"instance {i + 1} has {len(found.graphs.lcas)} LCAs, not {found.fewest_lcas}"
                    )
                if found.graphs.f > found.bound:
                    raise InvalidSolution(f"instance {i + 1}: F is {found.graphs.f}, above its bound {found.bound}")
        return True

    def verify(self, solution: LcaSolution, solver: str | Solver = "milp") -> bool:
        """True if another solver proves the same number of LCAs and F from the unreduced programs; else raises."""
        self.check(solution)
        other: Any = named_solver(solver) if isinstance(solver, str) else solver
        for i, found in enumerate(solution.found):
            if found.status is not Status.OPTIMAL or found.graphs is None or not found.graphs.lcas:
                continue
            instance = self.facts[i]
            fewest = other.solve_program(lca_program(instance, self._label, self.title), None)
            lcas = round(float(fewest.values.sum()))
            builder = GraphProgram(instance, self._label, self.title, lcas)
            proof = other.solve_program(builder.ratio(found.graphs.f), None)
            better = builder.ratio(found.graphs.f).objective(proof.values)
            if lcas != len(found.graphs.lcas) or better != 0:
                raise InvalidSolution(
                    f"instance {i + 1}: {other.name} finds {lcas} LCAs, and F = {found.graphs.f} beaten by {better}"
                )
        return True


def _one_side_empty(instance: LcaInstance) -> Found:
    """Nothing to link: the classes themselves, no LCA, F = 0, or 1 where both sides are empty."""
    predicted, true = (frozenset(side) for side in instance.classes)
    return Found(Status.OPTIMAL, None, (predicted, true), 0, Fraction(not predicted and not true))


def _bound(instance: LcaInstance, result: ProgramResult, f: Fraction) -> Fraction:
    """2q·C − p·S ≤ B for all solutions, so F = 2C/S ≤ p/q + B/(q·S), and S is at least the number of classes."""
    least = sum(map(len, instance.classes))
    if math.isnan(result.bound) or math.isinf(result.bound):
        return upper_bound(instance)
    room = Fraction(math.ceil(result.bound - 1e-6), f.denominator * least)
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
            np.array([len(each.graphs.lcas) if each.graphs else each.fewest_lcas for each in found], np.int64),
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
