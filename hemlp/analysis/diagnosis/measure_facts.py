"""What diagnosis knows of a measure beside its scores."""

from __future__ import annotations

from dataclasses import dataclass

from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.measures.base import Measure
from hemlp.measures.pair_measure import pairs_classes
from hemlp.problems.pairing.build_model import plain_pairing
from hemlp.results.results import Results, cache_per_evaluation, require_inputs

SDL, PAIRS, REFUSED = "SDL", "pairs", "refused"
"""The losses of which branches have a share; the last one of pairs with further rules, which are not counted."""
PLAIN_ALONE = "counting pairs over all instances"
"""What needs a pairing without further rules."""


@dataclass(frozen=True)
class MeasureFacts:
    """What diagnosis knows of a measure: its text, its range, and the loss of which branches have a share."""

    text: str
    low: float
    high: float
    loss: str

    @classmethod
    def of(cls, measure: Measure, h: Hierarchy) -> MeasureFacts:
        """Of a measure on a hierarchy."""
        loss = SDL
        if pairs_classes(measure):
            try:
                plain_pairing(measure.model(h, [h.labels[0]], [h.labels[0]]), PLAIN_ALONE)
                loss = PAIRS
            except InvalidOption:
                loss = REFUSED
        low, high = map(float, measure.range)
        return cls(str(measure), low, high, loss)


@cache_per_evaluation
def measure_facts(ev: Results, name: str) -> MeasureFacts:
    """What diagnosis knows of a measure that was evaluated."""
    inputs = require_inputs(ev)
    return MeasureFacts.of(inputs.measures[name], inputs.given)
