"""Commands that need no data: the measures, the paper's cases beside ours, and the demo."""

from __future__ import annotations

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import show


@click.command(cls=AdvisingCommand)
@click.argument("names", nargs=-1, metavar="[CASE]...")
def cases(names: tuple[str, ...]) -> None:
    """Print the paper's case tables beside ours, with the reason where they differ.

    Example: hemlp cases 2a 6
    """
    from hemlp import examples
    from hemlp.paper import cases as paper
    from hemlp.text.tables import Table

    for case in [examples.case(name) for name in names] or examples.cases():
        click.echo(f"\n{paper.draw_tree(case.hierarchy, paper.marks(case))}")
        rows = [
            [
                line.value,
                str(line.printed),
                f"{line.ours:.3f}".rstrip("0").rstrip("."),
                line.reason and f"≠ {line.reason}",
            ]
            for line in paper.compare_case(case)
        ]
        show(f"case {case.name}", Table(["value", "printed", "ours", ""], rows))


@click.command(cls=AdvisingCommand)
@click.argument("name", required=False)
def measures(name: str | None) -> None:
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
            if entry:
                click.echo(f"  use it for: {entry.use}\n  not for: {entry.avoid}")
            for key, value in each.parameters.items():
                click.echo(f"  parameter {key} = {value!r}: {about_parameter(each, key)}".removesuffix(": "))
            for promise in sorted(each.invariants):
                click.echo(f"  {INVARIANTS[promise].words}")


@click.command(cls=AdvisingCommand)
@click.option("--out", default="hemlp-demo", show_default=True, help="Folder for output files: --out /tmp/demo.")
def demo(out: str) -> None:
    """Show hemlp at work on bundled real data (200 MEDLINE documents, MeSH 2016).

    Example: hemlp demo
    """
    from hemlp.demo import run_demo

    run_demo(out)
