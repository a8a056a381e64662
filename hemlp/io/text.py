"""Text files in UTF-8, gzipped or not, as bytes, text, cells and JSON; errors name the file and the line."""

from __future__ import annotations

import csv
import gc
import io
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, wraps
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

import numpy as np

from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import FileFormatError, InvalidOption, OutOfMemory, UnreadableFile
from hemlp.io.files import STANDARD_INPUT
from hemlp.io.unpacking import unzip

P = ParamSpec("P")
T = TypeVar("T")
GZIP_MAGIC = b"\x1f\x8b"
"""How a gzip file begins."""

UTF8_BOM = b"\xef\xbb\xbf"
"""Some editors begin a UTF-8 file with it."""
SEPARATORS = {".csv": ",", ".tsv": "\t"}
"""What separates cells, by the ending of a file's name."""
QUOTING = (",", ";")
"""Cells between these may stand in quotes."""


def file_kind(source: str) -> str:
    """The ending of a file's name, without .gz."""
    path = Path(source)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def check_separator(sep: str | None) -> None:
    """Refuse what is not one character."""
    if sep is not None and not (isinstance(sep, str) and len(sep) == 1 and sep not in "\r\n"):
        one = str(sep).strip()
        hint = f": give {one!r}, blanks around it do not count" if len(one) == 1 else ""
        raise InvalidOption(f"the separator {sep!r} is not one character{hint}")


def file_reader(read: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function that reads a file: errors of depth and memory name the file."""

    @wraps(read)
    def reading(*args: P.args, **options: P.kwargs) -> T:
        try:
            return read(*args, **options)
        except OutOfMemory:
            raise
        except (RecursionError, MemoryError) as error:
            file = str(next(iter((*args[-1:], *options.values())), ""))[:200]
            if isinstance(error, MemoryError):
                raise OutOfMemory(f"{file} takes more memory than there is") from None
            raise FileFormatError(f"{file} is nested too deeply") from None

    return reading


def open_bytes(path: str | PathLike[str]) -> IO[bytes]:
    """Open a file to read its bytes; refuse an endless one, such as /dev/zero."""
    if not isinstance(path, str | PathLike):
        raise InvalidOption(f"{path!r} is not the path of a file")
    source = fspath(path)
    try:
        file = open(os.dup(0) if source == STANDARD_INPUT else source, "rb")  # noqa: SIM115 (the caller closes it)
    except (OSError, ValueError) as error:  # a path with a zero byte is no path
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile(f"cannot read {source}: {reason.lower()}") from None
    given, nothing = os.fstat(file.fileno()), os.stat(os.devnull)
    same = getattr(given, "st_rdev", 0) == getattr(nothing, "st_rdev", 0)  # Windows does not say
    if stat.S_ISCHR(given.st_mode) and not file.isatty() and not same:
        file.close()
        raise UnreadableFile(f"cannot read {source}: it is a device, which may have no end")
    return file


def read_bytes(path: str | PathLike[str]) -> tuple[str, bytes]:
    """The name of a file and its content, unzipped."""
    with open_bytes(path) as file:
        source = fspath(path)
        try:
            data = file.read()
        except OSError as error:
            raise UnreadableFile(f"cannot read {source}: {(error.strerror or str(error)).lower()}") from None
    if data.startswith(GZIP_MAGIC):
        stream = unzip(io.BytesIO(data), len(data), source)
        data = b"".join(iter(lambda: stream.read(2**22), b""))
    if data.startswith(b"PAR1"):  # Parquet is no text
        return source, data
    return source, check_text(data.removeprefix(UTF8_BOM), source)


def check_text(data: bytes, source: str) -> bytes:
    """Return ``data`` if it is text with one kind of line ending."""
    if b"\x00" in data:
        hint = "save a spreadsheet as .csv" if data.startswith(b"PK") else "save UTF-16 as UTF-8"
        raise FileFormatError(f"{source} is not a text file in UTF-8: it holds a zero byte ({hint})")
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise FileFormatError(f"{source} has carriage returns within lines: convert its line ends to \\n or \\r\\n")
    return data


def decode(data: bytes, source: str) -> str:
    """Decode bytes as text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{source}, line {line}: not UTF-8 ({data[error.start : error.end]!r}); save it as UTF-8", line
        ) from None


