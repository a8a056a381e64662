"""What a run evaluates: true labels and systems, checked once, and then batches of consecutive instances on demand.

Label sets in memory become one batch a system, which is sliced. Label files (``LabelFile``) are read block by block,
once to check them and once to score them, and never held as a whole. ``LabelCounts`` says what was found in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, compress, zip_longest

import numpy as np

from hemlp.errors import HemlpError, InvalidLabelSets, MisalignedSides, naming
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_order
from hemlp.instances.batch import Batch, Policies
from hemlp.instances.checks import unequal_rows_error
from hemlp.instances.label_files import LabelFile, read_labels
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.base import Measure
from hemlp.measures.scoring import UndefinedPolicy, check_scorable
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
    named: int = 0

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
            self.named += 0 if side.named_counts is None else int(side.named_counts.sum())

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
            **({"labels read by name": self.named} if self.named else {}),
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
    """Notes of the true labels that no score sees, if any were dropped, and of what is ignored by scores alone."""
    dropped = describe_dropped_labels(facts)
    notes = [f"true labels dropped: {', '.join(map(' '.join, dropped.items()))}"] if dropped else []
    ignored = next(iter(facts.values())).get("ignored classes", 0)
    return notes + ([f"counted here: {plural(int(ignored), 'class', 'classes')} that scores ignore"] if ignored else [])


def describe_unknown_labels(counts: Mapping[str, float]) -> str:
    """What was done about the unknown labels of a system, in words."""
    kinds = (
        "predicted labels dropped", "predicted labels isolated", "predictions emptied",
        "true labels dropped", "true labels isolated", "true sets emptied",
    )  # fmt: skip
    actions = "; ".join(f"{kind}: {counts[kind]:,}" for kind in kinds if counts.get(kind))
    return plural(counts["unknown labels"], "unknown label") + (f" ({actions})" if actions else "")


Source = LabelSets | LabelFile
BLOCK = 20_000
"""Instances of a label file that are read at once where nothing else is said."""


@dataclass(frozen=True, eq=False)
class Inputs:
    """True labels, systems and measures of a run. ``names``: readable names of classes, where there are any."""

    given: Hierarchy
    true: Source
    systems: Mapping[str, Source]
    measures: Mapping[str, Measure]
    policies: Policies
    names: Mapping[Label, str] | None = None

    @cached_property
    def batches(self) -> dict[str, Batch]:
        """The batches of systems that are in memory, or that have to be."""
        loaded: dict[str, LabelSets] = {}
        for name, pred in self.systems.items():
            if isinstance(pred, LabelSets):
                loaded[name] = pred
            elif isinstance(self.true, LabelSets):
                loaded[name] = read_labels(pred.source)
        if not loaded:
            return {}
        true = self.true if isinstance(self.true, LabelSets) else read_labels(self.true.source)
        instances = self._common_instances(true, loaded) if self.policies.missing == "empty" else ()
        known = None if true.rows == "paths" else self.given.look_up(true.vocabulary)
        return {
            name: Batch.over(self.given, true, sets, self.policies, instances, known=known)
            for name, sets in loaded.items()
        }

    @staticmethod
    def _common_instances(true: LabelSets, systems: Mapping[str, LabelSets]) -> dict[Label, None]:
        """The instances on which all systems are compared: those of the true labels, then what these lack."""
        everybody = dict.fromkeys(chain.from_iterable(side.ids or () for side in (true, *systems.values())))
        extra = everybody.keys() - set(true.ids or ())
        for name, pred in systems.items():
            for label in sorted(extra - set(pred.ids or ()), key=label_order)[:1]:
                raise MisalignedSides(
                    f"the true labels and {name} both lack the instance {label!r}, which another system has: systems "
                    f"are compared on the same instances; add it to the true labels, or take it away"
                )
        return everybody

    @property
    def cuts(self) -> dict[str, str]:
        """How the systems were cut from scores, if they were."""
        cut_texts = {}
        for name, side in self.systems.items():
            if isinstance(side, LabelSets) and (side.cut is not None or side.scores is not None):
                cut_texts[name] = side.cut or "scores that are not cut: labels are all scored classes"
        return cut_texts

    @property
    def ids(self) -> tuple[Label, ...] | None:
        """The names of the instances, if they have any."""
        return next((batch.ids for batch in self.batches.values()), None)

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchy of each system: with its unknown labels as isolated classes, where that was chosen."""
        by_system = {}
        for name in self.systems:
            if name in self.batches:
                by_system[name] = self.batches[name].hierarchy
                continue
            unknown_labels: set[Label] = set()
            isolating = [policy == "isolate" for policy in (self.policies.unknown_true, self.policies.unknown)]
            for pair in self._block_pairs(name, BLOCK) if any(isolating) else ():
                for block in compress(pair, isolating):
                    unknown_labels |= {label for label in block.vocabulary if label not in self.given}
            by_system[name] = self.given.with_isolated(unknown_labels)
        return by_system

    def _block_pairs(self, system: str, size: int) -> Iterator[tuple[LabelSets, LabelSets]]:
        pred = self.systems[system]
        assert isinstance(pred, LabelFile)
        assert isinstance(self.true, LabelFile)
        for pair in zip_longest(self.true.blocks(size), pred.blocks(size)):
            if pair[0] is None or pair[1] is None or len(pair[0]) != len(pair[1]):
                rows = [sum(map(len, side.blocks(BLOCK))) for side in (self.true, pred)]
                raise unequal_rows_error(self.true.source, rows[0], pred.source, rows[1])
            yield pair

    def blocks(self, system: str, size: int = BLOCK) -> Iterator[tuple[int, Batch]]:
        """Batches of ``size`` consecutive instances, each with the number of its first one (from 0)."""
        if system in self.batches:
            batch = self.batches[system]
            for start in range(0, len(batch), size):
                yield start, batch if len(batch) <= size else batch[start : start + size]
            return
        start = 0
        for pair in self._block_pairs(system, size):
            batch = Batch.over(self.given, *pair, self.policies, isolated=self.hierarchies[system])
            yield start, batch
            start += len(batch)

    def take(self, system: str, rows: Sequence[int]) -> Batch:
        """The instances with these numbers, in their order, without ids unless the system is in memory."""
        wanted = np.asarray(rows, np.int64)
        if system in self.batches:
            batch = self.batches[system]
            ids = None if batch.ids is None else tuple(batch.ids[row] for row in wanted)
            return replace(batch.take(wanted), ids=ids)
        order = np.argsort(wanted, kind="stable")
        parts = []
        for start, batch in self.blocks(system, BLOCK):
            here = wanted[order][(wanted[order] >= start) & (wanted[order] < start + len(batch))]
            if here.size:
                parts.append(batch.take(here - start))
        in_order = Batch.concatenate(parts)
        back = np.empty(len(wanted), np.int64)
        back[order] = np.arange(len(wanted))
        return in_order.take(back)

    def check(self, undefined: UndefinedPolicy, room: float | None = None) -> dict[str, dict[str, float]]:
        """Read everything once: all that is wrong with it is an error here. What was counted, for each system.

        ``room``: how many bytes an instance may take, None for what the machine has.
        """
        counts = {}
        for system in self.systems:
            facts = LabelCounts(self.policies)
            for start, batch in self.blocks(system, BLOCK):
                try:
                    check_scorable(list(self.measures.values()), batch, undefined, start, room)
                except HemlpError as error:
                    with naming(system):
                        raise error
                facts.add(batch)
            if not facts.instances:
                raise InvalidLabelSets(f"{self.systems[system].source} and {self.true.source} hold no instance")
            if facts.unknown_true and not facts.true_labels:
                raise InvalidLabelSets(
                    f"{self.true.source}: none of the {facts.unknown_true:,} true labels is in the hierarchy, so there "
                    f"is nothing to evaluate: is it the hierarchy of these labels, and are they read as they should be?"
                )
            counts[system] = facts.as_dict()
        return counts
