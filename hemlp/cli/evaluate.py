"""`hemlp evaluate` and `hemlp run`: carry out a study given by options, or by a TOML file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli import options
from hemlp.cli.main import ADVICE, AdvisingCommand, StudyCommand
from hemlp.cli.options import combine, key_option
from hemlp.errors import InvalidOption
from hemlp.run.study_keys import KEYS

if TYPE_CHECKING:
    from hemlp.run.gate import Gate, GateResult
    from hemlp.run.study import Study
    from hemlp.run.workers import Cluster

gate_options = combine(
    click.option("--baseline", type=click.Path(), help=KEYS["gate"]["baseline"].help),
    click.option("--max-drop", multiple=True, metavar="MEASURE=X", help=KEYS["gate"]["max_drop"].help),
    click.option("--significant", is_flag=True, help=KEYS["gate"]["significant"].help),
)
strict_option = click.option("--strict", is_flag=True, help="End with code 3 if an exact score is not proved optimal.")


def several(table: str, *names: str) -> Callable[[options.Command], options.Command]:
    """The options of several keys of a table of study files."""
    return combine(*(key_option(table, name) for name in names))


@click.command(cls=AdvisingCommand)
@options.gold_arguments
@click.argument("predictions", nargs=-1, metavar="[NAME=]PRED...")
@options.measure_option
@options.weights_option
@several("options", "corpus")
@several("tests", "compare", "significance", "test", "sided", "ranks", "kendall", "floor")
@several("outputs", "per_instance", "parquet", "json", "html", "title", "history", "table")
@several("options", "workers", "memory", "chunk", "resume")
@options.cluster_options
@several("options", "undefined")
@strict_option
@click.option("--dry-run", is_flag=True, help="Score a sample, and estimate time and memory of the whole run.")
@gate_options
@options.output_options
@options.tuning_options
@options.solver_options
@options.gold_options
@options.names_option
@options.label_file_options
@options.input_options
def evaluate(
    hierarchy: str, true: str, predictions: tuple[str, ...], measures: tuple[Any, ...],
    weights: tuple[str, ...], strict: bool, baseline: str | None, max_drop: tuple[str, ...], significant: bool,
    quiet: bool, verbose: bool, dry_run: bool, dask: str | None, dask_timeout: float, **given: Any,
) -> None:  # fmt: skip
    """Score systems against the true labels: means, places, and which differences are significant.

    HIERARCHY has one `parent child` edge per line, or is a table, .json, .obo, .owl or SKOS. TRUE and PRED have one
    instance per line, with labels separated by spaces, or are .csv (with the columns id and label), .jsonl or .parquet;
    - is standard input. `hemlp check` shows how files are read. A system is named after its file unless given as
    NAME=FILE. For scored predictions, give the cut-off: FILE@0.3, FILE@top5, FILE@tuned (see --dev and --folds), or
    FILE@thresholds.json, written by `hemlp tune`. The default measures are F_H, F_LCA, F and GIE.

    A folder or pattern of Parquet files, or an address (s3://, gs://), is scored part by part: as TRUE alone with the
    columns id, true and one per system, or TRUE and PRED with the columns id and label.

    Example: hemlp evaluate cat_hier.txt gold.txt knn=a.txt svm=b.txt -m F_LCA -m MGIA
    """
    from hemlp.io.datasets import SUFFIXES, is_dataset
    from hemlp.report.outputs import system_files
    from hemlp.run.evaluate import MEASURES
    from hemlp.run.file_options import Tuning
    from hemlp.run.study import Outputs, Study, Tests

    tests = Tests(**{key: given.pop(key) for key in KEYS["tests"]})
    outputs = Outputs(**{key: given.pop(key) for key in KEYS["outputs"]})
    by, dev, dev_true, folds = (given.pop(key) for key in ("tune_by", "dev", "dev_true", "folds"))
    tuning = Tuning(by, true=dev_true, systems=system_files(dev), folds=folds)
    if not predictions and not (is_dataset(true) or true.endswith(SUFFIXES)):
        raise click.UsageError("Missing argument '[NAME=]PRED...'.")
    files = system_files(predictions)
    gate = make_gate(baseline, max_drop, significant)
    asked = options.add_weights(measures or MEASURES, weights)
    study = Study(hierarchy, true, files, asked, given, tests, outputs, gate, tuning)
    if dry_run:
        from hemlp.run.dry_run import estimate_run

        return options.show("", study.run(make=estimate_run))
    return carry_out(study, strict, quiet, verbose, _make_cluster(dask, dask_timeout))


@click.command(cls=StudyCommand)
@click.argument("study", type=click.Path())
@click.option(
    "--set", "changes", multiple=True, metavar="KEY=VALUE",
    help='Change a setting; paths are relative to the file: --set measures=["F_H"] --set options.workers=2.',
)  # fmt: skip
@options.cluster_options
@strict_option
@options.quiet_option
@options.verbose_option
def run(
    study: str, changes: tuple[str, ...], strict: bool, quiet: bool, verbose: bool, dask: str | None,
    dask_timeout: float,
) -> None:  # fmt: skip
    """Run a study from a TOML file: hierarchy, systems, measures, tests, outputs.

    docs/study-files.md lists the keys of such a file. --set changes one of them: TABLE.KEY=VALUE with a value as in
    TOML, or plain text (options.unknown=drop, systems.knn=new.txt); --set gate= removes the table [gate].

    Example: hemlp run study.toml --set outputs.json=again.json
    """
    from hemlp.run.study import Study

    cluster = _make_cluster(dask, dask_timeout)
    carry_out(Study.read(study, changes), strict, quiet, verbose, cluster, from_file=True)


def _make_cluster(address: str | None, timeout: float) -> Cluster | None:
    if address is None:
        return None
    from hemlp.run.workers import Cluster

    return Cluster(address, timeout)


def carry_out(
    study: Study, strict: bool, quiet: bool, verbose: bool, cluster: Cluster | None, from_file: bool = False
) -> None:
    """Run a study, show its tables, write its files, and end with the exit code of its gate or of --strict."""
    folder = study.options.get("resume")
    again = "repeat the command to go on" if from_file else f"go on with --resume {folder}"
    option = "options.resume" if from_file else "--resume DIR"
    ADVICE[:] = [f"{option} would have kept finished chunks" if folder is None else again]
    if quiet and verbose:
        raise InvalidOption("--quiet and --verbose contradict each other: give one of them")
    result = study.run(progress=False if quiet else None, cluster=cluster)
    if folder is None:
        ADVICE.clear()  # all chunks are finished
    for file in study.write(result):
        if not quiet:
            options.echo_written(file)
    json_only = study.outputs.json == "-"
    passed = study.gate is None or show_gate(study.gate.compare(result), json_only)
    if json_only:
        for piece in result.json_pieces():
            click.echo(piece, nl=False)
    elif study.gate is None or verbose:
        for title, table in study.tables(result, verbose):
            ranked = table.notes[: int(not title and len(result.systems) > 1)]  # ranks need their explanation
            options.show(title, replace(table, notes=ranked, lead=()) if quiet else table)
    sys.stdout.flush()
    if fallbacks := result.fallbacks:
        are = "score is" if fallbacks == 1 else "scores are"
        click.echo(f"hemlp: {fallbacks:,} {are} not proved optimal, see the column bound", err=True)
    if not passed:
        sys.exit(4)
    if fallbacks and strict:
        sys.exit(3)


def make_gate(baseline: str | None, max_drop: tuple[str, ...], significant: bool) -> Gate | None:
    """The gate of --baseline, --max-drop and --significant."""
    if baseline is None:
        if max_drop or significant:
            raise InvalidOption("--max-drop and --significant compare with a stored run: add --baseline FILE")
        return None
    from hemlp.io.text import parse_number
    from hemlp.run.gate import Gate

    drops: dict[str, float] = {}
    for text in max_drop:
        name, _, number = text.rpartition("=")
        drop = parse_number(number.encode("utf-8", "replace"))
        if not name or drop is None:
            raise InvalidOption(f"--max-drop {text} is not MEASURE=NUMBER, as in F_LCA=0.01")
        if name in drops:
            raise InvalidOption(f"--max-drop {text}: {name} has a limit already, {drops[name]:g}")
        drops[name] = drop
    return Gate(baseline, drops, significant)


def show_gate(drops: GateResult, aside: bool) -> bool:
    """Show the verdict, the changes and the worst instances; return whether the run passes."""
    click.echo(drops.sentence, err=aside)
    options.show("", drops.table(), aside)
    for each in drops.failed:
        rows = drops.worst_rows(each)
        names = [str(row + 1) if drops.ev.ids is None else str(drops.ev.ids[row]) for row in rows]
        what = "rows" if drops.ev.ids is None else "instances"
        click.echo(
            f"{each.system}, {each.measure}: worst {what} {', '.join(names)}; `hemlp explain` shows why", err=aside
        )
    return not drops.failed
