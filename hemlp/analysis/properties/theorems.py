"""What is proved of a measure without any search, each by a named theorem.

>>> from hemlp import measure
>>> proofs(measure("GIE"), trees=True)["triangle"].name
'GOSPA'
>>> sorted(proofs(measure("GIE"), trees=False)), sorted(proofs(measure("F_H"), trees=True))
(['symmetric'], [])
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hemlp.measures.base import Measure
from hemlp.measures.pair_measure import PairMeasure
from hemlp.problems.pairing.bounds import ONE_TO_ONE
from hemlp.problems.pairing.costs import ShortestPath


@dataclass(frozen=True)
class Theorem:
    """What it is called and says, which properties follow, and whether it speaks of a measure (on trees, or at all)."""

    name: str
    words: str
    properties: tuple[str, ...]
    holds: Callable[[Measure, bool], bool]


def _symmetric(measure: Measure, trees: bool) -> bool:
    """The measures themselves: a child may do anything."""
    return type(measure) is PairMeasure and not measure._of_matches and "symmetric" in measure.invariants


def _gospa(measure: Measure, trees: bool) -> bool:
    """Distances of unit edges are a metric on trees, and those that ignore the direction of edges everywhere."""
    if type(measure) is not PairMeasure or measure.bounds != ONE_TO_ONE or measure.scoring != "error":
        return False
    default, cost = measure.default_cost, measure.cost
    one_default = isinstance(default, int | float) and default > 0
    metric = type(cost) is ShortestPath and cost.unit and (trees or cost.undirected)
    plain = measure.max_distance is None and measure.weights is None
    return bool(one_default and metric and plain and measure.defined == "always" and measure.pairing == "optimal")


THEOREMS = (
    Theorem(
        "GOSPA",
        "each class paired once, by a metric, with one default cost, is GOSPA with p = 1 (Rahmathullah 2017): a metric",
        ("perfect", "only perfect", "symmetric", "triangle"),
        _gospa,
    ),
    Theorem(
        "symmetric bounds and costs",
        "exchanging the sides turns every pairing into one that keeps the same bounds at the same cost",
        ("symmetric",),
        _symmetric,
    ),
)


def proofs(measure: Measure, trees: bool) -> dict[str, Theorem]:
    """The theorem that proves each property that is proved, on all hierarchies or on trees."""
    return {name: each for each in reversed(THEOREMS) if each.holds(measure, trees) for name in each.properties}
