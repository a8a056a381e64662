"""`hemlp play`: a page in the browser on which measures are defined by sliders."""

from __future__ import annotations

from typing import Any

import click

from hemlp.cli.errors import AdvisingCommand
from hemlp.cli.options import input_options, label_file_options, open_hierarchy, pop_file_options
from hemlp.errors import InvalidOption


@click.command(cls=AdvisingCommand)
@click.argument("hierarchy", required=False)
@click.argument("true", required=False)
@click.argument("pred", required=False)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port, by default a free one: --port 8000.")
@click.option("--idle", type=click.FloatRange(min=0), default=30, show_default=True, help="Idle minutes: --idle 120.")
@click.option("--browser/--no-browser", default=True, help="Open the page, or only print its address.")
@label_file_options
@input_options
def play(
    hierarchy: str | None, true: str | None, pred: str | None, port: int, idle: float, browser: bool,
    **given: Any,
) -> None:  # fmt: skip
    """Define a measure by sliders in the browser, on a small taxonomy or on your own files.

    A page in the browser, served on this machine alone and ended by Ctrl-C, or by leaving it idle. HIERARCHY, TRUE and
    PRED are files as in `hemlp evaluate`; HIERARCHY alone will do.

    Example: hemlp play, or hemlp play cat_hier.txt gold.txt a.txt
    """
    from hemlp import Batch
    from hemlp.play.server import PlayServer
    from hemlp.play.starts import OwnData
    from hemlp.report.outputs import system_files
    from hemlp.run.scored_systems import read_sides

    if true is not None and pred is None:
        raise InvalidOption("give HIERARCHY, TRUE and PRED, or HIERARCHY, or none of them")
    reading, batch = pop_file_options(given), None
    h = None if hierarchy is None else open_hierarchy(hierarchy, given)
    if h is not None and true is not None:
        batch = Batch.of(h, *read_sides(true, system_files([str(pred)]), reading, False), **given)
    server = PlayServer(OwnData(batch, h), 60 * idle, port)
    click.echo(server.address)
    if browser:
        import webbrowser

        webbrowser.open(server.address)
    server.serve()
