"""From the bounds of a measure to its model of Problem 1, plain wherever it can be, and from masses to a transport."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InfeasibleModel, InvalidOption
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.pairing.bounds import ALL, Bounds, plain_range, side_prices
from hemlp.problems.pairing.capacities import ListedPairs, PairRule, Priced
from hemlp.problems.pairing.circulation import build_circulation, pair_limits
from hemlp.problems.pairing.class_bounds import ByClass
from hemlp.problems.pairing.marginals import even_marginals, weighted_marginals
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs, SideBounds

Defaults = list[FloatArray]
"""Default costs of the classes of both sides."""


def weighed(
    batch: Batch, pairs: Pairs, kappa: FloatArray, defaults: Defaults, weights: Mapping[Label, float]
) -> tuple[FloatArray, Defaults]:
    """Default costs times the weight of their class, κ times the mean weight of its two classes.

    So an error is Σ_c w_c · (what class c costs), where a pair costs each of its ends half of κ.
    """
    by_class = class_weights(batch.hierarchy, weights)
    own = [by_class[side.classes] for side in batch.sides]
    ends = pairs.ends(batch)
    mean = (own[PRED][ends[PRED]] + own[TRUE][ends[TRUE]]) / 2
    return _times(kappa, mean), [_times(cost, weight) for cost, weight in zip(defaults, own, strict=True)]


def _times(costs: FloatArray, weights: FloatArray) -> FloatArray:
    """What does not exist costs infinitely much, whatever it weighs."""
    finite = np.isfinite(costs)
    return np.where(finite, np.where(finite, costs, 0.0) * weights, math.inf)


def simplified(
    batch: Batch, pairs: Pairs, kappa: FloatArray, defaults: Defaults, bounds: Bounds
) -> tuple[FloatArray, Defaults, Bounds]:
    """The same without pairs that are forbidden and default classes that take nobody: they do not exist."""
    if isinstance(bounds.pair, ListedPairs) and not bounds.pair.forced:
        ends = pairs.ends(batch)
        predicted, true = (batch.sides[side].classes[ends[side]] for side in (PRED, TRUE))
        kappa = np.where(bounds.pair.grouped(batch.hierarchy, predicted, true)[0] > 0, math.inf, kappa)
        bounds = replace(bounds, pair=(0, 1))
    takes_none = [limit == (0, 0) for limit in bounds.defaults]
    defaults = [np.full_like(cost, math.inf) if none else cost for cost, none in zip(defaults, takes_none, strict=True)]
    limits = [(0, ALL) if none else limit for limit, none in zip(bounds.defaults, takes_none, strict=True)]
    return kappa, defaults, replace(bounds, defaults=tuple(limits))


def with_capacities(model: PairingModel, bounds: Bounds) -> PairingModel:
    """The model with its circulation, if the bounds go beyond those of classes; else as it is."""
    batch, halves = model.batch, model.halves
    asked = (of for of in zip((bounds.predicted, bounds.true), batch.sides, strict=True) if isinstance(of[0], ByClass))
    found = (side_prices(of, side, batch.hierarchy)[1] for of, side in asked)
    if bounds.plain and not any(isinstance(each, Priced) for capacities in found for each in capacities):
        return model
    uppers = halves[PRED].upper, halves[TRUE].upper
    error = next(iter(lost_pairs(batch, model.pairs, model.kappa, uppers, bounds).values()), None)
    if error is not None:
        raise error
    return replace(model, arcs=build_circulation(batch, model.pairs, model.kappa, model.serves, halves, bounds))


def build_nearest(title: str, batch: Batch, pairs: Pairs, kappa: FloatArray, side: int) -> PairingModel:
    """Each class of a side is paired with one of the others, if it can be; these need nobody and take everybody."""
    own, others = batch.sides[side], batch.sides[1 - side]
    if np.isfinite(kappa).all():
        once = np.repeat(np.minimum(others.sizes, 1), own.sizes).astype(np.int64)
    else:
        ends = pairs.ends(batch)[side][np.isfinite(kappa)]
        once = np.minimum(np.bincount(ends, minlength=own.classes.size), 1).astype(np.int64)
    most = np.repeat(own.sizes, others.sizes).astype(np.int64)
    bounds = (own, once, once), (others, np.zeros_like(most), most)
    first, second = (SideBounds(*of, np.full(of[1].size, math.inf)) for of in bounds)
    serves = np.full(kappa.size, 3, np.uint8)
    sides = (first, second) if side == PRED else (second, first)
    return PairingModel(title, batch, pairs, kappa, serves, sides).with_finite_costs()


def build_transport(
    title: str, batch: Batch, pairs: Pairs, kappa: FloatArray, weights: FloatArray | None
) -> PairingModel:
    """Each side is a mass of 1 on its classes, even or by ``weights`` of all classes; what does moving it cost?"""
    units, masses = even_marginals(batch) if weights is None else weighted_marginals(batch, weights)
    predicted, true = (
        SideBounds(side, mass, mass, np.full(mass.size, math.inf))
        for side, mass in zip(batch.sides, masses, strict=True)
    )
    serves = np.full(kappa.size, 3, np.uint8)
    return PairingModel(title, batch, pairs, kappa, serves, (predicted, true), units=units)


def lost_pairs(
    batch: Batch, pairs: Pairs, kappa: FloatArray, uppers: tuple[IntArray, IntArray], bounds: Bounds, first_row: int = 0
) -> dict[int, InfeasibleModel]:
    """For each instance in which a pair is forced that does not exist, the error that says so."""
    if not forces_pairs(bounds):
        return {}
    missing, ends = np.flatnonzero(np.isinf(kappa)), pairs.ends(batch)
    x = ends[PRED][missing], ends[TRUE][missing]
    lower = pair_limits(bounds, batch, x, uppers)[0]
    found: dict[int, InfeasibleModel] = {}
    labels = batch.hierarchy.labels
    for k in np.flatnonzero(lower > 0).tolist():
        row = int(np.searchsorted(pairs.ptr, missing[k], side="right")) - 1
        p, t = (labels[int(batch.sides[side].classes[x[side][k]])] for side in (PRED, TRUE))
        words = f"the pair {p!r} ~ {t!r} is forced and does not exist: it has no finite cost"
        number = first_row + row + 1
        found.setdefault(row, InfeasibleModel(f"instance {number}: {words}", number, label=p, labels=(p, t)))
    return found


def forces_pairs(bounds: Bounds) -> bool:
    """Whether a pair may have to be chosen."""
    if isinstance(bounds.pair, PairRule):
        return not isinstance(bounds.pair, ListedPairs) or bounds.pair.forced
    return plain_range(bounds.pair)[0] != 0


def plain_pairing(model: Any, what: str) -> PairingModel:
    """A pairing without further capacities; InvalidOption says that ``what`` needs one."""
    if not isinstance(model, PairingModel) or not model.plain:
        raise InvalidOption(f"{what} needs bounds with no further rules and no prices")
    return model
