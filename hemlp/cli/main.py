"""The entry point of the command line: where the commands are, and how they report errors."""

from __future__ import annotations

import gc
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from shlex import quote
from typing import Any

import click

from hemlp import __version__
from hemlp.errors import HemlpError, InvalidOption, out_of_memory
from hemlp.escaping import printable
from hemlp.io.files import STANDARD_INPUT, is_open
from hemlp.processes.interrupts import end_at_signals, run_interruptible

READ = ("hierarchy", "true", "pred", "predictions", "scores", "files", "source", "corpus")
"""Arguments that name input files."""
WRITTEN = ("json_file", "csv", "svg", "png", "plot", "output", "target")
STREAMS = (("json_file", "-"), ("target", "-"))
"""Standard output, where an option allows it."""
OF_STUDIES = ("json", "html", "table", "parquet")
"""Options that name output files; a study checks its own itself."""
_STANDARD_INPUT = re.compile(r"(.+=)?-(@[^@]*)?")
ADVICE: list[str] = []
"""What to do after an interrupt of the running command."""


class AdvisingCommand(click.Command):
    """A command whose errors advise the options that it has."""

    def spelled(self, option: str, value: str) -> str | None:
        """An option with its value on this command line, None if the command lacks the option."""
        flags = [param.opts[-1] for param in self.params if param.name == option]
        return f"{flags[0]} {quote(value)}" if flags else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse those that would overwrite input, or cannot be written."""
        words = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            message = error.message
            if isinstance(error, click.BadOptionUsage):  # say what to give
                options = (param for param in self.params if isinstance(param, click.Option))
                message += "".join(f" {each.help}" for each in options if error.option_name in each.opts)
            if printable(message) == error.message:
                raise
            raise click.UsageError(printable(message), ctx) from None
        given = {key: ctx.params[key] for key in (*WRITTEN, *OF_STUDIES) if ctx.params.get(key)}
        refuse_overwriting(words, [*given.values()])
        if files := [file for key, file in given.items() if key in WRITTEN and (key, file) not in STREAMS]:
            from hemlp.report.outputs import check_writable

            check_writable(files)
        ctx.params |= replace_standard_input({key: ctx.params[key] for key in READ if ctx.params.get(key)})
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its errors advise its own options."""
        try:
            return super().invoke(ctx)
        except (HemlpError, MemoryError) as error:
            known = error if isinstance(error, HemlpError) else out_of_memory(ctx.params.get("memory"))
            known.spelling = self.spelled
            raise known from error.__cause__


def refuse_overwriting(words: Sequence[str], written: Sequence[str]) -> None:
    """Refuse an output file that is an input, too: as FILE, NAME=FILE, FILE@CUT or FILE@thresholds.json."""
    for file in filter(os.path.isfile, written):
        times = 0
        for word in words:
            places = {place for part in (word, word.partition("=")[2]) for place in (part, *part.rpartition("@")[::2])}
            times += any(os.path.isfile(place) and os.path.samefile(place, file) for place in places)
        if times > 1:
            raise InvalidOption(f"{file} is read by this run and would be overwritten: give another file")


def replace_standard_input(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with - (also NAME=- and -@0.3) as standard input, which can be read once."""
    made: dict[str, Any] = {}
    times = 0
    for key, value in given.items():
        files = [value] if isinstance(value, str) else list(value)
        for k, file in enumerate(files):
            if match := _STANDARD_INPUT.fullmatch(file):
                files[k] = f"{match[1] or ''}{STANDARD_INPUT}{match[2] or ''}"
                times += 1
        made[key] = files[0] if isinstance(value, str) else tuple(files)
    if times > 1:
        raise InvalidOption("standard input (-) can be read only once: give files for the others")
    return made


class StudyCommand(AdvisingCommand):
    """A command that takes its options from a study file."""

    def spelled(self, option: str, value: str) -> str | None:
        """An option as a line of the file."""
        from hemlp.run.study_keys import KEYS

        return f'{option} = "{value}" under [options]' if option in KEYS["options"] else None


class LazyCommands(Mapping[str, click.Command]):
    """Commands by name; the modules that hold them are loaded on demand."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._modules = {name: module for module, held in names.items() for name in held.split()}

    def __getitem__(self, name: str) -> click.Command:
        module = import_module(f"hemlp.cli.{self._modules[name]}")
        command: click.Command = getattr(module, name.replace("-", "_"))
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class CommandGroup(click.Group):
    """The group of all commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List each command with its whole first sentence."""
        rows = [(name, self.commands[name].get_short_help_str(1000)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


COMMANDS = LazyCommands(
    {
        "evaluate": "evaluate run",
        "curve": "curve cafa tune",
        "analyses": "explain model diagnose compare-exact sensitivity",
        "annotations": "agreement decide sample-size compare-versions",
        "check": "check convert ic",
        "info": "cases demo measures play properties",
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
    import traceback

    if isinstance(error, OSError):  # perhaps of standard output itself: discard the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = "" if isinstance(error, OSError) else f" ({type(error).__name__} at {place.filename}:{place.lineno})"
    click.echo(printable(f"hemlp: {error}{where}"), err=True)
    return 1
