"""Options of a ``PairMeasure``: which of them fit together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.measures.pair_scores import PAIR_SCORES, PairScore
from hemlp.options import check_choice, plain_number
from hemlp.problems.pairing.bounds import COVER, EACH, ONE_TO_ONE
from hemlp.problems.pairing.costs import check_magnitude

if TYPE_CHECKING:
    from hemlp.measures.pair_measure import PairMeasure


def contradictions(of: PairMeasure) -> Iterator[str]:
    """What is not an option, and which options do not fit together."""
    check_choice("pairing", of.pairing, ("optimal", "nearest", "transport"))
    check_choice("defined", of.defined, ("always", "single", "both", "nonempty"))
    score, default, bounds, weighted = of.scoring, of.default_cost, of.bounds, of.weights is not None
    if not isinstance(score, PairScore):
        check_choice("score", score, tuple(PAIR_SCORES))
    if of.horizon is not None and not getattr(of.cost, "unit", False):
        yield "horizon counts edges and needs a cost that does: shortest paths of unit lengths"
    if str(score).startswith("accuracy") and not (isinstance(default, int | float) and default > 0):
        yield f"score={score!r} needs one default_cost above 0, not {default!r}"
    if weighted and not (isinstance(of.weights, Mapping) and of.pairing != "nearest"):
        yield "weights map classes to numbers, for optimal pairings and transports"
    if isinstance(score, str) and score != "error" and (weighted or not bounds.plain):
        yield f"score={score!r} needs plain bounds and no weights: else it would leave its range"
    if of._scorer.similarity and (bounds != ONE_TO_ONE or default != 0.5 or of.max_distance is not None):
        yield f"score={score!r} needs the bounds (1, 1) on both sides and default_cost=0.5"
    nearest = of.pairing == "nearest"
    if of._of_matches and (bounds != COVER or not nearest or default is not None or of.max_distance is not None):
        yield f"score={score!r} needs the bounds (1, ALL) on both sides, pairing='nearest' and no default_cost"
    if nearest and bounds != COVER and (bounds not in EACH or default is not None):
        yield "pairing='nearest' is for the bounds (1, ALL) on both sides, or without default_cost (1, 1) on one side"
    if of.pairing == "transport" and (
        bounds != ONE_TO_ONE or default is not None or score in PAIR_SCORES.keys() - {"error"}
    ):
        yield "pairing='transport' is for the bounds (1, 1) on both sides, no default_cost and score='error'"


def plain_default(cost: Any) -> Any:
    """A default cost as plain numbers, refused unless they are at least 0."""
    if isinstance(cost, tuple):
        if len(cost) != 2:
            raise InvalidOption(f"default_cost={cost!r} is not one value or a pair (predicted, true)")
        return tuple(plain_default(side) for side in cost)
    if isinstance(cost, Mapping):
        return {label: plain_default(value) for label, value in cost.items()}
    number = plain_number("default_cost", cost, 0)
    if number is not None:
        check_magnitude(float(number), lambda _: "default_cost")
    return number
