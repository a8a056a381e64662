"""Limits: what may be spent on an instance, and time limits for code that has none of its own."""

from __future__ import annotations

import ctypes
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hemlp.optimize.program import LinearProgram, ProgramResult, Status

T = TypeVar("T")


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


def finished_within(seconds: float, work: Callable[[], T]) -> T:
    """The result of ``work``, or TimeIsUp.

    ``work`` runs in a thread of its own. One that is still running then is left to end by itself: Python
    code at its next step, compiled code when it returns.
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
    """``solve(model)`` in the time of all its instances together, or else each instance in its own ``seconds``.

    An instance whose time was too short is ``model.unsolved()``.
    """
    try:
        return finished_within(seconds * max(1, len(model)), lambda: solve(model))
    except TimeIsUp:
        if len(model) <= 1:
            return model.unsolved()
        parts = (model[i] for i in range(len(model)))
        return model.joined([solve_within(part, seconds, solve) for part in parts])
