"""Text files as bytes, text and cells: gzipped or not, in UTF-8, with the place of whatever is wrong."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hemlp.errors import FileFormatError, InvalidOption, UnreadableFile

MARK = b"\xef\xbb\xbf"
"""Some editors begin a UTF-8 file with it."""
QUOTING = (",", ";")
"""Cells between these may stand in quotes."""


def file_kind(source: str) -> str:
    """The ending of a file's name, without .gz."""
    path = Path(source)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def check_separator(sep: str | None) -> None:
    """Refuse what is not one character."""
    if sep is not None and not (isinstance(sep, str) and len(sep) == 1 and sep not in "\r\n"):
        raise InvalidOption(f"the separator {sep!r} is not one character")


def read_bytes(path: str | PathLike[str]) -> tuple[str, bytes]:
    """The name of a file and its content, unzipped."""
    if not isinstance(path, str | PathLike):
        raise InvalidOption(f"{path!r} is not the path of a file")
    source = fspath(path)
    try:
        data = Path(source).read_bytes()
    except OSError as error:
        raise UnreadableFile(f"cannot read {source}: {(error.strerror or str(error)).lower()}") from None
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise FileFormatError(f"{source} is a damaged gzip file: {error}") from None
    if data[:4] == b"PAR1":  # Parquet is no text
        return source, data
    return source, check_text(data.removeprefix(MARK), source)


def check_text(data: bytes, source: str) -> bytes:
    """``data`` itself, if it is text with one kind of line end."""
    if b"\x00" in data:
        raise FileFormatError(f"{source} is not a text file in UTF-8: it holds a zero byte")
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise FileFormatError(f"{source} has carriage returns within lines: convert its line ends to \\n or \\r\\n")
    return data


def decode(data: bytes, source: str) -> str:
    """As text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{source}, line {line}: not UTF-8 ({data[error.start : error.end]!r})", line) from None


def split_cells(text: str, source: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped cells of each line that is not blank. Quotes count where ``QUOTING`` says."""
    quoting: Any = csv.QUOTE_MINIMAL if sep in QUOTING else csv.QUOTE_NONE
    lines = (f"{line}\n" if line.strip() else "\n" for line in _lines(text))
    reader = csv.reader(lines, delimiter=sep, quoting=quoting, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise FileFormatError(f"{source}, line {reader.line_num}: {error}", reader.line_num) from None


def _lines(text: str) -> Iterator[str]:
    """One by one, without their ends."""
    start = 0
    while (stop := text.find("\n", start)) >= 0:
        yield text[start:stop]
        start = stop + 1
    if start < len(text):
        yield text[start:]
