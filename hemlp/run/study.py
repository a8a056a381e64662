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

[options]
undefined = "nan"

[tests]
compare = [["knn", "svm"]]                    # all tests of a pair of systems
significance = ["F_LCA"]                      # all pairs of systems, with Holm's correction for those of a measure
floor = "train.txt"                           # what knowing nothing scores: a file, "folds" or "gold"
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
                                              # (true or false) of the means; title of the page, and history, a folder
json = "study.json"
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hemlp.analysis.statistics import summary_table
from hemlp.analysis.statistics.significance_tests import Sided
from hemlp.analysis.statistics.verdicts import Procedure, RankMethod, Test
from hemlp.errors import InvalidOption, UnreadableFile, naming
from hemlp.hierarchy.class_names import read_names
from hemlp.hierarchy.hierarchy_files import read_hierarchy
from hemlp.instances.file_cuts import TUNED, parse_cut
from hemlp.instances.label_files import check_rereadable, open_labels
from hemlp.io.datasets import has_dataset
from hemlp.io.files import STANDARD_INPUT, write_text
from hemlp.measures.base import Measure
from hemlp.measures.catalogue import NAMED
from hemlp.measures.derived import RankedMeasure
from hemlp.measures.factory import measures_from_tables
from hemlp.options import check_known
from hemlp.report.history import add_to_history, history_table, read_history
from hemlp.report.outputs import check_ending, check_writable, csv_text, instance_files, tables_text, write_per_instance
from hemlp.results.results import Results, cache_per_evaluation
from hemlp.run.evaluate import MEASURES, evaluate, name_measures
from hemlp.run.evaluation import Evaluation
from hemlp.run.file_options import FileOptions, Tuning, check_true, cut_system, read_system_scores
from hemlp.run.study_keys import TABLES, check_study, check_table, resolve_paths
from hemlp.run.toml import apply_changes, check_output_paths, read_toml
from hemlp.text.tables import DECIMALS, Table

if TYPE_CHECKING:
    from hemlp.analysis.decision.floor import Floor
    from hemlp.run.gate import Gate
    from hemlp.run.workers import Cluster

HIERARCHY_OPTIONS = ("cycles", "language", "relations")
EVALUATE_OPTIONS = (
    "unknown", "unknown_true", "missing", "undefined", "solver", "time_limit", "workers", "memory", "resume", "chunk",
    "ignore", "gold",
)  # fmt: skip


@dataclass(frozen=True)
class Tests:
    """Comparisons and their tests. ``kendall``: None for no table, else the number of resamples. ``floor``:
    a file of true labels, "folds" for five folds of the evaluated ones, or "gold" for all of these.

    ``test``, ``sided`` and ``ranks`` are as of ``Evaluation.ranks``.
    """

    compare: Sequence[Sequence[str]] = ()
    significance: Sequence[str] = ()
    kendall: int | None = None
    floor: str | None = None
    test: Test | None = None
    sided: Sided = "two"
    ranks: RankMethod = "mean"

    @property
    def pairs(self) -> dict[str, Any]:
        """Options for tests of pairs."""
        return {"test": self.test, "sided": self.sided}


