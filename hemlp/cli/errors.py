"""Commands whose errors advise options as this command spells them, and the group that loads commands lazily."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from hemlp.errors import HemlpError, InvalidOption, out_of_memory
from hemlp.escaping import printable
from hemlp.io.files import STANDARD_INPUT

READ = ("hierarchy", "true", "pred", "predictions", "scores", "files", "source", "corpus")
"""Arguments that name input files."""
WRITTEN = ("json", "json_file", "html", "table", "parquet", "csv", "svg", "png", "plot", "output")
"""Options that name output files."""
_STANDARD_INPUT = re.compile(r"(.+=)?-(@[^@]*)?")
ADVICE: list[str] = []
"""What to do after an interrupt of the running command."""


class AdvisingCommand(click.Command):
    """A command whose errors advise the options that it has."""

    def spelled(self, option: str, value: str) -> str | None:
        """An option with its value on this command line, None if the command lacks the option."""
        flags = [param.opts[-1] for param in self.params if param.name == option]
        return f"{flags[0]} {value}" if flags else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and refuse those that would overwrite input."""
        words = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            if printable(error.message) == error.message:
                raise
            raise click.UsageError(printable(error.message), ctx) from None
        refuse_overwriting(words, [ctx.params[key] for key in WRITTEN if ctx.params.get(key)])
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
            raise InvalidOption(f"{file} is read by this run and would be written over: give another file")


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
        raise InvalidOption("standard input (-) can be read once: give files for the others")
    return made


class StudyCommand(AdvisingCommand):
    """A command that takes its options from a study file."""

    def spelled(self, option: str, value: str) -> str | None:
        """An option as a line of the file."""
        from hemlp.run.study_keys import KEYS

        return f'{option} = "{value}" under [options]' if option in KEYS["options"] else None


class LazyCommands(Mapping[str, click.Command]):
    """Commands by name, given as module:function; modules are loaded on demand."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> click.Command:
        module, function = self._places[name].split(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class CommandGroup(click.Group):
    """The group of all commands."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List each command with its whole first sentence."""
        rows = [(name, self.commands[name].get_short_help_str(1000)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
