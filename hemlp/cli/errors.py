"""Commands that advise their own options: what an error recommends is written as this command would take it."""

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
"""Arguments that name files which are read."""
WRITTEN = ("json", "json_file", "html", "table", "parquet", "csv", "svg", "png", "plot", "output")
"""Options that name files which are written."""
_STANDARD_INPUT = re.compile(r"(.+=)?-(@[^@]*)?")
ADVICE: list[str] = []
"""What to say to somebody who interrupts the command that is running."""


class AdvisingCommand(click.Command):
    """A command whose errors advise those options that it has."""

    def spelled(self, option: str, value: str) -> str | None:
        """An option with its value as it is written for this command, None if it has no such option."""
        flags = [param.opts[-1] for param in self.params if param.name == option]
        return f"{flags[0]} {value}" if flags else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; what is wrong with them is said on one line."""
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
        """Carry it out."""
        try:
            return super().invoke(ctx)
        except (HemlpError, MemoryError) as error:
            told = error if isinstance(error, HemlpError) else out_of_memory(ctx.params.get("memory"))
            told.spelling = self.spelled
            raise told from error.__cause__


def refuse_overwriting(words: Sequence[str], written: Sequence[str]) -> None:
    """Refuse a file that is to be written and stands among the words of the command a second time, as FILE, NAME=FILE,
    FILE@CUT or FILE@thresholds.json: it would be read, and then lost."""
    for file in filter(os.path.isfile, written):
        times = 0
        for word in words:
            places = {place for part in (word, word.partition("=")[2]) for place in (part, *part.rpartition("@")[::2])}
            times += any(os.path.isfile(place) and os.path.samefile(place, file) for place in places)
        if times > 1:
            raise InvalidOption(f"{file} is read by this run and would be written over: give another file")


def replace_standard_input(given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments in which - is standard input, also as NAME=- and -@0.3; it can be read once."""
    made: dict[str, Any] = {}
    times = 0
    for key, value in given.items():
        files = [value] if isinstance(value, str) else list(value)
        for k, file in enumerate(files):
            if found := _STANDARD_INPUT.fullmatch(file):
                files[k] = f"{found[1] or ''}{STANDARD_INPUT}{found[2] or ''}"
                times += 1
        made[key] = files[0] if isinstance(value, str) else tuple(files)
    if times > 1:
        raise InvalidOption("standard input (-) can be read once: give files for the others")
    return made


class StudyCommand(AdvisingCommand):
    """A command whose options stand in a study file."""

    def spelled(self, option: str, value: str) -> str | None:
        """As a line of the file."""
        from hemlp.run.study_keys import KEYS

        return f'{option} = "{value}" under [options]' if option in KEYS["options"] else None


class LazyCommands(Mapping[str, click.Command]):
    """Commands by name, each as module:function; its module is loaded when somebody asks for it."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = places

    def __getitem__(self, name: str) -> click.Command:
        module, _, function = self._places[name].partition(":")
        command: click.Command = getattr(import_module(module), function)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class CommandGroup(click.Group):
    """All commands, with their help in full."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each with its first sentence, which is not cut."""
        rows = [(name, self.commands[name].get_short_help_str(1000)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