@dataclass(frozen=True)
class Outputs:
    """Files to write; ``per_instance`` is a folder. A JSON file ``-`` is standard output.

    ``digits``: decimals of the means in tables; ``intervals``: whether they have intervals there. ``title``: of the
    page; ``history``: a folder to which each run adds a line.
    """

    json: str | None = None
    html: str | None = None
    table: str | None = None
    per_instance: str | None = None
    parquet: str | None = None
    digits: int = DECIMALS
    intervals: bool = True
    title: str | None = None
    history: str | None = None


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
        data = read_toml(path)
        with naming(fspath(path)):
            study = replace(cls._of(apply_changes(data, changes), Path(path).parent), file=fspath(path))
            check_output_paths(study._output_paths(), data, changes, Path(path).parent)
            return study

    @classmethod
    def _of(cls, data: dict[str, Any], folder: Path) -> Study:
        check_study(data)
        tables = {name: resolve_paths(name, data.get(name, {}), folder) for name in TABLES}
        gate = None
        if "gate" in data:
            from hemlp.run.gate import Gate

            gate = Gate(**tables["gate"])
        return cls(
            str(folder / data["hierarchy"]),
            str(folder / data["true"]),
            {name: _resolve_system(folder, file) for name, file in data["systems"].items()},
            _parse_measures(data.get("measures"), measures_from_tables(data.get("measure", []))),
            tables["options"],
            Tests(**tables["tests"]),
            Outputs(**tables["outputs"]),
            gate,
            Tuning(**tables["tuning"]),
        )

    def _output_paths(self) -> dict[str, list[str]]:
        """The files and folders to write, by key."""
        places = {key: place for key, place in vars(self.outputs).items() if isinstance(place, str) and key != "title"}
        paths = {f"outputs.{key}": [place] for key, place in places.items()}
        if self.outputs.per_instance is not None:
            paths["outputs.per_instance"] += instance_files(self.outputs.per_instance, self.systems)
        return paths | ({"options.resume": [self.options["resume"]]} if "resume" in self.options else {})

    @property
    def parted(self) -> bool:
        """Whether the data are datasets, evaluated part by part."""
        return not self.systems or has_dataset(self.true, self.systems)

    def check(self) -> None:
        """Refuse contradictions and files that cannot be written, before reading anything."""
        for table in ("tests", "outputs"):
            check_table(table, vars(getattr(self, table)))
        measures = name_measures(self.measures)
        known = list(measures)
        for name in self.tests.significance:
            if name not in known:
                raise InvalidOption(f"significance: {name} is not a measure of this run: {', '.join(known)}")
        if self.outputs.parquet is not None:
            from hemlp.report.parquet import check_parquet

            check_parquet()
        check_ending("table =", self.outputs.table, "tables are", ".md", ".tex", ".csv")
        for pair in self.tests.compare:
            if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
                raise InvalidOption(f"compare takes pairs of two different systems, not {pair!r}")
            for system in pair if self.systems else ():
                check_known("system", system, list(self.systems))
        Procedure(**self.tests.pairs, ranks=self.tests.ranks)
        if self.gate is not None:
            self.gate.check(list(self.systems), known)
        out = self.outputs
        json = None if out.json == "-" else out.json
        rows = None if self.parted else out.parquet
        files = [file for file in (json, out.html, out.table, rows) if file is not None]
        folder = self.outputs.per_instance
        written = [*files, *([] if folder is None else instance_files(folder, self.systems))]
        systems = [file for system in self.systems.values() for file in _files_of(system)]
        others = filter(None, map(self.options.get, ("names", "corpus", "ignore")))
        inputs = [self.hierarchy, self.true, *systems, *others]
        inputs += [] if self.gate is None else [str(self.gate.baseline)]
        inputs += [file for file in (self.file, self.tuning.true, *self.tuning.systems.values()) if file is not None]
        for file in () if self.file is None or self.parted else inputs:
            if file != STANDARD_INPUT and not os.path.exists(file):
                raise UnreadableFile(f"cannot read {file}: no such file")
        check_true(self.true, self.systems, all(isinstance(each, RankedMeasure) for each in measures.values()))
        tuned = [name for name, file in self.systems.items() if (cut := parse_cut(file)) and cut.at == TUNED]
        if tuned or self.tuning != Tuning():
            self.tuning.check(tuned)
        for file in (self.true, *systems):
            if os.path.exists(file) and os.path.exists(self.hierarchy) and Path(file).samefile(self.hierarchy):
                raise InvalidOption(f"{file} is given as the hierarchy and as labels: it cannot be both")
        for file in written:
            if os.path.exists(file) and any(os.path.exists(each) and Path(each).samefile(file) for each in inputs):
                raise InvalidOption(f"{file} is read by this run and would be overwritten: give another file")
        check_writable(files, [folder, out.history])
        if out.history is not None:
            read_history(out.history)
        if out.title is not None and out.html is None:
            raise InvalidOption(f"title = {out.title!r} needs a page: set html, too")
        if self.options.get("memory") is not None:
            for file in (self.true, *self.systems.values()):
                check_rereadable(file)

    @property
    def files(self) -> FileOptions:
        """How to read files."""
        return FileOptions.of(self.options)

    def run(
        self, progress: bool | None = None, cluster: Cluster | None = None, make: Callable[..., Any] | None = None
    ) -> Any:
        """Read everything, and score, on a ``cluster`` if there is one; or ``make`` something else of the same data."""
        with naming(self.file):
            self.check()
        options = dict(self.options)
        names = None if options.get("names") is None else read_names(options["names"])
        h = read_hierarchy(self.hierarchy, **{key: options[key] for key in HIERARCHY_OPTIONS if options.get(key)})
        chosen = {key: options[key] for key in EVALUATE_OPTIONS if options.get(key) is not None}
        files = self.files
        stream = "memory" in chosen and files == FileOptions()

        def read(file: str) -> Any:
            return open_labels(file) if stream else files.labels(file)

        own = name_measures(self.measures)
        ranks = [isinstance(each, RankedMeasure) for each in own.values()]
        scored = any(ranks) or any(parse_cut(file) for file in self.systems.values())
        if self.parted:
            if files != FileOptions():
                raise InvalidOption(
                    "how files are read (format, sep, id, label, rows) is not for datasets: leave it out"
                )
            places = {place for place in (self.outputs.parquet, chosen.get("resume")) if place is not None}
            if len(places) > 1:
                raise InvalidOption("parquet and resume are one folder where the input is a dataset: give one of them")
            chosen |= dict.fromkeys(["resume"] * len(places), *places)
        true: Any = self.true if self.parted else files.labels(self.true) if scored else read(self.true)
        by = self.tuning.measure
        tuning = replace(self.tuning, measure=next(iter(own.values()), None) if by is None else own.get(str(by), by))
        systems: dict[str, Any] = {}
        for name, file in () if self.parted else self.systems.items():
            if (cut := parse_cut(file)) is not None:
                systems[name] = cut_system(name, cut, true, h, tuning, chosen, files)
            elif all(ranks):
                systems[name] = read_system_scores(name, file, true, files, chosen.get("missing", "error"))
            else:
                systems[name] = read(file)
        with nullcontext() if cluster is None else cluster.executor() as executor:
            rows = "sets" if options.get("rows") == "sets" else None
            corpus = None if options.get("corpus") is None else files.labels(options["corpus"])
            run = {"progress": progress, "names": names, "executor": executor, "rows": rows, "corpus": corpus, **chosen}
            given = (dict(self.systems) or None) if self.parted else systems
            return (make or evaluate)(h, true, given, self.measures, **run)

    def tables(self, result: Evaluation, verbose: bool = True) -> list[tuple[str, Table]]:
        """The requested tables with their titles, the means first."""
        how, ranks, out = self.tests.pairs, self.tests.ranks, self.outputs
        means = result.table(**how, ranks=ranks, digits=out.digits, verbose=verbose, intervals=out.intervals)
        if floors := self._floors(result):
            from hemlp.analysis.decision.floor import add_floors

            means = add_floors(means, floors, result.systems, out.digits)
        tables = [("", means), *((f"{a} and {b}", result.compare(a, b, **how)) for a, b in self.tests.compare)]
        if measures := list(self.tests.significance):
            tables.append((f"all pairs of systems by {', '.join(measures)}", result.significance(measures, **how)))
        if self.tests.kendall is not None:
            tables.append(("correlation of the measures", result.kendall(self.tests.kendall)))
        if out.history is not None and (runs := read_history(out.history)):
            tables.append(("history", history_table(runs, result)))
        return tables

    def _floors(self, result: Evaluation) -> tuple[Floor, ...]:
        """The floor of each measure (scores of a system that knows nothing), if requested."""
        file = self.tests.floor
        return () if file is None else _compute_floors(result, None if file == "gold" else file, self.files)

    def tables_text(self, result: Evaluation, suffix: str) -> str:
        """The tables in the format of a file's suffix; as .csv the means, places and letters alone."""
        if suffix != ".csv":
            return tables_text(self.tables(result), suffix)
        procedure = Procedure(**self.tests.pairs, ranks=self.tests.ranks)
        return csv_text(summary_table.columns(result, procedure, self.outputs.intervals))

    def write(self, result: Evaluation) -> list[str]:
        """Write the requested files; return their names."""
        out = self.outputs
        if out.per_instance is not None:
            write_per_instance(result, out.per_instance)
        if out.parquet is not None and not self.parted:
            result.to_parquet(out.parquet)
        if out.json is not None and out.json != "-":
            result.to_json(out.json)
        floors, curves = self._floors(result), {}
        if out.html is not None:
            from hemlp.run.file_options import compute_curves

            curves = compute_curves(self.systems, result, self.files)
        if out.history is not None:  # after all that takes long: a run that was stopped does not count
            self.tables(result)
            add_to_history(out.history, result)
        if out.table is not None:
            write_text(out.table, self.tables_text(result, Path(out.table).suffix))
        if out.html is not None:
            options: dict[str, Any] = {**self.tests.pairs, "ranks": self.tests.ranks}
            options |= {"floors": floors, "history": out.history}
            options |= {} if out.title is None else {"title": out.title}
            result.to_html(out.html, **options, curves=curves)
        files = (out.per_instance, out.parquet, None if out.json == "-" else out.json, out.table, out.html)
        return [file for file in files if file is not None]


