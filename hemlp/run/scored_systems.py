"""Systems of a study that are files of scores, ``FILE@CUT``: label sets of the instances of the gold."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from hemlp.errors import Advice, InvalidOption, MisalignedSides
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.checks import MissingPolicy
from hemlp.instances.file_cuts import TUNED, Cut, parse_cut
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.base import Measure
from hemlp.options import check_known
from hemlp.text.tables import plural

if TYPE_CHECKING:
    from hemlp.instances.scored_sets import ScoredSets
    from hemlp.run.file_options import FileOptions

TUNE_OPTIONS = ("unknown", "unknown_true", "undefined", "solver", "time_limit")


@dataclass(frozen=True)
class Tuning:
    """How thresholds of systems ``FILE@tuned`` are chosen: on other data (``true``, ``systems``), or by ``folds``.

    ``measure``: by which one, the first of the study if it is None. The rest as of ``hemlp.tune``.
    """

    measure: str | Measure | None = None
    by: Literal["best", "all", "top", "nonempty", "capped", "level", "class"] = "best"
    true: str | None = None
    systems: Mapping[str, str] = field(default_factory=dict)
    folds: int | None = None
    least: int = 20
    few: Literal["error", "shared"] = "error"
    points: int | None = None
    seed: int = 0

    def check(self, names: list[str]) -> None:
        """Find contradictions before anything is read; ``names``: the systems that are tuned."""
        if (self.true is None) == (self.folds is None):
            raise InvalidOption(
                "FILE@tuned needs data to tune on: development data (--dev-true FILE and --dev NAME=FILE), or folds of "
                "the evaluated data (--folds 5); choose one of the two"
            )
        for name in self.systems:
            check_known("system", name, names)
        if not names:
            raise InvalidOption("no system is to be tuned: give scores as FILE@tuned, or leave out how to tune")
        for name in names if self.true is not None else ():
            if name not in self.systems:
                raise InvalidOption(f"{name} is to be tuned, and there are no development scores of it")


def check_true(true: str, systems: Mapping[str, str]) -> None:
    """Refuse scores as true labels; warn of a system that is the true labels themselves."""
    if (cut := parse_cut(true)) is not None:
        raise InvalidOption(
            f"{true}: true labels are not scores to be cut at {cut.at}: are true labels and predictions swapped?"
        )
    for name, file in systems.items():
        if os.path.exists(true) and os.path.exists(file) and os.path.samefile(true, file):
            warnings.warn(f"the true labels and {name} are the same file, {file}", stacklevel=3)


def read_system_scores(
    name: str, file: str, gold: LabelSets, files: FileOptions, missing: MissingPolicy = "error"
) -> ScoredSets:
    """The scores of a system for the instances of the gold.

    Most of the scored instances have true labels, unless ``missing`` allows otherwise: else the file may be another.
    """
    s = files.scores(file)
    if gold.ids is not None and s.ids is not None:
        known = set(gold.ids) & set(s.ids)
        if known:  # else the sides have nothing in common, which is an error of its own
            lacking, extra = len(gold.ids) - len(known), len(s) - len(known)
            if extra > len(known) and missing == "error":
                other = next(each for each in s.ids if each not in known)
                raise MisalignedSides(
                    f"{file}: {plural(extra, 'scored instance')} of {len(s):,}, {other!r} for example, have no true "
                    f"labels: is this the file that belongs to them?"
                ).with_advice(Advice("missing", "empty", "to leave these out"))
            parts = []
            if lacking:
                parts.append(f"no scores for {plural(lacking, 'instance')} of the true labels, so nothing is predicted")
            if extra:
                parts.append(f"{plural(extra, 'scored instance')} without true labels, left out")
            if parts:
                warnings.warn(f"{name}: {'; '.join(parts)}", stacklevel=2)
            s = s.take(gold.ids)
    return s


def cut_system(
    name: str, cut: Cut, gold: LabelSets, h: Hierarchy, tuning: Tuning, options: Mapping[str, Any], files: FileOptions
) -> LabelSets:
    """The label sets of a system for the instances of the gold."""
    from hemlp.analysis.scored.tuning import tune
    from hemlp.run.file_options import cut_scores

    s = read_system_scores(name, cut.file, gold, files, options.get("missing", "error"))
    if cut.at != TUNED:
        return cut_scores(s, cut)
    dev = (gold, s) if tuning.true is None else (files.labels(tuning.true), files.scores(tuning.systems[name]))
    chosen = {key: value for key, value in options.items() if key in TUNE_OPTIONS}
    t = tune(
        h, *dev, tuning.measure or "F_H", by=tuning.by, folds=tuning.folds, least=tuning.least, few=tuning.few,
        points=tuning.points, seed=tuning.seed, **chosen,
    )  # fmt: skip
    return s.at(t)


def read_sides(
    true: str, systems: Mapping[str, str], files: FileOptions, of_ranks: bool = False
) -> tuple[LabelSets, LabelSets | ScoredSets]:
    """The true and the predicted label sets of the files of one system, FILE@CUT where it has scores.

    ``of_ranks``: for a measure of the greatest scores, which are not cut.
    """
    from hemlp.run.file_options import cut_scores

    ((name, file),) = systems.items()
    check_true(true, systems)
    cut = parse_cut(file)
    if cut is None and not of_ranks:
        return files.labels(true), files.labels(file)
    gold = files.labels(true)
    s = read_system_scores(name, file if cut is None else cut.file, gold, files, "empty")
    return gold, s if cut is None or of_ranks else cut_scores(s, cut)
