"""Options that several commands have, and how they show what they found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hemlp.errors import InvalidOption
from hemlp.escaping import json_text, printable
from hemlp.options import did_you_mean

if TYPE_CHECKING:
    from hemlp.hierarchy.labels import Label
    from hemlp.measures.base import Measure
    from hemlp.run.file_options import Files
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


def _measures(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str | Measure, ...]:
    """Measures between commas, but for commas within brackets; those of a TOML file."""
    texts = [text for value in values for text in _split(value)]
    return tuple(each for text in texts for each in (_stored(text) if text.endswith(".toml") else [text]))


def _split(value: str) -> list[str]:
    """What commas separate, but for those within brackets."""
    depth, parts = 0, [""]
    for sign in value:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _measure(ctx: click.Context, param: click.Parameter, value: str | None) -> str | Measure | None:
    """One measure; the only one of a TOML file."""
    if value is None or not value.endswith(".toml"):
        return value
    found = _stored(value)
    if len(found) != 1:
        raise InvalidOption(f"{value} holds {len(found)} measures, and one is needed here")
    return found[0]


def _stored(file: str) -> list[Measure]:
    from hemlp.measures.factory import read_measures

    return read_measures(Path(file))


def _known_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names that begin so, for shells that complete what is typed."""
    from hemlp.measures import factory  # noqa: F401 (fills the names)
    from hemlp.measures.catalogue import NAMED

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in NAMED if name.startswith(last)]


measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", callback=_measures,
    shell_complete=_known_measures,
    help="Measures, or a TOML file of them: -m F_H,F_LCA -m 'MGIA(default_cost=4)' -m mine.toml. `hemlp measures` "
    "lists them.",
)  # fmt: skip


def one_measure_option(default: str | None, words: str, name: str = "--measure") -> Callable[[Command], Command]:
    """An option that takes one measure."""
    flags = ("-m", name) if name == "--measure" else (name,)
    return click.option(
        *flags, default=default, show_default=default is not None, metavar="MEASURE", callback=_measure,
        shell_complete=_known_measures, help=words,
    )  # fmt: skip


def file_options(*taken: str) -> Callable[[Command], Command]:
    """How files of labels and scores are read; flags that a command has ``taken`` for something else are left out."""

    def flags(*names: str) -> list[str]:
        return [name for name in names if name not in taken]

    return options(
        click.option(
            *flags("--file-format", "--format"), "format",
            type=click.Choice(["lines", "table", "matrix", "json", "jsonl", "parquet"]),
            help="Of files of labels and scores, if the file names do not show it: --file-format jsonl.",
        ),
        click.option("--sep", help="Between labels or cells: --sep ';'."),
        click.option(*flags("--id-column", "--id"), "id", metavar="COLUMN", help="The column of ids: --id-column doc."),
        click.option("--label", metavar="COLUMN", help="The column of labels: --label class."),
        click.option("--score", metavar="COLUMN", help="The column of scores: --score probability."),
        click.option(
            *flags("--label-rows", "--rows"), "rows", type=click.Choice(["sets", "paths"]),
            help="What the labels of an instance are: a set, or a path down to its label: --label-rows paths.",
        ),
        choice("--repeated", ["error", "max"], "A class that is scored twice; max takes the greatest: --repeated max."),
    )  # fmt: skip


label_file_options = file_options()


def taken_files(given: dict[str, Any]) -> Files:
    """How files are read, by options that are taken away from all that were given."""
    from hemlp.run.file_options import READING, Files

    return Files.of({key: given.pop(key) for key in READING})


names_option = click.option(
    "--names", type=click.Path(), help="Names of classes, label<TAB>name a line: --names n.tsv."
)
row_option = options(
    click.option("--row", type=click.IntRange(min=1), help="Which instance, by default the first: --row 17."),
    click.option("--id", "name", metavar="ID", help="Which instance, by its id: --id doc17."),
)


solver_options = options(
    click.option("--solver", metavar="NAME", help="The solver of the models, by default the fastest: --solver milp."),
    click.option("--time-limit", type=click.FloatRange(min=0), metavar="S", help="Seconds each: --time-limit 5."),
)


cluster_options = options(
    click.option(
        "--dask", metavar="ADDRESS", envvar="HEMLP_DASK",
        help="Score on a Dask cluster, also HEMLP_DASK in the environment: --dask tcp://10.0.0.1:8786.",
    ),
    click.option(
        "--dask-timeout", type=click.FloatRange(min=0), default=300, show_default=True, metavar="S",
        envvar="HEMLP_DASK_TIMEOUT", help="Seconds to wait while it has no workers: --dask-timeout 3600.",
    ),
)  # fmt: skip


tuning_options = options(
    one_measure_option(None, "Of systems FILE@tuned, by default the first: --tune-by F_H.", "--tune-by"),
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


def show_all(sections: Iterable[tuple[str, Sequence[Table]]], aside: bool = False) -> None:
    """Tables, of which the first of each section has its title."""
    for title, tables in sections:
        for k, table in enumerate(tables):
            show("" if k else title, table, aside)


def tell(json_file: str | None, plain: Callable[[], Any], shown: Callable[[], None]) -> None:
    """Show what was found, and write it as JSON where that is asked for: to standard output (-) instead of the rest."""
    if json_file != "-":
        shown()
    if json_file is None:
        return
    text = json_text(plain(), indent=1) + "\n"
    if json_file == "-":
        click.echo(text, nl=False)
        return
    from hemlp.io.files import write_text

    write_text(json_file, text)
    say_written(json_file)


def written_to(json_file: str | None) -> str | None:
    """The file of an option --json, if it is not standard output."""
    return None if json_file == "-" else json_file


intervals_option = click.option(
    "--intervals/--no-intervals", default=True, show_default=True, help="Whether means have 95% intervals."
)
digits_option = click.option(
    "--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals: --digits 3."
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Results alone, without notes and progress.")
output_options = options(
    intervals_option,
    digits_option,
    quiet_option,
    click.option("-v", "--verbose", is_flag=True, help="With conventions, and signatures with all parameters."),
)


def row_number(row: int | None, name: str | None, rows: int, ids: Sequence[Label] | None) -> int:
    """Which instance is meant, from 0: by its row (from 1), its id, or the first."""
    if row is not None and name is not None:
        raise InvalidOption("--row and --id both say which instance: give one of them")
    if name is None:
        if row is not None and row > rows:
            raise InvalidOption(f"there is no row {row}: there are {rows:,}")
        return (row or 1) - 1
    if ids is None:
        raise InvalidOption(f"--id {name}: these files have no ids of instances: give --row")
    places = {str(each): k for k, each in enumerate(ids)}
    if name not in places:
        raise InvalidOption(f"there is no instance {name!r}{did_you_mean(name, places)}")
    return places[name]


def say_written(file: str) -> None:
    """Name a file that was written, to somebody who is watching."""
    if sys.stderr.isatty():
        click.echo(f"written: {printable(file)}", err=True)
