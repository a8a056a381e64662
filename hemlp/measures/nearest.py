"""How far predicted classes are from the nearest true class, on average: Problem 1 in which each predicted class takes
one true class,

    distance = min Σ κ_ij x_ij / M     with Σ_j x_ij = 1 for each predicted class i.

With the height of the lowest common ancestor for κ it is the hierarchical distance of Bertinetto et al. (2020).
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, row_sums
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.instances.sides import PRED
from hemlp.measures.base import Measure, set_fields
from hemlp.measures.naming import check_name
from hemlp.measures.pair_scores import PAIR_SCORES, PairScore
from hemlp.measures.scoring import as_batch
from hemlp.problems.pairing.build_model import build_nearest
from hemlp.problems.pairing.costs import as_cost, checked_costs, cost_bytes, cost_key, cost_promises, cost_text
from hemlp.problems.pairing.model import PairingModel
from hemlp.problems.pairing.pairs import Pairs


@dataclass(frozen=True, init=False, eq=False)
class NearestMeasure(Measure):
    """The mean cost of the predicted classes, each paired with its nearest true class.

    It is infinite where a predicted class has no finite cost to any true class, and undefined where a side is empty.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    cost
        κ, as of a ``PairMeasure``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> NearestMeasure("off").score(h, true=["sheep", "bird"], pred=["cow", "bird"])
    0.5
    """

    name: str
    cost: Any

    def __init__(self, name: str, *, cost: Any = "lca_height") -> None:
        set_fields(self, name=name, cost=as_cost(cost))
        check_name(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The mean, and the sum that it is made of."""
        return self.name, "error"

    @property
    def _parts(self) -> tuple[Any, ...]:
        """A cost that has a text form."""
        return () if cost_text(self.cost) == "custom" else (type(self.cost),)

    @property
    def _scorer(self) -> PairScore:
        """The range and the direction of an error."""
        return PAIR_SCORES["error"]

    @property
    def invariants(self) -> frozenset[str]:
        """What the cost promises, as far as a mean keeps it."""
        promised = cost_promises(self.cost)
        found = {"range", *(promised & {"names"})}
        return frozenset(found | ({"best_if_equal"} if "zero_if_equal" in promised else set()))

    @property
    def _model_key(self) -> Hashable:
        """Measures that differ only in name share their pairing."""
        return cost_key(self.cost)

    def _pair_bytes(self, hierarchy: Hierarchy) -> float:
        """Of a pairing with its proof."""
        return max(70.0, cost_bytes(self.cost))

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> PairingModel:
        """Problem 1 of one instance (hierarchy, true, pred) or of a batch; a class without a pair takes none."""
        batch = as_batch(data, true, pred)
        pairs = Pairs.of(batch)
        return build_nearest(str(self), batch, pairs, checked_costs(self.cost, batch, pairs), PRED)

    def _undefined(self, batch: Batch) -> tuple[NDArray[np.bool_], str]:
        return (batch.pred.sizes == 0) | (batch.true.sizes == 0), "a side is empty"

    def _compute_columns(self, model: PairingModel, solution: Any) -> dict[str, FloatArray]:
        half = model.halves[PRED]
        lost = row_sums((half.lower == 0).astype(np.float64), half.side.ptr) > 0
        error = np.where(lost, math.inf, solution.objectives)
        return {self.name: error / np.maximum(half.side.sizes, 1), "error": error}
