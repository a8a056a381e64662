"""Random hierarchies beyond those that are all tried, and counter-examples made smaller."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hemlp.analysis.properties.catalogue import BY_NAME, Property
from hemlp.analysis.properties.search import Found, Tally, search
from hemlp.analysis.properties.shapes import Shape, random_shape
from hemlp.measures.base import Measure
from hemlp.processes.progress import track


def random_tallies(
    measure: Measure, tallies: Mapping[str, Tally], sizes: range, labels: int, draws: int, seed: int
) -> None:
    """Add what random hierarchies show of the properties that nothing has refuted so far."""
    rng = np.random.default_rng(seed)
    for _ in track(range(draws), "trying random hierarchies"):
        shape = random_shape(rng, int(rng.integers(sizes.start, sizes.stop)))
        unsettled = [BY_NAME[name] for name, tally in tallies.items() if tally.first is None]
        (found,) = search([measure], [shape], labels, unsettled)
        for name, tally in found.items():
            tallies[name].cases += tally.cases
            tallies[name].violations += tally.violations
            if tally.first is not None:
                tallies[name].first = shrunk(measure, BY_NAME[name], tally.first, sizes.start, labels)


def shrunk(measure: Measure, each: Property, found: Found, least: int, labels: int) -> Found:
    """A counter-example from which no edge and no class can be taken away, of ``least`` classes or more."""
    while True:
        smaller = (shape for shape in found.shape.smaller() if shape.size >= least)
        better = next(filter(None, (_first(measure, each, shape, labels) for shape in smaller)), None)
        if better is None:
            return found
        found = better


def _first(measure: Measure, each: Property, shape: Shape, labels: int) -> Found | None:
    return search([measure], [shape], labels, [each])[0][each.name].first
