"""A study: everything that an evaluation run reads, computes and writes, described in one TOML file.

hierarchy = "mesh.txt"                        # paths are relative to the file
true = "gold.txt"
measures = ["F", "F_LCA", "MGIA(default_cost=4)"]

[systems]
knn = "pred_knn.txt"
svm = "pred_svm.txt"
net = "scores.tsv@0.3"                        # of a file of scores: @0.3, @top5, @tuned, @thresholds.json

[tuning]                                      # of systems @tuned: also by, folds, least, few, points, seed
measure = "F_LCA"                             # by default the first
true = "dev_gold.txt"                         # without it folds = 5, on the same data
systems = { net = "dev_scores.tsv" }

[[measure]]                                   # measures of your own, by their bounds
name = "lenient"
predicted = [1, 1]
true = [0, "ALL"]
default_cost = 5

[options]                                     # cycles, unknown, unknown_true, missing, undefined, workers, names;
                                              # of files format, sep, id, label, rows, score, repeated
undefined = "nan"

[tests]
compare = [["knn", "svm"]]                    # all tests of a pair of systems
significance = ["F_LCA"]                      # all pairs of systems, with Holm's correction for those of a measure
kendall = 1000                                # correlation of the measures, resamples for its intervals
test = "permutation"                          # of the mean; or "sign"
sided = "two"                                 # "one": the paper's sign test
ranks = "mean"                                # places by mean; or "chained", as in the paper

[gate]                                        # end with code 4 where a measure is worse than stored
baseline = "accepted.json"                    # what an earlier run wrote
max_drop = { F_LCA = 0.01 }                   # by default nothing may be worse
significant = false                           # true: only where the interval of the difference does not reach 0

[outputs]                                     # json, html, table (.md, .tex, .csv or text), per_instance (a folder),
                                              # parquet, all below the folder of this file; digits and intervals
                                              # (true or false) of the tables
json = "study.json"
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hemlp.analysis.statistics import overview
from hemlp.analysis.statistics.tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, Ranks, Test
from hemlp.errors import InvalidOption
from hemlp.hierarchy.class_names import read_names
from hemlp.hierarchy.hierarchy_files import read_hierarchy
from hemlp.instances.file_cuts import TUNED, cut_of
from hemlp.instances.label_files import check_rereadable, open_labels
from hemlp.io.files import write_text
from hemlp.measures.at_k import RankedMeasure
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.factory import measures_from_tables
from hemlp.options import check_known
from hemlp.report.outputs import check_writable, csv_text, instance_files, tables_text, write_per_instance
from hemlp.results.evaluation import Evaluation
from hemlp.run.evaluate import MEASURES, evaluate, named_measures
from hemlp.run.file_options import READING, Files
from hemlp.run.output_paths import check_places
from hemlp.run.scored import Tuning, predictions, scores_of
from hemlp.run.toml import check_keys, toml_data, with_changes
from hemlp.text.tables import DECIMALS, Table

if TYPE_CHECKING:
    from hemlp.run.cluster import Cluster
    from hemlp.run.gate import Gate

HIERARCHY_OPTIONS = ("cycles",)
EVALUATE_OPTIONS = (
    "unknown", "unknown_true", "missing", "undefined", "solver", "time_limit", "workers", "memory", "resume", "chunk",
)  # fmt: skip
TABLES = ("", ".txt", ".md", ".tex", ".csv")
"""Endings of the files that tables are written to."""
OPTIONS = (*HIERARCHY_OPTIONS, *EVALUATE_OPTIONS, *READING, "names")


@dataclass(frozen=True)
class Tests:
    """What is compared, and how. ``kendall``: None for no table, else the number of resamples.

    ``test``, ``sided`` and ``ranks`` are as of ``Evaluation.ranks``.
    """

    compare: Sequence[Sequence[str]] = ()
    significance: Sequence[str] = ()
    kendall: int | None = None
    test: Test | None = None
    sided: Sided = "two"
    ranks: Ranks = "mean"

    @property
    def pairs(self) -> dict[str, Any]:
        """The options of tests of pairs."""
        return {"test": self.test, "sided": self.sided}


@dataclass(frozen=True)
class Outputs:
    """Files to write; ``per_instance`` is a folder. A JSON file ``-`` is standard output.

    ``digits``: decimals of the means in tables; ``intervals``: whether they have intervals there.
    """

    json: str | None = None
    html: str | None = None
    table: str | None = None
    per_instance: str | None = None
    parquet: str | None = None
    digits: int = DECIMALS
    intervals: bool = True


@dataclass(frozen=True)
class Study:
    """What to read, compute and write; ``file`` is where it was read from."""

    hierarchy: str
    true: str
    systems: Mapping[str, str]
    measures: Sequence[str | Measure] | Mapping[str, Measure] = MEASURES
    options: Mapping[str, Any] = field(default_factory=dict)
    tests: Tests = Tests()
    outputs: Outputs = Outputs()
    gate: Gate | None = None
    tuning: Tuning = field(default_factory=Tuning)
    file: str | None = None

    @classmethod
    def read(cls, path: str | PathLike[str], changes: Sequence[str] = ()) -> Study:
        """From a TOML file; ``changes`` of what it says are texts KEY=VALUE, as in ``options.workers=2``.

        What the file itself says is written lies in its folder; changes may say any place.
        """
        data = toml_data(path)
        try:
            study = replace(cls._of(with_changes(data, changes), Path(path).parent), file=fspath(path))
            check_places(study._written(), data, changes, Path(path).parent)
            return study
        except InvalidOption as error:
            raise InvalidOption(f"{fspath(path)}: {error}") from None

    @classmethod
    def _of(cls, data: dict[str, Any], folder: Path) -> Study:
        known = ("hierarchy", "true", "systems", "measures", "measure", "options", "tests", "gate", "outputs", "tuning")
        check_keys("the file", data, known)
        for key in ("hierarchy", "true", "systems"):
            if key not in data:
                raise InvalidOption(f"{key} is missing")
        for key in ("systems", "options", "tests", "gate", "outputs", "tuning"):
            if not isinstance(data.get(key, {}), dict):
                raise InvalidOption(f"{key} is not a table [{key}]")
        options, tests, outputs = (dict(data.get(key, {})) for key in ("options", "tests", "outputs"))
        if "dask" in options:
            raise InvalidOption("dask: a file does not say where to connect to: give --dask ADDRESS, or set HEMLP_DASK")
        check_keys("[options]", options, OPTIONS)
        check_keys("[tests]", tests, [each.name for each in fields(Tests)])
        check_keys("[outputs]", outputs, [each.name for each in fields(Outputs)])
        digits = outputs.pop("digits", DECIMALS)
        if isinstance(digits, bool) or not isinstance(digits, int) or not 0 <= digits <= 17:
            raise InvalidOption(f"digits = {digits!r} is not a number of decimals from 0 to 17")
        if not isinstance(intervals := outputs.pop("intervals", True), bool):
            raise InvalidOption(f"intervals = {intervals!r} is neither true nor false")
        tuning = dict(data.get("tuning", {}))
        check_keys("[tuning]", tuning, [each.name for each in fields(Tuning)])
        tuned = tuning.get("systems", {})
        if not isinstance(tuned, dict) or not all(isinstance(file, str) for file in tuned.values()):
            raise InvalidOption("systems of [tuning] is not a table of files")
        given = {"hierarchy": data["hierarchy"], "true": data["true"], "true of [tuning]": tuning.get("true", "")}
        words = {key: options[key] for key in ("names", "resume") if key in options}
        for key, value in (item for table in (given, data["systems"], outputs, words) for item in table.items()):
            if not isinstance(value, str) or "\0" in value:
                raise InvalidOption(f"{key} = {value!r} is not a path")
        for key, value in tests.items():
            lists = isinstance(value, list) and all(isinstance(each, list | str) for each in value)
            if key in ("compare", "significance") and not lists:
                raise InvalidOption(f"{key} = {value!r} is not a list of {'pairs' if key == 'compare' else 'measures'}")
        own = measures_from_tables(data.get("measure", []))
        named = data.get("measures", [] if own else list(MEASURES))
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise InvalidOption(f"measures = {named!r} is not a list of measures")
        for key in ("names", "resume"):
            if key in options:
                options[key] = str(folder / options[key])
        mine: dict[str, str | Measure] = {each.name: each for each in own if each.name not in NAMED}
        if len(mine) < sum(each.name not in NAMED for each in own):
            raise InvalidOption("two tables [[measure]] have the same name")
        measures: list[str | Measure] = [_own(str(name), mine) for name in named]
        used = {text for name in named for text in (name, name.rpartition("@")[0])}
        measures += [each for each in own if each.name in NAMED or each.name not in used]
        return cls(
            str(folder / data["hierarchy"]),
            str(folder / data["true"]),
            {name: _placed(folder, file) for name, file in data["systems"].items()},
            measures,
            options,
            Tests(**tests),
            Outputs(
                **{k: value if value == "-" else str(folder / value) for k, value in outputs.items()},
                digits=digits,
                intervals=intervals,
            ),
            _gate(data["gate"], folder) if "gate" in data else None,
            _tuning_of(tuning, folder),
        )

    def _written(self) -> dict[str, list[str]]:
        """The files and folders that are written, by the key that says so."""
        found = {f"outputs.{key}": [place] for key, place in vars(self.outputs).items() if isinstance(place, str)}
        if self.outputs.per_instance is not None:
            found["outputs.per_instance"] += instance_files(self.outputs.per_instance, self.systems)
        return found | ({"options.resume": [self.options["resume"]]} if "resume" in self.options else {})

    def check(self) -> None:
        """Find contradictions and files that cannot be written, before anything is read."""
        known = list(named_measures(self.measures))
        for name in self.tests.significance:
            if name not in known:
                raise InvalidOption(f"significance: {name} is not measured in this run, but {', '.join(known)}")
        if self.outputs.parquet is not None:
            from hemlp.report.parquet import check_parquet

            check_parquet()
        if self.outputs.table is not None and Path(self.outputs.table).suffix not in (
            "",
            ".txt",
            ".md",
            ".tex",
            ".csv",
        ):
            raise InvalidOption(f"table = {self.outputs.table}: tables are written as .md, .tex, .csv or .txt")
        for pair in self.tests.compare:
            if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
                raise InvalidOption(f"compare takes pairs of two different systems, not {pair!r}")
            for system in pair:
                check_known("system", system, list(self.systems))
        Procedure(**self.tests.pairs, ranks=self.tests.ranks)
        resamples = self.tests.kendall
        if resamples is not None and (isinstance(resamples, bool) or not isinstance(resamples, int) or resamples < 0):
            raise InvalidOption(f"kendall = {resamples!r} is not a number of resamples")
        if self.gate is not None:
            self.gate.check(list(self.systems), known)
        out = self.outputs
        json = None if out.json == "-" else out.json
        files = [file for file in (json, out.html, out.table, out.parquet) if file is not None]
        folder = self.outputs.per_instance
        written = [*files, *([] if folder is None else instance_files(folder, self.systems))]
        systems = [file for system in self.systems.values() for file in _read_for(system)]
        inputs = [self.hierarchy, self.true, *systems, *filter(None, [self.options.get("names")])]
        inputs += [] if self.gate is None else [str(self.gate.baseline)]
        inputs += [file for file in (self.file, self.tuning.true, *self.tuning.systems.values()) if file is not None]
        tuned = [name for name, file in self.systems.items() if (cut := cut_of(file)) and cut.at == TUNED]
        if tuned or self.tuning != Tuning():
            self.tuning.check(tuned)
        for file in (self.true, *systems):
            if os.path.exists(file) and os.path.exists(self.hierarchy) and Path(file).samefile(self.hierarchy):
                raise InvalidOption(f"{file} is given as the hierarchy and as labels: it cannot be both")
        for file in written:
            if os.path.exists(file) and any(os.path.exists(each) and Path(each).samefile(file) for each in inputs):
                raise InvalidOption(f"{file} is read by this run and would be written over: give another file")
        check_writable(files, [folder])
        if self.options.get("memory") is not None:
            for file in (self.true, *self.systems.values()):
                check_rereadable(file)

    @property
    def files(self) -> Files:
        """How they are read."""
        return Files.of(self.options)

    def run(self, progress: bool | None = None, cluster: Cluster | None = None) -> Evaluation:
        """Read everything, and score, on a ``cluster`` if there is one."""
        self.check()
        options = dict(self.options)
        names = None if options.get("names") is None else read_names(options["names"])
        h = read_hierarchy(self.hierarchy, **{key: options[key] for key in HIERARCHY_OPTIONS if key in options})
        chosen = {key: options[key] for key in EVALUATE_OPTIONS if options.get(key) is not None}
        files = self.files
        stream = "memory" in chosen and files == Files()

        def read(file: str) -> Any:
            return open_labels(file) if stream else files.labels(file)

        own = named_measures(self.measures)
        ranks = [isinstance(each, RankedMeasure) for each in own.values()]
        scored = any(ranks) or any(cut_of(file) for file in self.systems.values())
        true = files.gold(self.true) if scored else read(self.true)
        by = self.tuning.measure
        tuning = replace(self.tuning, measure=next(iter(own.values()), None) if by is None else own.get(str(by), by))
        systems: dict[str, Any] = {}
        for name, file in self.systems.items():
            if (cut := cut_of(file)) is not None:
                systems[name] = predictions(name, cut, true, h, tuning, chosen, files)
            elif all(ranks):
                systems[name] = scores_of(name, file, true, files, chosen.get("missing", "error"))
            else:
                systems[name] = read(file)
        with nullcontext() if cluster is None else cluster.executor() as executor:
            rows = "sets" if options.get("rows") == "sets" else None
            run = {"progress": progress, "names": names, "executor": executor, "rows": rows, **chosen}
            return evaluate(h, true, systems, self.measures, **run)

    def tables(self, result: Evaluation, verbose: bool = True) -> list[tuple[str, Table]]:
        """The tables that were asked for, with their titles; the means come first."""
        how, ranks, out = self.tests.pairs, self.tests.ranks, self.outputs
        means = result.table(**how, ranks=ranks, digits=out.digits, verbose=verbose, intervals=out.intervals)
        found = [("", means), *((f"{a} and {b}", result.compare(a, b, **how)) for a, b in self.tests.compare)]
        if measures := list(self.tests.significance):
            found.append((f"all pairs of systems by {', '.join(measures)}", result.significance(measures, **how)))
        if self.tests.kendall is not None:
            found.append(("correlation of the measures", result.kendall(self.tests.kendall)))
        return found

    def tables_text(self, result: Evaluation, suffix: str) -> str:
        """The tables as the ending of a file's name says; as .csv the means, places and letters alone."""
        if suffix != ".csv":
            return tables_text(self.tables(result), suffix)
        procedure = Procedure(**self.tests.pairs, ranks=self.tests.ranks)
        return csv_text(overview.columns(result, procedure, self.outputs.intervals))

    def write(self, result: Evaluation) -> list[str]:
        """Write the files that were asked for; their names."""
        out = self.outputs
        if out.per_instance is not None:
            write_per_instance(result, out.per_instance)
        if out.parquet is not None:
            result.to_parquet(out.parquet)
        if out.json is not None and out.json != "-":
            result.to_json(out.json)
        if out.table is not None:
            write_text(out.table, self.tables_text(result, Path(out.table).suffix))
        if out.html is not None:
            from hemlp.run.curves import curves_of

            options = {**self.tests.pairs, "ranks": self.tests.ranks}
            result.to_html(out.html, **options, curves=curves_of(self.systems, result, self.files))
        files = (out.per_instance, out.parquet, None if out.json == "-" else out.json, out.table, out.html)
        return [file for file in files if file is not None]


