"""Files that a run writes, and names of the systems that it reads."""

from __future__ import annotations

import csv
import errno
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption, UnwritableFile
from hemlp.escaping import csv_cell, markdown, printable
from hemlp.instances.file_cuts import parse_cut
from hemlp.io.files import is_stream, reason, write_text
from hemlp.optimize.program import STATUSES
from hemlp.report.json_columns import as_objects, distinct
from hemlp.text.tables import Table

if TYPE_CHECKING:
    from hemlp.analysis.explain.explanation import Explanation
    from hemlp.results.results import Results

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Halves of characters, which no file can hold."""


def system_files(arguments: Sequence[str]) -> dict[str, str]:
    """Names and files of systems: NAME=FILE, or FILE, named after its stem; FILE@CUT for scores."""
    files: dict[str, str] = {}
    for argument in arguments:
        name, given, file = argument.partition("=")
        if not given or os.path.exists(argument):
            cut = parse_cut(argument)
            name, file = Path(argument.removesuffix(".gz")).stem if cut is None else cut.name, argument
        if not name or _SURROGATE.search(name):
            raise InvalidOption(f"{argument!r} names no system: write NAME={file}")
        if name in files:
            raise InvalidOption(f"two systems are called {name!r}: give another name, as in NAME={file}")
        files[name] = file
    return files


def check_writable(files: Iterable[str | None] = (), folders: Iterable[str | None] = ()) -> None:
    """Check before any work that results can be written, each to a place of its own."""
    given = [file for file in files if file is not None]
    for file in given:
        if file == "-":
            raise InvalidOption("- is standard output, which is for tables or for JSON: give a file here")
        if given.count(file) > 1:
            raise InvalidOption(f"two results would be written to {file}: give each a file of its own")
    for place in [folder for folder in folders if folder is not None]:
        try:
            Path(place).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableFile(f"cannot write to {place}: {reason(error)}") from None
        _check_folder(Path(place), place)
    for file in given:
        _check_name(file)
        if os.path.isdir(file):
            raise UnwritableFile(f"cannot write to {file}: it is a folder")
        if os.path.exists(file) and not os.access(file, os.W_OK):
            raise UnwritableFile(f"cannot write to {file}: {os.strerror(errno.EACCES).lower()}")
        if not is_stream(Path(file)):
            _check_folder(Path(os.path.realpath(file)).parent, file)


def check_ending(option: str, file: str | None, words: str, *endings: str) -> None:
    """Refuse a file whose name promises another format; one without an ending promises none."""
    if file is not None and Path(file).suffix.lower() not in ("", ".txt", *endings):
        raise InvalidOption(f"{option} {file}: {words} written as {', '.join(endings)} or .txt")


def _check_name(file: str) -> None:
    """Refuse a name that cannot be the name of a file."""
    try:
        os.lstat(file)
    except ValueError as error:
        raise UnwritableFile(f"cannot write to {file}: {error}") from None
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise UnwritableFile(f"cannot write to {file}: {reason(error)}") from None


def _check_folder(folder: Path, place: str) -> None:
    """Refuse a folder that cannot be written to or made."""
    while not os.path.exists(folder) and folder != folder.parent:
        folder = folder.parent
    if not os.path.isdir(folder):
        raise UnwritableFile(f"cannot write to {place}: {os.strerror(errno.ENOTDIR).lower()}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnwritableFile(f"cannot write to {place}: {os.strerror(errno.EACCES).lower()}")


def write_per_instance(result: Results, folder: str | PathLike[str]) -> None:
    """One CSV file per system: one row per instance, one column per measure, then MEASURE.COLUMN and MEASURE.status."""
    for system, file in zip(result.systems, instance_files(folder, result.systems), strict=True):
        write_text(file, _csv_pieces(result, system))


def instance_files(folder: str | PathLike[str], systems: Iterable[str]) -> list[str]:
    """DIR/SYSTEM.csv for each system; its name must be valid as a file name."""
    files = []
    for system in systems:
        size = len(system.encode("utf-8", "replace"))
        if Path(system).name != system or "\0" in system or size > 240 or _SURROGATE.search(system):
            raise InvalidOption(f"the system {system[:80]!r} cannot be the name of a file: give it another")
        files.append(str(Path(folder) / f"{system}.csv"))
    return files


def _csv_pieces(result: Results, system: str) -> Iterator[str]:
    """The header, then block by block."""
    extra = [(m, c) for m in result.measures for c in [*list(result.scores[system][m].columns)[1:], "status"]]
    ids = result.ids
    head = [*result.measures, *(f"{m}.{c}" for m, c in extra)]
    yield _csv_lines([head if ids is None else ["id", *head]])
    done = 0
    for block in result.blocks(system):
        columns = [_cells(block[name].values) for name in result.measures]
        if ids is not None:
            some = ids[done : done + len(columns[0])]
            columns.insert(0, [line.removesuffix(",\n") for line in _csv_rows((name, "") for name in some)])
            done += len(columns[0])
        for name, column in extra:
            columns.append(_cells(block[name].statuses if column == "status" else block[name][column]))
        yield "\n".join([*map(",".join, zip(*columns, strict=True)), ""])


def _cells(column: FloatArray | NDArray[np.int8]) -> list[str]:
    """Scores or statuses as cells, without quotes."""
    first, codes = distinct(column.view(np.int64) if column.dtype == np.float64 else column)
    values = column[first].tolist()
    texts = [str(STATUSES[value]) if isinstance(value, int) else str(_csv_value(value)) for value in values]
    cells: list[str] = as_objects(texts)[codes].tolist()
    return cells


def _csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    return "".join(_csv_rows(rows))


def _csv_rows(rows: Iterable[Iterable[Any]]) -> list[str]:
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # so that it quotes cells with either of the two
    for row in rows:
        writer.writerow(_csv_value(cell) for cell in row)
    return lines


def csv_text(columns: Mapping[str, Sequence[Any]]) -> str:
    """Columns as CSV; an undefined value is an empty cell."""
    return _csv_lines([list(columns), *zip(*columns.values(), strict=True)])


class _Lines(list[str]):
    """Collects the lines of a CSV file, which end in \\n."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def _csv_value(cell: Any) -> Any:
    if isinstance(cell, str):
        return csv_cell(cell)
    return "" if isinstance(cell, float) and math.isnan(cell) else cell


