"""Classes of measures of 0.2 that are ``PairMeasure`` now, as functions: their texts are still read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hemlp.hierarchy.labels import Label
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.pair_scores import PairScore
from hemlp.problems.pairing.bounds import COVER, EACH, ONE_TO_ONE


def MatchMeasure(name: str, *, cost: Any = "wu_palmer", score: str | PairScore = "BMA") -> PairMeasure:
    """A measure of best matches."""
    return PairMeasure(name, COVER, cost=cost, pairing="nearest", score=score)


def NearestMeasure(name: str, *, cost: Any = "lca_height") -> PairMeasure:
    """The mean cost of the predicted classes, each paired with its nearest true class."""
    return PairMeasure(name, EACH[0], cost=cost, pairing="nearest", defined="nonempty", score="mean")


def TransportMeasure(
    name: str, *, cost: Any = "shortest_path", weights: Mapping[Label, float] | None = None
) -> PairMeasure:
    """The least cost of moving one side to the other, each a mass of 1 that lies on its classes."""
    return PairMeasure(name, ONE_TO_ONE, cost=cost, pairing="transport", defined="both", weights=weights)
