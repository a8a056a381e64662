"""All input from disk: hierarchies (edge lists, OBO) and label files, plain or gzipped.

Labels read from a file are strings, always: a file does not tell `12` from `'12'`.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.edges import CyclePolicy, IntArray, row_pointers
from hemlp.errors import FileFormatError, InvalidHierarchy, InvalidOption, MissingDependency, UnreadableFile
from hemlp.hierarchy import Hierarchy
from hemlp.labels import LabelSets, digest_of, from_pairs
from hemlp.vocabulary import Label, label_list, label_order

_MARK = b"\xef\xbb\xbf"  # some editors begin a UTF-8 file with it
_SPACE = np.zeros(256, np.bool_)
_SPACE[list(b" \t\n\r\x0b\x0c")] = True  # what bytes.split() splits at


def read_hierarchy(
    path: str | PathLike[str],
    *,
    sep: str | None = None,
    comment: str | None = "#",
    classes: Iterable[Label] = (),
    cycles: CyclePolicy = "error",
    relations: Sequence[str] = ("is_a",),
) -> Hierarchy:
    """Read a hierarchy: one ``parent child`` edge a line, or an OBO ontology (``.obo``); gzipped or not.

    ``sep``: what stands between parent and child. By default a tab if every line has exactly one, else a comma if
    every line has exactly one (and always for ``.csv``), else white space. A first line that says ``parent`` and
    ``child`` (in either order, and perhaps ``weight``) names the columns. Blank lines and lines that begin with
    ``comment`` are passed over. ``relations`` (OBO only): which relations are edges, for example
    ``("is_a", "part_of")``; alternative ids, and obsolete ids with one replacement, become aliases.
    """
    source, data = _read_bytes(path)
    _check_separator(sep)
    further = label_list("classes", classes)
    if _suffix(source) == ".obo":
        return _read_obo(_decode(data, source), source, relations, further, cycles)
    if sep is None:
        sep = {".csv": ",", ".tsv": "\t"}.get(_suffix(source)) or _find_separator(data, comment)
    if sep is None:
        labels, ends = _plain_edges(data, source, comment)
        new = sorted(set(further) - set(labels), key=label_order)
        made = _located(source, Hierarchy.from_codes, [*labels, *new], ends[:, 0], ends[:, 1], cycles=cycles)
    else:
        edges = _separated_edges(_decode(data, source), source, sep, comment)
        made = _located(source, Hierarchy.from_edges, edges, classes=further, cycles=cycles)
    return made


def _located(source: str, make: Callable[..., Hierarchy], *args: Any, **options: Any) -> Hierarchy:
    """``make`` a hierarchy; what is wrong with it is said of ``source``."""
    try:
        return make(*args, **options)
    except InvalidHierarchy as error:
        error.args = (f"{source}: {error.args[0]}",)
        raise


def read_labels(
    path: str | PathLike[str], *, sep: str | None = None, id: str = "id", label: str = "label"
) -> LabelSets:
    """Read label sets: one instance a line, its labels separated by white space (or ``sep``), gzipped or not.

    A blank line is an instance without labels. A ``.csv`` or ``.tsv`` file is in long format instead: a header, and
    one (instance, label) pair a line, in the columns ``id`` and ``label``; an empty label is an instance without one.
    """
    source, data = _read_bytes(path)
    _check_separator(sep)
    suffix = _suffix(source)
    if suffix in (".csv", ".tsv"):
        return _long_labels(_decode(data, source), source, sep or {".csv": ",", ".tsv": "\t"}[suffix], id, label)
    if sep is None:
        words, rows, count = _words(data)
        labels, codes = _encode(data, words, rows, source)
        return LabelSets(tuple(labels), row_pointers(rows, count), codes, source=source)
    lines = _decode(data, source).split("\n")
    if not lines[-1]:
        lines.pop()
    cells = [[cell.strip() for cell in line.split(sep)] if line.strip() else [] for line in lines]
    for number, row in enumerate(cells, 1):
        if "" in row:
            raise FileFormatError(f"{source}, line {number}: an empty label between separators {sep!r}", number)
    return LabelSets.of(cells, source=source)


class LabelFile:
    """A label file that is read block by block, never as a whole: one instance a line, as in ``read_labels``."""

    def __init__(self, path: str | PathLike[str]) -> None:
        self.source = fspath(path)
        if _suffix(self.source) in (".csv", ".tsv"):
            raise InvalidOption(
                f"{self.source} is in long format, which cannot be read block by block: use read_labels"
            )

    def blocks(self, size: int) -> Iterator[LabelSets]:
        """Label sets of ``size`` consecutive instances at a time."""
        row = 0
        for data in self._pieces(size):
            words, rows, count = _words(data)
            labels, codes = _encode(data, words, rows + row, self.source)
            yield LabelSets(tuple(labels), row_pointers(rows, count), codes, source=self.source, first_row=row)
            row += count

    def _pieces(self, size: int) -> Iterator[bytes]:
        try:
            with Path(self.source).open("rb") as raw:
                zipped = raw.read(2) == b"\x1f\x8b"
                raw.seek(0)
                lines = iter(gzip.GzipFile(fileobj=raw) if zipped else raw)
                first = True
                while piece := b"".join(islice(lines, size)):
                    yield _checked(piece.removeprefix(_MARK) if first else piece, self.source)
                    first = False
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileFormatError(f"{self.source} is a damaged gzip file: {error}") from None
        except OSError as error:
            raise UnreadableFile(f"cannot read {self.source}: {(error.strerror or str(error)).lower()}") from None

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the labels, row by row: that of ``LabelSets`` of the same file."""
        return digest_of(self.blocks(20_000))


