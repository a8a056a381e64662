"""The command that compares exact and approximate scores."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli.advising import Advising
from hemlp.cli.options import input_options
from hemlp.escaping import json_text


@click.command("compare-exact", cls=Advising)
@click.argument("hierarchy")
@click.argument("true")
@click.argument("pred", metavar="[NAME=]PRED")
@click.option("--sample", type=int, help="Compare on this many instances, drawn at random: --sample 200.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the sample: --seed 1.")
@click.option("--horizon", type=int, help="Levels that a class sees: --horizon 4.")
@click.option("--time-limit", type=float, help="Seconds for one instance: --time-limit 2. By default work is limited.")
@click.option("--json", "json_file", type=click.Path(), help="Write the comparison to a file, too: --json gap.json.")
@input_options
def compare_exact(hierarchy: str, true: str, pred: str, json_file: str | None, cycles: Any, **given: Any) -> None:
    """Compare exact and approximate F_LCA: how often, which way and how far they differ, and the worst instances.

    Example: hemlp compare-exact cat_hier.txt gold.txt predictions.txt --sample 200
    """
    from hemlp import compare_exact_greedy, read_hierarchy, read_labels
    from hemlp.io.files import write_text
    from hemlp.report.outputs import check_writable, system_files

    check_writable([json_file])
    (file,) = system_files([pred]).values()
    h = read_hierarchy(hierarchy, cycles=cycles)
    comparison = compare_exact_greedy(h, read_labels(true), read_labels(file), **given)
    click.echo(str(comparison))
    if json_file is not None:
        write_text(json_file, json_text(comparison.to_dict(), indent=1) + "\n")
