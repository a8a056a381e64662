"""The errors and warnings of hemlp.

Every error that hemlp raises on purpose is a ``HemlpError``. Its message says where (file, row, label) and what
to do. Rows and lines are counted from 1 in messages and in the attributes of an error, as an editor counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from hemlp.escaping import printable


@dataclass(frozen=True)
class Advice:
    """An option that lets a run go on: its name, its value, and what it does, as in "to leave them out".

    ``further``: options that it needs beside it, with their values.
    """

    option: str
    value: str
    effect: str
    further: tuple[tuple[str, str], ...] = ()

    def format(self, spelling: Spelling) -> str | None:
        """As the caller writes it, None where there is no such option."""
        options = [spelling(option, value) for option, value in ((self.option, self.value), *self.further)]
        return None if None in options else f"{' and '.join(map(str, options))} {self.effect}"


Spelling = Callable[[str, str], str | None]
"""How an option with its value is written, None where there is no such option."""


def as_argument(option: str, value: str) -> str:
    """As an argument of a function in Python."""
    return f"{option}={value!r}"


LONGEST = 2_000
"""Characters of a message; of a longer one the middle is left out."""


class HemlpError(Exception):
    """Base of all errors that hemlp raises on purpose. Bad input unless a child says otherwise.

    ``advice``: options to choose; ``spelling``: how they are written where the error is shown.
    """

    exit_code = 2
    advice: tuple[Advice, ...] = ()
    spelling: Spelling = staticmethod(as_argument)

    def with_advice(self, *advice: Advice) -> Self:
        """This error with advice."""
        self.advice = advice
        return self

    def __str__(self) -> str:
        choices = [text for each in self.advice if (text := each.format(self.spelling)) is not None]
        message = super().__str__()
        if len(message) > LONGEST:  # a file can hold names of any length
            message = f"{message[: LONGEST - 300]} ... {message[-300:]}"
        return printable(message + (f"; choose {', or '.join(choices)}" if choices else ""))

    def __reduce__(self) -> tuple[Any, ...]:  # errors cross the borders of processes
        return _rebuild, (type(self), self.args, self.__dict__)


@contextmanager
def without_advice() -> Iterator[None]:
    """For what has none of the options that could be advised."""
    try:
        yield
    except HemlpError as error:
        error.with_advice()
        raise


def _rebuild(kind: type[HemlpError], args: tuple[Any, ...], state: dict[str, Any]) -> HemlpError:
    new = Exception.__new__ if issubclass(kind, MemoryError) else kind.__new__  # that of MemoryError takes no children
    error = new(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidOption(HemlpError, ValueError):
    """An argument has a value that it cannot have."""


class InvalidLabel(HemlpError, TypeError):
    """A label is neither a string nor an integer."""


class UnknownLabel(HemlpError, LookupError):
    """A label is not a class of the hierarchy. ``label``, ``near``: it, and known labels that look like it."""

    def __init__(self, message: str, label: str | int, near: Sequence[str | int] = ()) -> None:
        super().__init__(message)
        self.label = label
        self.near = tuple(near)


class AmbiguousLabel(UnknownLabel):
    """A label is the name of several classes, which are ``near``."""


class InvalidHierarchy(HemlpError, ValueError):
    """The edges do not make a hierarchy."""


class EmptyHierarchy(InvalidHierarchy):
    """There is no class at all."""


class CyclicHierarchy(InvalidHierarchy):
    """The edges contain a cycle. ``cycle`` holds the labels of one, each the parent of the next."""

    def __init__(self, message: str, cycle: Sequence[str | int]) -> None:
        super().__init__(message)
        self.cycle = tuple(cycle)


class InvalidWeight(InvalidHierarchy):
    """An edge weight is missing, negative, not a finite number, or said twice in two ways."""


class UnreadableFile(HemlpError, OSError):
    """A file does not exist, is a directory, or may not be read."""


class UnwritableFile(HemlpError, OSError):
    """A file cannot be written."""

    exit_code = 1


class OutOfMemory(HemlpError, MemoryError):
    """A run needs more memory than there is."""

    exit_code = 1


def out_of_memory(limit: object) -> OutOfMemory:
    """Where nobody knows what took it; a limit is advised to those who have none."""
    if limit is None:
        return OutOfMemory("out of memory").with_advice(Advice("memory", "SIZE", "to keep a run within a limit"))
    return OutOfMemory(f"out of memory, with a limit of {limit}: the hierarchy, the labels or the results need more")


class WorkerLost(HemlpError, RuntimeError):
    """A worker process died again and again on one chunk: ``system``, and its rows ``first`` to ``last`` from 1."""

    exit_code = 1

    def __init__(self, message: str, system: str, first: int, last: int) -> None:
        super().__init__(message)
        self.system, self.first, self.last = system, first, last


class NoCluster(HemlpError, OSError):
    """No scheduler of a cluster answers at the address that was given."""

    exit_code = 1


class RunMismatch(HemlpError, ValueError):
    """A run folder was begun with other input, measures, options or version."""


class InvalidTally(HemlpError, ValueError):
    """Bytes are not those of a tally, or tallies are not of the same plan."""


class InstancesNotKept(HemlpError, LookupError):
    """Something needs single instances again, and only sums are left of them."""


class IncomparableBaseline(HemlpError, ValueError):
    """Stored scores are not those of the same systems, measures, hierarchy and instances."""


class FileFormatError(HemlpError, ValueError):
    """A file is not in the form that it should have. ``line`` is where, if that can be said."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class InvalidLabelSets(HemlpError, ValueError):
    """The data given as label sets has no reading as one label set per instance."""


