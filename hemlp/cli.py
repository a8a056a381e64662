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


def main() -> None:
    """Entry point: errors that hemlp foresees become one message and an exit code."""
    try:
        commands()
    except HemlpError as error:
        click.echo(f"hemlp: {error}", err=True)
        sys.exit(error.exit_code)
