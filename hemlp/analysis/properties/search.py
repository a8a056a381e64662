"""The search: every hierarchy in order, every case of every property that is still open, until it is refuted.

>>> from hemlp import measure
>>> from hemlp.analysis.properties.shapes import shapes_up_to
>>> (found,) = search([measure("GIE")], shapes_up_to(2), 2)
>>> first = found["a hit never hurts"].first
>>> str(first.shape), first.sets, first.witness
('0>1', ((0,), (1,)), 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.properties.catalogue import PROPERTIES, LabelSet, Property, Truth
from hemlp.analysis.properties.label_sets import LabelSpace
from hemlp.analysis.properties.losses import AS_IS, Losses, LossTables, Variant
from hemlp.analysis.properties.shapes import Shape
from hemlp.measures.base import Measure
from hemlp.processes.progress import track


@dataclass(frozen=True)
class Found:
    """A case that breaks a property: its label sets and its witness; ``values`` are the d that it compares."""

    shape: Shape
    sets: tuple[LabelSet, ...]
    witness: Any
    values: tuple[float, ...]


@dataclass
class Tally:
    """Cases of one property so far, how many break it, and the first that does."""

    cases: int = 0
    violations: int = 0
    first: Found | None = None

    def add(self, each: Property, at: Losses) -> None:
        """The cases on one hierarchy."""
        defined, broken = each.compare(at)
        broken = broken & defined
        self.cases += int(np.count_nonzero(defined))
        if broken.any():
            self.violations += int(np.count_nonzero(broken))
            self.first = self.first or _first(each, at, broken)


def _first(each: Property, at: Losses, broken: Truth) -> Found:
    """The broken case of fewest labels, then of the smallest sets, then of the smallest witness."""
    places = smallest(at.space, np.any(broken, axis=-1))
    sets = tuple(at.space.sets[place] for place in places)
    witness = each.witnesses(at.shape)[int(np.argmax(broken[places]))]
    numbers = at.space.numbers
    values = (at.tables[variant][numbers[true], numbers[pred]] for variant, true, pred in each.terms(sets, witness))
    return Found(at.shape, sets, witness, tuple(map(float, values)))


def smallest(space: LabelSpace, cases: Truth) -> tuple[int, ...]:
    """The case of fewest labels, then of the smallest sets: an axis for each set, and at least one case."""
    total = space.sizes
    for _ in range(cases.ndim - 1):
        total = total[..., None] + space.sizes
    fewest = int(np.argmin(np.where(cases, total, total.max() + 1)))
    return tuple(map(int, np.unravel_index(fewest, cases.shape)))


def search(
    measures: Sequence[Measure],
    shapes: Iterable[Shape],
    labels: int,
    properties: Sequence[Property] = PROPERTIES,
    *,
    exhaustive: bool = False,
) -> list[dict[str, Tally]]:
    """A tally of each property for each measure, up to the first hierarchy that refutes it.

    Parameters
    ----------
    measures
        They share what is scored.
    shapes
        Hierarchies, the smallest first.
    labels
        The most labels of a set.
    properties
        Those to check.
    exhaustive
        Whether to go on behind the first counter-example, and count all.
    """
    tallies = [{each.name: Tally() for each in properties} for _ in measures]
    for shape in track(list(shapes), "trying hierarchies"):
        unsettled = {
            each: [k for k, of in enumerate(tallies) if exhaustive or of[each.name].first is None]
            for each in properties
        }  # fmt: skip
        if not any(unsettled.values()):
            break
        needed: dict[Variant, set[int]] = {}
        for each, numbers in unsettled.items():
            for variant in (AS_IS, *each.variants(shape)):
                needed.setdefault(variant, set()).update(numbers)
        tables = LossTables(shape, labels, measures)
        for variant, wanted in needed.items():
            if wanted:
                tables.prepare(variant, wanted)
        for each, numbers in unsettled.items():
            for k in numbers:
                tallies[k][each.name].add(each, tables.of(k))
    return tallies