class InvalidScores(HemlpError, ValueError):
    """A score is missing, not finite or said twice, or the data has no reading as scores."""


class UnscoredPredictions(HemlpError, ValueError):
    """A measure of the greatest scores, such as F_H@5, is asked of predictions without scores."""


class UncutScores(HemlpError, ValueError):
    """A measure of sets, such as F_H, is asked of scores, and nobody said where they are cut."""


class MisalignedSides(HemlpError, ValueError):
    """True and predicted label sets do not belong to the same instances."""


class MissingDependency(HemlpError, ImportError):
    """An optional package is needed and not installed."""

    exit_code = 1


class InvalidCost(HemlpError, ValueError):
    """A cost is negative, not a number, or not known for a pair of classes."""


class InvalidBounds(HemlpError, ValueError):
    """Bounds of Problem 1 that no pairing could ever keep, or that are not integers of at least 0."""


class UndefinedScore(HemlpError, ArithmeticError):
    """A measure has no value on this instance. ``row`` counts from 1."""

    def __init__(self, message: str, row: int = 1) -> None:
        super().__init__(message)
        self.row = row


class InfeasibleModel(HemlpError, ArithmeticError):
    """No solution keeps all bounds: those of ``labels`` (on ``side``; ``label`` is the first) cannot hold together."""

    def __init__(
        self, message: str, row: int = 1, side: str | None = None, label: str | int | None = None,
        labels: Sequence[str | int] = (),
    ) -> None:  # fmt: skip
        super().__init__(message)
        self.row = row
        self.side = side
        self.label = label
        self.labels = tuple(labels) or (() if label is None else (label,))


class UnsolvedModel(HemlpError, ArithmeticError):
    """An instance was not solved: a limit was reached, or the solver that was asked failed. ``row`` counts from 1."""

    def __init__(self, message: str, row: int = 1) -> None:
        super().__init__(message)
        self.row = row


class InvalidSolution(HemlpError, ArithmeticError):
    """A solution breaks a constraint, misstates its objective, or is not the optimum that it claims to be."""


class NoSolver(HemlpError, LookupError):
    """No solver accepts the model, or the one asked for does not exist or does not accept it."""


class UnknownMeasure(HemlpError, LookupError):
    """There is no measure of this name, or its text cannot be read."""


class NoTextForm(HemlpError, ValueError):
    """A measure with a function or a matrix in it cannot be written down as text."""


class UpsideDown(UserWarning):
    """A hierarchy has thousands of roots and next to no leaves."""
