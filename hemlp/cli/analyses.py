"""Commands that analyse scores: `diagnose`, `sensitivity` and `compare-exact`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli import options
from hemlp.cli.errors import AdvisingCommand
from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from hemlp.run.evaluation import Evaluation
    from hemlp.text.tables import Table

MOST_SYSTEMS = 3
"""Systems that get a summary sentence."""
SUFFIXES = {"text": "", "markdown": ".md", "latex": ".tex"}


@click.command(cls=AdvisingCommand)
@options.several_systems
@options.one_measure_option("F_H", "A measure, for the means: -m GIE.")
@options.key_option("options", "corpus")
@click.option(
    "--rows", "most", type=click.IntRange(min=1), default=10, show_default=True, help="Rows of long tables: --rows 25."
)
@click.option("--level", type=click.IntRange(min=0), help="Level of branches, else the first with several: --level 2.")
@options.choice("--on", ["closures", "labels"], "Count labels with their ancestors, or labels alone: --on labels.")
@click.option(
    "--format",
    "written",
    type=click.Choice(list(SUFFIXES)),
    default="text",
    show_default=True,
    help="Format of the tables: --format markdown.",
)
@options.intervals_option
@options.digits_option
@options.quiet_option
@options.gold_options
@options.names_option
@options.file_options("--format", "--rows")
@options.input_options
def diagnose(
    hierarchy: str, true: str, predictions: tuple[str, ...], measure: Any, most: int, level: int | None, on: Any,
    written: str, intervals: bool, digits: int, quiet: bool, **given: Any,
) -> None:  # fmt: skip
    """Show where the errors are: by kind, level, branch and class, with confusions.

    Several systems stand side by side. Classes are paired by the measure if it pairs classes, else by GIE.

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
        options.show(title, table)


def diagnosis_tables(
    ev: Evaluation, rows: int, level: int | None, on: Any, intervals: bool
) -> list[tuple[str, Table, int | None]]:
    """(title, table, most rows to show, None: all) of each part of a diagnosis."""
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
    """The branches of ``level``, by default of the first level that has several."""
    assert ev.inputs is not None
    deepest = max(int(h.unit_depths.max()) for h in ev.inputs.hierarchies.values())
    if level is not None and level > deepest:
        raise InvalidOption(f"--level {level}: the deepest level of the hierarchy is {deepest} (roots are at 0)")
    systems = ev.systems[0] if len(ev.systems) == 1 else None
    for each in range(deepest + 1) if level is None else [level]:
        table = ev.branches(systems, name, level=each, intervals=intervals)
        if len(table.rows) > 1:
            break
    return each, table


@click.command(cls=AdvisingCommand)
@options.several_systems
@options.one_measure_option("GIE", "A measure with a default cost: -m MGIA.")
@options.key_option("options", "corpus")
@options.json_option("d.json", "Write exact fractions as JSON")
@click.option("--plot", type=click.Path(), help="Plot means over D, as .svg, .png or .pdf: --plot flips.svg.")
@options.label_file_options
@options.input_options
def sensitivity(
    hierarchy: str, true: str, predictions: tuple[str, ...], measure: Any, json_file: str | None, plot: str | None,
    **given: Any,
) -> None:  # fmt: skip
    """Show at which default costs two systems change places, exactly and without a grid.

    Example: hemlp sensitivity cat_hier.txt gold.txt knn=a.txt svm=b.txt -m GIE
    """
    from hemlp.report.outputs import check_writable, system_files
    from hemlp.run.study import Study

    check_writable([options.json_target(json_file), plot])
    result = Study(hierarchy, true, system_files(predictions), (measure,), given).run()
    sensitivities = result.sensitivity(result.measures[0])
    options.show_or_write(json_file, sensitivities.to_dict, lambda: options.show("", sensitivities.table()))
    if plot is not None:
        sensitivities.plot(plot)
        options.echo_written(plot)


@click.command("compare-exact", cls=AdvisingCommand)
@options.one_system
@click.option("--sample", type=click.IntRange(min=1), help="Compare on a random sample of instances: --sample 200.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample: --seed 1.")
@click.option("--horizon", type=click.IntRange(min=1), help="Levels of ancestors that count: --horizon 4.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    help="Seconds per instance, instead of the default limit on work: --time-limit 2.",
)
@options.json_option("gap.json")
@options.label_file_options
@options.input_options
def compare_exact(hierarchy: str, true: str, pred: str, json_file: str | None, **given: Any) -> None:
    """Compare exact and approximate F_LCA: how often, which way and how far they differ, and the worst instances.

    For scored predictions, give the cut-off: FILE@0.3, FILE@top5 or FILE@thresholds.json.

    Example: hemlp compare-exact cat_hier.txt gold.txt predictions.txt --sample 200
    """
    from hemlp import compare_exact_greedy
    from hemlp.report.outputs import check_writable, system_files
    from hemlp.run.scored_systems import read_sides

    check_writable([options.json_target(json_file)])
    h = options.open_hierarchy(hierarchy, given)
    sides = read_sides(true, system_files([pred]), options.pop_file_options(given))
    comparison = compare_exact_greedy(h, *sides, **given)
    options.show_or_write(json_file, comparison.to_dict, lambda: click.echo(str(comparison)))
