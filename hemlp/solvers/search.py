"""Minimal LCA graphs by compiled search; programs solve the instances that would take it long."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.optimize.plan import Budget, run_plan
from hemlp.optimize.program import STEPS, LinearProgram, ProgramResult, Status
from hemlp.optimize.solutions import Provenance
from hemlp.options import check_choice, plain_number
from hemlp.problems.lca.graphs import NO_SOLUTION, InstanceSolution, LcaGraphs
from hemlp.problems.lca.model import LcaModel
from hemlp.problems.lca.parts import ByParts
from hemlp.problems.lca.programs import upper_bound
from hemlp.problems.lca.solution import LcaSolution
from hemlp.solvers.registry import BaseSolver, ProgramSolver, named_solver, policy_of

PROGRAM_SOLVERS = ("portfolio", "pulp")
"""The solvers of programs, in order: the first that is available is used."""
MOST_STATES = 10**9
"""The limit of ``states``, which have numbers of 32 bits."""


@dataclass(frozen=True)
class LcaSearch(BaseSolver):
    """Solves models of minimal LCA graphs by search.

    ``states``: how many partial choices are kept at a time before an instance is left to programs; 0 leaves all
    to them. ``work``: the limit of an instance's programs without a time limit, in deterministic seconds; None
    for the model's. ``programs``: whether programs solve what the search leaves ("after"), or nothing does ("never");
    "at once" skips the search of whole instances and tries each part once.
    """

    states: int = 200_000
    work: float | None = None
    programs: Literal["after", "never", "at once"] = "after"

    def __post_init__(self) -> None:
        check_choice("programs", self.programs, ("after", "never", "at once"))
        plain_number("work", self.work, 0)
        states = plain_number("states", self.states, 0)
        if not isinstance(states, int) or states > MOST_STATES:
            raise InvalidOption(f"states={self.states!r} is not an integer from 0 to {MOST_STATES:,}")

    name = "search"
    kinds = (LcaModel,)

    def solve(self, model: LcaModel, time_limit: float | None) -> LcaSolution:
        """Search all instances at once, then solve the others one by one; each is charged its share of the search."""
        from hemlp.kernels.lca.search import draw_graphs, search

        begun = time.monotonic()
        size, states = len(model.batch.hierarchy), 0 if self.programs == "at once" else self.states
        source = model.link_source()
        table = search(source.blocks(), source.size, states)
        spent = (time.monotonic() - begun) / max(1, len(model))
        steps = np.ones(len(model), np.int64)
        deferred: dict[int, InstanceSolution] = {}
        for i in np.flatnonzero(table[:, 0] == 0).tolist():
            never = self.programs == "never"
            deferred[i], steps[i] = (NO_SOLUTION, 0) if never else self._by_programs(model, i, time_limit, spent)

        graphs = cache(lambda: draw_graphs(model.facts, size, states))  # few ask for them

        def detail(i: int) -> InstanceSolution:
            return deferred[i] if i in deferred else _read_graphs(model, i, *graphs())

        statuses, lcas, sums = np.zeros(len(model), np.int8), table[:, 1].copy(), table[:, 2:5].astype(np.float64)
        both = sums[:, 0] + sums[:, 1]
        bounds = np.where(both > 0, 2 * sums[:, 2] / np.maximum(both, 1), 1.0)
        others: dict[int, tuple[str, str]] = {}
        if deferred:
            solved = LcaSolution.of(model, list(deferred.values()))
            for k, i in enumerate(deferred):
                statuses[i], lcas[i] = solved.statuses[k], solved.lcas[k]
                sums[i], bounds[i] = solved.sums[k], solved.bounds[k]
                others |= {i: names} if (names := solved.provenance.others.get(k)) else {}
        return LcaSolution(model, statuses, sums, lcas, bounds, detail, steps, provenance=Provenance(others=others))

    def _by_programs(
        self, model: LcaModel, row: int, time_limit: float | None, spent: float
    ) -> tuple[InstanceSolution, int]:
        """Solve an instance by programs of its parts, or of the whole if it has none; the solution and its step."""
        from hemlp.kernels.lca.stepwise import finish

        one: Any = model[row]
        work = self.work if self.work is not None else policy_of(model).work_limit
        budget = Budget.of(time_limit, work if time_limit is None else None).without(spent)
        backend = _program_solver()
        if backend is None:
            return run_plan(one.plan(), _solve_nothing).by_instance[0], STEPS.index("programs")
        parts = ByParts.of(one.facts, self.states) if self.states else None
        if parts is None:
            whole: InstanceSolution = backend.run(one, budget).by_instance[0]
            whole = replace(whole, found_by=whole.found_by or backend.name, proved_by=backend.name)
            return whole, STEPS.index("programs")
        proved, bound = run_plan(parts.plan(), budget.spending(backend.solve_program))
        best = _read_graphs(one, 0, *finish(parts.search))
        assert best.graphs is not None
        if not proved:
            bound = min(bound, upper_bound(one.facts[0]))
            best = InstanceSolution.of(best.graphs, Status.FEASIBLE, best.fewest_lcas, bound)
        both = f"{self.name}+{backend.name}"
        return replace(best, found_by=both, proved_by=both), STEPS.index("programs of parts")


def _program_solver() -> ProgramSolver | None:
    """The first solver of programs that can be used; None, with a warning that says why, if there is none."""
    reasons = []
    for name in PROGRAM_SOLVERS:
        solver = named_solver(name)
        assert isinstance(solver, ProgramSolver)
        missing = solver.available()
        if not missing:
            return solver
        reasons.append(f"{name}: {missing}")
    words = "no solver of programs can be used, so instances that the search leaves are solved by greedy alone"
    warnings.warn(f"{words} ({'; '.join(reasons)})", RuntimeWarning, stacklevel=2)
    return None


def _solve_nothing(program: LinearProgram) -> ProgramResult:
    """Solve nothing, as if at a limit: the plan ends with its incumbent."""
    return ProgramResult(Status.UNSOLVED, limited=True)


def _read_graphs(
    model: LcaModel, i: int, table: Any, ptr: Any, links: Any, node_ptr: Any, nodes: Any
) -> InstanceSolution:
    """The graphs of an instance: its drawn links, each with the nodes that its path must have."""
    from hemlp.kernels.lca.shared_paths import PathFinder, best_path

    facts, instance = model.facts, model.facts[i]
    if not all(instance.classes):
        return InstanceSolution.fixed(*instance.classes)
    paths, finder = [], PathFinder(instance.size)
    taken = np.asarray(finder.taken)
    for k in range(ptr[i], ptr[i + 1]):
        side = int(links[k] >= facts.ptr[2 * i + 1])
        link = instance.links[side][links[k] - facts.ptr[2 * i + side]]
        needed = nodes[node_ptr[k] : node_ptr[k + 1]]
        taken[needed] = 1
        paths.append((side, tuple(best_path(finder, link.nodes, link.lower, link.upper).tolist())))
        taken[needed] = 0
    graphs = LcaGraphs(frozenset(path[-1] for _, path in paths), tuple(paths))
    return InstanceSolution.of(graphs, Status.OPTIMAL, int(table[i, 1]))
