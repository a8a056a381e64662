"""Files that a run writes, and the names of the systems that it reads."""

from __future__ import annotations

import csv
import errno
import io
import math
import os
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hemlp.errors import InvalidOption, UnwritableFile
from hemlp.program import STATUSES
from hemlp.scores import Scores


def system_files(arguments: Sequence[str]) -> dict[str, str]:
    """Names and files of systems: NAME=FILE, or FILE whose stem is the name."""
    files: dict[str, str] = {}
    for argument in arguments:
        name, given, file = argument.partition("=")
        if not given or Path(argument).exists():
            name, file = Path(argument.removesuffix(".gz")).stem, argument
        if name in files:
            raise InvalidOption(f"two systems are called {name!r}: give another name, as in NAME={file}")
        files[name] = file
    return files


def check_writable(file: str | None, folder: str | None) -> None:
    """Find out before any work whether results can be written."""
    try:
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
        for place in (folder, None if file is None else Path(file).parent):
            if place is not None and not os.access(place, os.W_OK | os.X_OK):
                raise PermissionError(
                    errno.EACCES, os.strerror(errno.ENOENT if not Path(place).exists() else errno.EACCES)
                )
    except OSError as error:
        raise UnwritableFile(f"cannot write to {folder if file is None else file}: {reason(error)}") from None


def write_per_instance(scores: Mapping[str, Mapping[str, Scores]], folder: str | PathLike[str]) -> None:
    """One CSV file a system: a row an instance, a column a measure, then MEASURE.COLUMN and MEASURE.status."""
    for system, of_system in scores.items():
        if Path(system).name != system:
            raise InvalidOption(f"the system {system!r} cannot be the name of a file")
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        extra = [(m, c) for m, s in of_system.items() for c in [*list(s.columns)[1:], "status"]]
        writer.writerow([*of_system, *(f"{m}.{c}" for m, c in extra)])
        columns: list[list[Any]] = [each.values.tolist() for each in of_system.values()]
        for name, column in extra:
            each = of_system[name]
            status = [str(STATUSES[k]) for k in each.statuses]
            columns.append(status if column == "status" else each[column].tolist())
        for row in zip(*columns, strict=True):
            writer.writerow("" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row)
        write_text(Path(folder) / f"{system}.csv", text.getvalue())


def reason(error: OSError) -> str:
    """What went wrong with a file, in a few words."""
    return (error.strerror or str(error)).lower()


def write_text(path: str | PathLike[str], text: str) -> None:
    """Write a text file; what goes wrong has a name."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UnwritableFile(f"cannot write {fspath(path)}: {reason(error)}") from None
