"""The errors and warnings of hemlp.

Every error that hemlp raises on purpose is a ``HemlpError``. Its message says where (file, row, label) and what
to do. Rows and lines are counted from 1, in messages and in attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from hemlp.escaping import printable


@dataclass(frozen=True)
class Advice:
    """An option that avoids an error: name, value and effect ("to leave them out"), and ``further`` options with it."""

    option: str
    value: str
    effect: str
    further: tuple[tuple[str, str], ...] = ()

    def format(self, spelling: Spelling) -> str | None:
        """The advice as the caller writes options, None where there is no such option."""
        options = [spelling(option, value) for option, value in ((self.option, self.value), *self.further)]
        return None if None in options else f"{' and '.join(map(str, options))} {self.effect}"


Spelling = Callable[[str, str], str | None]
"""How to write an option with its value, None where there is no such option."""


def as_argument(option: str, value: str) -> str:
    """An option as a Python argument."""
    return f"{option}={value!r}"


LONGEST = 2_000
"""Characters of a message; a longer one loses its middle."""


class HemlpError(Exception):
    """Base of all errors that hemlp raises on purpose; bad input unless a subclass says otherwise.

    ``advice``: options to choose; ``spelling``: how to write them where the error is shown.
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
        choose = " Choose" if message.endswith("?") else "; choose"
        return printable(message + (f"{choose} {', or '.join(choices)}" if choices else ""))

    def __reduce__(self) -> tuple[Any, ...]:  # errors cross the borders of processes
        return _rebuild, (type(self), self.args, self.__dict__)


@contextmanager
def without_advice() -> Iterator[None]:
    """Remove advice from errors, where its options do not exist."""
    try:
        yield
    except HemlpError as error:
        error.with_advice()
        raise


@contextmanager
def naming(file: str | None) -> Iterator[None]:
    """Let errors begin with the name of a file, a system or a measure, if there is one."""
    try:
        yield
    except HemlpError as error:
        error.args = error.args if file is None else (f"{file}: {error.args[0]}", *error.args[1:])
        raise


def _rebuild(kind: type[HemlpError], args: tuple[Any, ...], state: dict[str, Any]) -> HemlpError:
    new = Exception.__new__ if issubclass(kind, MemoryError) else kind.__new__  # MemoryError.__new__ rejects subclasses
    error = new(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class InvalidOption(HemlpError, ValueError):
    """An argument has a value that it cannot have."""


class InvalidLabel(HemlpError, TypeError):
    """A label is neither a string nor an integer."""


class UnknownLabel(HemlpError, LookupError):
    """A ``label`` is not a class of the hierarchy; ``near``: similar labels."""

    def __init__(self, message: str, label: str | int, near: Sequence[str | int] = ()) -> None:
        super().__init__(message)
        self.label = label
        self.near = tuple(near)


class AmbiguousLabel(UnknownLabel):
    """A label is the name of several classes (``near``)."""


class InvalidHierarchy(HemlpError, ValueError):
    """The edges do not make a hierarchy."""


class EmptyHierarchy(InvalidHierarchy):
    """There is no class."""


class CyclicHierarchy(InvalidHierarchy):
    """The edges contain a cycle. ``cycle`` holds the labels of one, each the parent of the next."""

    def __init__(self, message: str, cycle: Sequence[str | int]) -> None:
        super().__init__(message)
        self.cycle = tuple(cycle)


class InvalidWeight(InvalidHierarchy):
    """An edge weight is missing, negative, not finite, or given twice."""


class UnreadableFile(HemlpError, OSError):
    """A file does not exist, is a directory, or is not readable."""


class UnwritableFile(HemlpError, OSError):
    """A file cannot be written."""

    exit_code = 1


class OutOfMemory(HemlpError, MemoryError):
    """A run needs more memory than there is."""

    exit_code = 1


def out_of_memory(limit: object) -> OutOfMemory:
    """The error about a lack of memory; it advises a limit if there is none."""
    if limit is None:
        return OutOfMemory("out of memory").with_advice(Advice("memory", "SIZE", "to keep a run within a limit"))
    return OutOfMemory(f"out of memory, with a limit of {limit}: the hierarchy, the labels or the results need more")


class WorkerLost(HemlpError, RuntimeError):
    """A worker process died repeatedly on one chunk: rows ``first`` to ``last`` (from 1) of ``system``."""

    exit_code = 1

    def __init__(self, message: str, system: str, first: int, last: int) -> None:
        super().__init__(message)
        self.system, self.first, self.last = system, first, last


class NoCluster(HemlpError, OSError):
    """No cluster scheduler answers at the given address."""

    exit_code = 1


class RunMismatch(HemlpError, ValueError):
    """A run folder was begun with other input, measures, options or version."""


class InvalidTally(HemlpError, ValueError):
    """Bytes are not those of a tally, or tallies are not of the same plan."""


class InstancesNotKept(HemlpError, LookupError):
    """An analysis needs single instances, and only sums were kept."""


class IncomparableBaseline(HemlpError, ValueError):
    """Stored scores have other systems, measures, instances or another hierarchy."""


class FileFormatError(HemlpError, ValueError):
    """A file is not in the expected format; ``line``: where, or None."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.line = line


class InvalidLabelSets(HemlpError, ValueError):
    """The data is not one label set per instance."""


class InvalidScores(HemlpError, ValueError):
    """A score is missing, not finite or given twice, or the data does not hold scores."""


class UnscoredPredictions(HemlpError, ValueError):
    """A measure of ranked predictions, such as F_H@5, needs scores."""


class UncutScores(HemlpError, ValueError):
    """A measure of sets, such as F_H, needs a cut-off for scored predictions."""


class MisalignedSides(HemlpError, ValueError):
    """True and predicted label sets do not belong to the same instances."""


class MissingDependency(HemlpError, ImportError):
    """An optional package is not installed."""

    exit_code = 1


class InvalidCost(HemlpError, ValueError):
    """A cost is negative, not a number, or missing for a pair of classes."""


class InvalidBounds(HemlpError, ValueError):
    """Bounds of Problem 1 are not integers of at least 0, or no pairing can satisfy them."""


class _RowError(HemlpError, ArithmeticError):
    def __init__(self, message: str, row: int = 1) -> None:
        super().__init__(message)
        self.row = row


class UndefinedScore(_RowError):
    """A measure has no value on instance ``row`` (from 1)."""


class UnsolvedModel(_RowError):
    """Instance ``row`` (from 1) was not solved: a limit was reached, or the solver failed."""


class InfeasibleModel(_RowError):
    """No solution satisfies all bounds: those of ``labels`` (on ``side``; ``label`` is the first) contradict."""

    def __init__(
        self, message: str, row: int = 1, side: str | None = None, label: str | int | None = None,
        labels: Sequence[str | int] = (),
    ) -> None:  # fmt: skip
        super().__init__(message, row)
        self.side, self.label = side, label
        self.labels = tuple(labels) or (() if label is None else (label,))


class InvalidSolution(HemlpError, ArithmeticError):
    """A solution breaks a constraint, misstates its objective, or is not the optimum that it claims to be."""


class NoSolver(HemlpError, LookupError):
    """No solver accepts the model, or the chosen one does not exist or does not accept it."""


class UnknownMeasure(HemlpError, LookupError):
    """There is no measure of this name, or its text is not a measure."""


class NoTextForm(HemlpError, ValueError):
    """A measure with a function or a matrix in it has no text form."""


class UpsideDown(UserWarning):
    """A hierarchy has thousands of roots and hardly any leaves."""
