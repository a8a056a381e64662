"""Two measures that order two predictions differently: the smallest such instance, and how often it happens.

>>> print(counterexample("F_LCA", "MGIA"))
0>1: true {1}, predicted {0} or {0,1}: F_LCA 0.667 < 1, MGIA 0.9 > 0.8
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.properties.catalogue import TOLERANCE, leads
from hemlp.analysis.properties.counterexamples import braces, draw, number
from hemlp.analysis.properties.losses import AS_IS, LabelSet, LossTables, complete
from hemlp.analysis.properties.search import smallest
from hemlp.analysis.properties.shapes import Shape, shapes_up_to
from hemlp.errors import InvalidSolution
from hemlp.hierarchy.dag import Hierarchy
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.results.results import Results
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table


@dataclass(frozen=True, repr=False)
class Disagreement(HtmlDisplay):
    """An instance with two predictions of which each measure prefers another one.

    ``true``, ``pred`` and ``other``: the true set and the two predictions, sorted.
    """

    measures: tuple[Measure, Measure]
    shape: Shape
    true: LabelSet
    pred: LabelSet
    other: LabelSet

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """Of the classes 0 … n − 1."""
        return self.shape.hierarchy()

    @cached_property
    def values(self) -> dict[str, tuple[float, float]]:
        """What each measure gives to the two predictions."""
        return {each.display_name: self._scores(each) for each in self.measures}

    def _scores(self, each: Measure, solver: str | None = None) -> tuple[float, float]:
        own, h = complete(each, self.hierarchy), self.hierarchy
        first, second = (own.score(h, self.true, side, solver=solver) for side in (self.pred, self.other))
        return float(first), float(second)

    def verify(self, solver: str = "milp") -> None:
        """Score it again by a solver of programs.

        Parameters
        ----------
        solver
            The name of a solver of programs.

        Raises
        ------
        InvalidSolution
            If the values differ.
        """
        for each in self.measures:
            if each._solve_options[0] is None:  # else the measure is defined by its own solver
                again = self._scores(each, solver)
                if not np.allclose(again, self.values[each.display_name], rtol=0, atol=TOLERANCE):
                    raise InvalidSolution(f"{self}: by {solver} {each.display_name} is {again}")

    def frequency(self, results: Results) -> Table:
        """How often the two measures order two systems differently, instance by instance.

        Parameters
        ----------
        results
            An evaluation of several systems by both measures.

        Returns
        -------
        Table
            For each pair of systems the instances on which both measures are defined, and those on which one measure
            prefers the first system and the other measure the second.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, [["sheep"]], {"A": [[]], "B": [["sheep", "cow", "animal"]]}, ["F_LCA", "MGIA"])
        >>> counterexample("F_LCA", "MGIA").frequency(ev).rows
        [['A', 'B', 1, 0, 0.0]]
        """
        rows: list[list[Any]] = []
        for first, second in combinations(results.systems, 2):
            signs = []
            for each in self.measures:
                gap = results.per_instance(first, each.display_name) - results.per_instance(second, each.display_name)
                better = np.where(np.abs(gap) <= TOLERANCE, 0.0, np.sign(gap))
                signs.append(better if each.greater_is_better else -better)
            product = signs[0] * signs[1]
            defined, opposite = int(np.count_nonzero(~np.isnan(product))), int(np.count_nonzero(product < 0))
            rows.append([first, second, defined, opposite, opposite / defined if defined else float("nan")])
        return Table(["system", "other", "instances", "opposite", "share"], rows)

    def table(self) -> Table:
        """What each measure gives to the two predictions."""
        rows = [[name, *values] for name, values in self.values.items()]
        return Table(["measure", braces(self.pred), braces(self.other)], rows)

    def __repr__(self) -> str:
        return f"Disagreement({self})"

    def __str__(self) -> str:
        shown = (f"{name} {number(a)} {'<' if a < b else '>'} {number(b)}" for name, (a, b) in self.values.items())
        sets = f"true {braces(self.true)}, predicted {braces(self.pred)} or {braces(self.other)}"
        return f"{self.shape}: {sets}: {', '.join(shown)}"

    def picture(self) -> Picture:
        """A drawing of the hierarchy with the three sets."""
        names = " and ".join(self.values)
        return draw(f"{names} disagree", self.shape, {"T": self.true, "P": self.pred, "P′": self.other})


def counterexample(
    first: str | Measure, second: str | Measure, classes: int = 5, labels: int = 3
) -> Disagreement | None:
    """The smallest instance on which two measures order two predictions differently.

    One measure prefers the first prediction, the other measure the second; equal values do not count.

    Parameters
    ----------
    first, second
        Two measures, or their names or texts.
    classes, labels
        The most classes of a hierarchy, and labels of a set.

    Returns
    -------
    Disagreement or None
        None if there is none of that size.

    Examples
    --------
    >>> counterexample("F", "jaccard", classes=3) is None
    True
    """
    measures = as_measure(first), as_measure(second)
    for shape in shapes_up_to(classes):
        sets = _opposite(measures, shape, labels)
        if sets is not None:
            example = Disagreement(measures, shape, *sets)
            example.verify()
            return example
    return None


def _opposite(measures: Sequence[Measure], shape: Shape, labels: int) -> tuple[LabelSet, LabelSet, LabelSet] | None:
    """The smallest (T, P, P') on this hierarchy."""
    tables = LossTables(shape, labels, measures)
    tables.prepare(AS_IS, range(2))
    opposite = leads(tables.of(0).d) * leads(tables.of(1).d) < 0
    if not opposite.any():
        return None
    true, pred, other = (tables.space.sets[k] for k in smallest(tables.space, opposite))
    return true, pred, other
