"""Problem 1 twice: by its pairs, as compiled code solves it, and by the arcs of its circulation; and by enumeration."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hemlp import Batch, Hierarchy, Status, measure
from hemlp.errors import InvalidSolution
from hemlp.measures.dual_values import price_ranges
from hemlp.problems.pairing.circulation import Group
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs, SideBounds
from tests.test_proofs import least_cost

STAR = Hierarchy.from_edges([("top", c) for c in "abcd"])


@st.composite
def pairings(draw):
    """A pairing of one instance with any bounds and default classes; pairs serve both ends, one, or do not exist."""
    sizes = draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    batch = Batch.of(STAR, [list("abc")[: sizes[1]]], [list("bcd")[: sizes[0]]])
    eighths = st.integers(0, 40).map(lambda k: k / 8)  # sums of them are exact
    costs = st.one_of(eighths, eighths, eighths, st.just(math.inf))
    count = sizes[0] * sizes[1]
    kappa = np.array(draw(st.lists(costs, min_size=count, max_size=count)), np.float64)
    serves = draw(st.lists(st.sampled_from([3, 1, 2, 3, 1, 2, 0]), min_size=count, max_size=count))
    sides = []
    for size, side in zip(sizes, batch.sides, strict=True):
        lower = np.array(draw(st.lists(st.integers(0, 2), min_size=size, max_size=size)), np.int64)
        more = np.array(draw(st.lists(st.sampled_from([0, 0, 1, 2]), min_size=size, max_size=size)), np.int64)
        default = np.array(draw(st.lists(costs, min_size=size, max_size=size)), np.float64)
        sides.append(SideBounds(side, lower, lower + more, default))
    return PairingModel("m", batch, Pairs.of(batch), kappa, np.array(serves, np.uint8), (sides[0], sides[1]))


@settings(max_examples=400, deadline=None)
@given(pairings())
def test_pairs_and_arcs_have_the_same_optimum(model):
    arcs = replace(model, arcs=model.circulation)
    by_pairs, by_arcs, best = model.solve(verify=True), arcs.solve(verify=True), least_cost(model)
    assert by_pairs.status is by_arcs.status is (Status.INFEASIBLE if best is None else Status.OPTIMAL)
    assert by_pairs.cuts == by_arcs.cuts
    assert arcs.program() == model.program()
    assert model.check(by_pairs)
    assert arcs.check(by_arcs)
    if best is None:
        assert str(model.infeasibility(0, 1)).startswith("instance 1: the ")
        return
    assert by_pairs.objective == by_arcs.objective == best
    program, values = model.program(), model.values(by_pairs)
    program.check(values)
    assert program.objective(values) == best
    assert model.check(by_pairs, by_pairs.duals())
    assert price_ranges(by_pairs) == price_ranges(by_arcs)
    again = model.solution_of(by_pairs.statuses, model.flow(by_pairs))
    assert again.chosen.tolist() == by_pairs.chosen.tolist()


@settings(max_examples=60, deadline=None)
@given(pairings(), st.integers(0, 2**20))
def test_what_breaks_a_bound_is_refused(model, seed):
    rng = np.random.default_rng(seed)
    given_flow = model.flow(model.unsolved())
    given_flow[model.variables] = rng.integers(0, 3, model.variables.size)
    flow = model.circulation.complete(given_flow)
    arcs = model.circulation
    kept = bool(((flow >= arcs.lower) & (flow <= arcs.upper)).all())
    solution = replace(model, arcs=arcs).solution_of(np.array([Status.FEASIBLE], np.int8), flow)
    if kept:
        assert solution.model.check(solution)
        assert model.circulation.excess(flow).tolist() == [0] * int(arcs.nodes[0])
    else:
        with pytest.raises(InvalidSolution, match="its bounds are"):
            solution.model.check(solution)


def test_a_transport_is_a_pairing_of_masses():
    h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    model = measure("transport").model(h, true=["sheep", "cow", "bird"], pred=["mammal", "bird"])
    assert model.units.tolist() == [6]
    assert [half.lower.tolist() for half in model.halves] == [[3, 3], [2, 2, 2]]
    upper = model.circulation.upper[model.circulation.group == Group.PAIR]
    assert upper.tolist() == [2] * 6
    solution = model.solve(verify=True)
    assert solution.objective == pytest.approx(float(Fraction(2 * 1 + 1 * 1 + 1 * 3, 6)))
    assert sum(mass for *_, mass in solution.named_pairs()) == pytest.approx(1)
    assert model.solve("augmenting").objective == model.solve("milp").objective == solution.objective
    short = replace(solution, chosen=solution.chosen[:-1])
    with pytest.raises(InvalidSolution, match="values where"):
        model.check(short)
