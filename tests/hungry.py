"""Costs that worker processes can import and that kill them, for tests of what happens then."""

from __future__ import annotations

import os
import resource
import signal
from pathlib import Path

from hemlp.measures.set_measure import SetMeasure
from hemlp.solvers.registry import as_solver


def _times(name: str) -> int:
    """How often this was called, over all processes."""
    file = Path(os.environ[name])
    with file.open("a") as out:
        out.write("x")
    return file.stat().st_size


def kills_once(predicted, true):
    """The first worker that asks is killed."""
    if _times("HUNGRY") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(predicted != true)


def kills_always(predicted, true):
    """Every worker that is asked about sheep is killed."""
    if true == "sheep":
        os.kill(os.getpid(), signal.SIGKILL)
    return float(predicted != true)


def runs_out_of_memory(predicted, true):
    """The first worker that asks has a memory limit, and asks for more."""
    if _times("HUNGRY") == 1:
        resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
        bytearray(2**32)
    return float(predicted != true)


def compare_for_hours():
    """Compiled code that runs until its process is ended: rows of ten million values, a million of them."""
    import numpy as np

    from hemlp.kernels.text.label_sets import first_equal

    first_equal(np.zeros(10**6, np.int64), np.full(10**6, 10**7), np.zeros(10**7, np.uint8))


def never_ends(predicted, true):
    """A cost that takes hours of compiled code."""
    _times("ENDLESS_BEGUN")
    compare_for_hours()
    return 0.0


class Stranger:
    """A solver of one's own, that another does the work for."""

    name = "stranger"

    def available(self):
        return None

    def accepts(self, model):
        return True

    def solve(self, model, time_limit):
        return as_solver("augmenting").solve(model, time_limit)


class Mine(SetMeasure):
    """A measure of one's own."""


def refuses(predicted, true):
    raise KeyError(f"no idea about {true}")


class Odd(Exception):
    """An error that does not survive the way to another process."""

    def __init__(self, one, other):
        super().__init__(f"{one} {other}")


def refuses_oddly(predicted, true):
    raise Odd(predicted, true)


def needs_too_much(predicted, true):
    """No worker has enough memory."""
    raise MemoryError
