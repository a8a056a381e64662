"""The search: every hierarchy in order, every case of every property that is still open, until it is refuted.

>>> from hemlp import measure
>>> from hemlp.analysis.properties.shapes import shapes_up_to
>>> (tallies,) = search([measure("GIE")], shapes_up_to(2), 2)
>>> first = tallies["a hit never hurts"].first
>>> str(first.shape), first.sets, first.witness
('0>1', ((0,), (1,)), 0)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.properties.catalogue import BY_NAME, PROPERTIES, TOLERANCE, Property
from hemlp.analysis.properties.losses import AS_IS, LabelSet, LabelSpace, Losses, LossTables, Variant
from hemlp.analysis.properties.shapes import Shape, random_shape
from hemlp.measures.base import Measure
from hemlp.processes.progress import track


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
        if self.first is None and broken.any():
            self.first = _first_case(each, at, broken)


def _first_case(each: Property, at: Losses, broken: NDArray[np.bool_]) -> Case:
    """The broken case of fewest labels, then of the smallest sets, then of the smallest witness."""
    places = smallest(at.space, np.any(broken, axis=-1))
    sets = tuple(at.space.sets[place] for place in places)
    witness = each.witnesses(at.shape)[int(np.argmax(broken[places]))]
    numbers = at.space.numbers
    values = (at.tables[variant][numbers[true], numbers[pred]] for variant, true, pred in each.terms(sets, witness))
    return Case(at.shape, sets, witness, tuple(map(float, values)))


def smallest(space: LabelSpace, cases: NDArray[np.bool_]) -> tuple[int, ...]:
    """The case of fewest labels, then of the smallest sets: an axis for each set, and at least one case."""
    total = space.sizes
    for _ in range(cases.ndim - 1):
        total = total[..., None] + space.sizes
    fewest = int(np.argmin(np.where(cases, total, total.max() + 1)))
    return tuple(map(int, np.unravel_index(fewest, cases.shape)))


def search(
    measures: Sequence[Measure], shapes: Iterable[Shape], labels: int, properties: Sequence[Property] = PROPERTIES, *,
    exhaustive: bool = False,
) -> list[dict[str, Tally]]:  # fmt: skip
    """A tally of each property for each measure, up to the first hierarchy that refutes it (or all: ``exhaustive``).

    ``shapes``: the smallest first. ``labels``: the most labels of a set.
    """
    tallies = [{each.name: Tally() for each in properties} for _ in measures]
    for shape in track(list(shapes), "trying hierarchies"):
        open_for = {
            each: [k for k, of in enumerate(tallies) if exhaustive or of[each.name].first is None]
            for each in properties
        }  # fmt: skip
        if not any(open_for.values()):
            break
        needed: dict[Variant, set[int]] = {}
        for each, numbers in open_for.items():
            for variant in (AS_IS, *each.variants(shape)):
                needed.setdefault(variant, set()).update(numbers)
        tables = LossTables(shape, labels, measures)
        for variant, wanted in needed.items():
            if wanted:
                tables.prepare(variant, wanted)
        for each, numbers in open_for.items():
            for k in numbers:
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
