"""Parquet files as tables of Arrow."""

from __future__ import annotations

from typing import Any

from hemlp.errors import FileFormatError, MissingDependency
from hemlp.hierarchy.columns import column, column_names
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.recognised import recognised
from hemlp.io.formats import Source


def read_parquet(data: bytes, source: str) -> dict[str, list[Any]]:
    """The columns of a file; integers become strings, as everywhere in files."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("reading .parquet needs the package pyarrow: pip install 'hemlp[parquet]'") from None
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, OSError) as error:
        raise FileFormatError(f"{source} is not a Parquet file: {error}") from None
    return {name: [_text(value) for value in column(table, name)] for name in column_names(table) or ()}


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
