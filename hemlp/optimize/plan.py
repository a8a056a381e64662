"""Plans: the programs of a model, one after the other, and what comes of them; each result has to keep its program."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from hemlp.errors import InvalidSolution
from hemlp.optimize.program import LinearProgram, ProgramResult, Status

T = TypeVar("T")
Plan = Generator[LinearProgram, ProgramResult, T]
"""The programs of a model, one after the other: each is yielded, its result is sent back, the solution is returned."""


def run_plan(plan: Plan[T], solve: Callable[[LinearProgram], ProgramResult]) -> T:
    """What a plan comes to when each of its programs is solved by ``solve``, whose results have to keep its rows."""
    try:
        program = next(plan)
        while True:
            program = plan.send(check_result(program, solve(program)))
    except StopIteration as end:
        solution: T = end.value
        return solution


def check_result(program: LinearProgram, result: ProgramResult) -> ProgramResult:
    """A result with its values as integers; InvalidSolution if they break a rule of the program, or are missing."""
    if result.status not in (Status.OPTIMAL, Status.FEASIBLE):
        return replace(result, values=None)
    if result.values is None:
        if result.status is Status.OPTIMAL:
            raise InvalidSolution(f"{program.name}: said to be optimal, without any values")
        return result
    near = np.rint(result.values)
    values = np.where(np.isclose(result.values, near, rtol=0, atol=1e-6), near, result.values)
    program.check(values)
    return replace(result, values=values)