def drawing_files(file: str | None, explanation: Explanation) -> list[tuple[int, str]]:
    """The drawable parts of an explanation and their files: FILE, or FILE-MEASURE if there are several."""
    from hemlp.analysis.explain.parts import UndefinedPart

    if file is None:
        return []
    parts = [k for k, part in enumerate(explanation.parts) if not isinstance(part, UndefinedPart)]
    place = Path(file)
    if len(parts) < 2:
        return [(k, file) for k in parts]
    files: list[tuple[int, str]] = []
    for k in parts:
        words = re.findall(r"\w+", next(iter(explanation.parts[k].values)))
        name = "-".join([place.stem, *words[:12]])
        file = str(place.with_name(name + place.suffix))
        taken = [other for _, other in files]
        files.append((k, file if file not in taken else str(place.with_name(f"{name}-{k}{place.suffix}"))))
    return files


def tables_text(tables: list[tuple[str, Table]], suffix: str) -> str:
    """Tables with their titles as Markdown (.md), LaTeX (.tex), or plain text."""
    blocks = []
    for title, table in tables:
        plain = printable(title)
        heads = {".md": f"## {markdown(title)}\n\n", ".tex": f"% {plain}\n"}
        head = heads.get(suffix, f"{plain}\n") if title else ""
        body = {".md": Table.to_markdown, ".tex": Table.to_latex}.get(suffix, lambda made: f"{made}\n")(table)
        blocks.append(head + body)
    return "\n".join(blocks)
