"""Values of measures on the n greatest scores of each instance, each computed once: when it is first asked for.

A threshold, a number of classes and both together predict the first n classes of an instance, greatest score first. So
all such rules share these values, on any part of the instances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.aligned import Aligned
from hemlp.analysis.scored.stepping import Solving, StepValues, solved_by_sweep, step_values
from hemlp.analysis.scored.steps import Steps
from hemlp.arrays import FloatArray, IntArray, row_pointers
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.base import Measure

SETS_AT_MOST = 20_000_000
"""Predicted classes of the sets that are scored without being asked for; with more, a choice is made."""


@dataclass(eq=False)
class Prefixes:
    """The n-th value of instance i is at ``given.ptr[i] + i + n``, for n from 0 to the number of its scores."""

    data: Aligned
    measures: Mapping[str, Measure]
    solving: Solving
    _known: dict[str, NDArray[np.bool_]] = field(default_factory=dict)
    _values: dict[str, FloatArray] = field(default_factory=dict)
    _about: dict[str, StepValues] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert self.data.given is not None
        self.given: ScoredSets = self.data.given
        size = self.given.values.size + len(self.given)
        for name in self.measures:
            self._known[name], self._values[name] = np.zeros(size, np.bool_), np.empty(size)
        self._lengths, self._ordered = _lengths(self.data, self.given)
        self.swept = {name for name, each in self.measures.items() if solved_by_sweep(each, self.data, self.solving)}

    def complete(self, name: str) -> bool:
        """Whether all values of a measure are cheap enough to be computed."""
        return name in self.swept or float(np.sum(np.diff(self.given.ptr).astype(np.float64) ** 2)) / 2 <= SETS_AT_MOST

    def about(self, name: str) -> StepValues:
        """The signature of a measure, and how many values are not proved optimal."""
        return self._about[name]

    def values(self, name: str, rows: IntArray, sizes: IntArray) -> FloatArray:
        """The value of a measure on the ``sizes[k]`` greatest scores of the instance ``rows[k]``, for each k."""
        at = self.given.ptr[rows] + rows + sizes
        if not self._known[name][at].all():
            if name in self.swept:
                self._compute(name, np.arange(self._known[name].size))
            else:
                self._compute(name, np.unique(at[~self._known[name][at]]))
        found: FloatArray = self._values[name][at]
        return found

    def _compute(self, name: str, at: IntArray) -> None:
        """The values at these places, which ascend; measures that are not swept are solved together."""
        together = [name] if name in self.swept else [each for each in self.measures if each not in self.swept]
        begin = self.given.ptr[:-1] + np.arange(len(self.given))
        rows = np.searchsorted(begin, at, side="right") - 1
        sizes = at - begin[rows]
        last = np.maximum(self.given.ptr[rows] + sizes - 1, 0)
        greatest = self.given.values[last] if self.given.values.size else np.zeros(at.size)
        steps = Steps(greatest, row_pointers(rows, len(self.given)), self._lengths[at].astype(np.int32),
                      np.arange(at.size))  # fmt: skip
        found = step_values([self.measures[each] for each in together], self._ordered, steps, self.solving)
        for each, of in zip(together, found, strict=True):
            self._known[each][at], self._values[each][at] = True, of.values
            before = self._about[each].fallbacks if each in self._about else 0
            self._about[each] = replace(of, values=np.empty(0), fallbacks=before + of.fallbacks)


def _lengths(data: Aligned, given: ScoredSets) -> tuple[IntArray, Aligned]:
    """How many classes of the hierarchy the first n scores of an instance stand for, and the data in their order.

    Fewer where unknown classes are left out, or where two names are of one class.
    """
    rows = np.repeat(np.arange(len(given)), np.diff(given.ptr))
    number = data.hierarchy.numbers(given.vocabulary)
    present = np.zeros(len(data.hierarchy) + 1, np.bool_)
    present[data.classes] = True
    number[~present[number]] = -1  # left out, though perhaps known as a true label
    classes = number[given.codes]
    new = classes >= 0
    if not (data.classes.size == rows.size and (data.classes == classes).all()):
        keys = rows * len(data.hierarchy) + classes
        order = np.argsort(keys, kind="stable")
        new[order[1:]] &= keys[order[1:]] != keys[order[:-1]]
        ptr = row_pointers(rows[new], len(given))
        data = replace(data, ptr=ptr, classes=classes[new], values=given.values[new])
    begin = given.ptr[:-1] + np.arange(len(given))
    counts = np.zeros(rows.size + len(given), np.int64)
    counts[np.arange(rows.size) + rows + 1] = new
    total = np.cumsum(counts)
    return total - np.repeat(total[begin], np.diff(given.ptr) + 1), data
