"""Datasets: the Parquet files of a folder, a pattern or an address, by pyarrow's file systems."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from os import PathLike, fspath
from typing import Any

from hemlp.errors import FileFormatError, InvalidOption, MissingDependency, UnreadableFile

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
PATTERN = re.compile(r"[*?\[]")
SUFFIXES = (".parquet", ".pq")


def is_address(place: Any) -> bool:
    """Whether it is an address like s3://bucket/folder."""
    return isinstance(place, str) and ADDRESS.match(place) is not None


def is_dataset(place: Any) -> bool:
    """Whether it is an address, a pattern of files, a folder with Parquet files, or a dataset of pyarrow."""
    if not isinstance(place, str | PathLike):
        return type(place).__module__ == "pyarrow._dataset" and hasattr(place, "get_fragments")
    text = os.fsdecode(place)
    if is_address(text):
        return True
    if PATTERN.search(text) and not os.path.lexists(text):  # names of files may hold such signs, too
        return text.endswith(SUFFIXES) or any(name.endswith(SUFFIXES) for name in glob(text, recursive=True))
    return any(name.endswith(SUFFIXES) for _, _, names in os.walk(text) for name in names)


def has_dataset(true: Any, systems: Any) -> bool:
    """Whether the gold or a system is a dataset."""
    named = isinstance(true, str | PathLike) and isinstance(systems, Mapping)
    return is_dataset(true) or (named and any(map(is_dataset, systems.values())))


def find_filesystem(place: str | PathLike[str]) -> tuple[Any, str]:
    """The file system of a path or an address, and the path there."""
    try:
        import pyarrow
        from pyarrow import fs
    except ImportError:
        raise MissingDependency("datasets need the package pyarrow: pip install pyarrow") from None
    if not is_address(place):
        return fs.LocalFileSystem(), os.path.abspath(place)
    try:
        return fs.FileSystem.from_uri(place)  # type: ignore[no-any-return]
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise UnreadableFile(f"{fspath(place)}: {error}") from None


@dataclass(frozen=True, eq=False)
class Dataset:
    """Parquet files in the order of their paths; ``names`` are relative to the folder that they have in common."""

    source: str
    filesystem: Any
    paths: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def open(cls, place: Any) -> Dataset:
        """Open a dataset (see ``is_dataset``), or one Parquet file."""
        source = fspath(place) if isinstance(place, str | PathLike) else "the dataset"
        if source == place and PATTERN.search(source) and not is_address(source) and not os.path.lexists(source):
            filesystem, paths = find_filesystem(".")[0], [*map(os.path.abspath, glob(source, recursive=True))]
        elif isinstance(place, str | PathLike):
            filesystem, path = find_filesystem(place)
            paths = _list_files(filesystem, path, source)
        else:
            filesystem, paths = getattr(place, "filesystem", None), getattr(place, "files", [])
            if not paths:
                raise InvalidOption("a dataset of pyarrow needs files: score the batches of others with hemlp.Plan")
        if not paths:
            raise UnreadableFile(f"{source}: there is no Parquet file")
        paths = sorted(path.replace(os.sep, "/") for path in paths)
        for path in paths:
            if not path.endswith(SUFFIXES):
                raise FileFormatError(f"{source}: {path} is not a Parquet file: give a pattern, as in '*.parquet'")
        common = len(os.path.commonpath([path.rpartition("/")[0] for path in paths]))
        return cls(source, filesystem, tuple(paths), tuple(path[common:].lstrip("/") for path in paths))

    def describe(self) -> list[list[Any]]:
        """Names, sizes and times of change of the files, to detect changes."""
        infos = self.filesystem.get_file_info(list(self.paths))
        return [[name, info.size, info.mtime_ns] for name, info in zip(self.names, infos, strict=True)]

    def open_file(self, k: int) -> Any:
        """A file as ``pyarrow.parquet.ParquetFile``."""
        return open_parquet(self.filesystem, self.paths[k])

    def tables(
        self, k: int, columns: Sequence[str], size: int, unwanted: Callable[[str], bool] = lambda name: False
    ) -> Iterator[Any]:
        """The rows of a file in tables of ``size`` rows, the last one shorter; one empty table for an empty file.

        Files without one of the columns, or with an ``unwanted`` one, are refused.
        """
        import pyarrow as pa

        with self.open_file(k) as file:
            names = file.schema_arrow.names
            if any(names.count(name) != 1 for name in columns) or any(map(unwanted, names)):
                raise FileFormatError(f"{self.paths[k]} has the columns {names}, unlike the first file of the dataset")
            table = file.schema_arrow.empty_table().select(columns)
            done = 0
            try:
                for batch in file.iter_batches(size, columns=list(columns)):
                    table = pa.concat_tables([table, pa.Table.from_batches([batch]).select(columns)])
                    while len(table) >= size:
                        yield table.slice(0, size)
                        done, table = done + size, table.slice(size)
            except (pa.ArrowException, OSError) as error:
                raise FileFormatError(f"{self.paths[k]} is a damaged Parquet file: {error}") from None
            if len(table) or not done:
                yield table


def open_parquet(filesystem: Any, path: str) -> Any:
    """A file as ``pyarrow.parquet.ParquetFile``."""
    import pyarrow
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(path, filesystem=filesystem, pre_buffer=False, page_checksum_verification=True)
    except FileNotFoundError:
        raise UnreadableFile(f"{path}: there is no such file") from None
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise FileFormatError(f"{path} is not a Parquet file: {error}") from None


def _list_files(filesystem: Any, path: str, source: str) -> list[str]:
    """The file itself, or all files below a folder; names that begin with _ or . are not data."""
    from pyarrow import ArrowException, fs

    try:
        if filesystem.get_file_info(path).type == fs.FileType.File:
            return [path]
        entries = filesystem.get_file_info(fs.FileSelector(path, recursive=True))
    except (ArrowException, OSError) as error:
        raise UnreadableFile(f"{source}: {error}") from None
    files = [each.path for each in entries if each.type == fs.FileType.File]
    return [file for file in files if not re.search(r"/[._]", file[len(path) :])]
