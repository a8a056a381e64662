"""The command that decides: one answer from several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import (
    echo_written,
    key_option,
    label_file_options,
    one_measure_option,
    pop_file_options,
    quiet_option,
    show,
)
from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hemlp.analysis.decision.decide import Decision
    from hemlp.text.tables import Table


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("systems", nargs=-1, required=True, metavar="[NAME=]FILE...")
@one_measure_option("F_H", "What the answer is to be best for: -m GIE.")
@click.option("-o", "--output", type=click.Path(), help="Write the answers, as .txt or .jsonl: -o consensus.txt.")
@click.option(
    "--weights", multiple=True, metavar="NAME=WEIGHT|fit", help="Of systems, or fit, on --dev: --weights knn=2."
)
@click.option("--at-least", type=click.IntRange(0, 1), default=0, help="1 for no empty answers: --at-least 1.")
@click.option("--risk", type=float, help="Wrong answers expected at most, by --dev: --risk 0.05.")
@click.option("--dev", multiple=True, metavar="[NAME=]FILE", help="Development data of each system: --dev knn=dev.txt.")
@click.option("--dev-true", type=click.Path(), help="True labels of the development data: --dev-true dev_gold.txt.")
@click.option("--true", type=click.Path(), help="True labels, to compare the answer with each system: --true gold.txt.")
@click.option("--row", type=click.IntRange(min=1), help="Explain the answer of an instance: --row 17.")
@quiet_option
@label_file_options
@key_option("options", "cycles")
def decide(
    hierarchy: str, systems: tuple[str, ...], measure: Any, output: str | None, weights: tuple[str, ...],
    at_least: int, risk: float | None, dev: tuple[str, ...], dev_true: str | None, true: str | None, row: int | None,
    quiet: bool, cycles: Any, **given: Any,
) -> None:  # fmt: skip
    """Decide for one answer from several: the label set with the best expected value of a measure.

    FILEs hold the answers of systems, annotators or runs of one model, as `hemlp evaluate` reads them.

    Example: hemlp decide taxonomy.txt a.txt b.txt c.txt -m F_H -o consensus.txt
    """
    from hemlp import decide as best_answers
    from hemlp import read_hierarchy
    from hemlp.report.outputs import check_writable, system_files

    check_writable([output])
    if risk is not None and not 0 < risk < 1:
        raise InvalidOption(f"--risk {risk:g} is not between 0 and 1: --risk 0.05")
    needed = risk is not None or weights == ("fit",)
    if needed and not (dev and dev_true):
        raise InvalidOption("--risk and --weights fit need --dev FILE, one for each system, and --dev-true FILE")
    if not needed and (dev or dev_true):
        raise InvalidOption("--dev and --dev-true are of use only with --risk or --weights fit")
    reading = pop_file_options(given)
    h = read_hierarchy(hierarchy, cycles=cycles)
    sides = {name: reading.cut(file) for name, file in system_files(systems).items()}
    developed = {name: reading.cut(file) for name, file in system_files(dev).items()}
    data = None if dev_true is None else (reading.labels(dev_true), developed)
    d = best_answers(h, sides, measure, _weights(weights), at_least, risk, data)
    if len(sides) == 1 and not needed:
        click.echo("hemlp: one system: its answers are taken for the truth, so expected values say nothing", err=True)
    if output is not None:
        _write(d, output)
        echo_written(output)
    if d.guarantee is not None and not quiet:
        show("", d.guarantee.table())
    if row is not None:
        if row > len(d):
            raise InvalidOption(f"--row {row}: there are {len(d):,} instances")
        show("", d.explain(row - 1))
    elif true is not None:
        show("", _compare(d, sides, reading.labels(true)))
    elif not quiet and output is None:
        show("", d.table())


def _weights(texts: tuple[str, ...]) -> Any:
    """NAME=WEIGHT, exact as fractions where they are given so; or fit."""
    from fractions import Fraction

    if texts == ("fit",):
        return "fit"
    made = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        try:
            made[name] = Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise InvalidOption(f"--weights {text} is not NAME=WEIGHT, and not fit: --weights knn=2") from None
    return made or None


def _write(d: Decision, output: str) -> None:
    """The answers, one per line, as ``read_labels`` takes them."""
    import json

    from hemlp.io.files import write_text

    rows: list[Any] = [list(own) for own in d.sets]
    if output.endswith(".jsonl"):
        if d.sets.ids is not None:
            rows = [{"id": name, "labels": own} for name, own in zip(d.sets.ids, rows, strict=True)]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    elif d.sets.ids is not None or any(len(str(label).split()) != 1 for own in rows for label in own):
        raise InvalidOption(f"{output} has room for neither ids nor labels with spaces: write -o answers.jsonl")
    else:
        lines = [" ".join(map(str, own)) for own in rows]
    write_text(output, "".join(f"{line}\n" for line in lines))


def _compare(d: Decision, systems: Mapping[str, Any], true: Any) -> Table:
    """The means: decided, by majority (half of the votes), the system's answer of best expected value, and each."""
    from hemlp import LabelSets, evaluate
    from hemlp import decide as best_answers
    from hemlp.analysis.decision.models import best_scenarios

    h, own = d.hierarchy, d.measure
    rivals: dict[str, Any] = {"decided": d.sets, "majority": best_answers(h, systems, "SDL").sets}
    if d.scenarios is not None and d.sampled is None:
        chosen = best_scenarios(own, d.scenarios)
        rivals["best sample"] = LabelSets(tuple(h.labels), chosen.ptr, chosen.classes, d.sets.ids)
    named = {name if name not in rivals else f"system {name}": side for name, side in systems.items()}
    return evaluate(h, true, rivals | named, [own]).table()
