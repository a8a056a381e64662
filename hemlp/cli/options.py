"""Arguments and options that several commands share, and how commands show their results."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hemlp.errors import InvalidOption
from hemlp.escaping import json_text, printable
from hemlp.io.files import write_text
from hemlp.options import did_you_mean
from hemlp.run.study_keys import FILES, FLOOR, KEYS, MEASURES, PAIRS, PATH, SECONDS

if TYPE_CHECKING:
    from hemlp.hierarchy.dag import Hierarchy
    from hemlp.hierarchy.labels import Label
    from hemlp.instances.label_sets import LabelSets
    from hemlp.measures.base import Measure
    from hemlp.run.file_options import FileOptions
    from hemlp.text.tables import Table

Command = Callable[..., None]
_IMPORT_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def combine(*given: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Apply several options in this order."""
    return lambda command: reduce(lambda done, option: option(done), reversed(given), command)


gold_arguments = combine(click.argument("hierarchy"), click.argument("true"))
one_system = combine(gold_arguments, click.argument("pred", metavar="[NAME=]PRED"))
several_systems = combine(
    gold_arguments, click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
)


def choice(name: str, choices: list[str], words: str) -> Callable[[Command], Command]:
    """An option with the first of ``choices`` as its default."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=words)


def key_option(table: str, name: str, *flags: str) -> Callable[[Command], Command]:
    """The option of a key of study files; ``flags`` where its name is not that of the key."""
    key = KEYS[table][name]
    kind = key.kind
    settings: dict[str, Any] = {"help": key.help, "metavar": key.metavar}
    if kind.choices:
        settings["type"] = click.Choice(kind.choices)
    elif kind in (FLOOR, PATH):
        settings["type"] = click.Path()
    elif kind is SECONDS:
        settings["type"] = click.FloatRange(min=kind.least)
    elif kind.least is not None:
        settings["type"] = click.IntRange(kind.least, kind.most)
    elif kind in (FILES, MEASURES, PAIRS) or name == "relations":
        settings |= {"multiple": True, "nargs": 2 if kind is PAIRS else 1}
    if name == "floor":
        settings |= {"is_flag": False, "flag_value": "gold"}
    if key.default not in (None, ()):
        settings |= {"default": key.default, "show_default": True}
    return click.option(*(flags or [f"--{name.replace('_', '-')}"]), **settings)


naming = key_option("options", "language"), key_option("options", "relations", "--relation", "relations")
hierarchy_keys = combine(key_option("options", "cycles"), *naming)
label_options = combine(hierarchy_keys, key_option("options", "unknown"), key_option("options", "unknown_true"))
input_options = combine(label_options, key_option("options", "missing"))
gold_options = combine(key_option("options", "ignore"), key_option("options", "gold"))


def _parse_measures(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str | Measure, ...]:
    return tuple(each for value in values for each in _read_measures(value, param))


def _read_measures(value: str, param: click.Parameter) -> list[str | Measure]:
    """The measures of one argument: of each text between its commas."""
    if not (texts := _split(value)):
        raise InvalidOption(f"{param.opts[0]} is empty: name a measure, such as F_H")
    return [each for text in texts for each in _resolve(text)]


def _split(value: str) -> list[str]:
    """Split at commas outside brackets."""
    depth, parts = 0, [""]
    for sign in value:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _parse_measure(ctx: click.Context, param: click.Parameter, value: str | None) -> str | Measure | None:
    if value is None:
        return value
    measures = _read_measures(value, param)
    if len(measures) != 1:
        raise InvalidOption(f"{value} holds {len(measures)} measures: {param.opts[0]} takes one")
    return measures[0]


def _resolve(text: str) -> Sequence[str | Measure]:
    """The measures of a TOML file, the one at an import path (module:object), or the text itself."""
    from hemlp.measures.factory import read_measures

    if text.endswith(".toml"):
        return read_measures(Path(text))
    return [_import_measure(text)] if _IMPORT_PATH.fullmatch(text) else [text]


def _import_measure(path: str) -> Measure:
    """Only somebody who types a command can import code: no file that hemlp reads can."""
    from hemlp.measures.base import Measure

    module, _, name = path.partition(":")
    sys.path.insert(0, "")  # as python -m does
    try:
        measure = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        hint = f"; write {module.removesuffix('.py')}:{name}, without .py" if module.endswith(".py") else ""
        raise InvalidOption(f"cannot import the measure {path}: {error}{hint}") from None
    finally:
        sys.path.remove("")
    if not isinstance(measure, Measure):
        raise InvalidOption(f"{path} is a {type(measure).__name__}, not a measure")
    return measure


def _complete_measures(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names that begin so, for shells that complete what is typed."""
    from hemlp.measures import factory  # noqa: F401 (fills the names)
    from hemlp.measures.catalogue import NAMED

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in NAMED if name.startswith(last)]