def _own(text: str, mine: Mapping[str, str | Measure]) -> str | Measure:
    """A measure of a table [[measure]], perhaps of the greatest scores (NAME@k); any other text as it is."""
    name, at, k = text.rpartition("@")
    of_scores = mine.get(name)
    if at and isinstance(of_scores, Measure) and k.isdecimal():
        return RankedMeasure(of_scores, int(k))
    return mine.get(text, text)


def _read_for(system: str) -> list[str]:
    """The files that a system is read from."""
    cut = cut_of(system)
    return [system] if cut is None else cut.files


def _placed(folder: Path, system: str) -> str:
    """The file of a system, and that of its thresholds, relative to a folder."""
    place = str(folder / system)
    cut = cut_of(place)
    return place if cut is None or not cut.stored else f"{cut.file}@{folder / cut.at}"


def _tuning_of(table: Mapping[str, Any], folder: Path) -> Tuning:
    """From the table [tuning]."""
    files = {name: str(folder / file) for name, file in table.get("systems", {}).items()}
    true = {"true": str(folder / table["true"])} if "true" in table else {}
    return Tuning(**{**table, "systems": files, **true})


def _gate(table: dict[str, Any], folder: Path) -> Gate:
    """From its table in a TOML file."""
    from hemlp.run.gate import Gate

    check_keys("[gate]", table, [each.name for each in fields(Gate)])
    baseline, max_drop, significant = (table.get(each.name) for each in fields(Gate))
    if (
        not isinstance(baseline, str)
        or not isinstance(max_drop or {}, dict)
        or not isinstance(significant or False, bool)
    ):
        raise InvalidOption(
            "[gate] has a baseline = 'FILE', and perhaps max_drop = { MEASURE = NUMBER } and significant = true; "
            "leave it out (hemlp run --set gate=) where there is none"
        )
    return Gate(str(folder / baseline), max_drop or {}, bool(significant))