class _Twice(Exception):
    """A key that occurs twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys are distinct."""
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _Twice(max(keys, key=keys.count))
    return made


class Numeral(str):
    """The text of a number that was not quoted."""


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=str, parse_float=str)
_MARKING = json.JSONDecoder(object_pairs_hook=_unique, parse_int=Numeral, parse_float=Numeral)


def load_json(text: str, source: str, line: int | None = None, *, numerals: bool = False) -> Any:
    """Parse JSON with numbers as strings, or as ``numerals``; a key that occurs twice in an object is an error."""
    try:
        return (_MARKING if numerals else _DECODER).decode(text)
    except _Twice as error:
        place = source if line is None else f"{source}, line {line}"
        raise FileFormatError(f"{place}: {error.args[0]!r} occurs twice in one object", line) from None
    except json.JSONDecodeError as error:
        number = line or error.lineno
        raise FileFormatError(f"{source}, line {number}: not JSON: {error.msg}", number) from None


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which scans a growing heap repeatedly; readers make no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def load_json_lines(lines: Iterable[str], source: str) -> Iterator[Any]:
    """Like ``load_json``, faster, for each line."""
    for number, line in enumerate(lines, 1):
        try:
            made, end = _DECODER.raw_decode(line)
        except (ValueError, _Twice):
            end = -1
        yield made if end == len(line) else load_json(line, source, number)


def parse_number(text: bytes) -> float | None:
    """The number in a text, None if it is not a number."""
    try:
        return None if b"_" in text else float(text)
    except ValueError:
        return None


def check_width(row: Sequence[Any], header: Sequence[str], source: str, line: int) -> None:
    """Refuse a row that has more or fewer cells than the header."""
    if len(row) != len(header):
        raise FileFormatError(f"{source}, line {line}: {len(row)} cells, the header has {len(header)}", line)


