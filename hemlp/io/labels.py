"""Label sets from files, as a whole or block by block."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from os import PathLike, fspath
from pathlib import Path

from hemlp.errors import FileFormatError, InvalidOption, UnreadableFile
from hemlp.instances.sets import LabelSets, digest_of
from hemlp.io.formats import SEPARATORS
from hemlp.io.long_labels import read_long
from hemlp.io.text import MARK, check_separator, check_text, decode, file_kind, read_bytes, word_rows


def read_labels(
    path: str | PathLike[str], *, sep: str | None = None, id: str | None = None, label: str | None = None
) -> LabelSets:
    r"""Read label sets: one instance a line, its labels separated by white space (or ``sep``), gzipped or not.

    A blank line is an instance without labels. A ``.csv`` or ``.tsv`` file is in long format instead: a header, and
    one (instance, label) pair a line, in the columns "id" and "label"; an empty label is an instance without one.

    Parameters
    ----------
    path
        The file.
    sep
        What separates labels, or the cells of a file in long format.
    id, label
        Names of the columns of a file in long format. Further columns, of scores for example, are an error unless both
        are given.

    Raises
    ------
    UnreadableFile, FileFormatError
        With the line where something is wrong.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "gold.txt")
    ...     _ = path.write_text("sheep cow\n\ncow\n")
    ...     list(read_labels(path))
    [('sheep', 'cow'), (), ('cow',)]
    """
    source, data = read_bytes(path)
    check_separator(sep)
    _check_format(source)
    if file_kind(source) in SEPARATORS:
        return read_long(data, source, sep or SEPARATORS[file_kind(source)], id, label)
    if id is not None or label is not None:
        raise InvalidOption(f"{source}: id= and label= name columns of .csv and .tsv files")
    if sep is None:
        labels, codes, ptr = word_rows(data, source)
        return LabelSets(tuple(labels), ptr, codes, source=source, words=True)
    lines = decode(data, source).split("\n")
    if not lines[-1]:
        lines.pop()
    cells = [[cell.strip() for cell in line.split(sep)] if line.strip() else [] for line in lines]
    for number, row in enumerate(cells, 1):
        if "" in row:
            raise FileFormatError(f"{source}, line {number}: an empty label between separators {sep!r}", number)
    return LabelSets.of(cells, rows="sets", source=source)


def _check_format(source: str) -> None:
    """Refuse formats whose lines would be taken for labels."""
    if file_kind(source) in (".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".xml", ".html", ".toml", ".obo", ".ttl"):
        raise FileFormatError(
            f"{source} is not a label file: give one instance a line, its labels separated by spaces, or a .csv file "
            f"with the columns id and label"
        )


class LabelFile:
    """A label file that is read block by block, never as a whole: one instance a line, as in ``read_labels``."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.source = fspath(path)
        _check_format(self.source)
        if file_kind(self.source) in SEPARATORS:
            raise InvalidOption(
                f"{self.source} is in long format, which cannot be read block by block: use read_labels"
            )
        check_rereadable(path)

    def blocks(self, size: int) -> Iterator[LabelSets]:
        """Label sets of ``size`` consecutive instances at a time."""
        row = 0
        for data in self._pieces(size):
            labels, codes, ptr = word_rows(data, self.source, row)
            yield LabelSets(tuple(labels), ptr, codes, source=self.source, first_row=row, words=True)
            row += len(ptr) - 1

    def _pieces(self, size: int) -> Iterator[bytes]:
        try:
            with Path(self.source).open("rb") as raw:
                zipped = raw.read(2) == b"\x1f\x8b"
                raw.seek(0)
                lines = iter(gzip.GzipFile(fileobj=raw) if zipped else raw)
                first = True
                while piece := b"".join(islice(lines, size)):
                    yield check_text(piece.removeprefix(MARK) if first else piece, self.source)
                    first = False
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileFormatError(f"{self.source} is a damaged gzip file: {error}") from None
        except OSError as error:
            raise UnreadableFile(f"cannot read {self.source}: {(error.strerror or str(error)).lower()}") from None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the labels, row by row: that of ``LabelSets`` of the same file."""
        return digest_of(self.blocks(20_000))


def check_rereadable(path: str | PathLike[str]) -> None:
    """Refuse a pipe, or anything else that is gone once it was read: files in blocks are read several times."""
    place = Path(path)
    if file_kind(fspath(path)) not in SEPARATORS and place.exists() and not (place.is_file() or place.is_dir()):
        raise InvalidOption(
            f"{fspath(path)} is a pipe or a device, which can be read only once; within a memory limit label files are "
            f"read several times: save it to a file, or do without the limit"
        )


def open_labels(path: str | PathLike[str]) -> LabelSets | LabelFile:
    """A label file to be read block by block, or as a whole if it is in long format."""
    return read_labels(path) if file_kind(fspath(path)) in SEPARATORS else LabelFile(path)
