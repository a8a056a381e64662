"""Transport as a measure: the least cost of moving the predicted to the true classes, each side a mass of 1."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, row_sums
from hemlp.errors import InvalidOption
from hemlp.hierarchy.class_weights import class_weights
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.naming import check_name
from hemlp.measures.pair_scores import PAIR_SCORES, PairScore
from hemlp.measures.scoring import as_batch
from hemlp.problems.pairing.build_model import build_transport
from hemlp.problems.pairing.costs import as_cost, checked_costs, cost_bytes, cost_key, cost_promises, cost_text
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs

EMPTY = "one side is empty and the other is not"
NOTHING = "the classes of a side weigh nothing"


@dataclass(frozen=True, init=False, eq=False)
class TransportMeasure(Measure):
    """The least cost of moving one side to the other, each a mass of 1 that lies on its classes.

    Undefined where one side is empty and the other is not, and where the classes of a side weigh nothing. Between
    classes without a finite cost, as without a common ancestor, nothing moves; infeasible where that leaves no way.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    cost
        κ, what a mass of 1 costs from one class to another: as of a ``PairMeasure``.
    weights
        How much of the mass of its side lies on each class, in proportion; None for evenly.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> TransportMeasure("moved").score(h, true=["sheep", "cow"], pred=["mammal"])
    1.0
    """

    name: str
    cost: Any
    weights: Mapping[Label, float] | None
    _omitted_if_none = ("weights",)

    def __init__(self, name: str, *, cost: Any = "shortest_path", weights: Mapping[Label, float] | None = None) -> None:
        if weights is not None and not isinstance(weights, Mapping):
            raise InvalidOption("weights map classes to numbers")
        set_fields(self, name=name, cost=as_cost(cost), weights=weights)
        check_name(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The cost alone."""
        return (self.name,)

    @property
    def _parts(self) -> tuple[Any, ...]:
        """A cost that has a text form."""
        return () if cost_text(self.cost) == "custom" else (type(self.cost),)

    @property
    def _scorer(self) -> PairScore:
        """The least cost as it is."""
        return PAIR_SCORES["error"]

    @property
    def invariants(self) -> frozenset[str]:
        """What the cost promises: of a distance this is one, too."""
        promised = cost_promises(self.cost)
        kept = {"symmetric"} if self.weights is not None else {"names", "symmetric", "monotone"}
        found = {"range", *(promised & kept)}
        if "zero_if_equal" in promised:
            found.add("best_if_equal")
        if "zero_only_if_equal" in promised and self.weights is None:
            found.add("best_only_if_equal")
        return frozenset(found)

    @property
    def _model_key(self) -> Hashable:
        """Measures that differ only in name share their transport."""
        return cost_key(self.cost), None if self.weights is None else id(self.weights)

    def _pair_bytes(self, hierarchy: Hierarchy) -> float:
        """Of a transport with its proof."""
        return max(200.0, cost_bytes(self.cost))

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> PairingModel:
        """The transport of one instance (hierarchy, true, pred) or of a batch."""
        batch = as_batch(data, true, pred)
        pairs = Pairs.of(batch)
        weights = self._weights(batch.hierarchy)
        return build_transport(str(self), batch, pairs, checked_costs(self.cost, batch, pairs), weights)

    def _weights(self, h: Hierarchy) -> FloatArray | None:
        return None if self.weights is None else class_weights(h, self.weights)

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        sizes = [side.sizes for side in batch.sides]
        empty, words = (sizes[0] == 0) != (sizes[1] == 0), EMPTY
        weights = self._weights(batch.hierarchy)
        if weights is not None:
            heavy = [row_sums(weights[side.classes], side.ptr) > 0 for side in batch.sides]
            empty = ~(heavy[0] & heavy[1]) & (sizes[0] + sizes[1] > 0)
            words = f"{EMPTY}, or {NOTHING}"
        return empty, words

    def _compute_columns(self, model: PairingModel, solution: Any) -> dict[str, FloatArray]:
        return {self.name: solution.objectives}
