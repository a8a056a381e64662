"""The command line: thin, every command a few calls of the library."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from hemlp import __version__
from hemlp.errors import HemlpError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hemlp")
def commands() -> None:
    """Evaluate hierarchical classification: every measure an explicit optimization model."""


INPUT_OPTIONS = (
    click.option(
        "--cycles", type=click.Choice(["error", "condense", "break"]), default="error", show_default=True,
        help="What to do with cycles of the hierarchy.",
    ),
    click.option(
        "--unknown", type=click.Choice(["error", "drop", "isolate"]), default="error", show_default=True,
        help="What to do with labels that the hierarchy does not have.",
    ),
    click.option(
        "--missing", type=click.Choice(["error", "empty"]), default="error", show_default=True,
        help="What to do with instances whose id one side lacks.",
    ),
)  # fmt: skip


def input_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that reads a hierarchy and label files."""
    for option in reversed(INPUT_OPTIONS):
        command = option(command)
    return command


@commands.command()
@click.argument("hierarchy")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure, as in 'MGIA(default_cost=4)'; repeatable.")
@click.option("--per-instance", type=click.Path(file_okay=False), help="Write one CSV file a system to this folder.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False), help="Write everything to this file.")
@click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Threads.")
@click.option(
    "--undefined", type=click.Choice(["error", "nan"]), default="error", show_default=True,
    help="What to do with instances on which a measure is undefined.",
)  # fmt: skip
@click.option("--strict", is_flag=True, help="End with code 3 if a score is not proved optimal.")
@input_options
def evaluate(
    hierarchy: str, true: str, predictions: tuple[str, ...], measures: tuple[str, ...], per_instance: str | None,
    json_file: str | None, cycles: Any, strict: bool, **options: Any,
) -> None:  # fmt: skip
    """Score systems against the true labels: means and ranks, with significance.

    A system's name is its file's stem unless given as NAME=FILE.

    Example: hemlp evaluate cat_hier.txt gold.txt knn=a.txt svm=b.txt -m F_LCA -m MGIA
    """
    from hemlp import read_hierarchy, read_labels
    from hemlp.evaluation import MEASURES
    from hemlp.evaluation import evaluate as run
    from hemlp.outputs import check_writable, system_files, write_per_instance

    files = system_files(predictions)
    check_writable(json_file, per_instance)
    h = read_hierarchy(hierarchy, cycles=cycles)
    labels = {name: read_labels(file) for name, file in files.items()}
    result = run(h, read_labels(true), labels, measures or MEASURES, **options)
    click.echo(str(result.table()))
    if per_instance is not None:
        write_per_instance(result.scores, per_instance)
    if json_file is not None:
        result.to_json(json_file)
    if result.fallbacks:
        click.echo(f"hemlp: {result.fallbacks:,} scores are not proved optimal, see the column bound", err=True)
        if strict:
            sys.exit(3)


@commands.command()
def demo() -> None:
    """Show hemlp at work on bundled real data (200 MEDLINE documents, MeSH 2016).

    Example: hemlp demo
    """
    from hemlp.demo import run

    run()


@commands.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
def cases(names: tuple[str, ...]) -> None:
    """Print the paper's case tables beside ours, with the reason where they differ.

    Example: hemlp cases 2a 6
    """
    from rich.console import Console
    from rich.table import Table

    from hemlp import examples, paper

    console = Console()
    for case in [examples.case(name) for name in names] or examples.cases():
        console.print(f"\n[bold]case {case.name}[/]")
        console.print(paper.drawn(case.hierarchy, paper.marks(case)), markup=False, highlight=False)
        table = Table("value", "printed", "ours", "", box=None, header_style="italic")
        for line in paper.compared(case):
            ours = f"{line.ours:.3f}".rstrip("0").rstrip(".")
            table.add_row(line.value, str(line.printed), ours, f"≠ {line.reason}" if line.reason else "")
        console.print(table)


@commands.command("compare-exact")
@click.argument("hierarchy")
@click.argument("true")
@click.argument("pred")
@click.option("--sample", type=int, help="Compare on this many instances, drawn at random.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample.")
@click.option("--horizon", type=int, help="Levels that a class sees.")
@click.option("--time-limit", type=float, help="Seconds for one instance; the default is a limit on work.")
@click.option("--json", "json_file", type=click.Path(dir_okay=False), help="Write the comparison to this file, too.")
@input_options
def compare_exact(hierarchy: str, true: str, pred: str, json_file: str | None, cycles: Any, **options: Any) -> None:
    """Compare exact and approximate F_LCA: how often, which way and how far they differ, and the worst instances.

    Example: hemlp compare-exact cat_hier.txt gold.txt predictions.txt --sample 200
    """
    import json

    from hemlp import compare_exact_greedy, read_hierarchy, read_labels
    from hemlp.outputs import write_text

    h = read_hierarchy(hierarchy, cycles=cycles)
    comparison = compare_exact_greedy(h, read_labels(true), read_labels(pred), **options)
    click.echo(str(comparison))
    if json_file is not None:
        write_text(json_file, json.dumps(comparison.to_dict(), indent=1) + "\n")


@commands.command()
@click.argument("name", required=False)
def measures(name: str | None) -> None:
    """List the measures, or tell all about one.

    Example: hemlp measures MGIA
    """
    from hemlp.invariants import INVARIANTS
    from hemlp.measures import measure
    from hemlp.scoring import NAMED

    for each in [measure(name)] if name else [named.template for named in NAMED.values()]:
        better = "greater is better" if each.greater_is_better else "less is better"
        low, high = each.range
        click.echo(f"{each.name:10} {low:g} to {high:g}, {better}")
        if name:
            for key, value in each.parameters.items():
                click.echo(f"  parameter {key} = {value!r}")
            for promise in sorted(each.invariants):
                click.echo(f"  {INVARIANTS[promise].words}")


def main() -> None:
    """Entry point: errors that hemlp foresees become one message and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Greek letters shows ? instead of ending the run
    try:
        commands()
    except HemlpError as error:
        click.echo(f"hemlp: {error}", err=True)
        sys.exit(error.exit_code)
