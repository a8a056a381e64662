"""What a solver is; plans, the programs of a model one after the other, and budgets: how long they may take.

Each result has to keep its program. Code without limits of its own gets a time limit here.
"""

from __future__ import annotations

import ctypes
import math
import sys
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from hemlp.errors import InvalidSolution
from hemlp.optimize.program import LinearProgram, ProgramResult, Status

T = TypeVar("T")
Plan = Generator[LinearProgram, ProgramResult, T]
"""The programs of a model, one after the other: each is yielded, its result is sent back, the solution is returned."""


def run_plan(plan: Plan[T], solve: Callable[[LinearProgram], ProgramResult]) -> T:
    """The solution that a plan returns when ``solve`` solves its programs; each result has to keep its program."""
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
            raise InvalidSolution(f"{program.name}: the solver claims an optimum and returns no values")
        return result
    near = np.rint(result.values)
    values = np.where(np.isclose(result.values, near, rtol=0, atol=1e-6), near, result.values)
    program.check(values)
    return replace(result, values=values)


@dataclass
class Budget:
    """What may still be spent on one instance: time until ``end``, and ``work`` in a solver's deterministic unit."""

    end: float
    work: float

    @classmethod
    def of(cls, seconds: float | None, work: float | None = None) -> Budget:
        """From now on; None is no limit."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        return cls(end, math.inf if work is None else work)

    def without(self, seconds: float) -> Budget:
        """Less what was spent before."""
        return Budget(self.end - seconds, self.work)

    def seconds_left(self) -> float | None:
        """None without a limit."""
        return None if math.isinf(self.end) else max(0.0, self.end - time.monotonic())

    def spending(
        self, solve: Callable[[LinearProgram, float | None, float | None], ProgramResult]
    ) -> Callable[[LinearProgram], ProgramResult]:
        """``solve`` for one program after the other, within what is left."""

        def solve_next(program: LinearProgram) -> ProgramResult:
            seconds = self.end - time.monotonic()
            if seconds <= 0 or self.work <= 0:
                return ProgramResult(Status.UNSOLVED, limited=True)
            limits = (None if math.isinf(limit) else limit for limit in (seconds, self.work))
            result = solve(program, *limits)
            self.work -= result.work
            return replace(result, limited=result.limited or time.monotonic() >= self.end)

        return solve_next


class TimeIsUp(Exception):
    """A limit was reached. Never seen by users: solvers turn it into a status."""


def run_within(seconds: float, work: Callable[[], T]) -> T:
    """The result of ``work``, or TimeIsUp.

    ``work`` runs in a thread, which ends by itself: Python code at its next step, compiled code when it returns.
    """
    if seconds <= 0:
        raise TimeIsUp
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(min(seconds, threading.TIMEOUT_MAX))
    if thread.is_alive():
        stop: Any = ctypes.pythonapi.PyThreadState_SetAsyncExc
        stop(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(TimeIsUp))
        raise TimeIsUp
    if failure:
        raise failure[0]
    return result[0]


def solve_within(model: Any, seconds: float, solve: Callable[[Any], Any]) -> Any:
    """``solve(model)`` in the time of all its instances together, or else each in its own ``seconds``, or unsolved."""
    try:
        return run_within(seconds * max(1, len(model)), lambda: solve(model))
    except TimeIsUp:
        if len(model) <= 1:
            return model.unsolved()
        parts = (model[i] for i in range(len(model)))
        return model.joined([solve_within(part, seconds, solve) for part in parts])


@runtime_checkable
class Solver(Protocol):
    """Takes a model and returns its solution, with a status for each instance."""

    name: str

    def available(self) -> str | None:
        """None if it can be used here, else what to install. Asked only where it is going to be used."""

    def accepts(self, model: Any) -> bool:
        """Whether it can solve this model."""

    def solve(self, model: Any, time_limit: float | None) -> Any:
        """The solution; ``time_limit`` in seconds for each instance."""


def importable(module: str, package: str) -> str | None:
    """None if ``module`` can be imported, else what to do. It is imported, so ask for what you are going to use."""
    if not find_spec(module.partition(".")[0]):
        return f"pip install {package}"
    try:
        import_module(module)
    except Exception as error:  # a package that is there and cannot be loaded may raise anything
        return f"{module} cannot be imported ({error}); {_remedy(package)}"
    return None


def _remedy(package: str) -> str:
    if package == "ortools" and "highspy" in sys.modules:
        return (
            "highspy is loaded already, perhaps by PuLP, and both bring a HiGHS: import ortools before pulp "
            "and highspy, or uninstall highspy, or use another solver"
        )
    return f"reinstall {package}, or use another solver"
