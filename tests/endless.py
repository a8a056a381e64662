"""hemlp's command line with one step that never ends, for tests of what interrupts it.

    python tests/endless.py STEP FILE ARGUMENT...

FILE appears when the step has begun. A step is a real one of its kind: compiled code without the GIL, a solver on a
program that takes it years. ``python tests/endless.py STEP FILE`` evaluates from Python instead.
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
from hemlp import ALL, Bounds, PairMeasure, examples, solvers

STEP, BEGUN = sys.argv[1], Path(sys.argv[2])
LOOSE = PairMeasure("loose", Bounds((1, 2), (1, ALL)), default_cost=5)
UNEVEN = PairMeasure("uneven", Bounds((1, 2), (1, ALL)), cost="shortest_path(decay=0.3)", default_cost=5)


def begun() -> None:
    BEGUN.write_text("")


def market_split(seed: int = 0, goods: int = 60, rows: int = 7) -> list[tuple[list[int], int]]:
    """Rows of 0/1 variables and what they have to sum to: integer programs that branch and bound does not finish."""
    made = random.Random(seed)
    found = [[made.randrange(100) for _ in range(goods)] for _ in range(rows)]
    return [(row, sum(row) // 2) for row in found]


def compiled() -> None:
    """Compiled code that holds no GIL."""
    import numba
    import numpy as np

    import hemlp.kernels.closure as module

    @numba.njit(nogil=True)
    def forever(go_on):
        while go_on[0]:
            go_on[1] += 1
        return go_on[1]

    forever(np.zeros(2, np.int64))

    def tally(*args):
        begun()
        forever(np.ones(2, np.int64))

    module.tally_lists = tally


def cpsat() -> None:
    from ortools.sat.python import cp_model

    solve = cp_model.CpSolver.solve

    def endless(self, model):
        hard = cp_model.CpModel()
        for row, side in market_split():
            columns = [hard.new_bool_var(f"x{k}") for k in range(len(row))]
            hard.add(cp_model.LinearExpr.weighted_sum(columns, row) == side)
        columns = [hard.new_bool_var(f"y{k}") for k in range(60)]
        excess = []
        for row, side in market_split(1):
            above, below = (hard.new_int_var(0, 10**6, "") for _ in range(2))
            hard.add(cp_model.LinearExpr.weighted_sum(columns, row) + above - below == side)
            excess += [above, below]
        hard.minimize(sum(excess))
        self.parameters.max_deterministic_time = 1e12
        begun()
        return solve(self, hard)

    cp_model.CpSolver.solve = endless
    solvers.ORDER = ("cpsat",)


def milp() -> None:
    from ortools.math_opt.python import mathopt

    solve = mathopt.solve

    def endless(model, kind, **options):
        hard = mathopt.Model()
        columns = [hard.add_binary_variable() for _ in range(60)]
        excess = []
        for row, side in market_split():
            above, below = hard.add_variable(lb=0), hard.add_variable(lb=0)
            total = mathopt.LinearSum(c * x for c, x in zip(row, columns, strict=True))
            hard.add_linear_constraint(total + above - below == side)
            excess += [above, below]
        hard.minimize(mathopt.LinearSum(excess))
        begun()
        return solve(hard, kind, **options)

    mathopt.solve = endless
    solvers.ORDER = ("milp",)


def pulp() -> None:
    import pulp

    from hemlp.solvers.pulp import PulpSolver

    def build(self, program):
        hard = pulp.LpProblem("hard", pulp.LpMinimize)
        columns = [hard.add_variable(f"x{k}", 0, 1, pulp.LpInteger) for k in range(60)]
        excess = []
        for number, (row, side) in enumerate(market_split()):
            above, below = (hard.add_variable(f"{side}{number}", 0) for side in "ab")
            hard.addConstraint(pulp.lpDot(row, columns) + above - below == side)
            excess += [above, below]
        hard.setObjective(pulp.lpSum(excess))
        begun()
        return hard

    PulpSolver.build = build
    solvers.ORDER = ("pulp",)


def flow() -> None:
    """Flow after flow: OR-Tools holds the GIL in each."""
    from hemlp.solvers.flow import FlowSolver

    solve = FlowSolver.least_cost_flow

    def endless(self, network, scale):
        begun()
        while True:
            solve(self, network, scale)

    FlowSolver.least_cost_flow = endless


def networkx() -> None:
    import networkx as nx

    simplex = nx.network_simplex

    def endless(graph):
        begun()
        while True:
            simplex(graph)

    nx.network_simplex = endless
    solvers.ORDER = ("networkx",)


def writing() -> None:
    """A disk that takes its time."""

    def fsync(number):
        begun()
        time.sleep(10**6)

    os.fsync = fsync


def showing() -> None:
    def echo(*args, **options):
        begun()
        time.sleep(10**6)

    click.echo = echo


MEASURES = {"compiled": "F_H", "cpsat": LOOSE, "milp": UNEVEN, "pulp": LOOSE, "flow": LOOSE, "networkx": LOOSE}

if __name__ == "__main__":
    {step.__name__: step for step in (compiled, cpsat, milp, pulp, flow, networkx, writing, showing)}[STEP]()
    del sys.argv[1:3]
    if len(sys.argv) > 1:
        hemlp.cli.main.main()
    example = examples.mesh_mini()
    try:
        hemlp.evaluate(example.hierarchy, example.true, example.systems, [MEASURES[STEP]])
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
