"""Commands that carry out a study: one that options describe, or one that a file does."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli.errors import ADVICE, AdvisingCommand, StudyCommand
from hemlp.cli.gate import gate_options, make_gate, show_gate
from hemlp.cli.options import (
    cluster_options,
    combine,
    echo_written,
    gold_options,
    input_options,
    key_option,
    label_file_options,
    measure_option,
    names_option,
    output_options,
    show,
    solver_options,
    tuning_options,
)
from hemlp.cli.weights import add_weights, weights_option
from hemlp.errors import InvalidOption
from hemlp.run.study_keys import KEYS

if TYPE_CHECKING:
    from hemlp.run.cluster import Cluster
    from hemlp.run.study import Study


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("predictions", nargs=-1, metavar="[NAME=]PRED...")
@measure_option
@weights_option
@key_option("options", "corpus")
@combine(
    *(key_option("tests", name) for name in ("compare", "significance", "test", "sided", "ranks", "kendall", "floor"))
)
@combine(
    *(key_option("outputs", name) for name in ("per_instance", "parquet", "json", "html", "title", "history", "table"))
)
@combine(*(key_option("options", name) for name in ("workers", "memory", "chunk", "resume")))
@cluster_options
@key_option("options", "undefined")
@click.option("--strict", is_flag=True, help="End with code 3 if an exact score is not proved optimal.")
@click.option("--dry-run", is_flag=True, help="Score a sample, and say how long all would take, and how much memory.")
@gate_options
@output_options
@tuning_options
@solver_options
@label_file_options
@gold_options
@names_option
@input_options
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
    columns id, true and one a system, or TRUE and PRED with the columns id and label.

    Example: hemlp evaluate cat_hier.txt gold.txt knn=a.txt svm=b.txt -m F_LCA -m MGIA
    """
    from hemlp.io.datasets import SUFFIXES, is_dataset
    from hemlp.report.outputs import system_files
    from hemlp.run.evaluate import MEASURES
    from hemlp.run.scored_systems import Tuning
    from hemlp.run.study import Outputs, Study, Tests

    tests = Tests(**{key: given.pop(key) for key in KEYS["tests"]})
    outputs = Outputs(**{key: given.pop(key) for key in KEYS["outputs"]})
    by, dev, dev_true, folds = (given.pop(key) for key in ("tune_by", "dev", "dev_true", "folds"))
    tuning = Tuning(by, true=dev_true, systems=system_files(dev), folds=folds)
    if not predictions and not (is_dataset(true) or true.endswith(SUFFIXES)):
        raise click.UsageError("Missing argument '[NAME=]PRED...'.")
    files = system_files(predictions)
    gate = make_gate(baseline, max_drop, significant)
    asked = add_weights(measures or MEASURES, weights)
    study = Study(hierarchy, true, files, asked, given, tests, outputs, gate, tuning)
    if dry_run:
        from hemlp.run.dry_run import estimate_run

        return show("", study.run(make=estimate_run))
    return carry_out(study, strict, quiet, verbose, _make_cluster(dask, dask_timeout))


@click.command(cls=StudyCommand)
@click.argument("study", type=click.Path())
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help='Change a setting; paths are relative to the file: --set measures=["F_H"] --set options.workers=2.',
)
@cluster_options
@click.option("--strict", is_flag=True, help="End with code 3 if a score is not proved optimal.")
@click.option("-q", "--quiet", is_flag=True, help="Print results only, without notes and progress.")
@click.option("-v", "--verbose", is_flag=True, help="Also print conventions, and all parameters in signatures.")
def run(
    study: str, changes: tuple[str, ...], strict: bool, quiet: bool, verbose: bool, dask: str | None,
    dask_timeout: float,
) -> None:  # fmt: skip
    """Run a study from a TOML file: hierarchy, systems, measures, tests, outputs.

    `pydoc hemlp.run.study` shows all that such a file can say. --set changes one thing of it: tables with a dot
    (options.unknown=drop, systems.knn=new.txt), values as in TOML, or a text as it is; --set gate= leaves [gate] out.

    Example: hemlp run study.toml --set outputs.json=again.json
    """
    from hemlp.run.study import Study

    carry_out(Study.read(study, changes), strict, quiet, verbose, _make_cluster(dask, dask_timeout))


def _make_cluster(address: str | None, timeout: float) -> Cluster | None:
    if address is None:
        return None
    from hemlp.run.cluster import Cluster

    return Cluster(address, timeout)


def carry_out(
    study: Study, strict: bool, quiet: bool = False, verbose: bool = False, cluster: Cluster | None = None
) -> None:
    """Run a study, show its tables and write its files."""
    folder = study.options.get("resume")
    ADVICE[:] = ["--resume DIR would have kept finished chunks" if folder is None else f"go on with --resume {folder}"]
    if quiet and verbose:
        raise InvalidOption("--quiet and --verbose contradict each other: give one of them")
    fallbacks, passed = _run_and_show(study, quiet, verbose, cluster)
    if fallbacks:
        are = "score is" if fallbacks == 1 else "scores are"
        click.echo(f"hemlp: {fallbacks:,} {are} not proved optimal, see the column bound", err=True)
    if not passed:
        sys.exit(4)
    if fallbacks and strict:
        sys.exit(3)


def _run_and_show(study: Study, quiet: bool, verbose: bool, cluster: Cluster | None) -> tuple[int, bool]:
    """How many exact scores are not proved optimal, and whether the gate lets the run pass."""
    result = study.run(progress=False if quiet else None, cluster=cluster)
    for file in study.write(result):
        if not quiet:
            echo_written(file)
    json_only = study.outputs.json == "-"
    passed = study.gate is None or show_gate(study.gate.compare(result), json_only)
    if json_only:
        for piece in result.json_pieces():
            click.echo(piece, nl=False)
    elif study.gate is None or verbose:
        for title, table in study.tables(result, verbose):
            ranked = table.notes[: int(not title and len(result.systems) > 1)]  # no rank without what it means
            show(title, replace(table, notes=ranked, lead=()) if quiet else table)
    sys.stdout.flush()
    return result.fallbacks, passed
