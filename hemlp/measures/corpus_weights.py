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


def corpus_content(h: Hierarchy, corpus: LabelSets, unknown: UnknownPolicy = "error") -> dict[Label, float]:
    """Information content, and for a class that no instance has that of one which a single instance has: log n(∅)."""
    return information_content(h, corpus, unseen=math.log(max(1, len(corpus))), unknown=unknown)


def lacks_content(each: Measure) -> bool:
    """Whether the cost of a measure needs information content, and has none."""
    return bool(getattr(getattr(getattr(each, "measure", each), "cost", None), "lacks_weights", False))


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
                else corpus_content(h, source, unknown)
            )
        return content[kind]

    for name, each in measures.items():
        inner: Any = getattr(each, "measure", each)  # of the greatest scores, or with rows of its own
        needed = NAMED[inner.name].needed if inner.name in NAMED else {}
        changes: dict[str, Any] = {}
        if lacks_content(each):
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
