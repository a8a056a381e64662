"""Commands that need no data: `measures`, `properties`, `cases`, `demo` and `play`."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from hemlp.cli import options
from hemlp.cli.main import AdvisingCommand
from hemlp.errors import InvalidOption

if TYPE_CHECKING:
    from hemlp.measures.base import Measure

WIDTH = 100
"""Characters of a line of tables of properties and of what is said about a measure."""


@click.command(cls=AdvisingCommand)
@click.argument("names", nargs=-1, metavar="[CASE]...")
def cases(names: tuple[str, ...]) -> None:
    """Print the paper's case tables beside ours, with the reason where they differ.

    Example: hemlp cases 2a 6
    """
    from hemlp import examples, paper
    from hemlp.text.tables import Table

    for case in [examples.case(name) for name in names] or examples.cases():
        click.echo(f"case {case.name}\n{paper.draw_tree(case.hierarchy, paper.marks(case))}\n")
        rows = []
        for line in paper.compare_case(case):
            ours = f"{line.ours:.3f}".rstrip("0").rstrip(".")
            rows.append([line.value, str(line.printed), ours, line.reason])
        options.show("", Table(["value", "printed", "ours", "why they differ"], rows))
    click.echo("MGIA_error: the total cost of the pairs of MGIA")


@click.command(cls=AdvisingCommand)
@click.argument("name", required=False, callback=options._parse_measure)
def measures(name: str | Measure | None) -> None:
    """List the measures, or describe one.

    Example: hemlp measures MGIA
    """
    from hemlp.measures.catalogue import NAMED
    from hemlp.measures.factory import measure
    from hemlp.measures.invariants import INVARIANTS
    from hemlp.measures.naming import about_parameter

    for each in [measure(name)] if name else [named.template for named in NAMED.values()]:
        better = "greater is better" if each.greater_is_better else "less is better"
        low, high = each.range
        entry = NAMED.get(each.name)
        click.echo(f"{each.name:10} {entry.title if entry else each}; {low:g} to {high:g}, {better}")
        if name:
            lines = [f"  use it for: {entry.use}", f"  not for: {entry.avoid}"] if entry else []
            for key, value in each.parameters.items():
                lines.append(f"  parameter {key} = {value!r}: {about_parameter(each, key)}".removesuffix(": "))
            lines += ["  on every instance:"] * bool(each.invariants)
            lines += [f"    {INVARIANTS[promise].words}" for promise in sorted(each.invariants)]
            for line in lines:
                click.echo(fill(line, WIDTH, subsequent_indent=" " * 6, break_on_hyphens=False))


@click.command(cls=AdvisingCommand)
@click.option("--out", default="hemlp-demo", show_default=True, help="Folder for output files: --out /tmp/demo.")
def demo(out: str) -> None:
    """Show hemlp at work on bundled real data (200 MEDLINE documents, MeSH 2016).

    Example: hemlp demo
    """
    from hemlp.cli.demo import run_demo

    run_demo(out)


@click.command(cls=AdvisingCommand)
@click.argument("measures", nargs=-1, required=True, metavar="MEASURE...", callback=options._parse_measures)
@click.option("--classes", type=int, default=4, show_default=True, help="Classes of a hierarchy, at most: --classes 5.")
@click.option("--labels", type=int, default=3, show_default=True, help="Labels of a set, at most: --labels 2.")
@click.option("--all", "exhaustive", is_flag=True, help="Continue after the first counter-example, and count all.")
@click.option(
    "--random", type=int, default=50, show_default=True, help="Number of larger random hierarchies: --random 500."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random hierarchies: --seed 1.")
@click.option("--svg", "folder", type=click.Path(), help="Folder for drawings of counter-examples: --svg pictures.")
@options.json_option("all.json")
def properties(
    measures: tuple[str | Measure, ...], classes: int, labels: int, exhaustive: bool, random: int, seed: int,
    folder: str | None, json_file: str | None,
) -> None:  # fmt: skip
    """Test which properties measures have: proved, refuted by the smallest counter-example, or neither.

    Ends with code 4 if a measure declares an invariant that is refuted.

    Example: hemlp properties GIE F_LCA "PairMeasure('loose', Bounds((1, 2), (1, ALL)), default_cost=5)"
    """
    from hemlp.analysis.properties.check import check_properties
    from hemlp.measures.factory import measure

    outcomes = check_properties(
        [measure(each) for each in measures], classes, labels, exhaustive=exhaustive, random=random, seed=seed
    )
    sections = [(each.measure.display_name, [each.table(WIDTH)]) for each in outcomes]
    options.show_or_write(json_file, lambda: [each.to_dict() for each in outcomes], lambda: options.show_all(sections))
    for each in outcomes if folder is not None else ():
        for name, example in each.refuted.items():
            file = Path(str(folder)) / f"{_file_name(each.measure.display_name)}-{_file_name(name)}.svg"
            file.parent.mkdir(parents=True, exist_ok=True)
            options.write(str(file), example.picture().to_svg())
    broken = [(each.measure.display_name, *pair) for each in outcomes for pair in each.broken.items()]
    for measure_name, name, example in broken:
        click.echo(f"hemlp: {measure_name} declares a property that is refuted: {name}: {example}", err=True)
    if broken:
        raise SystemExit(4)


def _file_name(text: str) -> str:
    """A text without what is unsafe in the name of a file.

    >>> _file_name("a hit never hurts"), _file_name("MGIA(normalizer='union')")
    ('a-hit-never-hurts', 'MGIA-normalizer-union')
    """
    return re.sub(r"[^\w.]+", "-", text).strip("-")


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy", required=False)
@click.argument("true", required=False)
@click.argument("pred", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port, by default a free one: --port 8000.")
@click.option(
    "--idle", type=click.FloatRange(min=0), default=30, show_default=True,
    help="Minutes without a request until it ends: --idle 120.",
)  # fmt: skip
@click.option("--browser/--no-browser", default=True, help="Open the page, or only print its address.")
@options.names_option
@options.label_file_options
@options.input_options
def play(
    hierarchy: str | None, true: str | None, pred: str | None, port: int, idle: float, browser: bool,
    names: str | None, **given: Any,
) -> None:  # fmt: skip
    """Define a measure by sliders in the browser, on a small taxonomy or on your own files.

    The page is served on this machine alone; Ctrl-C ends it. HIERARCHY, TRUE and PRED are files as in `hemlp evaluate`;
    HIERARCHY alone is enough.

    Example: hemlp play, or hemlp play cat_hier.txt gold.txt a.txt
    """
    from hemlp import Batch
    from hemlp.hierarchy.class_names import read_names
    from hemlp.play.server import OwnData, PlayServer
    from hemlp.report.outputs import system_files
    from hemlp.run.file_options import read_sides

    if true is not None and pred is None:
        raise InvalidOption("PRED is missing: give HIERARCHY TRUE PRED, HIERARCHY alone, or no file")
    reading, batch = options.pop_file_options(given), None
    h = None if hierarchy is None else options.open_hierarchy(hierarchy, given)
    h = h if h is None or names is None else h.with_names(read_names(names))
    if h is not None and true is not None:
        batch = Batch.of(h, *read_sides(true, system_files([str(pred)]), reading, False), **given)
    server = PlayServer(OwnData(batch, h), 60 * idle, port)
    click.echo(server.address)
    if browser:
        import webbrowser

        webbrowser.open(server.address)
    server.serve()
