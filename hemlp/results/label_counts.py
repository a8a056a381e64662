"""Counts of predicted and true labels of a system, and of those that are unknown, missing or dropped."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hemlp.instances.batch import Batch, Policies
from hemlp.text.tables import plural


@dataclass
class LabelCounts:
    """Counts of one system's instances and labels."""

    policies: Policies
    instances: int = 0
    predictions: int = 0
    empty: int = 0
    both_empty: int = 0
    true_labels: int = 0
    unknown: int = 0
    unknown_true: int = 0
    emptied: int = 0
    emptied_true: int = 0
    missing: int = 0

    def add(self, batch: Batch) -> None:
        """Count a batch."""
        sizes = np.diff(batch.pred.ptr)
        self.instances += len(batch)
        self.predictions += int(sizes.sum())
        self.empty += int((sizes == 0).sum())
        self.both_empty += int(((sizes == 0) & (np.diff(batch.true.ptr) == 0)).sum())
        self.true_labels += int(batch.true.ptr[-1])
        if batch.pred.unknown_counts is not None:
            self.unknown += batch.pred.unknown
            self.emptied += batch.pred.emptied
        if batch.true.unknown_counts is not None:
            self.unknown_true += batch.true.unknown
            self.emptied_true += batch.true.emptied
        for side in (batch.true, batch.pred):
            self.missing += 0 if side.missing_rows is None else side.missing

    def as_dict(self) -> dict[str, float]:
        """The counts by their names in results."""
        pred, true = self.policies.unknown, self.policies.unknown_true
        return {
            "instances": self.instances,
            "predictions an instance": self.predictions / self.instances if self.instances else math.nan,
            "empty predictions": self.empty,
            **({"both sides empty": self.both_empty} if self.both_empty else {}),
            "unknown labels": self.unknown + self.unknown_true,
            "predicted labels dropped": self.unknown if pred == "drop" else 0,
            "predicted labels isolated": self.unknown if pred == "isolate" else 0,
            "predictions emptied": self.emptied,
            "true labels dropped": self.unknown_true if true == "drop" else 0,
            "true labels isolated": self.unknown_true if true == "isolate" else 0,
            "true sets emptied": self.emptied_true,
            "missing instances": self.missing,
        }


def describe_dropped_labels(facts: Mapping[str, Mapping[str, float]]) -> dict[str, str]:
    """How many true labels no score of a system sees, and how many instances have none left; {} if none was dropped."""
    texts, some = {}, False
    for system, counts in facts.items():
        dropped, emptied = counts.get("true labels dropped", 0), counts.get("true sets emptied", 0)
        texts[system] = f"{dropped:,} ({emptied:,} left empty)"
        some = some or dropped > 0
    return texts if some else {}


def dropped_notes(facts: Mapping[str, Mapping[str, float]]) -> list[str]:
    """A note of the true labels that no score sees, if any were dropped."""
    dropped = describe_dropped_labels(facts)
    return [f"true labels dropped: {', '.join(map(' '.join, dropped.items()))}"] if dropped else []


def describe_unknown_labels(counts: Mapping[str, float]) -> str:
    """What was done about the unknown labels of a system, in words."""
    kinds = (
        "predicted labels dropped", "predicted labels isolated", "predictions emptied",
        "true labels dropped", "true labels isolated", "true sets emptied",
    )  # fmt: skip
    actions = "; ".join(f"{kind}: {counts[kind]:,}" for kind in kinds if counts.get(kind))
    return plural(counts["unknown labels"], "unknown label") + (f" ({actions})" if actions else "")
