"""The gate of a run: its options, and what is said where a measure got worse."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from hemlp.cli.options import combine, show, show_all
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
    """Show what has changed, and where it got worst; whether the gate lets it pass. ``aside``: on standard error."""
    show(f"against {drops.gate.name}", drops.table(), aside)
    failed = drops.failed
    systems: set[str] = set()
    for each in failed:
        explained = [] if each.system in systems else drops.explanations(each)  # once, by what got worst
        systems.add(each.system)
        show(f"where {each.measure} of {each.system} got worst", drops.worst(each), aside)
        for explanation in explained:
            show_all(explanation.sections(), aside)
    if failed:
        named = ", ".join(dict.fromkeys(f"{each.measure} of {each.system}" for each in failed))
        click.echo(f"hemlp: worse than {drops.gate.name}: {named}", err=True)
    return not failed
