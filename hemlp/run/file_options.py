"""How the files of a run are read, labels and scores; and systems that are files of scores, ``FILE@CUT``."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from hemlp.errors import Advice, InvalidOption, MisalignedSides, naming
from hemlp.instances.checks import MissingPolicy
from hemlp.instances.file_cuts import TUNED, Cut, parse_cut
from hemlp.instances.label_files import Format, read_labels
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.options import check_choice, check_known
from hemlp.text.tables import plural

if TYPE_CHECKING:
    from hemlp.analysis.scored.curve import Curve
    from hemlp.hierarchy.dag import Hierarchy
    from hemlp.instances.scored_sets import Repeated, ScoredSets
    from hemlp.measures.base import Measure
    from hemlp.run.evaluation import Evaluation


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
        return {key: getattr(self, key) for key in ("format", "sep", "id", "label", "rows", "evidence", "score")}

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
        with naming(f"{cut.file}@{cut.at}"):
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
                "FILE@tuned needs data to tune on: development data (--dev-true FILE and --dev NAME=FILE; true and "
                "systems of [tuning]), or folds of the evaluated data (--folds 5; folds = 5); choose one of the two"
            )
        for name in self.systems:
            check_known("system", name, names)
        if not names:
            raise InvalidOption("no system is to be tuned: give scores as FILE@tuned, or leave out how to tune")
        for name in names if self.true is not None else ():
            if name not in self.systems:
                raise InvalidOption(f"{name} is to be tuned, and there are no development scores of it")


def check_true(true: str, systems: Mapping[str, str], of_ranks: bool = False) -> None:
    """Refuse scores as true labels; warn of a system that is the true labels themselves, or another system.

    ``of_ranks``: systems are read as scores, which a folder has in other files than labels.
    """
    if (cut := parse_cut(true)) is not None:
        raise InvalidOption(
            f"{true}: true labels are not scores to be cut at {cut.at}: are true labels and predictions swapped?"
        )
    for name, file in systems.items():
        same = os.path.exists(true) and os.path.exists(file) and os.path.samefile(true, file)
        if same and not (of_ranks and os.path.isdir(true)):
            warnings.warn(f"the true labels and {name} are the same file, {file}", stacklevel=3)
    owners: dict[str, str] = {}
    for name, file in systems.items():
        if (owner := owners.setdefault(os.path.realpath(file), name)) != name and os.path.exists(file):
            warnings.warn(f"{owner} and {name} are the same file, {file}", stacklevel=3)


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
    ((name, file),) = systems.items()
    check_true(true, systems, of_ranks)
    cut = parse_cut(file)
    if cut is None and not of_ranks:
        return files.labels(true), files.labels(file)
    gold = files.labels(true)
    s = read_system_scores(name, file if cut is None else cut.file, gold, files, "empty")
    return gold, s if cut is None or of_ranks else cut_scores(s, cut)


POINTS = 100
"""Thresholds of a curve at most."""
SOLVED = 200_000
"""Instances times thresholds at most, for measures that are solved at each threshold; there are at least 10."""


def compute_curves(systems: Mapping[str, str], ev: Evaluation, reading: FileOptions) -> dict[str, Curve]:
    """The curves of all measures of label sets, one for each file of scores; their names are without the cut."""
    from hemlp.analysis.scored.aligned_scores import AlignedScores
    from hemlp.analysis.scored.curve import compute_curve
    from hemlp.analysis.scored.step_scores import ScoringOptions
    from hemlp.measures.pair_measure import pairs_classes
    from hemlp.measures.set_measure import SetMeasure
    from hemlp.results.results import require_inputs

    inputs = require_inputs(ev)
    measures = {
        name: each for name, each in inputs.measures.items() if isinstance(each, SetMeasure) or pairs_classes(each)
    }
    files: dict[str, list[str]] = {}
    for name, text in systems.items():
        if (cut := parse_cut(text)) is not None and os.path.isfile(cut.file):
            files.setdefault(cut.file, []).append(cut.name.rpartition("@")[0] if name == cut.name else name)
    by_names: dict[str, Curve] = {}
    for file, names in files.items():
        policies = inputs.policies
        data = AlignedScores.of(
            inputs.given, inputs.true, reading.scores(file), policies.unknown, policies.unknown_true
        )
        if data.values.size and measures:
            points = min(POINTS, max(10, SOLVED // len(data)))
            key = ", ".join(dict.fromkeys(names))
            by_names[file if key in by_names else key] = compute_curve(
                data, measures, None, points, ScoringOptions("nan")
            )
    return by_names
