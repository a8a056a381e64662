"""The gate of a run: its options, and what is said where a measure got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hemlp.cli.options import combine, show
from hemlp.errors import InvalidOption
from hemlp.run.study_keys import KEYS

if TYPE_CHECKING:
    from hemlp.run.gate import Gate, GateResult

gate_options = combine(
    click.option("--baseline", type=click.Path(), help=KEYS["gate"]["baseline"].help),
    click.option("--max-drop", multiple=True, metavar="MEASURE=X", help=KEYS["gate"]["max_drop"].help),
    click.option("--significant", is_flag=True, help=KEYS["gate"]["significant"].help),
)


def make_gate(baseline: str | None, max_drop: tuple[str, ...], significant: bool) -> Gate | None:
    """What the options ask for."""
    if baseline is None:
        if max_drop or significant:
            raise InvalidOption("--max-drop and --significant compare with a stored run: give --baseline FILE, too")
        return None
    from hemlp.run.gate import Gate

    drops: dict[str, float] = {}
    for text in max_drop:
        name, _, number = text.rpartition("=")
        try:
            drops[name] = float(number)
        except ValueError:
            name = ""
        if not name:
            raise InvalidOption(f"--max-drop {text} is not MEASURE=NUMBER, as in F_LCA=0.01")
    return Gate(baseline, drops, significant)


def show_gate(drops: GateResult, aside: bool) -> bool:
    """Show the verdict, what has changed, and the worst instances; ``aside``: on standard error."""
    click.echo(drops.sentence, err=aside)
    show("", drops.table(), aside)
    for each in drops.failed:
        rows = drops.worst_rows(each)
        names = [str(row + 1) if drops.ev.ids is None else str(drops.ev.ids[row]) for row in rows]
        what = "rows" if drops.ev.ids is None else "instances"
        click.echo(
            f"{each.system}, {each.measure}: worst {what} {', '.join(names)}; `hemlp explain` shows why", err=aside
        )
    return not drops.failed
