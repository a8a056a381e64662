"""The properties that are checked, and the theorems that prove some of them without any search.

A case is a tuple of label sets, in their order, and perhaps a witness: the class that is added, a neighbour, an edge
or other names. ``excess`` gives an array with an axis for each label set and a last one for the witness: nan where
there is no case, above ``TOLERANCE`` where a case is broken. ``terms`` are the d(T, P) that such a case compares.

>>> [each.name for each in PROPERTIES][:4]
['perfect', 'only perfect', 'symmetric', 'triangle']
>>> from hemlp import measure
>>> proofs(measure("GIE"), trees=True)["triangle"].name
'GOSPA'
>>> sorted(proofs(measure("GIE"), trees=False)), sorted(proofs(measure("F_H"), trees=True))
(['symmetric'], [])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from hemlp.analysis.properties.losses import AS_IS, LabelSet, Losses, Shape, Variant
from hemlp.arrays import FloatArray
from hemlp.measures.base import Measure
from hemlp.measures.pair_measure import PairMeasure
from hemlp.problems.pairing.bounds import ONE_TO_ONE
from hemlp.problems.pairing.costs import ShortestPath

TOLERANCE = 1e-9
"""Values are equal that differ by no more."""
ALL_NAMES = 3
"""Up to so many classes all renumberings are tried."""
Sets = Sequence[LabelSet]
Term = tuple[Variant, LabelSet, LabelSet]
"""d of a true and a predicted set, on a variant of the hierarchy."""


@dataclass(frozen=True)
class Property:
    """A property: its name and definition, the values it compares, and the sign between them where it is broken."""

    name: str
    words: str
    excess: Callable[[Losses], FloatArray]
    terms: Callable[[Sets, Any], list[Term]]
    breach: str
    variants: Callable[[Shape], list[Variant]] = lambda shape: []
    witnesses: Callable[[Shape], Sequence[Any]] = lambda shape: (None,)


# ---- excess


def _only_perfect(at: Losses) -> FloatArray:
    same_set = np.eye(len(at.d), dtype=np.bool_)
    return np.where(same_set | np.isnan(at.d), np.nan, np.abs(at.d) <= TOLERANCE)[..., None]


def _once(values: FloatArray) -> FloatArray:
    """One of the two orders of each pair of sets."""
    return np.where(np.triu(np.ones(values.shape, np.bool_), 1), values, np.nan)


def _growth(at: Losses) -> FloatArray:
    """By how much d(T, P) grows where a class is added to P; nan where it cannot be added."""
    more = at.space.with_class
    return np.where(more >= 0, at.d[:, more] - at.d[:, :, None], np.nan)


def _nearer(at: Losses) -> FloatArray:
    growth = np.full((*at.d.shape, at.shape.size), np.nan)
    for t, p, q in at.shape.steps_nearer:
        true, pred, near = (at.space.numbers[(c,)] for c in (t, p, q))
        growth[true, pred, q] = at.d[true, near] - at.d[true, pred]
    return growth


def _change(variants: Callable[[Shape], list[Variant]]) -> Callable[[Losses], FloatArray]:
    """How much each variant changes d."""
    return lambda at: np.abs(_stack([at.tables[each] - at.d for each in variants(at.shape)], at.d.shape))


def _reversal(at: Losses) -> FloatArray:
    """1 where splitting an edge reverses d(T, P) < d(T, P'), −1 where it does not, 0 for ties."""
    lead = leads(at.d)
    once = np.stack([_once(each) for each in lead])
    return -_stack([once * leads(at.tables[each]) for each in _splits(at.shape)], lead.shape)


def _stack(tables: list[FloatArray], shape: tuple[int, ...]) -> FloatArray:
    return np.stack(tables, axis=-1) if tables else np.zeros((*shape, 0))


def leads(d: FloatArray) -> FloatArray:
    """The sign of d(T, P) − d(T, P'), 0 where they are equal."""
    gap = d[:, :, None] - d[:, None, :]
    return np.where(np.abs(gap) <= TOLERANCE, 0.0, np.sign(gap))


# ---- variants and terms


def _roots(shape: Shape) -> list[Variant]:
    return [Variant(new_root=True)]


def _splits(shape: Shape) -> list[Variant]:
    return [Variant(edge=edge) for edge in shape.edges]


def renamings(shape: Shape) -> list[Variant]:
    """All other numberings of few classes, the reverse one of more."""
    reverse = tuple(range(shape.size))[::-1]
    every = list(permutations(range(shape.size)))[1:] if shape.size <= ALL_NAMES else [reverse]
    return [Variant(numbers=numbers) for numbers in every]


def _classes(shape: Shape) -> range:
    return range(shape.size)


def _on(sets: Sets, *pairs: tuple[int, int], variant: Variant = AS_IS) -> list[Term]:
    return [(variant, sets[t], sets[p]) for t, p in pairs]


def _with_class(sets: Sets, c: int) -> list[Term]:
    return [*_on(sets, (0, 1)), (AS_IS, sets[0], tuple(sorted((*sets[1], c))))]


def _with_variant(sets: Sets, variant: Variant) -> list[Term]:
    return _on(sets, (0, 1)) + _on(sets, (0, 1), variant=variant)


PROPERTIES = (
    Property("perfect", "predicting exactly the true classes costs nothing",
             lambda at: np.abs(at.d.diagonal())[:, None], lambda s, w: _on(s, (0, 0)), "≠ 0"),
    Property("only perfect", "only the true classes cost nothing",
             _only_perfect, lambda s, w: _on(s, (0, 1)), "though the sets differ"),
    Property("symmetric", "exchanging true and predicted classes changes nothing",
             lambda at: _once(np.abs(at.d - at.d.T))[..., None], lambda s, w: _on(s, (0, 1), (1, 0)), "≠"),
    Property("triangle", "a detour through a third set is never shorter",
             lambda at: (at.d[:, None, :] - (at.d[:, :, None] + at.d[None, :, :]))[..., None],
             lambda s, w: _on(s, (0, 1), (1, 2), (0, 2)), "<"),
    Property("a hit never hurts", "predicting one more true class never costs anything",
             lambda at: np.where(at.space.has[:, None, :], _growth(at), np.nan), _with_class, "<", witnesses=_classes),
    Property("a miss never helps", "predicting one more class that is not true never pays",
             lambda at: np.where(at.space.has[:, None, :], np.nan, -_growth(at)), _with_class, ">", witnesses=_classes),
    Property("nearer is never worse", "of single classes, one on a shortest path to the true class costs no more",
             _nearer, lambda s, w: [*_on(s, (0, 1)), (AS_IS, s[0], (w,))], "<", witnesses=_classes),
    Property("names do not matter", "other names for the classes change nothing",
             _change(renamings), _with_variant, "≠", renamings, renamings),
    Property("roots do not matter", "one more class above all roots changes nothing",
             _change(_roots), _with_variant, "≠", _roots, _roots),
    Property("edges never reverse", "splitting an edge never reverses the order of two predictions", _reversal,
             lambda s, w: _on(s, (0, 1), (0, 2)) + _on(s, (0, 1), (0, 2), variant=w), "reverses", _splits, _splits),
)  # fmt: skip
"""In the order in which they are listed."""
BY_NAME = {each.name: each for each in PROPERTIES}


# ---- theorems


@dataclass(frozen=True)
class Theorem:
    """Its name and statement, the properties that follow, and whether it applies to a measure (on trees, or at all)."""

    name: str
    words: str
    properties: tuple[str, ...]
    holds: Callable[[Measure, bool], bool]


def _symmetric_pairing(measure: Measure, trees: bool) -> bool:
    """Not for subclasses, which may do anything."""
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
    Theorem("GOSPA",
            "each class paired once, by a metric, with one default cost, is GOSPA with p = 1 (Rahmathullah 2017): "
            "a metric", ("perfect", "only perfect", "symmetric", "triangle"), _gospa),
    Theorem("symmetric bounds and costs",
            "exchanging the sides turns every pairing into one that keeps the same bounds at the same cost",
            ("symmetric",), _symmetric_pairing),
)  # fmt: skip


def proofs(measure: Measure, trees: bool) -> dict[str, Theorem]:
    """The theorem that proves each proved property, on all hierarchies or on trees."""
    return {name: each for each in reversed(THEOREMS) if each.holds(measure, trees) for name in each.properties}