def split_cells(text: str | bytes, source: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped cells of each line that is not blank. Quotes count where ``QUOTING`` says."""
    if isinstance(text, bytes) and not text.isascii():
        text = decode(text, source)
    quoting: Any = csv.QUOTE_MINIMAL if sep in QUOTING else csv.QUOTE_NONE
    lines = (f"{line}\n" if line.strip() else "\n" for line in _lines(text))
    reader = csv.reader(lines, delimiter=sep, quoting=quoting, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise FileFormatError(f"{source}, line {reader.line_num}: {error}", reader.line_num) from None


def _lines(text: str | bytes) -> Iterator[str]:
    """Lines one by one, without line endings; bytes are ASCII."""
    start, whole = 0, len(text)
    while start < whole:
        stop = text.find("\n", start) if isinstance(text, str) else text.find(b"\n", start)
        line = text[start : stop if stop >= 0 else whole]
        yield line if isinstance(line, str) else line.decode()
        start = stop + 1 if stop >= 0 else whole


WHITE = b" \t\r\x0b\x0c\x1c\x1d\x1e\x1f"
"""What ``str.strip`` takes off, of ASCII, without line ends."""


def word_rows(data: bytes, source: str, start: int = 0, first: int = 0) -> tuple[list[str], IntArray, IntArray]:
    """Distinct words in the order in which they appear, and the rows of a text as positions among them, with pointers.

    It is read from ``start`` on, where row ``first`` of its file begins, counted from 0.
    """
    from hemlp.kernels.text.splitting import split_words

    letters, codes, ptr = split_words(data, start)

    def line(code: int) -> int:
        return first + int(np.searchsorted(ptr, np.flatnonzero(codes == code)[0], side="right"))

    return _decode_texts(letters, source, line), codes, ptr


@record
class CellTable:
    """Rows of equal length, by columns: row i has ``texts[k][codes[k][i]]`` in column k, and stands in line
    ``lines[i]``.

    Of a column of numbers ``values`` are known, but for the rows ``odd``, whose cells alone have codes. ``bare``: no
    text has white space. ``wrong``: the line of the first row of another width, and that width.
    """

    texts: list[list[str]]
    codes: list[IntArray]
    values: FloatArray
    odd: IntArray
    lines: IntArray
    bare: bool
    wrong: tuple[int, int] | None

    def clean(self, change: Callable[[str], str]) -> CellTable:
        """Map texts through a function; texts that become equal are merged."""
        texts, codes = [], []
        for own, numbers in zip(self.texts, self.codes, strict=True):
            cells = list(map(change, own))
            known = {cell: k for k, cell in enumerate(dict.fromkeys(cells))}
            texts.append(list(known))
            codes.append(np.array([known[cell] for cell in cells], np.int32)[numbers] if own else numbers)
        return replace(self, texts=texts, codes=codes)

    def numbers(self, k: int) -> FloatArray:
        """The numbers of column ``k``, NaN where a text is not a number; each distinct text is parsed once."""
        if not self.odd.size:
            return self.values
        parsed = [parse_number(text.encode()) for text in self.texts[k]]
        values = self.values.copy()
        values[self.odd] = np.array([np.nan if n is None else n for n in parsed])[self.codes[k]]
        return values


def read_columns(data: bytes, source: str, start: int, sep: str | None, kinds: str) -> CellTable:
    """The lines of a text from ``start`` on, the first or second of its file, as ``split_cells`` splits them."""
    from hemlp.kernels.text.splitting import split_cells

    cells, first = split_cells(data, start, sep, kinds), 1 + (start > 0)
    size = max(
        [len(cells.values), *(len(codes) for codes, kind in zip(cells.codes, kinds, strict=True) if kind == "t")]
    )
    lines = np.arange(first, first + size + len(cells.blanks))
    if cells.blanks:
        lines = np.delete(lines, cells.blanks)

    def line(k: int, code: int) -> int:
        return int((lines[cells.odd] if kinds[k] == "n" else lines)[cells.codes[k] == code][0])

    texts = [_decode_texts(letters, source, partial(line, k)) for k, letters in enumerate(cells.letters)]
    bare = all(each.isascii() and not any(letter in each for letter in WHITE) for each in cells.letters)
    wrong = None if cells.wrong is None else (first + cells.wrong[0], cells.wrong[1])
    return CellTable(texts, cells.codes, cells.values, cells.odd, lines, bare, wrong)


def blank_lines(data: bytes, remark: Callable[[bytes], bool]) -> bytes:
    """Replace comments by blank lines."""
    return b"\n".join(b"" if remark(line) else line for line in data.split(b"\n"))


def _decode_texts(letters: bytes, source: str, line_of: Callable[[int], int]) -> list[str]:
    """Distinct words or cells as text; ``line_of``: where the one with this number first stands."""
    try:
        return letters[:-1].decode("utf-8").split("\n") if letters else []
    except UnicodeDecodeError as error:
        number = letters.count(b"\n", 0, error.start)
        line = line_of(number)
        word = letters.split(b"\n")[number]
        raise FileFormatError(f"{source}, line {line}: {word!r} is not UTF-8", line) from None


def read_regular_cells(
    data: bytes, source: str, sep: str, width: int, columns: Sequence[int], numbers: int | None = None
) -> CellTable | None:
    """Some columns of the lines after the first one, without quotes and blanks around cells.

    None where a closer look is needed: at a line of another number of cells than ``width``, at quotes within a cell,
    and at separators that mean something else, too.
    """
    if not sep.isascii() or sep in ' "':
        return None
    start = data.find(b"\n") + 1 or len(data)
    quoted = sep in QUOTING and data.find(b'"', start) >= 0
    kinds = ["t" if quoted or k in columns else "-" for k in range(width)]
    if numbers is not None:
        kinds[numbers] = "n"
    cells = read_columns(data, source, start, sep, "".join(kinds))
    if cells.wrong is not None:
        return None
    if not quoted:
        return cells if cells.bare else cells.clean(str.strip)
    cells = cells.clean(lambda text: text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text)
    return None if any('"' in text for own in cells.texts for text in own) else cells.clean(str.strip)
