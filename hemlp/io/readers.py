"""All input from disk: hierarchies (edge lists, OBO) and label files, plain or gzipped.

Labels read from a file are strings, always: a file does not tell `12` from `'12'`.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from hemlp.arrays import row_pointers
from hemlp.errors import FileFormatError, InvalidHierarchy, InvalidOption, MissingDependency, UnreadableFile
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.edges import CyclePolicy
from hemlp.hierarchy.labels import Label, label_list, label_order
from hemlp.instances.lookalikes import threshold_advice
from hemlp.instances.sets import LabelSets, digest_of, from_pairs
from hemlp.io.edges import find_separator, plain_edges, separated_edges
from hemlp.io.text import (
    MARK,
    check_separator,
    check_text,
    decode,
    encode_words,
    file_kind,
    find_words,
    read_bytes,
    split_cells,
)

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


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
    source, data = read_bytes(path)
    check_separator(sep)
    further = label_list("classes", classes)
    if file_kind(source) == ".obo":
        return _read_obo(decode(data, source), source, relations, further, cycles)
    if sep is None:
        sep = _SEPARATORS.get(file_kind(source)) or find_separator(data, comment)
    if sep is None:
        labels, ends = plain_edges(data, source, comment)
        new = sorted(set(further) - set(labels), key=label_order)
        made = _located(source, Hierarchy.from_codes, [*labels, *new], ends[:, 0], ends[:, 1], cycles=cycles)
    else:
        edges = separated_edges(decode(data, source), source, sep, comment)
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
    path: str | PathLike[str], *, sep: str | None = None, id: str | None = None, label: str | None = None
) -> LabelSets:
    """Read label sets: one instance a line, its labels separated by white space (or ``sep``), gzipped or not.

    A blank line is an instance without labels. A ``.csv`` or ``.tsv`` file is in long format instead: a header, and
    one (instance, label) pair a line, in the columns "id" and "label"; an empty label is an instance without one.
    Further columns, of scores for example, are an error unless both ``id`` and ``label`` name the columns to read.
    """
    source, data = read_bytes(path)
    check_separator(sep)
    _check_format(source)
    if file_kind(source) in _SEPARATORS:
        return _long_labels(decode(data, source), source, sep or _SEPARATORS[file_kind(source)], id, label)
    if id is not None or label is not None:
        raise InvalidOption(f"{source}: id= and label= name columns of .csv and .tsv files")
    if sep is None:
        words, rows, count = find_words(data)
        labels, codes = encode_words(data, words, rows, source)
        return LabelSets(tuple(labels), row_pointers(rows, count), codes, source=source, words=True)
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
        if file_kind(self.source) in _SEPARATORS:
            raise InvalidOption(
                f"{self.source} is in long format, which cannot be read block by block: use read_labels"
            )
        check_rereadable(path)

    def blocks(self, size: int) -> Iterator[LabelSets]:
        """Label sets of ``size`` consecutive instances at a time."""
        row = 0
        for data in self._pieces(size):
            words, rows, count = find_words(data)
            labels, codes = encode_words(data, words, rows + row, self.source)
            ptr = row_pointers(rows, count)
            yield LabelSets(tuple(labels), ptr, codes, source=self.source, first_row=row, words=True)
            row += count

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
    if file_kind(fspath(path)) not in _SEPARATORS and place.exists() and not (place.is_file() or place.is_dir()):
        raise InvalidOption(
            f"{fspath(path)} is a pipe or a device, which can be read only once; within a memory limit label files are "
            f"read several times: save it to a file, or do without the limit"
        )


def open_labels(path: str | PathLike[str]) -> LabelSets | LabelFile:
    """A label file to be read block by block, or as a whole if it is in long format."""
    return read_labels(path) if file_kind(fspath(path)) in _SEPARATORS else LabelFile(path)


def read_names(path: str | PathLike[str]) -> dict[Label, str]:
    """Read readable names of classes: one ``label<TAB>name`` a line."""
    source, data = read_bytes(path)
    names: dict[Label, str] = {}
    for number, line in enumerate(decode(data, source).splitlines(), 1):
        label, tab, name = line.partition("\t")
        if line.strip() and not tab:
            raise FileFormatError(f"{source}, line {number}: no tab between a label and its name", number)
        if tab:
            names[label.strip()] = name.strip()
    return names


# ---- label files in long format


def _long_labels(text: str, source: str, sep: str, id: str | None, label: str | None) -> LabelSets:
    rows = split_cells(text, source, sep)
    _, header = next(rows, (1, []))
    on_purpose = id is not None and label is not None
    id, label = id or "id", label or "label"
    _check_header(header, id, label, source, on_purpose)
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


def _near(name: str, header: list[str]) -> str:
    """The end of a message about a column that is not there."""
    for other in header:
        if other.casefold() == name.casefold():
            return f"; did you mean {other!r}?"
    for sep in ";\t|,":
        if len(header) == 1 and sep in header[0]:
            return f"; if {sep!r} separates the columns, say sep={sep!r}"
    return " (the first line of such a file names its columns)"


def _check_header(header: list[str], id: str, label: str, source: str, on_purpose: bool) -> None:
    """Refuse a first line that lacks one of the two columns, or has others that nobody said to leave out."""
    place = f"{source}, line 1"
    for name in (id, label):
        if name not in header:
            raise FileFormatError(f"{place}: no column {name!r}; the columns are {header}{_near(name, header)}", 1)
        if header.count(name) > 1:
            raise FileFormatError(f"{place}: the column {name!r} stands there {header.count(name)} times", 1)
    further = [name for name in header if name not in (id, label)]
    if further and not on_purpose:
        raise FileFormatError(
            f"{place}: beside {id!r} and {label!r} there are the columns {further}, which label sets do not have"
            f"{threshold_advice(further)}. Take them out of the file, or leave them out on purpose with "
            f"read_labels(path, id={id!r}, label={label!r})",
            1,
        )


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
