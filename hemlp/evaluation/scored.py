"""Systems of a study that are files of scores, ``FILE@CUT``: label sets of the instances of the gold."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from hemlp.errors import Advice, InvalidOption, MisalignedSides
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.readers import READERS
from hemlp.instances.alignment import MissingPolicy
from hemlp.instances.sets import LabelSets
from hemlp.io.cuts import TUNED, Cut, cut_of
from hemlp.io.labels import read_labels
from hemlp.measures.base import Measure
from hemlp.options import check_known
from hemlp.text.words import many

if TYPE_CHECKING:
    from hemlp.scores.sets import ScoredSets

TUNE_OPTIONS = ("unknown", "unknown_true", "solver", "time_limit")


@dataclass(frozen=True)
class Tuning:
    """How thresholds of systems ``FILE@tuned`` are chosen: on other data (``true``, ``systems``), or by ``folds``.

    ``measure``: by which one, the first of the study if it is None. The rest as of ``hemlp.tune``.
    """

    measure: str | Measure | None = None
    by: Literal["all", "level", "class"] = "all"
    true: str | None = None
    systems: Mapping[str, str] = field(default_factory=dict)
    folds: int | None = None
    least: int = 20
    few: Literal["error", "shared"] = "error"
    points: int | None = None
    seed: int = 0

    def check(self, names: list[str]) -> None:
        """Find contradictions before anything is read."""
        if (self.true is None) == (self.folds is None):
            raise InvalidOption(
                "thresholds are tuned on development data (its true labels, and the scores of each system), or on the "
                "same data by folds: choose one of the two"
            )
        for name in self.systems:
            check_known("system", name, names)
        for name in names if self.true is not None else ():
            if name not in self.systems:
                raise InvalidOption(f"{name} is to be tuned, and there are no development scores of it")


def gold_of(true: Any) -> LabelSets:
    """True label sets beside scores: CAFA's files are understood, too."""
    from hemlp.scores.reading import as_gold

    return as_gold(true)


def scores_of(name: str, file: str, gold: LabelSets, missing: MissingPolicy = "error") -> ScoredSets:
    """The scores of a system for the instances of the gold.

    Most of the scored instances have true labels, unless ``missing`` allows otherwise: else the file may be another.
    """
    from hemlp.scores.reading import read_scores

    s = read_scores(file)
    if gold.ids is not None and s.ids is not None:
        known = set(gold.ids) & set(s.ids)
        if known:  # else the sides have nothing in common, which is an error of its own
            lacking, extra = len(gold.ids) - len(known), len(s) - len(known)
            if extra > len(known) and missing == "error":
                other = next(each for each in s.ids if each not in known)
                raise MisalignedSides(
                    f"{file}: {many(extra, 'scored instance')} of {len(s):,}, {other!r} for example, have no true "
                    f"labels: is this the file that belongs to them?"
                ).advised(Advice("missing", "empty", "to leave these out"))
            if lacking or extra:
                warnings.warn(
                    f"{name}: no scores for {many(lacking, 'instance')} of the true labels, so nothing is predicted; "
                    f"{many(extra, 'scored instance')} without true labels, left out",
                    stacklevel=2,
                )
            s = s.take(gold.ids)
    return s


def predictions(
    name: str, cut: Cut, gold: LabelSets, h: Hierarchy, tuning: Tuning, options: Mapping[str, Any]
) -> LabelSets:
    """The label sets of a system for the instances of the gold."""
    from hemlp.scores.reading import read_scores
    from hemlp.scores.tuned import Tuned
    from hemlp.scores.tuning import tune

    s = scores_of(name, cut.file, gold, options.get("missing", "error"))
    if cut.top is not None:
        return s.top(cut.top)
    if cut.threshold is not None:
        return s.at(cut.threshold)
    if cut.at != TUNED:
        return s.at(Tuned.from_json(cut.at))
    true, scores = (gold, s) if tuning.true is None else (gold_of(tuning.true), read_scores(tuning.systems[name]))
    chosen = {key: value for key, value in options.items() if key in TUNE_OPTIONS}
    t = tune(
        h, true, scores, tuning.measure or "F_H", by=tuning.by, folds=tuning.folds, least=tuning.least, few=tuning.few,
        points=tuning.points, seed=tuning.seed, **chosen,
    )  # fmt: skip
    return s.at(t)


def sides_of(true: str, systems: Mapping[str, str], h: Hierarchy, of_ranks: bool = False) -> tuple[LabelSets, Any]:
    """The true and the predicted label sets of the files of one system, FILE@CUT where it has scores.

    ``of_ranks``: for a measure of the greatest scores, which are not cut.
    """
    ((name, file),) = systems.items()
    cut = cut_of(file)
    if cut is None and not of_ranks:
        return read_labels(true), read_labels(file)
    gold = gold_of(true)
    if cut is None or of_ranks:
        return gold, scores_of(name, file if cut is None else cut.file, gold, "empty")
    if cut.at == TUNED:
        raise InvalidOption(
            f"{file}: thresholds are not tuned here. Let `hemlp tune --json` write them to a file, and give "
            f"{cut.file}@thresholds.json"
        )
    return gold, predictions(name, cut, gold, h, Tuning(), {"missing": "empty"})


def _scored(data: Any) -> ScoredSets:
    from hemlp.scores.sets import ScoredSets

    return ScoredSets.of(data, source="predictions")


READERS["scores"] = _scored
