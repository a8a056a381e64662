"""Text files as bytes, words and cells: gzipped or not, in UTF-8, with the place of whatever is wrong."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.arrays import IntArray
from hemlp.errors import FileFormatError, InvalidOption, UnreadableFile
from hemlp.io.words import Words, by_a_salt, find_words, line_pieces

MARK = b"\xef\xbb\xbf"
"""Some editors begin a UTF-8 file with it."""


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


def word_rows(data: bytes, source: str, first: int = 0) -> tuple[list[str], IntArray, IntArray]:
    """Distinct words in the order in which they appear, and the rows of a text as positions among them, with pointers.

    ``first``: the row of its file, from 0, that ``data`` begins with.
    """

    def numbered(salt: int) -> tuple[Words, IntArray, IntArray]:
        words, codes, ptr = Words(salt), [np.zeros(0, np.int32)], [np.zeros(1, np.int64)]
        for text in line_pieces(data):
            begins, ends, here = find_words(text)
            codes.append(words.codes(text, begins, ends))
            ptr.append(here[1:] + ptr[-1][-1])
        return words, np.concatenate(codes), np.concatenate(ptr)

    words, codes, ptr = by_a_salt(numbered)

    def line(word: int) -> int:
        return first + int(np.searchsorted(ptr, np.flatnonzero(codes == word)[0], side="right"))

    return decode_words(words, source, line), codes, ptr


def decode_words(words: Words, source: str, line: Callable[[int], int]) -> list[str]:
    """The distinct words as text; ``line`` says where one stands first."""
    found = words.distinct
    try:
        return found.decode("utf-8").split("\n")[:-1]
    except UnicodeDecodeError as error:
        number = found.count(b"\n", 0, error.start)
        word = found.split(b"\n")[number]
        raise FileFormatError(f"{source}, line {line(number)}: {word!r} is not UTF-8", line(number)) from None


def split_cells(text: str, source: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped cells of each line that is not blank. Quotes count between commas and semicolons."""
    quoting: Any = csv.QUOTE_MINIMAL if sep in (",", ";") else csv.QUOTE_NONE
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
