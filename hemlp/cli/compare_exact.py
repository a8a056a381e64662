"""The command that compares exact and approximate scores."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import (
    input_options,
    json_target,
    label_file_options,
    open_hierarchy,
    pop_file_options,
    show_or_write,
)


@click.command("compare-exact", cls=AdvisingCommand)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("pred", metavar="[NAME=]PRED")
@click.option(
    "--sample", type=click.IntRange(min=1), help="Compare on this many instances, drawn at random: --sample 200."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample: --seed 1.")
@click.option("--horizon", type=click.IntRange(min=1), help="Levels of ancestors that count: --horizon 4.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    help="Seconds for one instance: --time-limit 2. By default work is limited.",
)
@click.option("--json", "json_file", type=click.Path(), help="Write JSON, - for standard output: --json gap.json.")
@label_file_options
@input_options
def compare_exact(hierarchy: str, true: str, pred: str, json_file: str | None, **given: Any) -> None:
    """Compare exact and approximate F_LCA: how often, which way and how far they differ, and the worst instances.

    For scored predictions, give the cut-off: FILE@0.3, FILE@top5 or FILE@thresholds.json.

    Example: hemlp compare-exact cat_hier.txt gold.txt predictions.txt --sample 200
    """
    from hemlp import compare_exact_greedy
    from hemlp.report.outputs import check_writable, system_files
    from hemlp.run.scored_systems import read_sides

    check_writable([json_target(json_file)])
    h = open_hierarchy(hierarchy, given)
    sides = read_sides(true, system_files([pred]), pop_file_options(given))
    comparison = compare_exact_greedy(h, *sides, **given)
    show_or_write(json_file, comparison.to_dict, lambda: click.echo(str(comparison)))
