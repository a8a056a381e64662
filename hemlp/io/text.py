"""Text files as bytes, words and cells: gzipped or not, in UTF-8, with the place of whatever is wrong."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import FileFormatError, InvalidOption, UnreadableFile

MARK = b"\xef\xbb\xbf"
"""Some editors begin a UTF-8 file with it."""
_SPACE = np.zeros(256, np.bool_)
_SPACE[list(b" \t\n\r\x0b\x0c")] = True  # what bytes.split() splits at


def file_kind(source: str) -> str:
    """The ending of a file's name, without .gz."""
    path = Path(source)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def check_separator(sep: str | None) -> None:
    """Refuse what is not one character."""
    if sep is not None and not (isinstance(sep, str) and len(sep) == 1 and sep not in "\r\n"):
        raise InvalidOption(f"sep={sep!r} is not one character")


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


def find_words(data: bytes) -> tuple[IntArray, IntArray, int]:
    """Where the words of a text begin and end, the row of each (from 0), and the number of rows."""
    buffer = np.frombuffer(data, np.uint8)
    inside = np.zeros(len(data) + 2, np.int8)
    inside[1:-1] = ~_SPACE[buffer]
    step = np.diff(inside)
    begins = np.flatnonzero(step == 1)
    ends_of_line = np.flatnonzero(buffer == 10)
    rows = np.searchsorted(ends_of_line, begins)
    count = len(ends_of_line) + (not data.endswith(b"\n") and len(data) > 0)
    return np.stack([begins, np.flatnonzero(step == -1)]), rows, count


def encode_words(data: bytes, words: IntArray, rows: IntArray, source: str) -> tuple[list[str], IntArray]:
    """Distinct labels in the order in which they appear, and for each word its position among them."""
    from hemlp.kernels.alike import first_equal

    first = first_equal(words[0], words[1], np.frombuffer(data, np.uint8))
    new = first == np.arange(first.size)
    labels = []
    for k, begin, end in zip(np.flatnonzero(new).tolist(), *words[:, new].tolist(), strict=True):
        try:
            labels.append(data[begin:end].decode("utf-8"))
        except UnicodeDecodeError:
            line = int(rows[k]) + 1
            raise FileFormatError(f"{source}, line {line}: {data[begin:end]!r} is not UTF-8", line) from None
    return labels, (np.cumsum(new) - 1)[first].astype(np.int32)


def split_cells(text: str, source: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped cells of each line that is not blank. Quotes are understood between commas only."""
    quoting: Any = csv.QUOTE_MINIMAL if sep == "," else csv.QUOTE_NONE
    lines = (f"{line}\n" if line.strip() else "\n" for line in text.removesuffix("\n").split("\n"))
    reader = csv.reader(lines, delimiter=sep, quoting=quoting, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise FileFormatError(f"{source}, line {reader.line_num}: {error}", reader.line_num) from None
