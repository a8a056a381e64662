"""hemlp.testing on all that is in the registries, and on solvers and measures that are broken in one way each."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from hemlp import Bounds, PairMeasure, SetMeasure, SetScore, measure
from hemlp.costs import Cost
from hemlp.errors import HemlpError
from hemlp.measures.augmentations import Ancestors
from hemlp.measures.catalogue import NAMED
from hemlp.optimize.program import Status
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.lca.solution import LcaSolution
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.solution import PairingSolution
from hemlp.solvers.closures import ClosureLists
from hemlp.solvers.flow import MinCostFlow
from hemlp.solvers.greedy import GreedyLca
from hemlp.solvers.registry import SOLVERS, named_solver
from hemlp.solvers.search import LcaSearch
from hemlp.testing import HARD, check_measure, check_solver, random_instances, random_models
from tests.graphs import usable

REFUSED = (AssertionError, HemlpError)


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_is_what_it_claims(name):
    missing = named_solver(name).available()
    if missing:
        pytest.skip(f"{name} is not installed ({missing}): NOT checked")
    check_solver(name, count=30)


@pytest.mark.parametrize("name", NAMED)
def test_every_named_measure_is_what_it_claims(name):
    check_measure(usable(name), count=12)


CUSTOM = [
    PairMeasure("by_function", Bounds((1, 1), (1, 1)), cost=lambda p, t: float(p != t), default_cost=2),
    PairMeasure("one_default", Bounds((0, 2), (1, 1)), default_cost=(None, 3)),
    PairMeasure("twice", Bounds((2, 2), (1, 1)), default_cost=1, score="accuracy"),  # falls below 0
    SetMeasure("own_score", "ancestors", score=SetScore(lambda f: f.ratio(f.common, f.predicted))),
]
TEXTS = [
    "MGIA(default_cost=2, normalizer='union')", "MGIA(pairing='nearest')", "MGIA(cost='lca_height')",
    "GIE(cost='undirected')",
    "GIE(cost='shortest_path(decay=0.5)')", "GIE(horizon=1)", "GIE(max_distance=2)", "F_H(horizon=2)", "F_H(top=True)",
    "SDL(top=True, horizon=1)", "F_LCA(horizon=2)", "F_LCA(method='greedy')", "F_LCA(method='extended')",
    "SetMeasure('mine', augment='descendants', score='jaccard')",
    "PairMeasure('mine', bounds=Bounds(predicted=(0, 1), true=(1, ALL)), default_cost=3)",
]  # fmt: skip


@pytest.mark.parametrize("each", [*map(measure, TEXTS), *CUSTOM], ids=str)
def test_measures_with_parameters_are_what_they_claim(each):
    check_measure(each, count=12)


# ---- broken solvers


class Worse(MinCostFlow):
    """Calls any pairing optimal: everybody goes to a default class, wherever there is one."""

    name = "worse"

    def solve(self, model, time_limit):
        found = super().solve(model, time_limit)
        chosen, (up, ut) = found.chosen.copy(), found.to_default
        if all(np.isfinite(half.default).all() for half in model.halves):
            chosen[:] = False
            up, ut = (np.maximum(half.lower, 0) for half in model.halves)
        return PairingSolution(model, found.statuses, chosen, (up, ut), cuts=found.cuts)


class Renaming(MinCostFlow):
    """Changes the status of what it finds."""

    name = "renaming"

    def __init__(self, before, after):
        self.before, self.after = (status for status in (before, after))

    def solve(self, model, time_limit):
        found = super().solve(model, time_limit)
        return replace(found, statuses=np.where(found.statuses == self.before, self.after, found.statuses))


class Breaking(MinCostFlow):
    """Takes every pair."""

    name = "breaking"

    def solve(self, model, time_limit):
        found = super().solve(model, time_limit)
        return replace(found, chosen=np.ones_like(found.chosen))


class Closing(ClosureLists):
    """Closures with one fact changed."""

    name = "closing"

    def __init__(self, **changes):
        self.changes = changes

    def solve(self, model, time_limit):
        found = super().solve(model, time_limit)
        return replace(found, **{key: change(getattr(found, key)) for key, change in self.changes.items()})


class Overconfident(GreedyLca):
    """Says that greedy graphs are optimal."""

    name = "overconfident"
    exact = True

    def solve(self, model, time_limit):
        graphs = (
            replace(found, status=Status.OPTIMAL, fewest_lcas=found.lcas, bound=found.f) for found in self._all(model)
        )
        return LcaSolution.of(model, list(graphs))

    def _all(self, model):
        return super().solve(model, None).by_instance


class Lazy(LcaSearch):
    """Returns what Algorithm 1 finds, honestly, and says that it is exact."""

    name = "lazy"

    def solve(self, model, time_limit):
        return GreedyLca().solve(model, time_limit)


class Picky(MinCostFlow):
    """Accepts nothing."""

    name = "picky"

    def accepts(self, model):
        return False


class Absent(MinCostFlow):
    """Is not installed."""

    name = "absent"

    def available(self):
        return "pip install nothing"


class Short(MinCostFlow):
    """Forgets the status of an instance."""

    name = "short"

    def solve(self, model, time_limit):
        found = super().solve(model, time_limit)
        return replace(found, statuses=found.statuses[:-1])


class Hasty(MinCostFlow):
    """Gives up as soon as there is a limit at all."""

    name = "hasty"

    def solve(self, model, time_limit):
        return super().solve(model, time_limit) if time_limit is None else model.unsolved()


class Nameless(MinCostFlow):
    """Has no name that could be shown."""

    name = None


@pytest.mark.parametrize(
    ("solver", "reason"),
    [
        (Worse(), "leads to a pairing that costs .* less"), (Breaking(), "has 2 pairs .*; its bounds are"),
        (Picky(), "accepts none"), (Absent(), "cannot be used: pip install nothing"),
        (Short(), "one status per instance"), (Hasty(), "a long limit changes the status"),
        (Nameless(), "needs a name"), (Overconfident(), "are beaten by"), (Lazy(), "not solved to the end"),
        (Renaming(Status.OPTIMAL, Status.FEASIBLE), "not solved to the end"),
        (Renaming(Status.OPTIMAL, Status.INFEASIBLE), "is said to have no solution, and has one"),
        (Renaming(Status.OPTIMAL, Status.UNSOLVED), "not solved, without any limit"),
        (Renaming(Status.INFEASIBLE, Status.OPTIMAL), "; its bounds are"),
        (Closing(equal=np.logical_not), "equal is wrong"),
        (Closing(sums=lambda sums: sums + 1), "weights of the sets are wrong"),
        (Closing(sums=lambda sums: sums[:, [1, 0, 2]]), "weights of the sets are wrong"),
        (Closing(statuses=lambda of: np.full_like(of, Status.INFEASIBLE)), "always exist"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)  # fmt: skip
def test_a_broken_solver_is_refused(solver, reason):
    with pytest.raises(REFUSED, match=reason):
        check_solver(solver, count=60)


def test_algorithm_1_is_not_optimal_on_the_hard_instances():
    for h, true, pred in HARD:
        model = measure("F_LCA").model(h, true, pred)
        assert model.solve().by_instance[0].graphs.order < model.solve("greedy").by_instance[0].graphs.order


def test_what_is_no_solver_is_refused():
    for what in (object(), MinCostFlow, "fast"):
        with pytest.raises(HemlpError):
            check_solver(what)


def test_models_are_of_all_kinds():
    kinds = {type(model).__name__ for model in random_models(60)}
    assert {"PairingModel", "ClosureModel", "TolerantModel", "LcaModel", "ExtendedModel"} <= kinds
    instances = list(random_instances(60))
    assert any(not true for _, true, _ in instances)
    assert any(not pred for _, _, pred in instances)
    assert any(len(h.roots) > 1 for h, _, _ in instances)
    assert any(len(h.parents(c)) > 1 for h, _, _ in instances for c in h)


# ---- broken measures


class Promising(SetMeasure):
    """P of ancestors, which promises too much."""

    @property
    def invariants(self):
        return frozenset({"range", "symmetric"})


class Silent(SetMeasure):
    """Promises nothing at all."""

    @property
    def invariants(self):
        return frozenset()


class Reversed(SetMeasure):
    """Says that its range is from 1 to 0."""

    @property
    def range(self):
        return 1.0, 0.0


class Misnamed(SetMeasure):
    """Its first column is not the measure."""

    @property
    def columns(self):
        return "predicted", *(c for c in super().columns if c != "predicted")


class Mumbling(SetMeasure):
    """Its text is that of another measure."""

    def __str__(self):
        return str(measure("F_H"))


class Forgetful(SetMeasure):
    """Its fields do not hold its horizon, so that it does not come back from texts."""

    def serializable_fields(self):
        return {key: value for key, value in super().serializable_fields().items() if key != "horizon"}


class Crowded(SetMeasure):
    """Scores an instance by how many there are."""

    def _compute_columns(self, model, solution):
        columns = super()._compute_columns(model, solution)
        return columns | {self.name: columns[self.name] * len(model)}


class Drifting(SetMeasure):
    """Has another value each time."""

    calls = 0

    def _compute_columns(self, model, solution):
        Drifting.calls += 1
        columns = super()._compute_columns(model, solution)
        return columns | {self.name: np.full_like(columns[self.name], 1 / (1 + Drifting.calls))}

    @property
    def invariants(self):
        return frozenset({"range"})


class Unequal(SetMeasure):
    """Its model compares sets wrongly."""

    def model(self, data, true=None, pred=None):
        usual = super().model(data, true, pred)
        return Mistaken(usual.title, usual.batch, usual.direction, usual.weights, usual.top, usual.horizon)

    @property
    def _model_key(self):
        return id(self)


@dataclass(frozen=True, eq=False)
class Mistaken(ClosureModel):
    """Says of all sets that they are equal."""

    def solve(self, solver=None, time_limit=None, *, verify=False):
        found = ClosureLists().solve(ClosureModel(*(getattr(self, f) for f in self.__dataclass_fields__)), time_limit)
        wrong = replace(found, equal=np.ones_like(found.equal))
        if verify:
            self.verify(wrong)
        return wrong

    def plan(self):
        return (yield from super().plan())


@dataclass(frozen=True)
class Negative(Cost):
    """Costs less than nothing."""

    name = "negative_for_a_test"

    def pair_costs(self, batch, pairs):
        return np.full(int(pairs.ptr[-1]), -1.0)


@dataclass(frozen=True)
class Vague(Cost):
    """Has a text that nobody can read."""

    name = "vague_for_a_test"

    @property
    def text(self):
        return "vague(…)"

    def pair_costs(self, batch, pairs):
        return np.ones(int(pairs.ptr[-1]))


ONE = Bounds((1, 1), (1, 1))


@pytest.mark.parametrize(
    ("each", "reason"),
    [
        (Promising("promising", "ancestors", score="P"), ": symmetric"),
        (Silent("silent", "ancestors"), "declares no invariant"),
        (Reversed("reversed_", "ancestors"), "the range is"),
        (Misnamed("misnamed", "ancestors"), "columns begin"),
        (Mumbling("mumbling", "none"), "F_H does not read back"),
        (Forgetful("forgetful", Ancestors(horizon=2)), "does not read back"),
        (Crowded("crowded", "none", score="difference"), "a batch scores differently"),
        (Drifting("drifting", "ancestors"), "a batch scores differently"),
        (Unequal("unequal", "ancestors"), "equal is wrong"),
        (PairMeasure("negative", ONE, cost=Negative(), default_cost=5), "must be at least 0"),
        (PairMeasure("vague", ONE, cost=Vague(), default_cost=5), "cannot read"),
        (SetMeasure("outside", "ancestors", score=SetScore(lambda f: f.predicted)), ": range"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_a_broken_measure_is_refused(each, reason):
    with pytest.raises(REFUSED, match=reason):
        check_measure(each)


def test_a_pairing_model_is_checked_where_it_is_infeasible():
    """A solver that calls infeasible what is not is found, whatever else it does well."""
    models = [m for m in random_models(40) if isinstance(m, PairingModel)]
    infeasible = [m for m in models if m.solve().status is Status.INFEASIBLE]
    feasible = [m for m in models if m.solve().status is Status.OPTIMAL and not math.isnan(m.solve().objective)]
    assert infeasible
    check_solver("flow", infeasible)
    with pytest.raises(REFUSED):
        check_solver(Renaming(Status.OPTIMAL, Status.INFEASIBLE), feasible[:3])
    with pytest.raises(REFUSED):
        check_solver(Renaming(Status.INFEASIBLE, Status.OPTIMAL), infeasible[:3])
