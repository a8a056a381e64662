"""The entry point of the command line, and where its commands are."""

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
        "diagnose": "hemlp.cli.analyses:diagnose",
        "demo": "hemlp.cli.info:demo",
        "compare-exact": "hemlp.cli.analyses:compare_exact",
        "cases": "hemlp.cli.info:cases",
        "measures": "hemlp.cli.info:measures",
        "properties": "hemlp.cli.info:properties",
        "agreement": "hemlp.cli.agreement:agreement",
        "decide": "hemlp.cli.decide:decide",
        "sample-size": "hemlp.cli.agreement:sample_size",
        "compare-versions": "hemlp.cli.agreement:compare_versions",
        "play": "hemlp.cli.info:play",
        "ic": "hemlp.cli.check:ic",
        "check": "hemlp.cli.check:check",
        "convert": "hemlp.cli.check:convert",
        "sensitivity": "hemlp.cli.analyses:sensitivity",
    }
)
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(cls=CommandGroup, commands=COMMANDS, context_settings=SETTINGS)
@click.version_option(__version__, prog_name="hemlp")
def commands() -> None:
    """Evaluate hierarchical classification: every measure an explicit optimization model.

    Exit codes: 0 success; 1 a failure of the environment (memory, disk, a missing package); 2 bad input; 3 a score not
    proved optimal (--strict); 4 a drop (--baseline) or a refuted invariant (`hemlp properties`).

    To complete commands, options and measures in bash, add eval "$(_HEMLP_COMPLETE=bash_source hemlp)" to ~/.bashrc
    (zsh: zsh_source, in ~/.zshrc; fish: _HEMLP_COMPLETE=fish_source hemlp | source).
    """


def main() -> None:
    """Run a command; errors and signals end it with one message and an exit code."""
    _open_standard_streams()
    end_at_signals(lambda happened: "; ".join([f"hemlp: {happened}", *ADVICE]))
    code = run_interruptible(_run_command)
    gc.freeze()  # or Python would search all modules for cycles twice
    if code:
        sys.exit(code)


def _open_standard_streams() -> None:
    """Keep the numbers of closed standard streams taken, and send what solvers print to standard error."""
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
    """Run the command; an error becomes one message."""
    try:
        code = commands(standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except SystemExit as end:
        if isinstance(end.code, str):  # raised by a user's measure or solver
            click.echo(printable(f"hemlp: {end.code}"), err=True)
        return end.code if isinstance(end.code, int) else 1
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except HemlpError as error:
        click.echo(f"hemlp: {error}", err=True)
        return error.exit_code
    except click.Abort as abort:  # click's EOFError
        return _report_unforeseen(abort.__cause__ or abort)
    except Exception as error:
        return _report_unforeseen(error)


def _report_unforeseen(error: BaseException) -> int:
    if isinstance(error, OSError):  # perhaps of standard output itself: discard the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if isinstance(error, OSError) else f" ({type(error).__name__} at {place.filename}:{place.lineno})"
    click.echo(printable(f"hemlp: {error}{where}"), err=True)
    return 1
