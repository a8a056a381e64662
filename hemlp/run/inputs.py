"""What a run evaluates: true labels and systems, checked once, and then batches of consecutive instances on demand.

Label sets in memory become one batch a system, which is sliced. Label files (``LabelFile``) are read block by block,
once to check them and once to score them, and never held as a whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, compress, zip_longest
from os import PathLike, fspath
from typing import Any

import numpy as np

from hemlp.analysis.statistics.facts import Facts
from hemlp.errors import InvalidLabelSets, MisalignedSides, UncutScores, UnscoredPredictions
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_order
from hemlp.instances.alignment import different_rows
from hemlp.instances.batch import Batch, Policies
from hemlp.instances.label_files import WHOLE, LabelFile, open_labels, read_labels
from hemlp.instances.sets import LabelSets, Rows, Scored, as_predictions
from hemlp.io.frames import collected, column_names
from hemlp.io.text import file_kind
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.base import Measure
from hemlp.measures.scoring import UndefinedPolicy, check_scorable
from hemlp.results.gold import Gold

Source = LabelSets | LabelFile
BLOCK = 20_000
"""Instances of a label file that are read at once where nothing else is said."""


def with_needed_scores(systems: Mapping[str, Source], measures: Mapping[str, Measure]) -> dict[str, Source]:
    """The systems with their scores if a measure is of the greatest ones, and else without.

    Raises
    ------
    UnscoredPredictions, UncutScores
        Where a measure needs scores and there are none, or predicted sets and scores were not cut.
    """
    of_ranks = [name for name, each in measures.items() if isinstance(each, RankedMeasure)]
    of_sets = [name for name in measures if name not in of_ranks]
    made: dict[str, Source] = {}
    for name, source in systems.items():
        sets = source if isinstance(source, LabelSets) else None
        if of_ranks and (sets is None or sets.scores is None):
            raise UnscoredPredictions(
                f"{of_ranks[0]} is of the greatest scores, and {name} has no scores: give hemlp.ScoredSets or a "
                f"file of scores, as they are or cut for other measures (s.at(0.3), FILE@0.3)"
            )
        if of_sets and sets is not None and sets.scores is not None and sets.cut is None:
            raise UncutScores(
                f"{of_sets[0]} is of label sets, and {name} is scored: say where scores are cut, as s.at(0.3), "
                f"s.top(5), FILE@0.3 and FILE@top5 do"
            )
        made[name] = source if sets is None or of_ranks else replace(sets, scores=None)
    return made


@dataclass(frozen=True)
class Told:
    """What a file tells of data that is not at hand: how systems were cut from scores, names of instances, digests."""

    cuts: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[Label, ...] | None = None
    gold: Gold | None = None


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
    def _whole(self) -> dict[str, Batch]:
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
        whole = {}
        for name, sets in loaded.items():
            whole[name] = Batch.over(self.given, (true, sets), self.policies, instances)
        return whole

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
        found = {}
        for name, side in self.systems.items():
            if isinstance(side, LabelSets) and (side.cut is not None or side.scores is not None):
                found[name] = side.cut or "scores that are not cut: labels are all scored classes"
        return found

    @property
    def ids(self) -> tuple[Label, ...] | None:
        """The names of the instances, if they have any."""
        return next((batch.ids for batch in self._whole.values()), None)

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchy of each system: with its unknown labels as isolated classes, where that was chosen."""
        found = {}
        for name in self.systems:
            if name in self._whole:
                found[name] = self._whole[name].hierarchy
                continue
            strange: set[Label] = set()
            isolating = [policy == "isolate" for policy in (self.policies.unknown_true, self.policies.unknown)]
            for pair in self._block_pairs(name, BLOCK) if any(isolating) else ():
                for block in compress(pair, isolating):
                    strange |= {label for label in block.vocabulary if label not in self.given}
            found[name] = self.given.with_isolated(strange)
        return found

    def _block_pairs(self, system: str, size: int) -> Iterator[tuple[LabelSets, LabelSets]]:
        pred = self.systems[system]
        assert isinstance(pred, LabelFile)
        assert isinstance(self.true, LabelFile)
        for pair in zip_longest(self.true.blocks(size), pred.blocks(size)):
            if pair[0] is None or pair[1] is None or len(pair[0]) != len(pair[1]):
                rows = [sum(map(len, side.blocks(BLOCK))) for side in (self.true, pred)]
                raise different_rows(self.true.source, rows[0], pred.source, rows[1])
            yield pair

    def blocks(self, system: str, size: int = BLOCK) -> Iterator[tuple[int, Batch]]:
        """Batches of ``size`` consecutive instances, each with the number of its first one (from 0)."""
        if system in self._whole:
            batch = self._whole[system]
            for start in range(0, len(batch), size):
                yield start, batch if len(batch) <= size else batch[start : start + size]
            return
        start = 0
        for pair in self._block_pairs(system, size):
            batch = Batch.over(self.given, pair, self.policies, isolated=self.hierarchies[system])
            yield start, batch
            start += len(batch)

    def take(self, system: str, rows: Sequence[int]) -> Batch:
        """The instances with these numbers, in their order, without ids unless the system is in memory."""
        wanted = np.asarray(rows, np.int64)
        if system in self._whole:
            batch = self._whole[system]
            ids = None if batch.ids is None else tuple(batch.ids[row] for row in wanted)
            return replace(batch.take(wanted), ids=ids)
        order = np.argsort(wanted, kind="stable")
        parts = []
        for start, batch in self.blocks(system, BLOCK):
            here = wanted[order][(wanted[order] >= start) & (wanted[order] < start + len(batch))]
            if here.size:
                parts.append(batch.take(here - start))
        found = Batch.joined(parts)
        back = np.empty(len(wanted), np.int64)
        back[order] = np.arange(len(wanted))
        return found.take(back)

    def checked(self, undefined: UndefinedPolicy, room: float | None = None) -> dict[str, dict[str, float]]:
        """Read everything once: all that is wrong with it is an error here. What was counted, for each system.

        ``room``: how many bytes an instance may take, None for what the machine has.
        """
        told = {}
        for system in self.systems:
            facts = Facts(self.policies)
            for start, batch in self.blocks(system, BLOCK):
                check_scorable(list(self.measures.values()), batch, undefined, start, room)
                facts.add(batch)
            if not facts.instances:
                raise InvalidLabelSets(f"{self.systems[system].source} and {self.true.source} hold no instance")
            if facts.unknown_true and not facts.true_labels:
                raise InvalidLabelSets(
                    f"{self.true.source}: none of the {facts.unknown_true:,} true labels is in the hierarchy, so there "
                    f"is nothing to evaluate: is it the hierarchy of these labels, and are they read as they should be?"
                )
            told[system] = facts.told()
        return told


