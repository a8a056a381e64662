"""What measures promise about every instance, by name, and how each promise is checked.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> broken_invariants(measure("F_H"), h, ["sheep"], ["cow", "mammal"])
[]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from hemlp.arrays import record
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.measures.base import Measure

Labels = Sequence[Label]


@record
class Invariant:
    """A promise in words, and whether a measure keeps it on an instance (hierarchy, true, predicted)."""

    words: str
    holds: Callable[[Measure, Hierarchy, Labels, Labels], bool]


def score_or_nan(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> float:
    """The score of an instance, nan where it is undefined."""
    return float(measure.score(h, true, pred, undefined="nan"))


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b))


def best(measure: Measure) -> float:
    """The best value that a measure can have."""
    return measure.range[1] if measure.greater_is_better else measure.range[0]


def _in_range(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    value = score_or_nan(measure, h, true, pred)
    return math.isnan(value) or measure.range[0] - 1e-12 <= value <= measure.range[1] + 1e-12


def _best_if_equal(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    value = score_or_nan(measure, h, true, true)
    return math.isnan(value) or _same(value, best(measure))


def _best_only_if_equal(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    return set(true) == set(pred) or not _same(score_or_nan(measure, h, true, pred), best(measure))


def _unbeaten_if_equal(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    gain = score_or_nan(measure, h, true, pred) - score_or_nan(measure, h, true, true)
    return math.isnan(gain) or (gain if measure.greater_is_better else -gain) <= 1e-12


def _symmetric(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    return _same(score_or_nan(measure, h, true, pred), score_or_nan(measure, h, pred, true))


def _mirrors(other: str) -> Callable[[Measure, Hierarchy, Labels, Labels], bool]:
    def holds(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
        mirror = type(measure)(**{**measure.fields, "name": "mirror", "score": other})
        return _same(score_or_nan(measure, h, true, pred), score_or_nan(mirror, h, pred, true))

    return holds


def _names(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    """Reverses the order of all labels, whatever they were."""
    new = {label: len(h) - k for k, label in enumerate(h.labels)}
    edges = zip(h.edges.parents.tolist(), h.edges.children.tolist(), strict=True)
    pairs = [(new[h.labels[p]], new[h.labels[c]]) for p, c in edges][::-1]
    renamed = Hierarchy.from_edges(pairs, classes=new.values())
    value = score_or_nan(measure, renamed, [new[c] for c in true][::-1], [new[c] for c in pred][::-1])
    return _same(value, score_or_nan(measure, h, true, pred))


def _monotone(measure: Measure, h: Hierarchy, true: Labels, pred: Labels) -> bool:
    """On a chain of seven classes with the true one in the middle."""
    chain = Hierarchy.from_edges(pairwise(range(7)))
    for away in (range(3, 7), range(3, -1, -1)):
        values = [score_or_nan(measure, chain, [3], [p]) for p in away]
        steps = [b - a if measure.greater_is_better else a - b for a, b in pairwise(values)]
        if any(step > 1e-12 for step in steps):
            return False
    return True


INVARIANTS: Mapping[str, Invariant] = {
    "range": Invariant("the value is within the range", _in_range),
    "best_if_equal": Invariant("predicting exactly the true classes has the best value", _best_if_equal),
    "unbeaten_if_equal": Invariant("no prediction is better than exactly the true classes", _unbeaten_if_equal),
    "best_only_if_equal": Invariant("no other prediction has the best value", _best_only_if_equal),
    "symmetric": Invariant("exchanging true and predicted classes changes nothing", _symmetric),
    "mirrors P": Invariant("exchanging the sides gives the precision of the same sets", _mirrors("P")),
    "mirrors R": Invariant("exchanging the sides gives the recall of the same sets", _mirrors("R")),
    "names": Invariant("names of classes and the order of edges and labels do not matter", _names),
    "monotone": Invariant("predicting farther below or above the true class is never better", _monotone),
}


def broken_invariants(measure: Measure, hierarchy: Hierarchy, true: Labels, pred: Labels) -> list[str]:
    """The promises of ``measure`` that this instance shows to be false; a measure without any is broken, too."""
    if not measure.invariants:
        return ["declares no invariant"]
    unknown = sorted(measure.invariants - INVARIANTS.keys())
    return [f"unknown invariant {name!r}" for name in unknown] + [
        name for name in sorted(measure.invariants - set(unknown))
        if not INVARIANTS[name].holds(measure, hierarchy, true, pred)
    ]  # fmt: skip
