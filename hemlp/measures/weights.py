"""Weights of classes from a corpus."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hemlp.closure.model import ClosureModel
from hemlp.errors import InvalidLabelSets, InvalidOption, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.sets import LabelSets

NODES_AT_ONCE = 4_000_000


def information_content(hierarchy: Hierarchy, corpus: Any, *, unseen: float | None = None) -> dict[Label, float]:
    """Weights of classes: −log of the share of the instances of ``corpus`` whose closure holds the class.

    Parameters
    ----------
    hierarchy
        Its classes are weighed.
    corpus
        Label sets, anything that ``LabelSets.of`` takes.
    unseen
        The weight of a class that no instance has. Without it such a class, which would weigh infinitely much, is an
        error.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> information_content(h, ["sheep", "cow"])["cow"] == math.log(2)
    True
    """
    labels = LabelSets.of(corpus, source="corpus")
    if not len(labels):
        raise InvalidLabelSets("the corpus holds no instance")
    with without_advice():
        batch = Batch.of(hierarchy, labels, labels)
    model = ClosureModel("", batch, "up", np.ones(len(hierarchy) + 1))
    counts = np.zeros(len(hierarchy), np.int64)
    done = 0
    while done < len(batch):
        ptr, nodes, _ = model.closures(done, NODES_AT_ONCE)
        counts += np.bincount(nodes, minlength=len(hierarchy))
        done += len(ptr) - 1
    if unseen is None and (counts == 0).any():
        never = hierarchy.labels[int(np.flatnonzero(counts == 0)[0])]
        raise InvalidOption(
            f"the class {never!r} (and {int((counts == 0).sum()) - 1:,} more) is in no closure of the corpus: its "
            f"information content is infinite; give unseen= a weight for such classes"
        )
    shares = np.maximum(counts, 1) / max(len(batch), 1)
    values = np.where(counts > 0, -np.log(shares) + 0.0, math.nan if unseen is None else unseen)
    return dict(zip(hierarchy.labels, values.tolist(), strict=True))
