"""Commands that say where scores come from: `explain`, `model`, `diagnose`, `sensitivity` and `compare-exact`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli import options
from hemlp.cli.main import AdvisingCommand
from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from hemlp.run.evaluation import Evaluation
    from hemlp.text.tables import Table

MOST_SYSTEMS = 3
"""Systems that get a summary sentence."""
SUFFIXES = {"text": "", "markdown": ".md", "latex": ".tex"}


@click.command(cls=AdvisingCommand)
@options.one_system
@options.row_option
@options.measure_option
@options.weights_option
@options.key_option("options", "corpus")
@options.json_option("why.json")
@click.option("--svg", type=click.Path(), help="Draw SVG, as why-GIE.svg where there are several: --svg why.svg.")
@click.option(
    "--png", type=click.Path(), help="Draw with matplotlib, as why-GIE.png where there are several: --png why.png."
)
@options.names_option
@options.file_options("--id")
@options.input_options
def explain(
    hierarchy: str, true: str, pred: str, row: int | None, name: str | None, measures: tuple[Any, ...],
    weights: tuple[str, ...],
    json_file: str | None, svg: str | None, png: str | None, **given: Any,
) -> None:  # fmt: skip
    """Explain the scores of one instance: pairs and prices, LCA graphs, closures.

    The default measures are GIE, F_H and F_LCA.

    Example: hemlp explain cat_hier.txt gold.txt predictions.txt --row 17 -m GIE -m F_LCA --svg why.svg
    """
    from hemlp.report.outputs import drawing_files, system_files
    from hemlp.run.study import Study

    files = system_files([pred])
    asked = options.add_weights(measures or ("GIE", "F_H", "F_LCA"), weights)
    result = Study(hierarchy, true, files, asked, {**given, "undefined": "nan"}).run()
    (system,) = files
    number = options.find_row(row, name, int(result.facts[system]["instances"]), result.ids)
    explanation = result.explain(system, number)
    options.show_or_write(json_file, explanation.to_dict, lambda: options.show_all(explanation.sections()))
    for part, file in drawing_files(svg, explanation):
        options.write(file, explanation.picture(part).to_svg(), renamed=file != svg)
    for part, file in drawing_files(png, explanation):
        explanation.picture(part).to_png(file)
        options.echo_written(file, renamed=file != png)


@click.command(cls=AdvisingCommand)
@options.one_system
@options.row_option
@options.one_measure_option("GIE", "A measure: -m F_LCA.")
@options.key_option("options", "corpus")
@click.option("--stage", help="Stage of a model with several programs (lcas, ratio, ties for F_LCA): --stage ratio.")
@click.option("--mps", is_flag=True, help="Print MPS instead of LP.")
@click.option("--algebra", is_flag=True, help="Print algebra with the paper's equation numbers instead of LP.")
@click.option("--latex", is_flag=True, help="Print the algebra in LaTeX instead of LP.")
@click.option("--svg", type=click.Path(), help="Draw the flow network of a pair-based measure instead: --svg net.svg.")
@options.names_option
@options.file_options("--id")
@options.input_options
def model(
    hierarchy: str, true: str, pred: str, row: int | None, name: str | None, measure: Any, corpus: str | None,
    stage: str | None, mps: bool, algebra: bool, latex: bool, svg: str | None, names: str | None, **given: Any,
) -> None:  # fmt: skip
    """Print the explicit optimization model of one instance, as LP (or MPS) for any solver.

    Example: hemlp model cat_hier.txt gold.txt predictions.txt --row 17 -m MGIA > model.lp
    """
    from hemlp import Batch
    from hemlp.analysis.explain.network import network_picture
    from hemlp.hierarchy.class_names import read_names
    from hemlp.measures.derived import RankedMeasure
    from hemlp.measures.factory import measure as made
    from hemlp.report.outputs import system_files
    from hemlp.run.file_options import read_sides

    files, h = system_files([pred]), options.open_hierarchy(hierarchy, given)
    reading = options.pop_file_options(given)
    gold, predicted = read_sides(true, files, reading, isinstance(made(measure), RankedMeasure))
    (each,) = options.add_information([measure], h, gold, corpus, reading, given.get("unknown_true"))
    batch = Batch.of(h, gold, predicted, **given)
    one = made(each).model(batch[options.find_row(row, name, len(batch), batch.ids)])
    if mps + algebra + latex + (svg is not None) > 1:
        raise InvalidOption("--mps, --algebra, --latex and --svg exclude each other: give one of them")
    if svg is not None:
        options.write(svg, network_picture(one, h.names if names is None else read_names(names)).to_svg())
    elif algebra or latex:
        sums = one.algebra(stage)
        click.echo(sums.to_latex() if latex else f"{sums}\n", nl=False)
    else:
        click.echo(one.to_mps(stage) if mps else one.to_lp(stage), nl=False)


@click.command(cls=AdvisingCommand)
@options.several_systems
@options.one_measure_option("F_H", "Measure of the means: -m GIE.")
@options.key_option("options", "corpus")
@click.option(
    "--rows",
    "most",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of rows of long tables (for files, see --label-rows): --rows 25.",
)
@click.option("--level", type=click.IntRange(min=0), help="Level of branches, else the first with several: --level 2.")
@options.choice("--on", ["closures", "labels"], "Count labels with their ancestors, or labels alone: --on labels.")
@click.option(
    "--format", "written", type=click.Choice(list(SUFFIXES)), default="text", show_default=True,
    help="Format of the tables (for files, see --file-format): --format markdown.",
)  # fmt: skip
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
    from hemlp.text.tables import fold

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
            click.echo("\n".join(fold(diagnosis_headline(ev, system))))
        click.echo()
    for title, table in tables:
        options.show(title, table)


def diagnosis_tables(
    ev: Evaluation, rows: int, level: int | None, on: Any, intervals: bool
) -> list[tuple[str, Table, int | None]]:
    """(title, table, most rows to show, None: all) of each part of a diagnosis."""
    from hemlp.analysis.diagnosis.measure_facts import PAIRS, measure_facts

    name, systems = ev.measures[0], ev.systems[0] if len(ev.systems) == 1 else None
    assert ev.inputs is not None
    pairs = name if measure_facts(ev, name).loss == PAIRS else "GIE"
    where, branches = _branch_table(ev, name, level, intervals)
    return [
        ("instances, by how many of their true classes were predicted", ev.hits(systems, intervals=intervals), None),
        ("kinds of error", ev.errors(systems, intervals=intervals), None),
        ("levels", ev.levels(systems, intervals=intervals), None),
        (f"branches of level {where}, by {name}", branches, rows),
        (
            "classes, with their ancestors" if on == "closures" else "classes, as labelled",
            ev.classes(systems, on=on, intervals=intervals),
            rows,
        ),
        (f"confusions, by the pairs of {pairs}", ev.confusions(systems, pairs), rows),
        (f"cost of each class, by {pairs}", ev.costs(systems, pairs), rows),
        ("consistency of the predicted sets with the hierarchy", ev.consistency(systems), None),
        *([("more specific than the gold", ev.more_specific(), None)] if len(ev.measures) > 1 else []),
    ]


def _branch_table(ev: Evaluation, name: str, level: int | None, intervals: bool) -> tuple[int, Table]:
    """The branches of ``level``, by default of the first level that has several."""
    from hemlp.analysis.diagnosis.branches import loss_of

    assert ev.inputs is not None
    deepest = max(int(h.unit_depths.max()) for h in ev.inputs.hierarchies.values())
    if level is not None and level > deepest:
        raise InvalidOption(f"--level {level}: the deepest level of the hierarchy is {deepest} (roots are at 0)")
    systems = ev.systems[0] if len(ev.systems) == 1 else None
    for each in range(deepest + 1) if level is None else [level]:
        table = ev.branches(systems, name, level=each, intervals=intervals)
        if len(table.rows) > 1:
            break
    loss = loss_of(ev, name)
    heads = [f"{head} of {loss}" if head.endswith("share") else head for head in table.columns]
    return each, replace(table, columns=heads)


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
    from hemlp.report.outputs import system_files
    from hemlp.run.study import Study

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
    "--time-limit", type=click.FloatRange(min=0),
    help="Seconds per instance, in place of the default limit: --time-limit 2.",
)  # fmt: skip
@options.json_option("gap.json")
@options.label_file_options
@options.input_options
def compare_exact(hierarchy: str, true: str, pred: str, json_file: str | None, **given: Any) -> None:
    """Compare exact and approximate F_LCA: how often, which way and how far they differ, and the worst instances.

    For scored predictions, give the cut-off: FILE@0.3, FILE@top5 or FILE@thresholds.json.

    Example: hemlp compare-exact cat_hier.txt gold.txt predictions.txt --sample 200
    """
    from hemlp import compare_exact_greedy
    from hemlp.report.outputs import system_files
    from hemlp.run.file_options import read_sides

    h = options.open_hierarchy(hierarchy, given)
    sides = read_sides(true, system_files([pred]), options.pop_file_options(given))
    comparison = compare_exact_greedy(h, *sides, **given)
    options.show_or_write(json_file, comparison.to_dict, lambda: click.echo(str(comparison)))