def open_labels(path: str | PathLike[str]) -> LabelSets | LabelFile:
    """A label file to be read block by block, or as a whole if it is in long format."""
    return read_labels(path) if _suffix(fspath(path)) in (".csv", ".tsv") else LabelFile(path)


def read_names(path: str | PathLike[str]) -> dict[Label, str]:
    """Read readable names of classes: one ``label<TAB>name`` a line."""
    source, data = _read_bytes(path)
    names: dict[Label, str] = {}
    for number, line in enumerate(_decode(data, source).splitlines(), 1):
        label, tab, name = line.partition("\t")
        if line.strip() and not tab:
            raise FileFormatError(f"{source}, line {number}: no tab between a label and its name", number)
        if tab:
            names[label.strip()] = name.strip()
    return names


# ---- files


def _suffix(source: str) -> str:
    path = Path(source)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def _check_separator(sep: str | None) -> None:
    if sep is not None and not (isinstance(sep, str) and len(sep) == 1 and sep not in "\r\n"):
        raise InvalidOption(f"sep={sep!r} is not one character")


def _read_bytes(path: str | PathLike[str]) -> tuple[str, bytes]:
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
    return source, _checked(data.removeprefix(_MARK), source)


def _checked(data: bytes, source: str) -> bytes:
    if b"\x00" in data:
        raise FileFormatError(f"{source} is not a text file in UTF-8: it holds a zero byte")
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        raise FileFormatError(f"{source} has carriage returns within lines: convert its line ends to \\n or \\r\\n")
    return data


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{source}, line {line}: not UTF-8 ({data[error.start : error.end]!r})", line) from None


# ---- white space separated files, the fast way


def _words(data: bytes) -> tuple[IntArray, IntArray, int]:
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


def _encode(data: bytes, words: IntArray, rows: IntArray, source: str) -> tuple[list[str], IntArray]:
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


def _plain_edges(data: bytes, source: str, comment: str | None) -> tuple[list[str], IntArray]:
    words, rows, count = _words(data)
    sign = comment.encode() if comment else None
    if sign and sign in data:
        first_words = row_pointers(rows, count)
        remarks = [r for r in np.unique(rows).tolist() if data.startswith(sign, words[0, first_words[r]])]
        keep = ~np.isin(rows, remarks)
        words, rows = words[:, keep], rows[keep]
    number = np.bincount(rows, minlength=count)
    odd = np.flatnonzero((number != 2) & (number != 0))
    if odd.size:
        line = int(odd[0]) + 1
        raise FileFormatError(
            f"{source}, line {line}: {number[odd[0]]} words where 'parent child' was expected; labels with spaces need "
            f"a file separated by tabs or commas, a class without edges goes into classes=",
            line,
        )
    header = [data[begin:end].lower() for begin, end in words[:, :2].T]
    if sorted(header) == [b"child", b"parent"]:
        words, rows = words[:, 2:], rows[2:]
    labels, codes = _encode(data, words, rows, source)
    ends = codes.reshape(-1, 2)
    return labels, ends[:, ::-1] if header == [b"child", b"parent"] else ends


# ---- files with a separator


