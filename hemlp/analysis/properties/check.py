"""Which properties a measure has: proved by a theorem, refuted by the smallest counter-example, or none found.

>>> gie = properties("GIE", classes=3)
>>> print(gie.refuted["a hit never hurts"])
0>1: {0} {1} {0,1}: 1 < 5
>>> gie.proved["symmetric"], gie.on_trees.proved["triangle"]
('symmetric bounds and costs', 'GOSPA')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from hemlp.analysis.properties.catalogue import BY_NAME, PROPERTIES, TOLERANCE, Property, proofs
from hemlp.analysis.properties.counterexamples import Counterexample
from hemlp.analysis.properties.losses import (
    AS_IS,
    LabelSet,
    Losses,
    LossTables,
    Shape,
    Variant,
    complete,
    random_shape,
    shapes_up_to,
)  # fmt: skip
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.invariants import INVARIANTS, Invariant
from hemlp.options import plain_number
from hemlp.processes.progress import track
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, plural

MOST_EXHAUSTIVE, MOST_CLASSES = 5, 9
"""Classes up to which all hierarchies are tried, and up to which random ones are drawn."""
DECLARED = {
    "best_if_equal": "perfect", "best_only_if_equal": "only perfect", "symmetric": "symmetric",
    "names": "names do not matter",
}  # fmt: skip
"""Invariants that measures declare, and the properties that they are."""


NOTES = (
    "cases: how many were tried",
    "why, where refuted: a hierarchy (0>1,2: 0 is the parent of 1 and 2), label sets, values",
    "label sets: true, predicted, another prediction; of symmetric and triangle: any two or three",
    "none found: no counter-example, which is no proof",
)


@dataclass(frozen=True, repr=False)
class Properties(HtmlDisplay):
    """The properties of a measure.

    ``proved``: the theorem for each property that has one. ``refuted``: counter-examples. ``cases``: how many cases of
    each property there are up to the first that refutes it, or in all (``exhaustive``), with ``violations`` among them.
    ``on_trees``: the same for trees alone. ``random``: the number of random hierarchies beside all small ones.
    """

    measure: Measure
    classes: int
    labels: int
    proved: Mapping[str, str]
    refuted: Mapping[str, Counterexample]
    cases: Mapping[str, int]
    violations: Mapping[str, int] | None = None
    random: int = 0
    on_trees: Properties | None = None

    @property
    def broken(self) -> dict[str, Counterexample]:
        """The invariants that the measure declares and that are refuted."""
        declared = sorted(name for name in self.measure.invariants & DECLARED.keys() if DECLARED[name] in self.refuted)
        examples = {name: self.refuted[DECLARED[name]] for name in declared}
        return {name: each for name, each in examples.items() if name == "names" or _breaks(each, INVARIANTS[name])}

    def verdict(self, name: str) -> str:
        """Of a property: proved, refuted, "none found", or "no case" where the measure is undefined on all."""
        if name in self.refuted:
            return "refuted"
        return "proved" if name in self.proved else "none found" if self.cases[name] else "no case"

    def words(self, name: str) -> str:
        """Why: the theorem, the counter-example, or how far the search went."""
        if name in self.refuted:
            return str(self.refuted[name])
        if name in self.proved:
            return self.proved[name]
        small = f"{plural(min(self.classes, MOST_EXHAUSTIVE), 'class', 'classes')} and {plural(self.labels, 'label')}"
        more = f", nor on {plural(self.random, 'random hierarchy', 'random hierarchies')} of up to {self.classes}"
        return f"none up to {small}{more * (self.random > 0)}" if self.cases[name] else ""

    def why(self, name: str) -> list[str]:
        """``words``, and what is known on trees where the verdict is another one there."""
        if self.on_trees is None or self.on_trees.verdict(name) == self.verdict(name):
            return [self.words(name)]
        verdict, words = self.on_trees.verdict(name), self.on_trees.words(name)
        return [self.words(name), f"on trees {words if verdict == 'none found' else f'{verdict}: {words}'}"]

    def table(self, width: int | None = None) -> Table:
        """A row for each property: the verdict, the number of cases, and the reason, which wraps at ``width``."""
        counted = self.violations or {}
        room = None if width is None else width - (62 if counted else 48)
        rows: list[list[Any]] = []
        for name, cases in self.cases.items():
            numbers = [f"{cases:,}", *([f"{counted[name]:,}"] if counted else [])]
            lines = ["; ".join(self.why(name))]
            if room is not None:
                folded = (wrap(text, room, break_on_hyphens=False, subsequent_indent="  ") for text in self.why(name))
                lines = [line for of in folded for line in of or [""]]
            rows.append([name, self.verdict(name), *numbers, lines[0]])
            rows += [[*[""] * (len(rows[0]) - 1), line] for line in lines[1:]]
        return Table(["property", "verdict", "cases", *(["violations"] if counted else []), "why"], rows, NOTES)

    def __repr__(self) -> str:
        verdicts = (f"{name}: {self.verdict(name)}" for name in self.cases)
        return f"Properties({self.measure.display_name}; {', '.join(verdicts)})"

    def __str__(self) -> str:
        return f"{self.measure.display_name}\n{self.table(width=100)}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        refuted = {name: example.to_dict() for name, example in self.refuted.items()}
        known = {"violations": self.violations or {}, "theorem": self.proved, "counterexample": refuted}
        every = {
            name: {
                "verdict": self.verdict(name),
                "cases": cases,
                **{k: of[name] for k, of in known.items() if name in of},
            }
            for name, cases in self.cases.items()
        }
        plain = {"measure": str(self.measure), "classes": self.classes, "labels": self.labels, "properties": every}
        return plain if self.on_trees is None else {**plain, "on_trees": self.on_trees.to_dict()["properties"]}


def properties(
    measure: str | Measure, classes: int = 4, labels: int = 3, *, exhaustive: bool = False, random: int = 50,
    seed: int = 0,
) -> Properties:  # fmt: skip
    """Which properties a measure has: proved, refuted by the smallest counter-example, or none found.

    All hierarchies of up to five classes are tried, one of each isomorphism class, with all label sets; beyond that
    random ones, whose counter-examples are shrunk. Every counter-example is scored again by a solver of programs.

    Parameters
    ----------
    measure
        A measure, or the name or text of one. ICM and simGIC without weights take those of a corpus with each class
        once. Mappings from classes have to know those that are tried: 0, 1 and so on, up to ``classes``.
    classes
        The most classes of a hierarchy; above 5 by random search.
    labels
        The most labels of a set.
    exhaustive
        Continue after the first counter-example, and count all violations.
    random, seed
        The number of random hierarchies of more than five classes, and their seed.

    Returns
    -------
    Properties
        ``table()``, ``refuted``, ``proved``, ``cases``; ``on_trees`` has the same for trees alone.

    Raises
    ------
    InvalidOption
        If there are too many classes, or no labels.

    Examples
    --------
    >>> print(properties("F_H", classes=3, labels=2).refuted["only perfect"].sentence)
    F_H takes different sets for equal: on the hierarchy 0>1, predicting {1} for the true classes {0,1} is perfect.
    """
    (result,) = check_properties(
        [as_measure(measure)], classes, labels, exhaustive=exhaustive, random=random, seed=seed
    )
    return result


def check_properties(
    measures: Sequence[Measure], classes: int, labels: int, wanted: Sequence[Property] = PROPERTIES, *,
    exhaustive: bool = False, random: int = 50, seed: int = 0,
) -> list[Properties]:  # fmt: skip
    """``properties`` of several measures, which share their scores."""
    most, k, draws = _whole("classes", classes, 1), _whole("labels", labels, 1), _whole("random", random, 0)
    if most > MOST_CLASSES:
        raise InvalidOption(f"classes={most} are too many: hierarchies have {MOST_CLASSES} classes at most")
    draws *= most > MOST_EXHAUSTIVE
    shapes = list(shapes_up_to(min(most, MOST_EXHAUSTIVE)))
    trees = [shape for shape in shapes if not shape.kind]
    every, below = (search(measures, of, k, wanted, exhaustive=exhaustive) for of in (shapes, trees))
    results = []
    for each, tallies, on_trees in zip(measures, every, below, strict=True):
        search_random(each, tallies, range(MOST_EXHAUSTIVE + 1, most + 1), k, draws, seed)
        known = Properties(each, most, k, *_known(each, on_trees, True, exhaustive))
        results.append(Properties(each, most, k, *_known(each, tallies, False, exhaustive), draws, known))
        examples = [*known.refuted.values(), *results[-1].refuted.values()]
        for example in dict.fromkeys(examples):  # many are the same on trees
            example.verify()
    return results


def _known(measure: Measure, tallies: Mapping[str, Tally], trees: bool, exhaustive: bool) -> tuple[Any, Any, Any, Any]:
    """``proved``, ``refuted``, ``cases`` and ``violations``."""
    proved = {name: each.name for name, each in proofs(measure, trees).items() if name in tallies}
    first = {name: tally.first for name, tally in tallies.items() if tally.first is not None}
    for name in proved.keys() & first.keys():
        example = Counterexample(measure, name, *first[name])
        raise InvalidSolution(f"{measure} is {name} by the theorem {proved[name]}, but here it is not: {example}")
    refuted = {name: Counterexample(measure, name, *case) for name, case in first.items()}
    cases = {name: tally.cases for name, tally in tallies.items()}
    return proved, refuted, cases, {name: tally.violations for name, tally in tallies.items()} if exhaustive else None


def _breaks(of: Counterexample, invariant: Invariant) -> bool:
    """Whether the values of the measure break what it declares, and not only d, which depends on m(T, T)."""
    return not invariant.holds(complete(of.measure, of.hierarchy), of.hierarchy, list(of.true), list(of.pred))


def _whole(option: str, value: Any, least: int) -> int:
    number = plain_number(option, value, least)
    if not isinstance(number, int):
        raise InvalidOption(f"{option}={value!r} is not a whole number")
    return number


# ---- the search


class Case(NamedTuple):
    """A case that breaks a property: its label sets and its witness; ``values`` are the d that it compares."""

    shape: Shape
    sets: tuple[LabelSet, ...]
    witness: Any
    values: tuple[float, ...]


@dataclass
class Tally:
    """The number of cases of one property so far, how many break it, and the first that does."""

    cases: int = 0
    violations: int = 0
    first: Case | None = None

    def add(self, each: Property, at: Losses) -> None:
        """Count the cases on one hierarchy."""
        excess = each.excess(at)
        broken = excess > TOLERANCE
        self.cases += int(np.count_nonzero(~np.isnan(excess)))
        self.violations += int(np.count_nonzero(broken))
        if self.first is None and broken.any():  # the case of the smallest sets, then of the smallest witness
            places = at.space.smallest(np.any(broken, axis=-1))
            sets = tuple(at.space.sets[place] for place in places)
            witness = each.witnesses(at.shape)[int(np.argmax(broken[places]))]
            numbers = at.space.numbers
            d = (at.tables[variant][numbers[true], numbers[pred]] for variant, true, pred in each.terms(sets, witness))
            self.first = Case(at.shape, sets, witness, tuple(map(float, d)))


def search(
    measures: Sequence[Measure], shapes: Iterable[Shape], labels: int, properties: Sequence[Property] = PROPERTIES, *,
    exhaustive: bool = False,
) -> list[dict[str, Tally]]:  # fmt: skip
    """A tally of each property for each measure, up to the first hierarchy that refutes it (or all: ``exhaustive``).

    ``shapes``: the smallest first. ``labels``: the most labels of a set.
    """
    tallies = [{each.name: Tally() for each in properties} for _ in measures]
    for shape in track(list(shapes), "trying hierarchies"):
        unsettled = [
            (k, each)
            for each in properties
            for k, of in enumerate(tallies)
            if exhaustive or of[each.name].first is None
        ]
        if not unsettled:
            break
        needed: dict[Variant, set[int]] = {}
        for k, each in unsettled:
            for variant in (AS_IS, *each.variants(shape)):
                needed.setdefault(variant, set()).add(k)
        tables = LossTables(shape, labels, measures)
        for variant, wanted in needed.items():
            tables.prepare(variant, wanted)
        for k, each in unsettled:
            tallies[k][each.name].add(each, tables.of(k))
    return tallies


def search_random(
    measure: Measure, tallies: Mapping[str, Tally], sizes: range, labels: int, draws: int, seed: int
) -> None:
    """Add random hierarchies to the tallies of properties that nothing has refuted so far."""
    rng = np.random.default_rng(seed)
    for _ in track(range(draws), "trying random hierarchies"):
        shape = random_shape(rng, int(rng.integers(sizes.start, sizes.stop)))
        unsettled = [BY_NAME[name] for name, tally in tallies.items() if tally.first is None]
        (drawn,) = search([measure], [shape], labels, unsettled)
        for name, tally in drawn.items():
            tallies[name].cases += tally.cases
            tallies[name].violations += tally.violations
            if tally.first is not None:
                tallies[name].first = _shrink(measure, BY_NAME[name], tally.first, sizes.start, labels)


def _shrink(measure: Measure, each: Property, case: Case, least: int, labels: int) -> Case:
    """A counter-example from which no edge and no class can be removed, of ``least`` classes or more."""
    for shape in case.shape.smaller():
        if shape.size >= least:
            first = search([measure], [shape], labels, [each])[0][each.name].first
            if first is not None:
                return _shrink(measure, each, first, least, labels)
    return case
