"""The command line: thin, every command a few calls of the library."""

from __future__ import annotations

import sys

import click

from hemlp import __version__
from hemlp.errors import HemlpError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hemlp")
def commands() -> None:
    """Evaluate hierarchical classification: every measure an explicit optimization model."""


@commands.command()
def demo() -> None:
    """Show hemlp at work on bundled real data (200 MEDLINE documents, MeSH 2016).

    Example: hemlp demo
    """
    from hemlp.demo import run

    run()


@commands.command()
@click.argument("names", nargs=-1, metavar="[CASE]...")
def cases(names: tuple[str, ...]) -> None:
    """Print the paper's case tables beside ours, with the reason where they differ.

    Example: hemlp cases 2a 6
    """
    from rich.console import Console
    from rich.table import Table

    from hemlp import examples, paper

    console = Console()
    for case in [examples.case(name) for name in names] or examples.cases():
        console.print(f"\n[bold]case {case.name}[/]")
        console.print(paper.drawn(case.hierarchy, paper.marks(case)), markup=False, highlight=False)
        table = Table("value", "printed", "ours", "", box=None, header_style="italic")
        for line in paper.compared(case):
            ours = f"{line.ours:.3f}".rstrip("0").rstrip(".")
            table.add_row(line.value, str(line.printed), ours, f"≠ {line.reason}" if line.reason else "")
        console.print(table)


@commands.command()
@click.argument("name", required=False)
def measures(name: str | None) -> None:
    """List the measures, or tell all about one.

    Example: hemlp measures MGIA
    """
    from hemlp.invariants import INVARIANTS
    from hemlp.measures import measure
    from hemlp.scoring import NAMED

    for each in [measure(name)] if name else [named.template for named in NAMED.values()]:
        better = "greater is better" if each.greater_is_better else "less is better"
        low, high = each.range
        click.echo(f"{each.name:10} {low:g} to {high:g}, {better}")
        if name:
            for key, value in each.parameters.items():
                click.echo(f"  parameter {key} = {value!r}")
            for promise in sorted(each.invariants):
                click.echo(f"  {INVARIANTS[promise].words}")


def main() -> None:
    """Entry point: errors that hemlp foresees become one message and an exit code."""
    try:
        commands()
    except HemlpError as error:
        click.echo(f"hemlp: {error}", err=True)
        sys.exit(error.exit_code)