measure_option = click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE", callback=_parse_measures,
    shell_complete=_complete_measures,
    help="Measures, a TOML file, or module:object in Python: -m F_H,F_LCA -m 'MGIA(default_cost=4)' "
    "-m mine.toml -m mine:budgeted. `hemlp measures` lists them.",
)  # fmt: skip


def one_measure_option(default: str | None, words: str, name: str = "--measure") -> Callable[[Command], Command]:
    """An option that takes one measure."""
    flags = ("-m", name) if name == "--measure" else (name,)
    return click.option(
        *flags, default=default, show_default=default is not None, metavar="MEASURE", callback=_parse_measure,
        shell_complete=_complete_measures, help=words,
    )  # fmt: skip


weights_option = click.option(
    "--weights", multiple=True, metavar="[MEASURE=]FILE",
    help="Weights of classes, one label<TAB>weight per line, for a measure: --weights simGIC=ic.tsv.",
)  # fmt: skip


def add_weights(measures: Sequence[str], weights: Sequence[str]) -> Sequence[str] | Mapping[str, Measure]:
    """The measures by name, with weights: for every measure that takes them, or for the one given as MEASURE=FILE."""
    if not weights:
        return measures
    from hemlp.hierarchy.class_weights import read_weights
    from hemlp.measures.catalogue import NAMED
    from hemlp.run.evaluate import name_measures

    made = name_measures(measures)
    takes = {name: NAMED[each.name].parameters if each.name in NAMED else each.fields for name, each in made.items()}
    weighted = [name for name in made if "weights" in takes[name]]
    from_corpus = any(getattr(getattr(each, "cost", None), "lacks_weights", False) for each in made.values())
    hint = "; information content comes from a corpus: --corpus FILE" if from_corpus else ""
    known: dict[str, Mapping[Any, float]] = {}
    for argument in weights:
        name, given, file = argument.partition("=")
        one = bool(given) and not os.path.exists(argument)
        if (name if one else "") in known:
            raise InvalidOption(f"--weights {argument}: there are weights {f'of {name}' if one else 'of all'} already")
        if one and name not in weighted:
            reason = "takes no weights" if name in made else "is not among the measures (-m)"
            raise InvalidOption(f"--weights {argument}: {name} {reason}{hint}")
        if not weighted:
            raise InvalidOption(f"--weights {argument}: none of {', '.join(made)} takes weights{hint}")
        known[name if one else ""] = read_weights(file if one else argument)
    for each in weighted:
        if (by_class := known.get(each, known.get(""))) is not None:
            made[each] = made[each].changed(weights=by_class)
    return made


def add_information(
    measures: Iterable[Any], h: Hierarchy, gold: LabelSets, corpus: str | None, files: FileOptions, unknown: Any
) -> list[Any]:
    """The measures, with the information content that some of them lack: that of --corpus, or of the gold."""
    from hemlp.measures.factory import measure
    from hemlp.measures.information import complete_measures

    asked = {str(each): each for each in measures}
    made = {name: measure(each) for name, each in asked.items()}
    labels = None if corpus is None else files.labels(corpus)
    complete = complete_measures(made, h, gold, labels, unknown or "error")
    return [each if complete[name] is made[name] else complete[name] for name, each in asked.items()]


def file_options(*taken: str) -> Callable[[Command], Command]:
    """How to read label and score files, without the flags that a command has ``taken`` for something else."""

    def flags(*names: str) -> list[str]:
        return [name for name in names if name not in taken]

    return combine(
        key_option("options", "format", *flags("--file-format", "--format"), "format"),
        key_option("options", "sep"),
        key_option("options", "id", *flags("--id-column", "--id"), "id"),
        key_option("options", "label"),
        key_option("options", "score"),
        key_option("options", "rows", *flags("--label-rows", "--rows"), "rows"),
        key_option("options", "repeated"),
        key_option("options", "evidence"),
    )


label_file_options = file_options()
OF_HIERARCHIES = ("cycles", "language", "relations", "parent", "child", "name", "weight", "same_names")


def open_hierarchy(file: str, given: dict[str, Any], *further: str) -> Hierarchy:
    """Read a hierarchy with its options, popped from ``given``; ``further`` options are the command's own."""
    from hemlp.hierarchy.hierarchy_files import read_hierarchy

    options = {key: given.pop(key) for key in (*OF_HIERARCHIES, *further) if key in given}
    return read_hierarchy(file, **{key: value for key, value in options.items() if value not in (None, ())})


def pop_file_options(given: dict[str, Any]) -> FileOptions:
    """How to read label and score files: options popped from ``given``."""
    from hemlp.run.file_options import FILE_OPTIONS, FileOptions

    return FileOptions.of({key: given.pop(key) for key in FILE_OPTIONS})


