"""The command line: thin, every command a few calls of the library."""

from __future__ import annotations

import gc
import os
import sys
import traceback
import warnings

import click

from hemlp import __version__
from hemlp.cli.errors import ADVICE, CommandGroup, LazyCommands
from hemlp.errors import HemlpError
from hemlp.escaping import printable
from hemlp.processes.interrupts import end_at_signals, run_interruptible

COMMANDS = LazyCommands(
    {
        "evaluate": "hemlp.cli.evaluate:evaluate",
        "run": "hemlp.cli.evaluate:run",
        "curve": "hemlp.cli.curve:curve",
        "cafa": "hemlp.cli.curve:cafa",
        "tune": "hemlp.cli.curve:tune",
        "explain": "hemlp.cli.explain:explain",
        "model": "hemlp.cli.explain:model",
        "diagnose": "hemlp.cli.diagnose:diagnose",
        "demo": "hemlp.cli.info:demo",
        "compare-exact": "hemlp.cli.compare_exact:compare_exact",
        "cases": "hemlp.cli.info:cases",
        "measures": "hemlp.cli.info:measures",
        "properties": "hemlp.cli.properties:properties",
        "agreement": "hemlp.cli.agreement:agreement",
        "decide": "hemlp.cli.decide:decide",
        "sample-size": "hemlp.cli.agreement:sample_size",
        "compare-versions": "hemlp.cli.agreement:compare_versions",
        "play": "hemlp.cli.play:play",
        "ic": "hemlp.cli.check:ic",
        "check": "hemlp.cli.check:check",
        "convert": "hemlp.cli.check:convert",
        "sensitivity": "hemlp.cli.sensitivity:sensitivity",
    }
)
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}


@click.group(cls=CommandGroup, commands=COMMANDS, context_settings=SETTINGS)
@click.version_option(__version__, prog_name="hemlp")
def commands() -> None:
    """Evaluate hierarchical classification: every measure an explicit optimization model.

    Shells complete commands, options and measures after eval "$(_HEMLP_COMPLETE=bash_source hemlp)" in ~/.bashrc
    (zsh_source in ~/.zshrc; for fish: _HEMLP_COMPLETE=fish_source hemlp | source).
    """


def main() -> None:
    """Entry point: errors that hemlp foresees become one message and an exit code, and so do signals."""
    _open_standard_streams()
    end_at_signals(lambda happened: "; ".join([f"hemlp: {happened}", *ADVICE]))
    code = run_interruptible(_run_command)
    gc.freeze()  # Python would look twice for cycles in all that was ever loaded
    if code:
        sys.exit(code)


def _open_standard_streams() -> None:
    """Where a standard stream is closed, no file may take its number, and what is written to the output is an error.

    The output is for results alone: file 1 is standard error from now on, for what solvers print of their own accord.
    """
    from hemlp.io.files import is_open

    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        if not is_open(number):
            os.open(os.devnull, mode)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)
    if hasattr(sys.stderr, "reconfigure"):
        sys.stderr.reconfigure(errors="replace")  # a terminal without Greek letters shows ? instead of ending the run
    encoding = None if sys.stdout is None else sys.stdout.encoding
    sys.stdout = sys.__stdout__ = os.fdopen(os.dup(1), "w", encoding=encoding, errors="replace")  # type: ignore[misc]
    os.dup2(2, 1)
    warnings.showwarning = lambda message, *_: click.echo(f"hemlp: {message}", err=True)


def _run_command() -> int:
    """Carry out the command; what goes wrong is said in one message."""
    try:
        code = commands(standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except SystemExit as end:
        if isinstance(end.code, str):  # a measure or solver of one's own, or a file in the way of a module
            click.echo(printable(f"hemlp: {end.code}"), err=True)
        return end.code if isinstance(end.code, int) else 1
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except HemlpError as error:
        click.echo(f"hemlp: {error}", err=True)
        return error.exit_code
    except click.Abort as abort:  # so click takes an EOFError
        return _report_unforeseen(abort.__cause__ or abort)
    except Exception as error:
        return _report_unforeseen(error)


def _report_unforeseen(error: BaseException) -> int:
    if isinstance(error, OSError):  # perhaps of the output itself: what is left of it goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if isinstance(error, OSError) else f" ({type(error).__name__} at {place.filename}:{place.lineno})"
    click.echo(printable(f"hemlp: {error}{where}"), err=True)
    return 1
