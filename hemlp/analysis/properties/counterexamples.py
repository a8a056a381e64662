"""Instances that refute: one that breaks a property of a measure, one that two measures order differently.

>>> print(counterexample("F_LCA", "MGIA"))
0>1: true {1}, predicted {0} or {0,1}: F_LCA 0.667 < 1, MGIA 0.9 > 0.8
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hemlp.analysis.explain.drawing import Picture
from hemlp.analysis.properties.catalogue import BY_NAME, TOLERANCE, Term, leads
from hemlp.analysis.properties.losses import AS_IS, LabelSet, LossTables, Shape, Variant, complete, shapes_up_to
from hemlp.errors import InvalidSolution
from hemlp.hierarchy.dag import Hierarchy
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.results.results import Results
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table

SENTENCES = {
    "perfect": "{m} of a perfect prediction is not always 0: on {h}, for the true classes {0}, it is {s0}.",
    "only perfect": "{m} takes different sets for equal: on {h}, predicting {1} for the true classes {0} is perfect.",
    "symmetric": "{m} is not symmetric: on {h}, d({0}, {1}) = {d0} and d({1}, {0}) = {d1}.",
    "triangle": "{m} breaks the triangle inequality: on {h}, d({0}, {2}) = {d2} is more than "
    "d({0}, {1}) + d({1}, {2}) = {d0} + {d1}.",
    "a hit never hurts": "A correct class can make {m} worse: on {h}, with the true classes {0}, it is {s0} for {1} "
    "and {s1} for {2}.",
    "a miss never helps": "A wrong class can make {m} better: on {h}, with the true classes {0}, it is {s0} for {1} "
    "and {s1} for {2}.",
    "nearer is never worse": "By {m} a nearer class can be worse: on {h}, with the true class {0}, it is {s0} for {1} "
    "and {s1} for {2}, which lies on a shortest path to the true class.",
    "names do not matter": "{m} depends on names: on {h}, d({0}, {1}) = {d0}, and {d1} {w}.",
    "roots do not matter": "{m} depends on what lies above all roots: on {h}, d({0}, {1}) = {d0}, and {d1} {w}.",
    "edges never reverse": "By {m} the better of two predictions depends on how finely the hierarchy is cut: on {h}, "
    "with the true classes {0}, it is {s0} for {1} and {s1} for {2}; {w}, {s2} and {s3}.",
}
"""What a counter-example says, with label sets {0}, scores {s0}, values of d {d0}, and the changed hierarchy {w}."""


@dataclass(frozen=True)
class Counterexample:
    """An instance on which a measure does not have the property ``name``.

    ``sets``: sorted label sets, ``true``, ``pred`` and perhaps ``other``. ``witness``: the added class, the neighbour
    or the changed hierarchy, if there is one. ``values``: the d that are compared, in the order of the property's
    definition; ``scores``: the same as values of the measure.
    """

    measure: Measure
    name: str
    shape: Shape
    sets: tuple[LabelSet, ...]
    witness: Any
    values: tuple[float, ...]

    @cached_property
    def hierarchy(self) -> Hierarchy:
        """Of the classes 0 … n − 1."""
        return self.shape.hierarchy()

    @property
    def true(self) -> LabelSet:
        """T, or the first set."""
        return self.sets[0]

    @property
    def pred(self) -> LabelSet:
        """P, or the second set."""
        return self.sets[1] if len(self.sets) > 1 else self.true

    @property
    def other(self) -> LabelSet | None:
        """The third set, as P with the added class, or None."""
        if len(self.sets) > 2:
            return self.sets[2]
        return self.terms[1][2] if isinstance(self.witness, int) else None

    @property
    def terms(self) -> list[Term]:
        """The d that are compared, each of a variant of the hierarchy, a true and a predicted set."""
        return BY_NAME[self.name].terms(self.sets, self.witness)

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """Values of the measure where ``values`` are those of d."""
        return tuple(self._score(*term) for term in self.terms)

    def _score(self, variant: Variant, true: LabelSet, pred: LabelSet, solver: str | None = None) -> float:
        h = variant.shape(self.shape).hierarchy()
        sides = (list(map(variant.number, side)) for side in (true, pred))
        return float(complete(self.measure, h).score(h, *sides, solver=solver, undefined="nan"))

    def verify(self, solver: str = "milp") -> None:
        """Score it again by a solver of programs; raises InvalidSolution if the values differ."""
        if self.measure._solve_options[0] is not None:
            return  # the measure is defined by its own solver
        for value, (variant, true, pred) in zip(self.values, self.terms, strict=True):
            again = self._score(variant, true, pred, solver)
            if self.measure.greater_is_better:
                again = self._score(variant, true, true, solver) - again
            if abs(again - value) > TOLERANCE:
                raise InvalidSolution(f"{self}: {solver} gives {again:g} instead of {value:g}")

    # ---- in words

    @property
    def comparison(self) -> str:
        """The compared values, as in ``1 + 1 < 10``."""
        d = [number(value) for value in self.values]
        if self.name == "triangle":
            return f"{d[0]} + {d[1]} < {d[2]}"
        if self.name == "edges never reverse":
            return f"{d[0]}, {d[1]} → {d[2]}, {d[3]}"
        return f" {BY_NAME[self.name].breach} ".join(d) if len(d) > 1 else f"{d[0]} {BY_NAME[self.name].breach}"

    def __str__(self) -> str:
        where = f" {self.witness}" if isinstance(self.witness, Variant) else ""
        return f"{self.shape}: {' '.join(map(braces, self.label_sets.values()))}{where}: {self.comparison}"

    @property
    def sentence(self) -> str:
        """As one would write it in a paper."""
        sets = [braces(each) for each in (self.true, self.pred, self.other or ())]
        scores = {f"s{k}": number(value) for k, value in enumerate(self.scores)}
        values = {f"d{k}": number(value) for k, value in enumerate(self.values)}
        words = {"m": self.measure.display_name, "h": f"the hierarchy {self.shape}", "w": str(self.witness)}
        return SENTENCES[self.name].format(*sets, **words, **scores, **values)

    @property
    def label_sets(self) -> dict[str, LabelSet]:
        """The sets by the letters that a drawing gives them: A, B, C where none of them is the truth."""
        marks = ("A", "B", "C") if self.name in ("triangle", "symmetric") else ("T", "P", "P′")
        third = [] if self.other is None else [self.other]
        return dict(zip(marks, (*self.sets[:2], *third), strict=False))

    def picture(self) -> Picture:
        """A drawing: classes with the sets that they belong to, and the class that changes the hierarchy."""
        variant = self.witness if isinstance(self.witness, Variant) else AS_IS
        first, *others = self.label_sets
        key = (
            f"T: true; {', '.join(others)}: predicted" if first == "T" else f"{', '.join(self.label_sets)}: label sets"
        )
        title = f"{self.measure.display_name}: {self.name}? {self.comparison} ({key})"
        return draw(title, self.shape, self.label_sets, variant)

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "classes": self.shape.size,
            "edges": [list(edge) for edge in self.shape.edges],
            "true": list(self.true),
            "pred": list(self.pred),
            "other": None if self.other is None else list(self.other),
            "witness": str(self.witness) if isinstance(self.witness, Variant) else self.witness,
            "values": list(self.values),
            "scores": list(self.scores),
            "sentence": self.sentence,
        }


def braces(labels: LabelSet) -> str:
    """A label set in braces.

    >>> braces((0, 2)), braces(())
    ('{0,2}', '∅')
    """
    return f"{{{','.join(map(str, labels))}}}" if labels else "∅"


def number(value: float) -> str:
    """A value with three decimals at most.

    >>> number(2 / 3), number(5.0), number(-0.0)
    ('0.667', '5', '0')
    """
    return f"{round(value, 3) + 0.0:g}"


def draw(title: str, shape: Shape, sets: Mapping[str, LabelSet], variant: Variant = AS_IS) -> Picture:
    """Draw a hierarchy, or a variant of it; T of ``sets`` are the true classes, the others predicted ones.

    Without a T the sets are not sides of an instance, and colours distinguish the first from the others.

    >>> picture = draw("a hit", Shape(2, ((0, 1),)), {"T": (0,), "P": (1,), "P′": (0, 1)})
    >>> [box.text for box in picture.boxes.values()], [box.role for box in picture.boxes.values()]
    (['0: T P′', '1: P P′'], ['both', 'predicted'])
    """
    picture = Picture(title, explained="T" in sets)
    first, *others = sets.values()
    predicted = {c for each in others for c in each}
    for c in range(shape.size):
        marks = " ".join(mark for mark, each in sets.items() if c in each)
        role = {(1, 1): "both", (1, 0): "true", (0, 1): "predicted", (0, 0): "other"}[c in first, c in predicted]
        number = variant.number(c)
        name = str(c) if number == c else f"{c} → {number}"
        picture.add(number, f"{name}: {marks}" if marks else name, role)
    whole = variant.shape(shape)
    for c in range(shape.size, whole.size):
        picture.add(c, "new class", "other")
    picture.arrows += [(child, parent, "plain") for parent, child in whole.edges]
    return picture


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
        """Score it again by a solver of programs; raises InvalidSolution if the values differ."""
        for each in self.measures:
            if each._solve_options[0] is None:  # else the measure is defined by its own solver
                again = self._scores(each, solver)
                if not np.allclose(again, self.values[each.display_name], rtol=0, atol=TOLERANCE):
                    raise InvalidSolution(f"{self}: by {solver} {each.display_name} is {again}")

    def frequency(self, results: Results) -> Table:
        """How often the two measures order two systems differently, instance by instance.

        Of ``results`` by both measures: for each pair of systems the instances on which both measures are defined, and
        those on which one measure prefers the first system and the other measure the second.

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
        tables = LossTables(shape, labels, measures)
        tables.prepare(AS_IS, range(2))
        opposite = leads(tables.of(0).d) * leads(tables.of(1).d) < 0
        if opposite.any():
            example = Disagreement(measures, shape, *(tables.space.sets[k] for k in tables.space.smallest(opposite)))
            example.verify()
            return example
    return None
