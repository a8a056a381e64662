"""How the files of a run are read: labels and scores, by the same options wherever one of them is read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from hemlp.errors import InvalidOption
from hemlp.instances.file_cuts import TUNED, Cut, parse_cut
from hemlp.instances.label_files import Format, read_labels
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.options import check_choice

if TYPE_CHECKING:
    from hemlp.instances.scored_sets import Repeated, ScoredSets


@dataclass(frozen=True)
class FileOptions:
    """Options of ``read_labels`` and ``read_scores``, of which each file gets those that it can have."""

    format: Format | None = None
    sep: str | None = None
    id: str | None = None
    label: str | None = None
    rows: RowKind | None = None
    score: str | None = None
    repeated: Repeated = "error"
    evidence: str | None = None

    def __post_init__(self) -> None:
        check_choice("repeated", self.repeated, ("error", "max"))
        named = [name for name in (self.id, self.label, self.score) if name is not None]
        if len(set(named)) < len(named):
            raise InvalidOption(f"two of the columns of ids, labels and scores are {max(named, key=named.count)!r}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> FileOptions:
        """From those options that are of files."""
        return cls(**{key: options[key] for key in FILE_OPTIONS if options.get(key) is not None})

    @property
    def _of_labels(self) -> dict[str, Any]:
        return {key: getattr(self, key) for key in ("format", "sep", "id", "label", "rows", "evidence")}

    def labels(self, file: str) -> LabelSets:
        """Label sets."""
        return read_labels(file, **self._of_labels)

    def scores(self, file: str) -> ScoredSets:
        """Scores."""
        from hemlp.instances.score_files import read_scores

        if (cut := parse_cut(file)) is not None:
            raise InvalidOption(f"{file}: all scores are needed here, without a cut-off: give {cut.file}")
        own = {key: getattr(self, key) for key in ("sep", "id", "label", "score", "repeated")}
        return read_scores(file, **own, format=None if self.format in OF_LABELS else self.format)

    def cut(self, file: str) -> LabelSets:
        """Label sets, cut from scores where the name of the file says so."""
        cut = parse_cut(file)
        return self.labels(file) if cut is None else cut_scores(self.scores(cut.file), cut)


OF_LABELS = ("pairs", "gaf", "gpad", "annif")
"""Formats that scores beside such labels do not have."""
FILE_OPTIONS = tuple(each.name for each in fields(FileOptions))
"""The options of files."""


def cut_scores(s: ScoredSets, cut: Cut) -> LabelSets:
    """Scores, cut where FILE@CUT says."""
    from hemlp.analysis.scored.tuned_rule import Tuned

    if cut.top is not None:
        return s.top(cut.top)
    if cut.threshold is not None:
        if s.values.size and s.values.max() < cut.threshold:
            best = f"; for the {cut.at} best: {cut.file}@top{cut.at}" if cut.at.isdecimal() else ""
            warnings.warn(
                f"{cut.file}@{cut.at}: no score reaches {cut.at} (the greatest is {s.values.max():.4g}), so nothing is "
                f"predicted{best}",
                stacklevel=2,
            )
        return s.at(cut.threshold)
    if cut.at == TUNED:
        raise InvalidOption(
            f"{cut.file}@{TUNED}: thresholds are not tuned here. Let `hemlp tune --json` write them to a file, and "
            f"give {cut.file}@thresholds.json"
        )
    return s.at(Tuned.from_json(cut.at))
