"""Scores: one value per instance first, in named columns with a status, and averages after."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hemlp.arrays import FloatArray
from hemlp.optimize.program import Status
from hemlp.options import check_known
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, plural


class Score(float):
    """The score of one instance: a float with further ``columns``, a ``status`` in a word, and its ``signature``.

    Examples
    --------
    >>> from hemlp import Hierarchy, measure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> score = measure("F_H").score(h, ["sheep"], ["cow"])
    >>> score + 1, score["common"], score.status
    (1.5, 1.0, 'optimal')
    """

    columns: Mapping[str, float]
    status: str
    signature: str

    def __new__(cls, value: float, columns: Mapping[str, float], status: Status | str, signature: str) -> Score:
        """The value, and what belongs to it."""
        score = super().__new__(cls, value)
        score.columns, score.status, score.signature = columns, str(status), signature
        return score

    def __getitem__(self, column: str) -> float:
        check_known("column", column, list(self.columns))
        return self.columns[column]

    if TYPE_CHECKING:  # as a float it equals integers, too; type checkers take a child for something else

        def __eq__(self, other: object) -> bool: ...
        def __hash__(self) -> int: ...

    def _repr_html_(self) -> str:
        rows = [[name, value] for name, value in self.columns.items()]
        return Table(["column", "value"], rows, [self.status, self.signature])._repr_html_()

    def __reduce__(self) -> tuple[Any, ...]:
        return Score, (float(self), self.columns, self.status, self.signature)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(HtmlDisplay):
    """The scores of a batch: one array per column, the first being the measure itself; nan where it is undefined.

    ``undefined``: on how many instances that is. ``exact``: whether they are meant to be optimal, so that one that is
    not proved so is a fallback.

    Examples
    --------
    >>> from hemlp import Batch, Hierarchy, measure
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> scores = measure("F_H").score(Batch.of(h, ["sheep", "cow"], ["cow", "cow"]))
    >>> scores.mean(), scores["common"].tolist(), scores.status_counts()
    (0.75, [1.0, 2.0], {'optimal': 2})
    """

    name: str
    columns: Mapping[str, FloatArray]
    statuses: NDArray[np.int8]
    signature: str
    undefined: int = field(default=0)
    exact: bool = True

    def __len__(self) -> int:
        return len(self.statuses)

    def __getitem__(self, column: str) -> FloatArray:
        check_known("column", column, list(self.columns))
        return self.columns[column]

    @property
    def values(self) -> FloatArray:
        """The measure itself, for each instance."""
        return next(iter(self.columns.values()))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype, copy=copy is not False)

    def single(self) -> Score:
        """The score of the only instance."""
        columns = {name: float(values[0]) for name, values in self.columns.items()}
        return Score(float(self.values[0]), columns, Status(self.statuses[0]), self.signature)

    def mean(self, column: str | None = None) -> float:
        """The average over the instances on which it is defined; ``undefined`` says on how many it is not.

        Parameters
        ----------
        column
            Another column than the measure itself.
        """
        return self._mean if column is None else mean(self.columns[column])

    _mean = cached_property(lambda scores: mean(scores.values))

    def total(self, column: str) -> float:
        """The sum of a column, where it has values."""
        return float(np.nansum(self.columns[column]))

    @property
    def fallbacks(self) -> int:
        """How many instances have a solution that is not proved optimal."""
        return int(np.count_nonzero(self.statuses == Status.FEASIBLE))

    def status_counts(self) -> dict[str, int]:
        """How many instances have which status."""
        counts = np.bincount(self.statuses, minlength=len(Status))
        return {str(status): int(count) for status, count in zip(Status, counts, strict=True) if count}

    def without_infinite(self) -> tuple[int, float]:
        """How many scores are infinite, and the mean of the others."""
        infinite = np.isinf(self.values)
        return int(np.count_nonzero(infinite)), mean(np.where(infinite, math.nan, self.values))

    def __repr__(self) -> str:
        return f"Scores({self.name} of {plural(len(self), 'instance')}: mean {self.mean():.4g})"

    def _html_parts(self) -> Iterator[Table]:
        rows = [[name, mean(v), *_ends(v)] for name, v in self.columns.items()]
        counts = ", ".join(f"{count:,} {status}" for status, count in self.status_counts().items())
        yield Table(["column", "mean", "least", "greatest"], rows, [counts, self.signature])


def _ends(values: FloatArray) -> tuple[float, float]:
    """The least and the greatest value, nan where there is none."""
    defined = values[~np.isnan(values)]
    return (float(defined.min()), float(defined.max())) if defined.size else (math.nan, math.nan)


def mean(values: FloatArray) -> float:
    """The average of the values that are not nan."""
    from hemlp.kernels.paired import exact_sum

    defined = np.asarray(values[~np.isnan(values)], np.float64)
    total = exact_sum(defined)
    return total / defined.size if defined.size and total == total else exact_mean(defined.tolist(), defined.size)


def exact_mean(terms: Sequence[float], count: int) -> float:
    """Σ terms / count, with a sum that is rounded once; nan where nothing or no number comes of it."""
    try:
        return math.fsum(terms) / count if count else math.nan
    except OverflowError:
        from fractions import Fraction

        infinite = [each for each in terms if math.isinf(each)]
        return exact_mean(infinite, count) if infinite else float(sum(map(Fraction, terms)) / count)
    except ValueError:  # infinite terms of both signs
        return math.nan


def concatenate_scores(parts: Sequence[Sequence[Scores]]) -> list[Scores]:
    """The scores of consecutive parts of a batch, measure by measure, as those of the whole.

    Columns that measures share stay shared.
    """
    if len(parts) == 1:
        return list(parts[0])
    made: dict[tuple[int, ...], FloatArray] = {}

    def whole(arrays: Sequence[FloatArray]) -> FloatArray:
        key = tuple(map(id, arrays))
        if key not in made:
            made[key] = np.concatenate(arrays)
        return made[key]

    return [
        replace(
            of_measure[0],
            columns={name: whole([part.columns[name] for part in of_measure]) for name in of_measure[0].columns},
            statuses=np.concatenate([part.statuses for part in of_measure]),
            undefined=sum(part.undefined for part in of_measure),
        )
        for of_measure in zip(*parts, strict=True)
    ]
