"""From the bounds of a measure to its model of Problem 1, plain wherever it can be, and from masses to a transport.

Each side of a transport is a mass of 1 in whole units, so that transport is exact. Masses are even, exact in lcm(M, N)
units, or by weights of classes: exact in the lcm of their sums where these are decimals of few digits. Where that many
units are too many, a mass of 1 is 2⁴⁶ units, and each mass is rounded by at most one of them. Both sides always have
the same number of units, which does not depend on the other instances of a batch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray, row_sums
from hemlp.errors import InfeasibleModel, InvalidOption
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.instances.sides import PRED, TRUE
from hemlp.problems.pairing.bounds import Bounds, side_prices
from hemlp.problems.pairing.capacities import ALL, BoundRule, PairRule, Priced, plain_range
from hemlp.problems.pairing.circulation import build_circulation, pair_limits
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs, SideBounds

MOST = 1 << 46
"""Units of a mass of 1, at most: solvers in floats still tell them apart."""
DIGITS = 22
"""Decimal digits of weights, at most: 10²² is the greatest power of ten that is exact as a float."""
Marginals = tuple[IntArray, list[IntArray]]
"""How many units are 1, for each instance, and the units of each class of both sides."""
Defaults = list[FloatArray]
"""Default costs of the classes of both sides."""


def apply_weights(
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


def drop_forbidden(
    batch: Batch, pairs: Pairs, kappa: FloatArray, defaults: Defaults, bounds: Bounds
) -> tuple[FloatArray, Defaults, Bounds]:
    """The same without pairs that are forbidden and default classes that take nobody: they do not exist."""
    if isinstance(bounds.pair, PairRule) and not (bounds.pair.custom or bounds.pair.forced):
        ends = pairs.ends(batch)
        predicted, true = (batch.sides[side].classes[ends[side]] for side in (PRED, TRUE))
        kappa = np.where(bounds.pair.groups(batch.hierarchy, predicted, true)[0] > 0, math.inf, kappa)
        bounds = replace(bounds, pair=(0, 1))
    takes_none = [limit == (0, 0) for limit in bounds.defaults]
    defaults = [np.full_like(cost, math.inf) if none else cost for cost, none in zip(defaults, takes_none, strict=True)]
    limits = [(0, ALL) if none else limit for limit, none in zip(bounds.defaults, takes_none, strict=True)]
    return kappa, defaults, replace(bounds, defaults=tuple(limits))


def with_capacities(model: PairingModel, bounds: Bounds) -> PairingModel:
    """The model with its circulation, if the bounds go beyond those of classes; else as it is."""
    batch, halves = model.batch, model.halves
    sides = zip((bounds.predicted, bounds.true), batch.sides, strict=True)
    asked = (side_prices(of, side, batch.hierarchy)[1] for of, side in sides if isinstance(of, BoundRule) and of.custom)
    if bounds.plain and not any(isinstance(each, Priced) for capacities in asked for each in capacities):
        return model
    uppers = halves[PRED].upper, halves[TRUE].upper
    error = next(iter(impossible_pairs(batch, model.pairs, model.kappa, uppers, bounds).values()), None)
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
    title: str, batch: Batch, pairs: Pairs, kappa: FloatArray, weights: Mapping[Label, float] | None
) -> PairingModel:
    """Each side is a mass of 1 on its classes, even or by ``weights``; what does moving it cost?"""
    if weights is None:  # each side's mass lies evenly on its classes
        sizes = [side.sizes.astype(np.int64) for side in batch.sides]
        units = np.lcm(*(np.maximum(size, 1) for size in sizes))
        masses = [np.repeat(units // np.maximum(size, 1), size) for size in sizes]
    else:
        units, masses = weighted_marginals(batch, class_weights(batch.hierarchy, weights))
    predicted, true = (
        SideBounds(side, mass, mass, np.full(mass.size, math.inf))
        for side, mass in zip(batch.sides, masses, strict=True)
    )
    serves = np.full(kappa.size, 3, np.uint8)
    return PairingModel(title, batch, pairs, kappa, serves, (predicted, true), units=units)


def impossible_pairs(
    batch: Batch, pairs: Pairs, kappa: FloatArray, uppers: tuple[IntArray, IntArray], bounds: Bounds, first_row: int = 0
) -> dict[int, InfeasibleModel]:
    """For each instance in which a pair is forced that does not exist, the error that says so."""
    if not forces_pairs(bounds):
        return {}
    missing, ends = np.flatnonzero(np.isinf(kappa)), pairs.ends(batch)
    x = ends[PRED][missing], ends[TRUE][missing]
    lower = pair_limits(bounds, batch, x, uppers)[0]
    errors: dict[int, InfeasibleModel] = {}
    labels = batch.hierarchy.labels
    for k in np.flatnonzero(lower > 0).tolist():
        row = int(np.searchsorted(pairs.ptr, missing[k], side="right")) - 1
        p, t = (labels[int(batch.sides[side].classes[x[side][k]])] for side in (PRED, TRUE))
        words = f"the pair {p!r} ~ {t!r} is forced, but does not exist: it has no finite cost"
        number = first_row + row + 1
        errors.setdefault(row, InfeasibleModel(f"instance {number}: {words}", number, label=p, labels=(p, t)))
    return errors


def forces_pairs(bounds: Bounds) -> bool:
    """Whether a pair may have to be chosen."""
    if isinstance(bounds.pair, PairRule):
        return bounds.pair.custom or bounds.pair.forced
    return plain_range(bounds.pair)[0] != 0


def plain_pairing(model: Any, what: str) -> PairingModel:
    """A pairing without further capacities; InvalidOption says that ``what`` needs one."""
    if not isinstance(model, PairingModel) or not model.plain:
        raise InvalidOption(f"{model.title}: {what} needs bounds of classes alone, without prices")
    return model


# ---- masses of a transport


def weighted_marginals(batch: Batch, weights: FloatArray) -> Marginals:
    """Each side's mass lies on its classes by their weights; on those of a side that weighs nothing lies nothing."""
    (first, some), (second, others) = (_whole(weights[side.classes], side) for side in batch.sides)
    factor = first // np.maximum(np.gcd(first, second), 1)
    exact = (first > 0) & (second > 0) & (factor <= MOST // np.maximum(second, 1))
    units = np.where(exact, factor * np.where(exact, second, 0), MOST)
    masses = []
    for side, total, whole in zip(batch.sides, (first, second), (some, others), strict=True):
        made = whole * np.repeat(units // np.maximum(total, 1), side.sizes)
        for row in np.flatnonzero(~exact).tolist():
            made[side.ptr[row] : side.ptr[row + 1]] = _rounded(weights[side[row]])
        masses.append(made)
    return units, masses


def _whole(weights: FloatArray, side: Side) -> tuple[IntArray, IntArray]:
    """Sums (1 at least, 0 where there are none) of integers in the proportion of the weights, and the integers."""
    size, rows = len(side.ptr) - 1, np.repeat(np.arange(len(side.ptr) - 1), side.sizes)
    distinct, place = np.unique(weights, return_inverse=True)
    digits = np.zeros(size, np.int64)
    np.maximum.at(digits, rows, np.array([_digits(weight) for weight in distinct.tolist()], np.int64)[place])
    with np.errstate(over="ignore"):
        scaled = weights * 10.0 ** np.minimum(digits, DIGITS)[rows]  # below 2⁵⁰ it is nearest to the right integer
    small = (digits <= DIGITS) & (row_sums(scaled, side.ptr) < MOST)
    whole = np.rint(np.where(small[rows], scaled, 0.0)).astype(np.int64)
    shared = np.zeros(size, np.int64)
    np.gcd.at(shared, rows, whole)
    whole //= np.maximum(shared, 1)[rows]
    totals = np.zeros(size, np.int64)
    np.add.at(totals, rows, whole)
    return np.where(small, np.maximum(totals, 1), 0), whole


def _digits(weight: float) -> int:
    """Behind the decimal point, as the number is written."""
    exponent = Decimal(repr(weight)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def _rounded(weights: FloatArray) -> IntArray:
    """Shares of MOST units: the differences of rounded running totals, which add up whatever the weights are."""
    if not weights.any():
        return np.zeros(weights.size, np.int64)
    upto = np.cumsum(weights / weights.max())
    made: IntArray = np.diff(np.rint(upto / upto[-1] * MOST), prepend=0).astype(np.int64)
    return made
