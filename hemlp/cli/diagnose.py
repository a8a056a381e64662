"""The command that says where the errors are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import (
    choice,
    digits_option,
    file_options,
    gold_options,
    input_options,
    intervals_option,
    key_option,
    names_option,
    one_measure_option,
    quiet_option,
    show,
)

if TYPE_CHECKING:
    from hemlp.run.evaluation import Evaluation
    from hemlp.text.tables import Table

MOST_SYSTEMS = 3
"""Systems that are summed up in a sentence."""
SUFFIXES = {"text": "", "markdown": ".md", "latex": ".tex"}


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
@one_measure_option("F_H", "A measure, for the means: -m GIE.")
@key_option("options", "corpus")
@click.option(
    "--rows", "most", type=click.IntRange(min=1), default=10, show_default=True, help="Rows of long tables: --rows 25."
)
@click.option("--level", type=click.IntRange(min=0), help="Level of branches, else the first with several: --level 2.")
@choice("--on", ["closures", "labels"], "Count labels with their ancestors, or labels alone: --on labels.")
@click.option(
    "--format",
    "written",
    type=click.Choice(list(SUFFIXES)),
    default="text",
    show_default=True,
    help="Format of the tables: --format markdown.",
)
@intervals_option
@digits_option
@quiet_option
@gold_options
@names_option
@file_options("--format", "--rows")
@input_options
def diagnose(
    hierarchy: str, true: str, predictions: tuple[str, ...], measure: Any, most: int, level: int | None, on: Any,
    written: str, intervals: bool, digits: int, quiet: bool, **given: Any,
) -> None:  # fmt: skip
    """Show where the errors are: by kind, level, branch and class, with confusions.

    Several systems stand side by side. Pairs of classes are those of the measure if it pairs classes, and else GIE's.

    Example: hemlp diagnose cat_hier.txt gold.txt predictions.txt -m F_LCA --names names.tsv
    """
    from hemlp.analysis.diagnosis.error_kinds import diagnosis_headline
    from hemlp.report.outputs import system_files, tables_text
    from hemlp.run.study import Study

    files = system_files(predictions)
    ev = Study(hierarchy, true, files, [measure], {**given, "undefined": "nan"}).run(progress=False if quiet else None)
    tables = []
    for title, table, limit in diagnosis_tables(ev, most, level, on, intervals):
        shown = replace(table, digits=digits, notes=() if quiet else table.notes)
        tables.append((title, shown if limit is None else shown.head(limit)))
    if written != "text":
        click.echo(tables_text(tables, SUFFIXES[written]), nl=False)
        return
    if not quiet:
        for system in ev.systems[:MOST_SYSTEMS]:
            tables_of = ev.errors(system, intervals=False), ev.levels(system, intervals=False)
            click.echo(diagnosis_headline(system, *tables_of))
        click.echo()
    for title, table in tables:
        show(title, table)


def diagnosis_tables(
    ev: Evaluation, rows: int, level: int | None, on: Any, intervals: bool
) -> list[tuple[str, Table, int | None]]:
    """All tables, with their titles, and of how many rows those that can be long are shown."""
    from hemlp.measures.pair_measure import pairs_classes

    name, systems = ev.measures[0], ev.systems[0] if len(ev.systems) == 1 else None
    assert ev.inputs is not None
    pairs = name if pairs_classes(ev.inputs.measures[name]) else "GIE"
    where, branches = _branch_table(ev, name, level, intervals)
    return [
        ("instances, by how many of their true classes were predicted", ev.hits(systems, intervals=intervals), None),
        ("kinds of error", ev.errors(systems, intervals=intervals), None),
        ("levels", ev.levels(systems, intervals=intervals), None),
        (f"branches of level {where}", branches, rows),
        ("classes", ev.classes(systems, on=on, intervals=intervals), rows),
        (f"what is taken for what, by the pairs of {pairs}", ev.confusions(systems, pairs), rows),
        (f"what classes cost by {pairs}", ev.costs(systems, pairs), rows),
        ("whether predicted sets agree with the hierarchy", ev.consistency(systems), None),
        *([("more specific than the gold", ev.more_specific(), None)] if len(ev.measures) > 1 else []),
    ]


def _branch_table(ev: Evaluation, name: str, level: int | None, intervals: bool) -> tuple[int, Table]:
    """Branches of the level that is asked for, or of the first one that has several."""
    systems = ev.systems[0] if len(ev.systems) == 1 else None
    if level is not None:
        return level, ev.branches(systems, name, level=level, intervals=intervals)
    assert ev.inputs is not None
    deepest = max(int(h.unit_depths.max()) for h in ev.inputs.hierarchies.values())
    for first in range(deepest + 1):
        table = ev.branches(systems, name, level=first, intervals=intervals)
        if len(table.rows) > 1:
            break
    return first, table
