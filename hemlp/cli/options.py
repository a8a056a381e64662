"""Options that several commands have, and how they show what they found."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from hemlp.errors import InvalidOption
from hemlp.escaping import printable

if TYPE_CHECKING:
    from hemlp.text.tables import Table

Command = Callable[..., None]


def options(*given: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(given):
            command = option(command)
        return command

    return decorate


def choice(name: str, choices: list[str], words: str) -> Callable[[Command], Command]:
    """An option with the first of ``choices`` as its default."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=words)


label_options = options(
    choice("--cycles", ["error", "condense", "break"], "What to do with cycles of the hierarchy: --cycles condense."),
    choice("--unknown", ["error", "drop", "isolate"], "Predicted labels that it does not have: --unknown drop."),
    click.option(
        "--unknown-true",
        type=click.Choice(["error", "drop", "isolate"]),
        help="True labels that it does not have; isolate if --unknown is, else error: --unknown-true drop.",
    ),
)
input_options = options(
    label_options,
    choice("--missing", ["error", "empty"], "What to do with instances whose id one side lacks: --missing empty."),
)


def _split(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Measures between commas, but for commas within brackets."""
    return tuple(part.strip() for value in values for part in re.split(r",(?![^(]*\))", value) if part.strip())


measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", callback=_split,
    help="Measures: -m F_H,F_LCA -m 'MGIA(default_cost=4)'. `hemlp measures` lists them.",
)  # fmt: skip
label_file_options = options(
    click.option(
        "--format", type=click.Choice(["lines", "table", "json", "jsonl", "parquet"]),
        help="Of label files, if their names do not tell: --format jsonl.",
    ),
    click.option("--sep", help="Of label files, between labels or cells: --sep ';'."),
    click.option("--id", metavar="COLUMN", help="Of label files, the column of ids: --id doc."),
    click.option("--label", metavar="COLUMN", help="Of label files, the column of labels: --label class."),
)  # fmt: skip


def from_standard_input(files: Sequence[str]) -> list[str]:
    """The files, - being standard input, which can be read once."""
    if list(files).count("-") > 1:
        raise InvalidOption("standard input (-) can be read once: give files for the others")
    return ["/dev/stdin" if file == "-" else file for file in files]


names_option = click.option(
    "--names", type=click.Path(), help="Names of classes, label<TAB>name a line: --names n.tsv."
)
row_option = click.option(
    "--row", type=click.IntRange(min=1), default=1, show_default=True, help="Which row: --row 17."
)


solver_options = options(
    click.option("--solver", metavar="NAME", help="Who solves the models, by default the fastest: --solver milp."),
    click.option("--time-limit", type=click.FloatRange(min=0), metavar="S", help="Seconds each: --time-limit 5."),
)


tuning_options = options(
    click.option("--tune-by", metavar="MEASURE", help="Of systems FILE@tuned, by default the first: --tune-by F_H."),
    click.option("--dev-true", type=click.Path(), metavar="FILE", help="True labels to tune on: --dev-true dev.tsv."),
    click.option("--dev", multiple=True, metavar="NAME=FILE", help="Scores to tune on: --dev knn=dev_scores.tsv."),
    click.option("--folds", type=click.IntRange(min=2), help="Tune on the same data by so many folds: --folds 5."),
)


def show(title: str, table: Table, aside: bool = False) -> None:
    """A table: drawn on a terminal as wide as that, plain where the output goes elsewhere.

    ``aside``: on standard error.
    """
    title = printable(title)
    if not (sys.stderr if aside else sys.stdout).isatty():
        click.echo(f"{title}\n{table}\n" if title else f"{table}\n", err=aside)
        return
    from rich.console import Console

    console = Console(stderr=aside)
    if title:
        console.print(f"\n{title}", style="bold", markup=False, highlight=False)
    for part in table.fitting(console.width):
        console.print(part.to_rich())
    for note in table.notes:  # a signature is copied as a whole
        soft = "|hemlp:" in note
        console.print(printable(note), style="dim", markup=False, highlight=False, soft_wrap=soft)


output_options = options(
    click.option("--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals: --digits 3."),
    click.option("-q", "--quiet", is_flag=True, help="Results alone, without notes and progress."),
    click.option("-v", "--verbose", is_flag=True, help="With conventions, and signatures with all parameters."),
)


def check_row(row: int, rows: int) -> None:
    """Rows are counted from 1."""
    if row > rows:
        raise InvalidOption(f"there is no row {row}: there are {rows:,}")


def say_written(file: str) -> None:
    """Name a file that was written, to somebody who is watching."""
    if sys.stderr.isatty():
        click.echo(f"written: {printable(file)}", err=True)