@cache_per_evaluation
def _compute_floors(result: Results, corpus: str | None, files: FileOptions) -> tuple[Floor, ...]:
    from hemlp.analysis.decision.floor import floor

    known = corpus if corpus in (None, "folds") else files.labels(corpus)
    return tuple(floor(result, name, known) for name in result.measures)


def _parse_measures(texts: Sequence[str] | None, own: Sequence[Measure]) -> Sequence[str | Measure]:
    """The measures of a study: the listed ones, and all others of [[measure]]."""
    new = {each.name: each for each in own if each.name not in NAMED}
    if len(new) < sum(each.name not in NAMED for each in own):
        raise InvalidOption("two tables [[measure]] have the same name")
    if texts is None and not own:
        return MEASURES
    listed = () if texts is None else texts
    measures: list[str | Measure] = []
    for text in listed:
        name, _, k = text.rpartition("@")
        measures.append(RankedMeasure(new[name], int(k)) if name in new and k.isdecimal() else new.get(text, text))
    used = {name for text in listed for name in (text, text.rpartition("@")[0])}
    return [*measures, *(each for each in own if each.name in NAMED or each.name not in used)]


def _files_of(system: str) -> list[str]:
    """The files of a system."""
    cut = parse_cut(system)
    return [system] if cut is None else cut.files


def _resolve_system(folder: Path, system: str) -> str:
    """The file of a system, and that of its thresholds, relative to a folder."""
    place = str(folder / system)
    cut = parse_cut(place)
    return place if cut is None or not cut.stored else f"{cut.file}@{folder / cut.at}"
