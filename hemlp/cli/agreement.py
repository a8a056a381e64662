"""Commands about the labels that an evaluation stands on: how far annotators agree, how many are needed, versions."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import (
    file_options,
    hierarchy_keys,
    input_options,
    json_target,
    label_file_options,
    measure_option,
    one_measure_option,
    open_hierarchy,
    pop_file_options,
    show_all,
    show_or_write,
)

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("annotators", nargs=-1, required=True, metavar="[NAME=]FILE...")
@one_measure_option("SDL", "A symmetric measure: -m F_H.")
@click.option("--pairs", is_flag=True, help="Also show α of each pair of annotators.")
@click.option("--levels", is_flag=True, help="Also show α of each level (SDL only).")
@click.option("--branches", type=click.IntRange(min=0), metavar="DEPTH", help="Also show α by branch: --branches 1.")
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="Also show the worst instances: --worst 10.")
@click.option("--json", "json_file", type=click.Path(), help="Write JSON, - for standard output: --json alpha.json.")
@label_file_options
@hierarchy_keys
def agreement(
    hierarchy: str, annotators: tuple[str, ...], measure: Any, pairs: bool, levels: bool, branches: int | None,
    worst: int | None, json_file: str | None, **given: Any,
) -> None:  # fmt: skip
    """Show how well annotators agree: Krippendorff's α with partial credit by a symmetric measure.

    Files have one instance per line, or carry ids: then an instance that a file lacks is a missing annotation.

    Example: hemlp agreement taxonomy.txt ann=a.csv bob=b.csv llm=c.csv -m SDL --pairs
    """
    from hemlp.analysis.agreement import agreement as agree
    from hemlp.report.outputs import check_writable, system_files

    check_writable([json_target(json_file)])
    reading = pop_file_options(given)
    sides = {name: reading.labels(file) for name, file in system_files(annotators).items()}
    outcome = agree(open_hierarchy(hierarchy, given), sides, measure)
    sections = [("", [outcome.table()])]
    sections += [("Pairs of annotators", [outcome.pairs(), outcome.matrix()])] if pairs else []
    sections += [("Levels", [outcome.levels()])] if levels else []
    sections += [] if branches is None else [("Branches", [outcome.branches(branches)])]
    sections += [] if worst is None else [("Where they disagree most", [outcome.instances(worst)])]
    show_or_write(json_file, outcome.to_dict, lambda: show_all(sections))


@click.command("sample-size", cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("first", metavar="[NAME=]PRED")
@click.argument("second", metavar="[NAME=]PRED")
@measure_option
@click.option("--power", type=SHARE, default=0.8, show_default=True, help="Power of the test: --power 0.9.")
@click.option("--level", type=SHARE, default=0.05, show_default=True, help="Significance level: --level 0.01.")
@click.option("--difference", type=float, help="Difference to detect, by default that of the data: --difference 0.02.")
@label_file_options
@input_options
def sample_size(
    hierarchy: str, true: str, first: str, second: str, measures: tuple[Any, ...], power: float, level: float,
    difference: float | None, **given: Any,
) -> None:  # fmt: skip
    """Compute how many instances it takes to separate two systems, from the results on a pilot.

    Example: hemlp sample-size cat_hier.txt gold.txt a.txt b.txt -m F_H --power 0.9
    """
    from hemlp import evaluate
    from hemlp.analysis.statistics.planning import sample_size as plan
    from hemlp.report.outputs import system_files

    reading = pop_file_options(given)
    systems = {name: reading.cut(file) for name, file in system_files((first, second)).items()}
    asked = measures or ("F_H",)
    ev = evaluate(open_hierarchy(hierarchy, given), reading.labels(true), systems, asked, **given)
    first, second = systems
    for name in ev.measures:
        size = plan(ev, first, second, name, power=power, level=level, difference=difference)
        click.echo(f"{name}: {first} and {second} need {size}")


@click.command("compare-versions", cls=AdvisingCommand)
@click.argument("old")
@click.argument("new")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
@measure_option
@click.option("--mapping", type=click.Path(), metavar="FILE", help="Old to new classes, SSSOM: --mapping m.sssom.tsv.")
@click.option("--rows", "most", type=click.IntRange(min=1), default=10, show_default=True, help="Moves: --rows 25.")
@click.option("--json", "json_file", type=click.Path(), help="Write JSON, - for standard output: --json v.json.")
@file_options("--rows")
@hierarchy_keys
def compare_versions(
    old: str, new: str, true: str, predictions: tuple[str, ...], measures: tuple[Any, ...], mapping: str | None,
    most: int, json_file: str | None, **given: Any,
) -> None:  # fmt: skip
    """Score the same labels on two versions of a taxonomy, and split the difference: labels moved, edges changed.

    Classes that vanished follow aliases (alternative ids, replaced_by) and the mapping, or go to their lowest ancestors
    that survive. The labels are those of OLD.

    Example: hemlp compare-versions go2019.obo go2022.obo gold.txt blast=a.txt -m F_H
    """
    from hemlp import compare_versions
    from hemlp.report.outputs import check_writable, system_files

    check_writable([json_target(json_file)])
    reading = pop_file_options(given)
    systems = {name: reading.cut(file) for name, file in system_files(predictions).items()}
    before, after = (open_hierarchy(file, dict(given)) for file in (old, new))
    change = compare_versions(before, after, reading.labels(true), systems, measures or ("F_H",), mapping=mapping)
    sections = [("", [change.table()]), ("Classes that vanished", [change.moves_table().head(most)])]
    show_or_write(json_file, change.to_dict, lambda: show_all(sections))
