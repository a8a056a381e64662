"""Which properties a measure has: proved by a theorem, refuted by the smallest counter-example, or none found.

>>> found = properties("GIE", classes=3)
>>> print(found.refuted["a hit never hurts"])
0>1: {0} {1} {0,1}: 1 < 5
>>> found.proved["symmetric"], found.on_trees.proved["triangle"]
('symmetric bounds and costs', 'GOSPA')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hemlp.analysis.properties.catalogue import PROPERTIES, Property
from hemlp.analysis.properties.counterexamples import Counterexample
from hemlp.analysis.properties.losses import complete
from hemlp.analysis.properties.random_search import random_tallies
from hemlp.analysis.properties.search import Tally, search
from hemlp.analysis.properties.shapes import shapes_up_to
from hemlp.analysis.properties.theorems import proofs
from hemlp.errors import InvalidOption, InvalidSolution
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.invariants import INVARIANTS
from hemlp.options import plain_number
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, plural

MOST_EXHAUSTIVE, MOST_CLASSES = 5, 9
"""Classes up to which all hierarchies are tried, and up to which random ones are drawn."""
DECLARED = {
    "best_if_equal": "perfect",
    "best_only_if_equal": "only perfect",
    "symmetric": "symmetric",
    "names": "names do not matter",
}
"""Invariants that measures declare, and the properties that they are."""


@dataclass(frozen=True, repr=False)
class Properties(HtmlDisplay):
    """What is known of the properties of a measure.

    ``proved``: the theorem for each property that has one. ``refuted``: counter-examples. ``cases``: how many cases of
    each property were tried, until one refuted it (or all, where ``exhaustive``, with ``violations`` of how many).
    ``on_trees``: the same for trees alone. ``random``: how many random hierarchies were tried beside all small ones.
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
        kept = sorted(name for name in self.measure.invariants & DECLARED.keys() if DECLARED[name] in self.refuted)
        found = {name: self.refuted[DECLARED[name]] for name in kept}
        return {name: example for name, example in found.items() if _breaks(example, name)}

    def verdict(self, name: str) -> str:
        """``proved``, ``refuted``, ``none found``, or ``no case`` where the measure is undefined on all.

        Parameters
        ----------
        name
            Of a property.
        """
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
        return [self.words(name), f"on trees {self.on_trees.verdict(name)}: {self.on_trees.words(name)}"]

    def table(self, width: int | None = None) -> Table:
        """A row for each property: what is known of it, the number of cases, and why.

        Parameters
        ----------
        width
            The last column goes on in further rows, so that lines have so many characters at most.
        """
        counted = self.violations or {}
        rows: list[list[Any]] = []
        for name, cases in self.cases.items():
            numbers = [f"{cases:,}", *([f"{counted[name]:,}"] if counted else [])]
            room = None if width is None else width - (62 if counted else 48)
            lines = [line for text in self.why(name) for line in _fold(text, room)]
            rows.append([name, self.verdict(name), *numbers, lines[0] if room else "; ".join(lines)])
            rows += [[*[""] * (len(rows[0]) - 1), line] for line in (lines[1:] if room else ())]
        return Table(["property", "verdict", "cases", *(["violations"] if counted else []), "why"], rows)

    def __repr__(self) -> str:
        found = (f"{name}: {self.verdict(name)}" for name in self.cases)
        return f"Properties({self.measure.display_name}; {', '.join(found)})"

    def __str__(self) -> str:
        return f"{self.measure.display_name}\n{self.table(width=100)}"

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON."""
        found: dict[str, Any] = {}
        for name, cases in self.cases.items():
            found[name] = {"verdict": self.verdict(name), "cases": cases}
            if self.violations is not None:
                found[name]["violations"] = self.violations[name]
            if name in self.proved:
                found[name]["theorem"] = self.proved[name]
            if name in self.refuted:
                found[name]["counterexample"] = self.refuted[name].to_dict()
        made = {"measure": str(self.measure), "classes": self.classes, "labels": self.labels, "properties": found}
        return made if self.on_trees is None else {**made, "on_trees": self.on_trees.to_dict()["properties"]}


def properties(
    measure: str | Measure, classes: int = 4, labels: int = 3, *, exhaustive: bool = False, random: int = 50,
    seed: int = 0,
) -> Properties:  # fmt: skip
    """Which properties a measure has: proved, refuted by the smallest counter-example, or none found.

    All hierarchies of up to five classes are tried, one of each isomorphism class, with all label sets; beyond that
    random ones, whose counter-examples are made smaller as far as that goes. Every counter-example is scored again by a
    solver of programs.

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
        Go on behind the first counter-example, and count all violations.
    random, seed
        How many random hierarchies of more than five classes, and the seed they are drawn with.

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
    >>> found = properties("F_H", classes=3, labels=2)
    >>> print(found.refuted["only perfect"].sentence)
    F_H takes different sets for equal: on the hierarchy 0>1, predicting {1} for the true classes {0,1} is perfect.
    """
    (found,) = check_properties([as_measure(measure)], classes, labels, exhaustive=exhaustive, random=random, seed=seed)
    return found


def check_properties(
    measures: Sequence[Measure], classes: int, labels: int, wanted: Sequence[Property] = PROPERTIES, *,
    exhaustive: bool = False, random: int = 50, seed: int = 0,
) -> list[Properties]:  # fmt: skip
    """``properties`` of several measures, which share what is scored."""
    most, k, drawn = _whole("classes", classes, 1), _whole("labels", labels, 1), _whole("random", random, 0)
    if most > MOST_CLASSES:
        raise InvalidOption(f"classes={most} are too many: hierarchies of {MOST_CLASSES} classes are drawn at most")
    drawn *= most > MOST_EXHAUSTIVE
    shapes = list(shapes_up_to(min(most, MOST_EXHAUSTIVE)))
    trees = [shape for shape in shapes if not shape.kind]
    every, below = (search(measures, of, k, wanted, exhaustive=exhaustive) for of in (shapes, trees))
    made = []
    for each, tallies, on_trees in zip(measures, every, below, strict=True):
        random_tallies(each, tallies, range(MOST_EXHAUSTIVE + 1, most + 1), k, drawn, seed)
        known = Properties(each, most, k, *_known(each, on_trees, True, exhaustive))
        made.append(Properties(each, most, k, *_known(each, tallies, False, exhaustive), drawn, known))
        found = {(e.name, e.found): e for of in (known, made[-1]) for e in of.refuted.values()}
        for example in found.values():  # many are the same on trees
            example.verify()
    return made


def _known(measure: Measure, tallies: Mapping[str, Tally], trees: bool, exhaustive: bool) -> tuple[Any, Any, Any, Any]:
    """``proved``, ``refuted``, ``cases`` and ``violations``."""
    theorems = proofs(measure, trees)
    proved = {name: theorems[name].name for name in tallies if name in theorems}
    refuted = {}
    for name, tally in tallies.items():
        if tally.first is not None:
            refuted[name] = Counterexample(measure, name, tally.first)
            if name in proved:
                raise InvalidSolution(
                    f"{measure} is {name} by the theorem {proved[name]}, and here it is not: {tally.first}"
                )
    cases = {name: tally.cases for name, tally in tallies.items()}
    return proved, refuted, cases, {name: tally.violations for name, tally in tallies.items()} if exhaustive else None


def _breaks(example: Counterexample, invariant: str) -> bool:
    """Whether the values of the measure break what it declares, and not only d, which depends on m(T, T)."""
    own = complete(example.measure, example.hierarchy)
    return invariant == "names" or not INVARIANTS[invariant].holds(
        own, example.hierarchy, list(example.true), list(example.pred)
    )


def _fold(text: str, width: int | None) -> list[str]:
    """A text in lines that are not too wide."""
    if width is None:
        return [text]
    from textwrap import wrap

    return wrap(text, width, break_on_hyphens=False, subsequent_indent="  ") or [""]


def _whole(option: str, value: Any, least: int) -> int:
    number = plain_number(option, value, least)
    if not isinstance(number, int):
        raise InvalidOption(f"{option}={value!r} is not a whole number")
    return number
