"""The command line: thin, every command a few calls of the library."""

from __future__ import annotations

import gc
import os
import sys
import traceback
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp import __version__
from hemlp.cli import checking, scored, telling
from hemlp.cli.advising import Commands, OfStudy
from hemlp.cli.diagnosing import diagnose
from hemlp.cli.gating import gate_of, gate_options, through
from hemlp.cli.options import (
    choice,
    input_options,
    label_file_options,
    measure_option,
    names_option,
    one_measure_option,
    output_options,
    row_number,
    row_option,
    say_written,
    show,
    show_all,
    solver_options,
    tell,
    tuning_options,
    written_to,
)
from hemlp.cli.sensitivity import sensitivity
from hemlp.cli.weighing import weighed, weights_option
from hemlp.errors import HemlpError, InvalidOption
from hemlp.escaping import printable
from hemlp.processes.interrupts import end_at_signals, interruptible

if TYPE_CHECKING:
    from hemlp.evaluation.study import Study


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="hemlp")
def commands() -> None:
    """Evaluate hierarchical classification: every measure an explicit optimization model.

    Shells complete commands, options and measures after eval "$(_HEMLP_COMPLETE=bash_source hemlp)" in ~/.bashrc
    (zsh_source in ~/.zshrc; for fish: _HEMLP_COMPLETE=fish_source hemlp | source).
    """


@commands.command()
@click.argument("hierarchy")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
@measure_option
@weights_option
@click.option("--compare", nargs=2, multiple=True, metavar="A B", help="All tests of two systems: --compare knn svm.")
@click.option("--significance", multiple=True, metavar="MEASURE", help="Test all pairs of systems: --significance F_H.")
@choice("--sided", ["two", "one"], "The sign test of ranks and comparisons; the paper's is --sided one.")
@click.option(
    "--kendall", type=click.IntRange(min=0), metavar="N", help="Correlate measures, N resamples: --kendall 0."
)
@click.option("--per-instance", type=click.Path(), metavar="DIR", help="Write DIR/SYSTEM.csv: --per-instance rows.")
@click.option("--parquet", type=click.Path(), help="Write all instances to one file: --parquet rows.parquet.")
@click.option("--json", type=click.Path(), help="Write everything to a file, - for the output: --json all.json.")
@click.option("--html", type=click.Path(), help="Write a report page: --html report.html.")
@click.option("--table", type=click.Path(), help="Write the tables as .md, .tex or text: --table results.tex.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes: --workers 2.")
@click.option("--memory", metavar="SIZE", help="Stay within so much memory, labels are streamed: --memory 2GB.")
@click.option("--chunk", type=click.IntRange(min=1), help="Instances that are scored at once: --chunk 5000.")
@click.option("--resume", type=click.Path(), metavar="DIR", help="Keep finished chunks there, and go on: --resume run.")
@click.option("--dask", metavar="ADDRESS", help="Score on a Dask cluster: --dask tcp://10.0.0.1:8786.")
@choice("--undefined", ["error", "nan"], "What to do where a measure is undefined: --undefined nan.")
@click.option("--strict", is_flag=True, help="End with code 3 if an exact score is not proved optimal.")
@gate_options
@output_options
@tuning_options
@solver_options
@label_file_options
@names_option
@input_options
def evaluate(
    hierarchy: str, true: str, predictions: tuple[str, ...], measures: tuple[Any, ...],
    weights: tuple[str, ...], strict: bool, baseline: str | None, max_drop: tuple[str, ...], significant: bool,
    quiet: bool, verbose: bool, **given: Any,
) -> None:  # fmt: skip
    """Score systems against the true labels: means and ranks, with significance.

    HIERARCHY has one `parent child` edge per line, or is a table, .json, .obo, .owl or SKOS (`hemlp check` shows what
    is found in it); TRUE and PRED have one instance per line, its labels separated by spaces, or are .csv (with the
    columns id and label), .jsonl or .parquet; - is standard input. A system's name is its file's stem unless given as
    NAME=FILE. Of scored predictions (`hemlp curve`) say where they are cut: FILE@0.3, FILE@top5,
    FILE@tuned (see --dev and --folds), or FILE@thresholds.json, written by `hemlp tune`. Without -m the measures are
    accuracy, GIE, MGIA, F_H, SDL and F_LCA.

    Example: hemlp evaluate cat_hier.txt gold.txt knn=a.txt svm=b.txt -m F_LCA -m MGIA
    """
    from hemlp.evaluation.run import MEASURES
    from hemlp.evaluation.scored import Tuning
    from hemlp.evaluation.study import Outputs, Study, Tests
    from hemlp.report.outputs import system_files

    tests = Tests(**{key: given.pop(key) for key in ("compare", "significance", "kendall", "sided")})
    kinds = ("json", "html", "table", "per_instance", "parquet", "digits", "intervals")
    outputs = Outputs(**{key: given.pop(key) for key in kinds})
    by, dev, dev_true, folds = (given.pop(key) for key in ("tune_by", "dev", "dev_true", "folds"))
    tuning = Tuning(by, true=dev_true, systems=system_files(dev), folds=folds)
    files = system_files(predictions)
    gate = gate_of(baseline, max_drop, significant)
    asked = weighed(measures or MEASURES, weights)
    study = Study(hierarchy, true, files, asked, given, tests, outputs, gate, tuning)
    carry_out(study, strict, quiet, verbose)


