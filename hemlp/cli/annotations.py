"""Commands about answers of several annotators or systems: how far they agree, one answer, how many are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli import options
from hemlp.cli.main import AdvisingCommand
from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from hemlp.analysis.decision.decide import Decision
    from hemlp.text.tables import Table

SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("annotators", nargs=-1, required=True, metavar="[NAME=]FILE...")
@options.one_measure_option("SDL", "A symmetric measure: -m F_H.")
@click.option("--pairs", is_flag=True, help="Also show α of each pair of annotators.")
@click.option("--levels", is_flag=True, help="Also show α of each level (SDL only).")
@click.option("--branches", type=click.IntRange(min=0), metavar="DEPTH", help="Also show α by branch: --branches 1.")
@click.option("--worst", type=click.IntRange(min=1), metavar="N", help="Also show the worst instances: --worst 10.")
@options.json_option("alpha.json")
@options.label_file_options
@options.hierarchy_keys
def agreement(
    hierarchy: str, annotators: tuple[str, ...], measure: Any, pairs: bool, levels: bool, branches: int | None,
    worst: int | None, json_file: str | None, **given: Any,
) -> None:  # fmt: skip
    """Show how well annotators agree: Krippendorff's α with partial credit by a symmetric measure.

    Files have one instance per line, or carry ids: then an instance that a file lacks is a missing annotation.

    Example: hemlp agreement taxonomy.txt ann=a.csv bob=b.csv llm=c.csv -m SDL --pairs
    """
    from hemlp.analysis.agreement import agreement as agree

    sides = options.read_systems(annotators, options.pop_file_options(given).labels)
    outcome = agree(options.open_hierarchy(hierarchy, given), sides, measure)
    sections = [("", [outcome.table()])]
    sections += [("Pairs of annotators", [outcome.pairs(), outcome.matrix()])] if pairs else []
    sections += [("Levels", [outcome.levels()])] if levels else []
    sections += [] if branches is None else [("Branches", [outcome.branches(branches)])]
    sections += [] if worst is None else [("Where they disagree most", [outcome.instances(worst)])]
    options.show_or_write(json_file, outcome.to_dict, lambda: options.show_all(sections))


@click.command("sample-size", cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("first", metavar="[NAME=]PRED")
@click.argument("second", metavar="[NAME=]PRED")
@options.measure_option
@click.option("--power", type=SHARE, default=0.8, show_default=True, help="Power of the test: --power 0.9.")
@click.option("--level", type=SHARE, default=0.05, show_default=True, help="Significance level: --level 0.01.")
@click.option("--difference", type=float, help="Difference to detect, by default that of the data: --difference 0.02.")
@options.label_file_options
@options.input_options
def sample_size(
    hierarchy: str, true: str, first: str, second: str, measures: tuple[Any, ...], power: float, level: float,
    difference: float | None, **given: Any,
) -> None:  # fmt: skip
    """Compute how many instances it takes to separate two systems, from the results on a pilot.

    Example: hemlp sample-size cat_hier.txt gold.txt a.txt b.txt -m F_H --power 0.9
    """
    from hemlp import evaluate
    from hemlp.analysis.statistics.planning import sample_size as plan

    reading = options.pop_file_options(given)
    systems = options.read_systems((first, second), reading.cut)
    h = options.open_hierarchy(hierarchy, given)
    ev = evaluate(h, reading.labels(true), systems, measures or ("F_H",), **given)
    first, second = systems
    for name in ev.measures:
        size = plan(ev, first, second, name, power=power, level=level, difference=difference)
        click.echo(f"{name}: {first} and {second} need {size}")


@click.command("compare-versions", cls=AdvisingCommand)
@click.argument("old")
@click.argument("new")
@click.argument("true")
@click.argument("predictions", nargs=-1, required=True, metavar="[NAME=]PRED...")
@options.measure_option
@click.option(
    "--mapping", type=click.Path(), metavar="FILE", help="SSSOM file from old to new classes: --mapping m.sssom.tsv."
)
@click.option(
    "--rows",
    "most",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of moved labels to show (for files, see --label-rows): --rows 25.",
)
@options.json_option("v.json")
@options.file_options("--rows")
@options.hierarchy_keys
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

    reading = options.pop_file_options(given)
    systems = options.read_systems(predictions, reading.cut)
    before, after = (options.open_hierarchy(file, dict(given)) for file in (old, new))
    change = compare_versions(before, after, reading.labels(true), systems, measures or ("F_H",), mapping=mapping)
    moves = change.moves_table()
    sections = [("", [change.table()]), *([("Classes that vanished", [moves.head(most)])] if moves.rows else [])]
    options.show_or_write(json_file, change.to_dict, lambda: options.show_all(sections))


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]FILE...")
@options.one_measure_option("F_H", "Measure that the answer optimizes: -m GIE.")
@click.option("-o", "--output", type=click.Path(), help="Write the answers, as .txt or .jsonl: -o consensus.txt.")
@click.option(
    "--weights",
    multiple=True,
    metavar="NAME=WEIGHT|fit",
    help="Weight of a system, or fit, learned on --dev: --weights knn=2.",
)
@click.option(
    "--at-least",
    type=click.IntRange(0, 1),
    default=0,
    help="Least size of an answer; 1 forbids empty ones: --at-least 1.",
)
@click.option(
    "--risk", type=float, help="Greatest expected share of answers with a wrong class; needs --dev: --risk 0.05."
)
@click.option("--dev", multiple=True, metavar="[NAME=]FILE", help="Development data of each system: --dev knn=dev.txt.")
@click.option("--dev-true", type=click.Path(), help="True labels of the development data: --dev-true dev_gold.txt.")
@click.option("--true", type=click.Path(), help="True labels, to compare the answer with each system: --true gold.txt.")
@click.option("--row", type=click.IntRange(min=1), help="Explain the answer of an instance: --row 17.")
@options.quiet_option
@options.label_file_options
@options.hierarchy_keys
def decide(
    hierarchy: str, systems: tuple[str, ...], measure: Any, output: str | None, weights: tuple[str, ...],
    at_least: int, risk: float | None, dev: tuple[str, ...], dev_true: str | None, true: str | None, row: int | None,
    quiet: bool, **given: Any,
) -> None:  # fmt: skip
    """Choose one answer from several: the label set with the best expected value of a measure.

    FILEs hold the answers of systems, annotators or runs of one model, as `hemlp evaluate` reads them.

    Example: hemlp decide taxonomy.txt a.txt b.txt c.txt -m F_H -o consensus.txt
    """
    from hemlp import decide as best_answers
    from hemlp.report.outputs import check_ending

    check_ending("-o", output, "answers are", ".jsonl")
    if risk is not None and not 0 < risk < 1:
        raise InvalidOption(f"--risk {risk:g} is not between 0 and 1: --risk 0.05")
    needed = risk is not None or weights == ("fit",)
    if needed and not (dev and dev_true):
        raise InvalidOption("--risk and --weights fit need --dev FILE, one for each system, and --dev-true FILE")
    if not needed and (dev or dev_true):
        raise InvalidOption("--dev and --dev-true are used only with --risk or --weights fit")
    reading = options.pop_file_options(given)
    h = options.open_hierarchy(hierarchy, given)
    sides = options.read_systems(systems, reading.cut)
    developed = options.read_systems(dev, reading.cut)
    data = None if dev_true is None else (reading.labels(dev_true), developed)
    d = best_answers(h, sides, measure, _weights(weights), at_least, risk, data)
    if len(sides) == 1 and not needed:
        click.echo(
            "hemlp: only one system: its answers are taken for the truth, so expected values mean nothing", err=True
        )
    if output is not None:
        options.write(output, _answers(d, output))
    if d.guarantee is not None and not quiet:
        options.show("", d.guarantee.table())
    if not quiet and (output is not None or true is not None):
        for note in d.table(len(d)).notes[: 1 + len(d.notes)]:
            click.echo(f"hemlp: {note}", err=True)
    if row is not None:
        if row > len(d):
            raise InvalidOption(f"--row {row}: there are {len(d):,} instances")
        options.show("", d.explain(row - 1))
    elif true is not None:
        options.show("", _compare(d, sides, reading.labels(true)))
    elif not quiet and output is None:
        table = replace(d, guarantee=None).table()  # what is guaranteed is shown already
        if d.sets.ids is None:  # rows of files count from 1, as in --row
            rows = [[number + 1, *others] for number, *others in table.rows]
            table = replace(table, columns=["row", *table.columns[1:]], rows=rows)
        options.show("", table)


def _weights(texts: tuple[str, ...]) -> Any:
    """NAME=WEIGHT, exact as fractions where they are given so; or fit."""
    from fractions import Fraction

    if texts == ("fit",):
        return "fit"
    made: dict[str, Fraction] = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            weight = Fraction(value if value.isascii() and "_" not in value else "")
        except (ValueError, ZeroDivisionError):
            raise InvalidOption(f"--weights {text} is not NAME=WEIGHT, and not fit: --weights knn=2") from None
        if made.setdefault(name, weight) != weight:
            raise InvalidOption(f"--weights {text}: {name} has a weight already, {made[name]}")
    return made or None


def _answers(d: Decision, output: str) -> str:
    """The answers, one per line, as ``read_labels`` takes them."""
    import json

    rows: list[Any] = [list(own) for own in d.sets]
    if output.endswith(".jsonl"):
        if d.sets.ids is not None:
            rows = [{"id": name, "labels": own} for name, own in zip(d.sets.ids, rows, strict=True)]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    elif d.sets.ids is not None or any(len(str(label).split()) != 1 for own in rows for label in own):
        raise InvalidOption(f"{output} cannot hold ids or labels with spaces: write -o answers.jsonl")
    else:
        lines = [" ".join(map(str, own)) for own in rows]
    return "".join(f"{line}\n" for line in lines)


def _compare(d: Decision, systems: Mapping[str, Any], true: Any) -> Table:
    """The means: decided, by majority (half of the votes), the system's answer of best expected value, and each."""
    from hemlp import LabelSets, evaluate
    from hemlp import decide as best_answers
    from hemlp.analysis.decision.pools import best_scenarios

    h, own = d.hierarchy, d.measure
    rivals: dict[str, Any] = {"decided": d.sets, "majority": best_answers(h, systems, "SDL").sets}
    if d.scenarios is not None and d.sampled is None:
        chosen = best_scenarios(own, d.scenarios)
        rivals["best sample"] = LabelSets(tuple(h.labels), chosen.ptr, chosen.classes, d.sets.ids)
    named = {name if name not in rivals else f"system {name}": side for name, side in systems.items()}
    table = evaluate(h, true, rivals | named, [own]).table()
    rows = "decided: these answers; majority: the classes that more than half of the systems name, and their ancestors"
    best = ["best sample: the given answer of the best expected value"] if "best sample" in rivals else []
    return replace(table, notes=[rows, *best, *table.notes])
