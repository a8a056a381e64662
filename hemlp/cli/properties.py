"""`hemlp properties`: what measures do, and the smallest instances on which they do not do what one expects."""

from __future__ import annotations

import re
from pathlib import Path

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import echo_written, json_target, show_all, show_or_write

WIDTH = 100
"""Characters of a line."""


@click.command(cls=AdvisingCommand)
@click.argument("measures", nargs=-1, required=True, metavar="MEASURE...")
@click.option("--classes", type=int, default=4, show_default=True, help="Most classes: --classes 5.")
@click.option("--labels", type=int, default=3, show_default=True, help="Most labels in a set: --labels 2.")
@click.option("--all", "exhaustive", is_flag=True, help="Continue after the first counter-example, and count all.")
@click.option("--random", type=int, default=50, show_default=True, help="Random larger hierarchies: --random 500.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random hierarchies: --seed 1.")
@click.option("--svg", "folder", type=click.Path(), help="Folder for drawings of counter-examples: --svg pictures.")
@click.option("--json", "json_file", type=click.Path(), help="Write JSON, - for standard output: --json all.json.")
def properties(
    measures: tuple[str, ...], classes: int, labels: int, exhaustive: bool, random: int, seed: int,
    folder: str | None, json_file: str | None,
) -> None:  # fmt: skip
    """Test which properties measures have: proved, refuted by the smallest counter-example, or none found.

    Ends with code 4 if a measure declares an invariant that is refuted.

    Example: hemlp properties GIE F_LCA "PairMeasure('loose', Bounds((1, 2), (1, ALL)), default_cost=5)"
    """
    from hemlp.analysis.properties.check import check_properties
    from hemlp.io.files import write_text
    from hemlp.measures.factory import measure
    from hemlp.report.outputs import check_writable

    check_writable([json_target(json_file)])
    every = check_properties(
        [measure(each) for each in measures], classes, labels, exhaustive=exhaustive, random=random, seed=seed
    )
    sections = [(found.measure.display_name, [found.table(WIDTH)]) for found in every]
    show_or_write(json_file, lambda: [found.to_dict() for found in every], lambda: show_all(sections))
    for found in every if folder is not None else ():
        for name, example in found.refuted.items():
            file = Path(str(folder)) / f"{_file_name(found.measure.display_name)}-{_file_name(name)}.svg"
            file.parent.mkdir(parents=True, exist_ok=True)
            write_text(str(file), example.picture().to_svg())
            echo_written(str(file))
    broken = [
        f"{found.measure.display_name}: {name}: {example}" for found in every for name, example in found.broken.items()
    ]
    for line in broken:
        click.echo(f"hemlp: declared, and refuted: {line}", err=True)
    if broken:
        raise SystemExit(4)


def _file_name(text: str) -> str:
    """Letters, digits and what is safe in the name of a file.

    >>> _file_name("a hit never hurts"), _file_name("MGIA(normalizer='union')")
    ('a-hit-never-hurts', 'MGIA-normalizer-union')
    """
    return re.sub(r"[^\w.]+", "-", text).strip("-")