def _find_separator(data: bytes, comment: str | None) -> str | None:
    """A tab or a comma if it stands exactly once in every line, else None for white space."""
    sign = comment.encode() if comment else None
    for sep in (b"\t", b","):
        if sep in data:
            lines = [line for line in data.split(b"\n") if line.strip()]
            if sign:
                lines = [line for line in lines if not line.lstrip().startswith(sign)]
            if lines and all(line.count(sep) == 1 and line.strip()[:1] != sep for line in lines):
                return sep.decode()
    return None


def _rows(text: str, source: str, sep: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and stripped cells of each line that is not blank. Quotes are understood between commas only."""
    quoting: Any = csv.QUOTE_MINIMAL if sep == "," else csv.QUOTE_NONE
    lines = (line if line.strip() else "" for line in text.removesuffix("\n").split("\n"))
    reader = csv.reader(lines, delimiter=sep, quoting=quoting, strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise FileFormatError(f"{source}, line {reader.line_num}: {error}", reader.line_num) from None


def _separated_edges(text: str, source: str, sep: str, comment: str | None) -> list[tuple[Any, ...]]:
    if comment:  # before quotes are looked at: a remark may hold any, and a quoted label may begin like a remark
        text = "\n".join("" if line.lstrip().startswith(comment) else line for line in text.split("\n"))
    rows = list(_rows(text, source, sep))
    names = [cell.lower() for cell in rows[0][1]] if rows else []
    if {"parent", "child"} <= set(names):
        rows = rows[1:]
    else:
        names = ["parent", "child"]
    columns = [names.index(name) for name in ("parent", "child", "weight") if name in names]
    for line, row in rows:
        if len(row) != len(names) or "" in row:
            raise FileFormatError(
                f"{source}, line {line}: {row} where {names} was expected; further columns need a first line that "
                f"names them (parent, child, weight)",
                line,
            )
    return [tuple(row[c] for c in columns) for _, row in rows]


def _long_labels(text: str, source: str, sep: str, id: str, label: str) -> LabelSets:
    rows = _rows(text, source, sep)
    _, header = next(rows, (1, []))
    for name in (id, label):
        if name not in header:
            raise FileFormatError(f"{source}, line 1: no column {name!r}; the columns are {header}", 1)
    at_id, at_label = header.index(id), header.index(label)
    ids, labels, lines = [], [], []
    for line, row in rows:
        if len(row) != len(header):
            raise FileFormatError(f"{source}, line {line}: {len(row)} cells, the header has {len(header)}", line)
        if not row[at_id]:
            raise FileFormatError(f"{source}, line {line}: no instance id in the column {id!r}", line)
        ids.append(row[at_id])
        labels.append(row[at_label] or None)
        lines.append(line)
    return from_pairs(ids, labels, source, lines)


# ---- OBO


def _read_obo(text: str, source: str, relations: Sequence[str], further: list[Label], cycles: CyclePolicy) -> Hierarchy:
    if isinstance(relations, str):
        raise InvalidOption(f"relations={relations!r} is one string: write [{relations!r}]")
    try:
        import obonet
    except ImportError:
        raise MissingDependency("reading .obo needs the package obonet: pip install 'hemlp[obo]'") from None
    try:
        graph = obonet.read_obo(io.StringIO(text), ignore_obsolete=False)
    except (ValueError, KeyError) as error:
        raise FileFormatError(f"{source} is not an OBO file: {error}") from None
    terms = dict(graph.nodes(data=True))
    obsolete = {term for term, data in terms.items() if data.get("is_obsolete") == "true"}
    edges = [(parent, child) for child, parent, relation in graph.edges(keys=True) if relation in relations]
    found = {relation for _, _, relation in graph.edges(keys=True)}
    for relation in relations:
        if relation not in found:
            raise FileFormatError(f"{source} has no relation {relation!r}; it has {', '.join(sorted(found)) or 'none'}")
    used = {end for edge in edges for end in edge}
    classes = used | {term for term, data in terms.items() if data and term not in obsolete}
    aliases: dict[Label, Label] = {
        name: term for term in classes for name in terms.get(term, {}).get("alt_id", []) if name not in classes
    }
    for term in obsolete - classes:
        targets = {aliases.get(target, target) for target in terms[term].get("replaced_by", [])}
        if len(targets) == 1 and targets <= classes:
            aliases[term] = targets.pop()
    every = [*classes, *further]
    return _located(source, Hierarchy.from_edges, edges, classes=every, aliases=aliases, cycles=cycles)