@commands.command(cls=OfStudy)
@click.argument("study", type=click.Path())
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="KEY=VALUE",
    help='As if the file said so, paths relative to it: --set measures=["F_H"] --set options.workers=2.',
)
@click.option("--strict", is_flag=True, help="End with code 3 if a score is not proved optimal.")
@click.option("-q", "--quiet", is_flag=True, help="Results alone, without notes and progress.")
@click.option("-v", "--verbose", is_flag=True, help="With conventions, and signatures with all parameters.")
def run(study: str, changes: tuple[str, ...], strict: bool, quiet: bool, verbose: bool) -> None:
    """Carry out a study that a TOML file describes: hierarchy, systems, measures, tests, outputs.

    `pydoc hemlp.evaluation.study` shows all that such a file can say. --set changes one thing of it: tables with a dot
    (options.unknown=drop, systems.knn=new.txt), values as in TOML, or a text as it is; --set gate= leaves [gate] out.

    Example: hemlp run study.toml --set outputs.json=again.json
    """
    from hemlp.evaluation.study import Study

    carry_out(Study.read(study, changes), strict, quiet, verbose)


commands.add_command(scored.curve)
commands.add_command(scored.cafa)
commands.add_command(scored.tune)

ADVICE: list[str] = []
"""What to say to somebody who interrupts the command that is running."""


def carry_out(study: Study, strict: bool, quiet: bool = False, verbose: bool = False) -> None:
    """Run a study, show its tables and write its files."""
    folder = study.options.get("resume")
    ADVICE[:] = ["--resume DIR would have kept finished chunks" if folder is None else f"go on with --resume {folder}"]
    if quiet and verbose:
        raise InvalidOption("--quiet and --verbose contradict each other: give one of them")
    fallbacks, passed = _carried_out(study, quiet, verbose)
    if fallbacks:
        are = "score is" if fallbacks == 1 else "scores are"
        click.echo(f"hemlp: {fallbacks:,} {are} not proved optimal, see the column bound", err=True)
    if not passed:
        sys.exit(4)
    if fallbacks and strict:
        sys.exit(3)


def _carried_out(study: Study, quiet: bool, verbose: bool) -> tuple[int, bool]:
    """How many exact scores are not proved optimal, and whether the gate lets the run pass."""
    result = study.run(progress=False if quiet else None)
    for file in study.write(result):
        if not quiet:
            say_written(file)
    if study.outputs.json == "-":
        for piece in result.json_pieces():
            click.echo(piece, nl=False)
    else:
        for title, table in study.tables(result, verbose):
            ranked = table.notes[: int(not title and len(result.systems) > 1)]  # no rank without what it means
            show(title, replace(table, notes=ranked) if quiet else table)
    passed = study.gate is None or through(study.gate.compared(result), study.outputs.json == "-")
    sys.stdout.flush()
    return result.fallbacks, passed