@dataclass(frozen=True)
class Reading:
    """How data is read: ``labels``, ``id``, ``label`` and ``rows`` as of ``LabelSets.of``.

    ``stream``: files block by block. ``scored``: predictions are scores, since nothing else is asked of them.
    """

    labels: Sequence[Label] | None = None
    id: str | None = None
    label: str | None = None
    rows: Rows | None = None
    stream: bool = False
    scored: bool = False

    def predictions(self, data: Any, name: str) -> Source:
        """Those of a system: scores, if they are, and else as ``source``."""
        data = collected(data)
        if isinstance(data, Scored):
            return as_predictions(data, name, self.rows)
        if self.scored and not isinstance(data, LabelSets | LabelFile):
            from hemlp.instances.score_files import as_scores

            labels = None if isinstance(data, str | PathLike) else self.labels
            columns = {"id": self.id, "label": self.label} if labels is None else {}
            return as_predictions(as_scores(data, labels=labels, source=name, **columns), name, self.rows)
        return self.source(data, name)

    def source(self, data: Any, name: str) -> Source:
        """A label file as it is, anything else as label sets."""
        data = collected(data)
        if isinstance(data, LabelFile):
            return data
        if isinstance(data, str | PathLike):
            if self.stream and self.id is self.label is self.rows is None and os.path.exists(data):
                return open_labels(data)
            table = file_kind(fspath(data)) in WHOLE
            columns = {"id": self.id, "label": self.label} if table else {}
            return LabelSets.of(data, rows=self.rows, **columns)
        if column_names(data) is not None and (self.label is not None or self.id is not None):
            return LabelSets.of(data, id=self.id, label=self.label, rows=self.rows, source=name)
        labels = None if isinstance(data, LabelSets | Mapping) else self.labels
        return LabelSets.of(data, labels=labels, rows=self.rows, source=name)
