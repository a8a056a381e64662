"""Commands that advise their own options: what an error recommends is written as this command would take it."""

from __future__ import annotations

from typing import Any

import click

from hemlp.errors import Advice, HemlpError, OutOfMemory
from hemlp.escaping import printable

LESS_MEMORY = Advice("memory", "SIZE", "to keep a run within a limit")


class Advising(click.Command):
    """A command whose errors advise those options that it has."""

    def spelled(self, option: str, value: str) -> str | None:
        """An option with its value as it is written for this command, None if it has no such option."""
        flags = [param.opts[-1] for param in self.params if param.name == option]
        return f"{flags[0]} {value}" if flags else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; what is wrong with them is said on one line."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if printable(error.message) == error.message:
                raise
            raise click.UsageError(printable(error.message), ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Carry it out."""
        try:
            return super().invoke(ctx)
        except (HemlpError, MemoryError) as error:
            told = error if isinstance(error, HemlpError) else OutOfMemory("out of memory").advised(LESS_MEMORY)
            told.spelling = self.spelled
            raise told from error.__cause__


class OfStudy(Advising):
    """A command whose options stand in a study file."""

    def spelled(self, option: str, value: str) -> str | None:
        """As a line of the file."""
        from hemlp.evaluation.study import OPTIONS

        return f'{option} = "{value}" under [options]' if option in OPTIONS else None


class Commands(click.Group):
    """All commands, each of which advises its own options."""

    command_class = Advising
