"""Parquet files as tables of Arrow."""

from __future__ import annotations

from typing import Any

from hemlp.errors import FileFormatError, MissingDependency
from hemlp.hierarchy.columns import column, column_names
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.recognised import recognised
from hemlp.io.formats import Source
from hemlp.io.unpacking import check_unpacked


def read_parquet(data: bytes, source: str) -> dict[str, list[Any]]:
    """The columns of a file; integers become strings, as everywhere in files."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("reading .parquet needs the package pyarrow: pip install 'hemlp[parquet]'") from None
    try:
        file = parquet.ParquetFile(pyarrow.BufferReader(data))
        check_unpacked(_unpacked(file.metadata), len(data), source)
        table = file.read()
        return {name: [_text(value) for value in column(table, name)] for name in column_names(table) or ()}
    except FileFormatError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:  # also names that are not UTF-8, or twice
        raise FileFormatError(f"{source} is not a Parquet file: {error}") from None


def _unpacked(metadata: Any) -> int:
    """Bytes that a file becomes by what it says of itself: one at least for each value."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    chunks = [group.column(k) for group in groups for k in range(group.num_columns)]
    return sum(max(chunk.total_uncompressed_size, chunk.num_values) for chunk in chunks)


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_text, value))
    return str(value) if type(value) is int else value


def read_parquet_hierarchy(source: Source) -> Hierarchy:
    """A table with the columns parent and child."""
    return source.hierarchy(lambda: recognised(_Frame(read_parquet(source.data, source.name)), source.columns, "error"))


class _Frame(dict[str, list[Any]]):
    """Columns that say that they are a table."""

    @property
    def columns(self) -> list[str]:
        return list(self)