@commands.command()
@click.argument("hierarchy")
@click.argument("true")
@click.argument("pred", metavar="[NAME=]PRED")
@row_option
@measure_option
@weights_option
@click.option("--json", "json_file", type=click.Path(), help="Write as JSON, - for the output: --json -.")
@click.option("--svg", type=click.Path(), help="Draw, one file per model: --svg why.svg.")
@click.option("--png", type=click.Path(), help="Draw by matplotlib, one file per model: --png why.png.")
@names_option
@input_options
def explain(
    hierarchy: str, true: str, pred: str, row: int | None, name: str | None, measures: tuple[Any, ...],
    weights: tuple[str, ...],
    json_file: str | None, svg: str | None, png: str | None, **given: Any,
) -> None:  # fmt: skip
    """Explain the scores of one instance: pairs and prices, LCA graphs, closures.

    Without -m by GIE, F_H and F_LCA.

    Example: hemlp explain cat_hier.txt gold.txt predictions.txt --row 17 -m GIE -m F_LCA --svg why.svg
    """
    from hemlp.evaluation.study import Study
    from hemlp.io.files import write_text
    from hemlp.report.outputs import check_writable, drawing_files, system_files

    files = system_files([pred])
    check_writable([written_to(json_file), svg, png])
    asked = weighed(measures or ("GIE", "F_H", "F_LCA"), weights)
    result = Study(hierarchy, true, files, asked, {**given, "undefined": "nan"}).run()
    (system,) = files
    number = row_number(row, name, int(result.facts[system]["instances"]), result.ids)
    explanation = result.explain(system, number)
    tell(json_file, explanation.to_dict, lambda: show_all(explanation.sections()))
    for part, file in drawing_files(svg, explanation):
        write_text(file, explanation.picture(part).to_svg())
        say_written(file)
    for part, file in drawing_files(png, explanation):
        explanation.picture(part).to_png(file)
        say_written(file)


@commands.command()
@click.argument("hierarchy")
@click.argument("true")
@click.argument("pred", metavar="[NAME=]PRED")
@row_option
@one_measure_option("GIE", "A measure: -m F_LCA.")
@click.option("--stage", help="Of an LCA model: lcas, ratio or ties, as in --stage ratio.")
@click.option("--mps", is_flag=True, help="Print MPS instead of LP.")
@click.option("--algebra", is_flag=True, help="Print sums over classes, with the paper's rules, instead of LP.")
@click.option("--latex", is_flag=True, help="Print those sums in LaTeX instead of LP.")
@click.option("--svg", type=click.Path(), help="Draw the flow network of a pair-based measure: --svg net.svg.")
@names_option
@input_options
def model(
    hierarchy: str, true: str, pred: str, row: int | None, name: str | None, measure: Any, stage: str | None,
    mps: bool, algebra: bool, latex: bool, svg: str | None, names: str | None, cycles: Any, **given: Any,
) -> None:  # fmt: skip
    """Print the explicit optimization model of one instance, as LP (or MPS) for any solver.

    Example: hemlp model cat_hier.txt gold.txt predictions.txt --row 17 -m MGIA > model.lp
    """
    from hemlp import Batch, read_hierarchy
    from hemlp.evaluation.scored import sides_of
    from hemlp.explain.network import network_picture
    from hemlp.io.files import write_text
    from hemlp.io.names import read_names
    from hemlp.measures.ranked import RankedMeasure
    from hemlp.measures.registry import measure as made
    from hemlp.report.outputs import check_writable, system_files

    check_writable([svg])
    files, each, h = system_files([pred]), made(measure), read_hierarchy(hierarchy, cycles=cycles)
    batch = Batch.of(h, *sides_of(true, files, h, isinstance(each, RankedMeasure)), **given)
    one = each.model(batch[row_number(row, name, len(batch), batch.ids)])
    if mps + algebra + latex > 1:
        raise InvalidOption("--mps, --algebra and --latex: one of them at a time")
    if svg is not None:  # before anything is printed: not every model can be drawn
        write_text(svg, network_picture(one, None if names is None else read_names(names)).to_svg())
    if algebra or latex:
        sums = one.algebra(stage)
        click.echo(sums.to_latex() if latex else f"{sums}\n", nl=False)
    else:
        click.echo(one.to_mps(stage) if mps else one.to_lp(stage), nl=False)


