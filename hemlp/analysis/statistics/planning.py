"""Planning: how many instances it takes to separate two systems, and the smallest difference that a test set shows.

n = ⌈((z_{1−a/2} + z_power) · s / Δ)²⌉, where Δ and s are the mean and the standard deviation of the paired differences
of a pilot: the evaluation at hand.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.options import check_known, plain_number
from hemlp.results.merged_sums import PRECISION
from hemlp.results.results import Results

DRAWS = 20_000_000
"""Draws of the check, at most."""
SAMPLES = 1_000
"""Samples of the check, unless those are too many draws."""


class SampleSize(int):
    """A number of instances, with the values that it was computed from.

    ``difference`` and ``deviation``: Δ and s; ``pilot``: on how many instances; ``level`` (a) and ``power``.
    ``checked``: in which share of samples of so many instances, drawn from the pilot with replacement, the two systems
    differ significantly (nan: Δ is not that of the pilot, or a sample would be too large).
    """

    difference: float
    deviation: float
    pilot: int
    level: float
    power: float
    checked: float

    def __repr__(self) -> str:
        return f"{int(self):,} instances"

    def __str__(self) -> str:
        shown = "" if math.isnan(self.checked) else f";\nsignificant in {self.checked:.0%} of samples of that size"
        return (
            f"about {int(self):,} instances for a power of {self.power:g} at the level {self.level:g}\n(difference "
            f"{self.difference:.4g}, standard deviation {self.deviation:.4g}, pilot of {self.pilot:,}{shown})"
        )


def sample_size(
    ev: Results,
    first: str,
    second: str,
    measure: str,
    *,
    power: float = 0.8,
    level: float = 0.05,
    difference: float | None = None,
    seed: int = 0,
) -> SampleSize:
    """How many instances it takes until two systems differ significantly, with a given probability.

    Parameters
    ----------
    first, second
        Two systems; their scores here are the pilot.
    measure
        One that was evaluated.
    power
        The probability with which the test should succeed.
    level
        Of the two-sided test.
    difference
        The difference to be shown; by default that of the pilot.
    seed
        Of the samples by which the number is checked.

    Raises
    ------
    InvalidOption
        If the difference is 0, or fewer than two instances have both scores.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> ev = evaluate(h, ["sheep"] * 4, {"A": ["sheep"] * 4, "B": ["sheep", "cow", "cow", "sheep"]}, ["F_H"])
    >>> ev.sample_size("A", "B", "F_H")
    11 instances
    """
    values, tolerance = _paired_differences(ev, first, second, measure)
    spread, mean = float(np.std(values, ddof=1)), math.fsum(values.tolist()) / values.size
    mean = 0.0 if abs(mean) <= tolerance else mean
    wanted = mean if difference is None else plain_number("difference", difference, -math.inf)
    if wanted == 0:
        raise InvalidOption(
            f"{first} and {second} do not differ by {measure} (difference 0): no sample size would show one"
        )
    size = SampleSize(max(2, math.ceil((_quantiles(level, power) * spread / wanted) ** 2)))
    size.difference, size.deviation, size.pilot, size.level, size.power = wanted, spread, values.size, level, power
    checked = difference is None and size <= DRAWS
    size.checked = _share_significant(values, int(size), level, seed) if checked else math.nan
    return size


def detectable_difference(deviation: float, instances: int, *, power: float = 0.8, level: float = 0.05) -> float:
    """The smallest mean difference that a test of so many instances shows with this power.

    >>> round(detectable_difference(0.5, 100), 4)
    0.1401
    """
    return _quantiles(level, power) * deviation / math.sqrt(instances)


def describe_needed(effect: float, instances: int) -> str:
    """How many instances would separate two systems of this effect (Δ/s) that so many do not; "" if no number would.

    >>> describe_needed(0.03556, 5000)
    'would need about 6,208 instances'
    """
    needed = math.ceil((_quantiles(0.05, 0.8) / effect) ** 2) if effect and math.isfinite(effect) else 0
    return f"would need about {needed:,} instances" if needed > instances else ""


def _quantiles(level: float, power: float) -> float:
    """z_{1−a/2} + z_power."""
    for name, value in (("level", level), ("power", power)):
        if not 0 < plain_number(name, value, 0) < 1:
            raise InvalidOption(f"{name}={value!r} is not between 0 and 1")
    normal = NormalDist()
    return normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)


def _paired_differences(ev: Results, first: str, second: str, measure: str) -> tuple[FloatArray, float]:
    """The finite differences, and the tolerance for rounding: 1e-12 of the greatest |score|."""
    for system in (first, second):
        check_known("system", system, ev.systems)
    check_known("measure", measure, ev.measures)
    scores = np.stack([ev.per_instance(system, measure) for system in (first, second)])
    scores = scores[:, np.isfinite(scores).all(axis=0)]
    values: FloatArray = scores[0] - scores[1]
    if values.size < 2:
        raise InvalidOption(f"{first} and {second} have {values.size} instances with finite {measure}: two are needed")
    return values, PRECISION * float(np.abs(scores).max())


def _share_significant(values: FloatArray, size: int, level: float, seed: int) -> float:
    """The share of samples of the pilot in which the mean difference is significant, by the normal test of the mean."""
    rng = np.random.default_rng(seed)
    number = min(SAMPLES, DRAWS // size)
    significant = 0
    for _ in range(number):
        drawn = values[rng.integers(0, values.size, size)]
        total, squares = float(drawn.sum()), float((drawn * drawn).sum())
        significant += squares > 0 and math.erfc(abs(total) / math.sqrt(2 * squares)) < level
    return significant / number
