"""The properties that are checked: each says which cases it has, and which of them break it.

A case is a tuple of label sets, in their order, and perhaps a witness: the class that is added, a neighbour, an edge
or other names. ``compare`` gives two arrays with an axis for each label set and a last one for the witness: where a
case is defined, and where it is broken. ``terms`` are the d(T, P) that such a case compares.

>>> [each.name for each in PROPERTIES][:4]
['perfect', 'only perfect', 'symmetric', 'triangle']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.properties.losses import AS_IS, Losses, Variant
from hemlp.analysis.properties.shapes import Shape
from hemlp.arrays import FloatArray

TOLERANCE = 1e-9
"""Values are equal that differ by no more."""
ALL_NAMES = 3
"""Up to so many classes all renumberings are tried."""
Truth = NDArray[np.bool_]
LabelSet = tuple[int, ...]
Term = tuple[Variant, LabelSet, LabelSet]
"""d of a true and a predicted set, on a variant of the hierarchy."""


@dataclass(frozen=True)
class Property:
    """A property: its name, what it says, what it compares, and the words between the compared values."""

    name: str
    words: str
    compare: Callable[[Losses], tuple[Truth, Truth]]
    terms: Callable[[Sequence[LabelSet], Any], list[Term]]
    breach: str
    variants: Callable[[Shape], list[Variant]] = lambda shape: []
    witnesses: Callable[[Shape], Sequence[Any]] = lambda shape: (None,)


def _with_class(each: LabelSet, c: int) -> LabelSet:
    return tuple(sorted((*each, c)))


# ---- what breaks each


def _perfect(at: Losses) -> tuple[Truth, Truth]:
    d = at.d.diagonal()[:, None]
    return ~np.isnan(d), np.abs(d) > TOLERANCE


def _only_perfect(at: Losses) -> tuple[Truth, Truth]:
    other = ~np.eye(len(at.d), dtype=np.bool_)
    return (other & ~np.isnan(at.d))[..., None], (np.abs(at.d) <= TOLERANCE)[..., None]


def _symmetric(at: Losses) -> tuple[Truth, Truth]:
    gap = at.d - at.d.T
    once = np.triu(np.ones(gap.shape, np.bool_), 1)
    return (once & ~np.isnan(gap))[..., None], (np.abs(gap) > TOLERANCE)[..., None]


def _triangle(at: Losses) -> tuple[Truth, Truth]:
    excess = at.d[:, None, :] - (at.d[:, :, None] + at.d[None, :, :])
    return ~np.isnan(excess)[..., None], (excess > TOLERANCE)[..., None]


def _growth(at: Losses) -> FloatArray:
    """By how much d(T, P) grows where a class is added to P; nan where it cannot be added."""
    more = at.space.with_class
    return np.where(more >= 0, at.d[:, more] - at.d[:, :, None], np.nan)


def _hit(at: Losses) -> tuple[Truth, Truth]:
    growth = _growth(at)
    return ~np.isnan(growth) & at.space.has[:, None, :], growth > TOLERANCE


def _miss(at: Losses) -> tuple[Truth, Truth]:
    growth = _growth(at)
    return ~np.isnan(growth) & ~at.space.has[:, None, :], growth < -TOLERANCE


def _nearer(at: Losses) -> tuple[Truth, Truth]:
    growth = np.full((*at.d.shape, at.shape.size), np.nan)
    place = at.space.numbers
    for t, p, q in at.shape.steps_nearer:
        true, pred, near = place[(t,)], place[(p,)], place[(q,)]
        growth[true, pred, q] = at.d[true, near] - at.d[true, pred]
    return ~np.isnan(growth), growth > TOLERANCE


def _same_on(variants: Callable[[Shape], list[Variant]]) -> Callable[[Losses], tuple[Truth, Truth]]:
    """Broken where a variant changes d."""

    def compare(at: Losses) -> tuple[Truth, Truth]:
        change = np.zeros((*at.d.shape, len(variants(at.shape))))
        for k, each in enumerate(variants(at.shape)):
            change[..., k] = at.tables[each] - at.d
        return ~np.isnan(change), np.abs(change) > TOLERANCE

    return compare


def _order(at: Losses) -> tuple[Truth, Truth]:
    """Broken where splitting an edge turns d(T, P) < d(T, P') round."""
    lead = leads(at.d)
    product = np.zeros((*lead.shape, len(at.shape.edges)))
    for k, each in enumerate(_splits(at.shape)):
        product[..., k] = lead * leads(at.tables[each])
    once = np.triu(np.ones(at.d.shape, np.bool_), 1)
    return ~np.isnan(product) & once[None, :, :, None], product < 0


def leads(d: FloatArray) -> FloatArray:
    """The sign of d(T, P) − d(T, P'), 0 where they are equal."""
    gap = d[:, :, None] - d[:, None, :]
    return np.where(np.abs(gap) <= TOLERANCE, 0.0, np.sign(gap))


# ---- variants


def _roots(shape: Shape) -> list[Variant]:
    return [Variant(new_root=True)]


def _splits(shape: Shape) -> list[Variant]:
    return [Variant(edge=edge) for edge in shape.edges]


def renamings(shape: Shape) -> list[Variant]:
    """All other numberings of few classes, of more the opposite one."""
    opposite = tuple(range(shape.size))[::-1]
    every = list(permutations(range(shape.size)))[1:] if shape.size <= ALL_NAMES else [opposite]
    return [Variant(numbers=numbers) for numbers in every]


# ---- the list

PROPERTIES = (
    Property("perfect", "predicting exactly the true classes costs nothing", _perfect,
             lambda s, w: [(AS_IS, s[0], s[0])], "≠ 0"),
    Property("only perfect", "nothing else costs nothing", _only_perfect,
             lambda s, w: [(AS_IS, s[0], s[1])], "though the sets differ"),
    Property("symmetric", "exchanging true and predicted classes changes nothing", _symmetric,
             lambda s, w: [(AS_IS, s[0], s[1]), (AS_IS, s[1], s[0])], "≠"),
    Property("triangle", "a detour through a third set is never shorter", _triangle,
             lambda s, w: [(AS_IS, s[0], s[1]), (AS_IS, s[1], s[2]), (AS_IS, s[0], s[2])], "<"),
    Property("a hit never hurts", "predicting one more true class never costs anything", _hit,
             lambda s, w: [(AS_IS, s[0], s[1]), (AS_IS, s[0], _with_class(s[1], w))], "<",
             witnesses=lambda shape: range(shape.size)),
    Property("a miss never helps", "predicting one more class that is not true never pays", _miss,
             lambda s, w: [(AS_IS, s[0], s[1]), (AS_IS, s[0], _with_class(s[1], w))], ">",
             witnesses=lambda shape: range(shape.size)),
    Property("nearer is never worse", "of single classes, one on a shortest way to the true class costs no more",
             _nearer, lambda s, w: [(AS_IS, s[0], s[1]), (AS_IS, s[0], (w,))], "<",
             witnesses=lambda shape: range(shape.size)),
    Property("names do not matter", "other names for the classes change nothing", _same_on(renamings),
             lambda s, w: [(AS_IS, s[0], s[1]), (w, s[0], s[1])], "≠", renamings, renamings),
    Property("roots do not matter", "one more class above all roots changes nothing", _same_on(_roots),
             lambda s, w: [(AS_IS, s[0], s[1]), (w, s[0], s[1])], "≠", _roots, _roots),
    Property("edges never reverse", "splitting an edge never turns the order of two predictions round", _order,
             lambda s, w: [(AS_IS, s[0], s[1]), (AS_IS, s[0], s[2]), (w, s[0], s[1]), (w, s[0], s[2])], "turns round",
             _splits, _splits),
)  # fmt: skip
"""In the order in which they are listed."""
BY_NAME = {each.name: each for each in PROPERTIES}
