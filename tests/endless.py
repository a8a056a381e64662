"""hemlp with one step that never ends, for tests of what interrupts it.

    python tests/endless.py STEP evaluate ...   the command line
    python tests/endless.py STEP                evaluate() from Python
    python tests/endless.py STEP score          Measure.score() from Python

A step is a real one of its kind: compiled code without the GIL, a solver with a program that takes it years. The file
``ENDLESS_BEGUN`` appears when it has begun. ``ENDLESS_AFTER``: so many times it works as usual before.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path

import click

import hemlp
import hemlp.cli.main
from hemlp import ALL, Batch, Bounds, PairMeasure, examples
from hemlp.solvers import registry
from tests import hungry

LOOSE = PairMeasure("loose", Bounds((1, 2), (1, ALL)), default_cost=5)
UNEVEN = PairMeasure("loose", Bounds((1, 2), (1, ALL)), cost="shortest_path(decay=0.3)", default_cost=5)


def replace(owner, name, forever):
    """Have ``forever(usual, *args)`` done instead of the usual thing, after the first times."""
    usual, left = getattr(owner, name), [int(os.environ.get("ENDLESS_AFTER", "0"))]

    def call(*args, **options):
        left[0] -= 1
        if left[0] >= 0:
            return usual(*args, **options)
        return forever(usual, *args, **options)

    setattr(owner, name, call)


def only(solver: str) -> None:
    """Leave no other solver to choose from."""
    for name in list(registry.SOLVERS):
        if name != solver:
            del registry.SOLVERS[name]


def begun() -> None:
    Path(os.environ["ENDLESS_BEGUN"]).write_text("")


def market_split() -> list[tuple[list[int], int]]:
    """Rows of 0/1 variables and what they should sum to: no branch and bound finds the least deviation in years."""
    made = random.Random(0)
    found = [[made.randrange(100) for _ in range(60)] for _ in range(7)]
    return [(row, sum(row) // 2) for row in found]


def compiled() -> None:
    import hemlp.kernels.closure.tally

    def forever(usual, *args):
        begun()
        hungry.compare_for_hours()

    replace(hemlp.kernels.closure.tally, "tally", forever)


def cpsat() -> None:
    from ortools.sat.python import cp_model

    def forever(usual, self, model):
        hard = cp_model.CpModel()
        columns, deviations = [hard.new_bool_var("") for _ in range(60)], []
        for row, side in market_split():
            above, below = (hard.new_int_var(0, 10**6, "") for _ in range(2))
            hard.add(cp_model.LinearExpr.weighted_sum(columns, row) + above - below == side)
            deviations += [above, below]
        hard.minimize(sum(deviations))
        self.parameters.max_deterministic_time = 1e12
        begun()
        return usual(self, hard)

    replace(cp_model.CpSolver, "solve", forever)
    only("cpsat")


def milp() -> None:
    from ortools.math_opt.python import mathopt

    def forever(usual, model, kind, **options):
        hard = mathopt.Model()
        columns, deviations = [hard.add_binary_variable() for _ in range(60)], []
        for row, side in market_split():
            above, below = hard.add_variable(lb=0), hard.add_variable(lb=0)
            total = mathopt.LinearSum(c * x for c, x in zip(row, columns, strict=True))
            hard.add_linear_constraint(total + above - below == side)
            deviations += [above, below]
        hard.minimize(mathopt.LinearSum(deviations))
        begun()
        return usual(hard, kind, **options)

    replace(mathopt, "solve", forever)
    only("milp")


def pulp() -> None:
    import pulp

    import hemlp.solvers.pulp as module

    def forever(usual, program):
        hard = pulp.LpProblem("hard", pulp.LpMinimize)
        columns, deviations = [hard.add_variable(f"x{k}", 0, 1, pulp.LpInteger) for k in range(60)], []
        for number, (row, side) in enumerate(market_split()):
            above, below = (hard.add_variable(f"{way}{number}", 0) for way in "ab")
            hard.addConstraint(pulp.lpDot(row, columns) + above - below == side)
            deviations += [above, below]
        hard.setObjective(pulp.lpSum(deviations))
        begun()
        return hard

    replace(module, "build", forever)
    only("pulp")


def _again_and_again(usual, *args):
    begun()
    while True:
        usual(*args)


def flow() -> None:
    from hemlp.solvers.flow import MinCostFlow

    replace(MinCostFlow, "solve_batch", _again_and_again)
    only("flow")


def networkx() -> None:
    import networkx as nx

    replace(nx, "network_simplex", _again_and_again)
    only("networkx")


def _sleep(usual, *args, **options):
    begun()
    time.sleep(10**6)


def writing() -> None:
    """A disk that does not answer."""
    replace(os, "fsync", _sleep)


def showing() -> None:
    """A terminal that does not answer."""
    import rich.console

    replace(click, "echo", _sleep)
    replace(rich.console.Console, "print", _sleep)


STEPS = (compiled, cpsat, milp, pulp, flow, networkx, writing, showing)

if __name__ == "__main__":
    name = sys.argv.pop(1)
    {step.__name__: step for step in STEPS}[name]()
    if sys.argv[1:] not in ([], ["score"]):
        hemlp.cli.main.main()
        sys.exit()
    example = examples.mesh_mini()
    measure = hemlp.measure("F_H") if name == "compiled" else UNEVEN if name == "milp" else LOOSE
    try:
        if sys.argv[1:]:
            measure.score(Batch.of(example.hierarchy, example.true, example.systems["knn30"]))
        else:
            hemlp.evaluate(example.hierarchy, example.true, example.systems, [measure])
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