commands.add_command(diagnose)


@commands.command()
@click.option("--out", default="hemlp-demo", show_default=True, help="Folder for the files it writes: --out /tmp/demo.")
def demo(out: str) -> None:
    """Show hemlp at work on bundled real data (200 MEDLINE documents, MeSH 2016).

    Example: hemlp demo
    """
    from hemlp.demo import run as tell

    tell(out)


@commands.command("compare-exact")
@click.argument("hierarchy")
@click.argument("true")
@click.argument("pred", metavar="[NAME=]PRED")
@click.option(
    "--sample", type=click.IntRange(min=1), help="Compare on this many instances, drawn at random: --sample 200."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample: --seed 1.")
@click.option("--horizon", type=click.IntRange(min=1), help="Levels that a class sees: --horizon 4.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    help="Seconds for one instance: --time-limit 2. By default work is limited.",
)
@click.option("--json", "json_file", type=click.Path(), help="Write the comparison, - for the output: --json gap.json.")
@input_options
def compare_exact(hierarchy: str, true: str, pred: str, json_file: str | None, cycles: Any, **given: Any) -> None:
    """Compare exact and approximate F_LCA: how often, which way and how far they differ, and the worst instances.

    Of scored predictions say where they are cut: FILE@0.3, FILE@top5 or FILE@thresholds.json.

    Example: hemlp compare-exact cat_hier.txt gold.txt predictions.txt --sample 200
    """
    from hemlp import compare_exact_greedy, read_hierarchy
    from hemlp.evaluation.scored import sides_of
    from hemlp.report.outputs import check_writable, system_files

    check_writable([written_to(json_file)])
    h = read_hierarchy(hierarchy, cycles=cycles)
    comparison = compare_exact_greedy(h, *sides_of(true, system_files([pred]), h), **given)
    tell(json_file, comparison.to_dict, lambda: click.echo(str(comparison)))


commands.add_command(telling.cases)
commands.add_command(telling.measures)
commands.add_command(checking.check)
commands.add_command(checking.convert)
commands.add_command(sensitivity)


def main() -> None:
    """Entry point: errors that hemlp foresees become one message and an exit code, and so do signals."""
    _open_standard_streams()
    end_at_signals(lambda happened: "; ".join([f"hemlp: {happened}", *ADVICE]))
    code = interruptible(_exit_code)
    gc.freeze()  # Python would look twice for cycles in all that was ever loaded
    if code:
        sys.exit(code)


def _open_standard_streams() -> None:
    """Where a standard stream is closed, no file may take its number, and what is written to the output is an error.

    The output is for results alone: file 1 is standard error from now on, for what solvers print of their own accord.
    """
    from hemlp.io.files import is_open

    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        if not is_open(number):
            os.open(os.devnull, mode)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    if hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(errors="replace")  # a terminal without Greek letters shows ? instead of ending the run
    encoding = None if sys.stdout is None else sys.stdout.encoding
    sys.stdout = sys.__stdout__ = os.fdopen(os.dup(1), "w", encoding=encoding, errors="replace")  # type: ignore[misc]
    os.dup2(2, 1)
    warnings.showwarning = lambda message, *_: click.echo(f"hemlp: {message}", err=True)


def _exit_code() -> int:
    """Carry out the command; what goes wrong is said in one message."""
    try:
        code = commands(standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except HemlpError as error:
        click.echo(f"hemlp: {error}", err=True)
        return error.exit_code
    except click.Abort as abort:  # so click takes an EOFError
        return _unforeseen(abort.__cause__ or abort)
    except Exception as error:
        return _unforeseen(error)


def _unforeseen(error: BaseException) -> int:
    if isinstance(error, OSError):  # perhaps of the output itself: what is left of it goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if isinstance(error, OSError) else f" ({type(error).__name__} at {place.filename}:{place.lineno})"
    click.echo(printable(f"hemlp: {error}{where}"), err=True)
    return 1
