"""How data that is given to a run is read: label files as they are, anything else as label sets."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

from hemlp.errors import UncutScores, UnscoredPredictions
from hemlp.hierarchy.labels import Label
from hemlp.instances.label_files import WHOLE, LabelFile, open_labels
from hemlp.instances.label_sets import LabelSets, RowKind, Scored, as_predictions
from hemlp.io.frames import collect_query, column_names
from hemlp.io.text import file_kind
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.base import Measure
from hemlp.results.inputs import Source


def select_scores(systems: Mapping[str, Source], measures: Mapping[str, Measure]) -> dict[str, Source]:
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
class InputReader:
    """How data is read: ``labels``, ``id``, ``label`` and ``rows`` as of ``LabelSets.of``.

    ``stream``: files block by block.
    """

    labels: Sequence[Label] | None = None
    id: str | None = None
    label: str | None = None
    rows: RowKind | None = None
    stream: bool = False

    def read_predictions(self, data: Any, name: str, ranked: bool) -> Source:
        """Those of a system: scores, if they are or if all measures are ``ranked``, and else as ``read_labels``."""
        if isinstance(data, Scored):
            return as_predictions(data, name, self.rows)
        if ranked and not isinstance(data, LabelSets | LabelFile):
            from hemlp.instances.score_files import as_scores

            data = collect_query(data)
            labels = None if isinstance(data, str | PathLike) else self.labels
            columns = {"id": self.id, "label": self.label} if labels is None else {}
            return as_predictions(as_scores(data, labels=labels, source=name, **columns), name, self.rows)
        return self.read_labels(data, name)

    def read_labels(self, data: Any, name: str) -> Source:
        """A label file as it is, anything else as label sets."""
        if isinstance(data, LabelFile):
            return data
        if isinstance(data, LabelSets):
            return LabelSets.of(data, rows=self.rows)
        data = collect_query(data)
        if isinstance(data, str | PathLike):
            if self.stream and self.id is self.label is self.rows is None and os.path.exists(data):
                return open_labels(data)
            table = file_kind(fspath(data)) in WHOLE
            columns = {"id": self.id, "label": self.label} if table else {}
            return LabelSets.of(data, rows=self.rows, **columns)
        if column_names(data) is not None and (self.label is not None or self.id is not None):
            return LabelSets.of(data, id=self.id, label=self.label, rows=self.rows, source=name)
        labels = None if isinstance(data, Mapping) else self.labels
        return LabelSets.of(data, labels=labels, rows=self.rows, source=name)
