"""Measures that need weights of classes, and get them from a corpus: the costs lin, resnik and jiang_conrath."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.information import information_accretion, information_content
from hemlp.text.tables import plural

DIGITS = 16
"""Hexadecimal digits of a corpus that signatures show."""


def default_weight(corpus: LabelSets) -> float:
    """The information content of a class that no instance has: that of a class which one instance has, log n(∅)."""
    return math.log(max(1, len(corpus)))


def complete_measures(
    measures: Mapping[str, Measure], h: Hierarchy, own: LabelSets, corpus: LabelSets | None,
    unknown: UnknownPolicy = "error",
) -> dict[str, Measure]:  # fmt: skip
    """The measures with information content where they need some and have none.

    It is that of the ``corpus``; costs take it from the instances of the run themselves (``own``) if there is none,
    with a warning.
    """
    made = dict(measures)
    content: dict[str, dict[Label, float]] = {}
    source = own if corpus is None else corpus

    def weights(kind: str) -> dict[Label, float]:
        if kind not in content:
            content[kind] = (
                information_accretion(h, source, unseen=0.0, unknown=unknown)
                if kind == "accretion"
                else information_content(h, source, unseen=default_weight(source), unknown=unknown)
            )
        return content[kind]

    for name, each in measures.items():
        inner: Any = getattr(each, "measure", each)  # of the greatest scores, or with rows of its own
        needed = NAMED[inner.name].needed if inner.name in NAMED else {}
        changes: dict[str, Any] = {}
        if getattr(getattr(inner, "cost", None), "lacks_weights", False):
            changes["cost"] = replace(inner.cost, weights=weights("content"), corpus=source.digest[:DIGITS])
        if corpus is not None and "weights" in needed and inner.fields["weights"] is None:
            changes["weights"] = weights("accretion" if "accretion" in needed["weights"] else "content")
        if changes:
            complete = inner.changed(**changes)
            made[name] = complete if inner is each else each.changed(measure=complete)
        if "cost" in changes and corpus is None:
            warnings.warn(
                f"{name or each}: information content of classes from the {plural(len(own), 'instance')} that are "
                f"scored; a corpus of other instances (corpus=, --corpus FILE) does not depend on them",
                stacklevel=2,
            )
    return made