def read_systems(arguments: Sequence[str], read: Callable[[str], Any]) -> dict[str, Any]:
    """The files of [NAME=]FILE arguments, read one by one."""
    from hemlp.report.outputs import system_files

    return {name: read(file) for name, file in system_files(arguments).items()}


names_option = key_option("options", "names")
row_option = combine(
    click.option(
        "--row", type=click.IntRange(min=1), help="Row of the instance, from 1, by default the first: --row 17."
    ),
    click.option("--id", "name", metavar="ID", help="Id of the instance (for ids of files, --id-column): --id doc17."),
)
solver_options = combine(key_option("options", "solver"), key_option("options", "time_limit"))
cluster_options = combine(
    click.option(
        "--dask", metavar="ADDRESS", envvar="HEMLP_DASK",
        help="Dask cluster to score on, or set HEMLP_DASK: --dask tcp://10.0.0.1:8786.",
    ),
    click.option(
        "--dask-timeout", type=click.FloatRange(min=0), default=300, show_default=True, metavar="S",
        envvar="HEMLP_DASK_TIMEOUT", help="Seconds to wait for workers: --dask-timeout 3600.",
    ),
)  # fmt: skip
tuning_options = combine(
    one_measure_option(None, KEYS["tuning"]["measure"].help, "--tune-by"),
    key_option("tuning", "true", "--dev-true"),
    key_option("tuning", "systems", "--dev"),
    click.option("--folds", type=click.IntRange(min=2), help="Tune on the same data, by this many folds: --folds 5."),
)


def show(title: str, table: Table, aside: bool = False) -> None:
    """Print a table: drawn to the width of a terminal, plain elsewhere; ``aside``: to standard error."""
    title = printable(title)
    if not (sys.stderr if aside else sys.stdout).isatty():
        click.echo(f"{title}\n{table}\n" if title else f"{table}\n", err=aside)
        return
    from rich.console import Console

    console = Console(stderr=aside)
    for sentence in table.lead:
        console.print(printable(sentence), markup=False, highlight=False)
    if title:
        console.print(f"\n{title}", style="bold", markup=False, highlight=False)
    for part in table.split_to_width(console.width) if table.rows or not table.lead else ():
        console.print(part.to_rich())
    for note in table.notes:  # a signature is copied as a whole
        soft = "|hemlp:" in note
        console.print(printable(note), style="dim", markup=False, highlight=False, soft_wrap=soft)


def show_all(sections: Iterable[tuple[str, Sequence[Table]]]) -> None:
    """Print sections of tables, each under its title."""
    for title, tables in sections:
        for k, table in enumerate(tables):
            show("" if k else title, table)


def json_option(example: str, words: str = "Write JSON") -> Callable[[Command], Command]:
    """--json FILE."""
    text = f"{words}, - for standard output: --json {example}."
    return click.option("--json", "json_file", type=click.Path(), help=text)


def show_or_write(json_file: str | None, plain: Callable[[], Any], shown: Callable[[], None]) -> None:
    """Show a result, and write it as JSON if asked: to standard output (-) instead of the rest."""
    if json_file != "-":
        shown()
    if json_file is None:
        return
    text = json_text(plain(), indent=1) + "\n"
    if json_file == "-":
        click.echo(text, nl=False)
    else:
        write(json_file, text)


def write(file: str | None, text: str | Callable[[], str], renamed: bool = False) -> None:
    """Write a file that was asked for, perhaps by another name, and say its name as ``echo_written`` does."""
    if file is not None:
        write_text(file, text if isinstance(text, str) else text())
        echo_written(file, renamed)


intervals_option = key_option("outputs", "intervals", "--intervals/--no-intervals")
digits_option = key_option("outputs", "digits")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print results only, without notes and progress.")
verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="Print signatures with all parameters and policies."
)
output_options = combine(intervals_option, digits_option, quiet_option, verbose_option)


def find_row(row: int | None, name: str | None, rows: int, ids: Sequence[Label] | None) -> int:
    """The index of an instance given by its row (from 1) or its id; by default the first."""
    if row is not None and name is not None:
        raise InvalidOption("--row and --id both choose the instance: give one of them")
    if name is None:
        if row is not None and row > rows:
            raise InvalidOption(f"--row {row}: the files have {rows:,} rows")
        return (row or 1) - 1
    if ids is None:
        raise InvalidOption(f"--id {name}: these files have no ids; choose the instance by --row")
    places = {str(each): k for k, each in enumerate(ids)}
    if name not in places:
        near = did_you_mean(name, places) or f"; ids look like {next(iter(places), '')!r}"
        raise InvalidOption(f"there is no instance {name!r}{near}")
    return places[name]


def echo_written(file: str, renamed: bool = False) -> None:
    """Name a written file on a terminal, and anywhere if it is not called as was asked."""
    if renamed or sys.stderr.isatty():
        click.echo(f"written: {printable(file)}", err=True)
