"""Parquet files as columns that are read batch by batch, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from hemlp.errors import FileFormatError, MissingDependency
from hemlp.io.frames import BatchedColumn, Coded, code_arrow, is_codable
from hemlp.io.unpacking import check_unpacked_size

BATCH = 65_536
"""Rows that are read at once."""
CODED_BATCH = 2**20
"""Rows that are read at once as numbers: each batch has a dictionary of its own."""


def is_parquet(path: str) -> bool:
    """Whether a file begins as Parquet does, and is not gzipped."""
    try:
        with Path(path).open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False


def read_parquet_columns(place: bytes | str, source: str) -> dict[str, BatchedColumn]:
    """The columns of a file, given by its path or its content; integers become strings, as everywhere in files.

    They are read when somebody goes through them, never the whole table.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingDependency("reading .parquet needs the package pyarrow: pip install pyarrow") from None
    broken = (pyarrow.ArrowException, OSError, ValueError, KeyError)  # also names that are not UTF-8

    def batches(number: int) -> Iterator[list[Any]]:
        rows = 0
        try:
            for batch in file.iter_batches(BATCH, columns=[names[number]]):
                rows += len(batch)
                if rows > size:
                    break
                yield [_text(value) for value in batch.column(0).to_pylist()]
        except broken as error:
            raise FileFormatError(f"{source} is a damaged Parquet file: {error}") from None
        if rows != size:
            raise FileFormatError(f"{source} is a damaged Parquet file: {names[number]!r} does not have {size:,} rows")

    def coded(number: int) -> Coded | None:
        if not is_codable(file.schema_arrow.field(number).type):
            return None
        try:
            pieces = [batch.column(0) for batch in file.iter_batches(CODED_BATCH, columns=[names[number]])]
            made = code_arrow(pyarrow.chunked_array(pieces, file.schema_arrow.field(number).type))
        except broken as error:
            raise FileFormatError(f"{source} is a damaged Parquet file: {error}") from None
        return None if made is None or len(made[1]) != size else ([*map(str, made[0])], made[1])

    def opened(texts: list[str]) -> Any:
        return parquet.ParquetFile(
            pyarrow.BufferReader(place) if isinstance(place, bytes) else place, read_dictionary=texts
        )

    try:
        file = opened([])
        names, size = list(file.schema_arrow.names), file.metadata.num_rows
        kinds = (pyarrow.string(), pyarrow.large_string())
        file = opened([each.name for each in file.schema_arrow if each.type in kinds])
    except broken as error:
        raise FileFormatError(f"{source} is not a Parquet file: {error}") from None
    check_unpacked_size(
        _unpacked_size(file.metadata), len(place) if isinstance(place, bytes) else Path(place).stat().st_size, source
    )
    for name in names:
        if names.count(name) > 1:
            raise FileFormatError(f"{source}: the column {name!r} occurs {names.count(name)} times")
    return {
        name: BatchedColumn(size, partial(batches, number), partial(coded, number)) for number, name in enumerate(names)
    }


def _unpacked_size(metadata: Any) -> int:
    """The unpacked size that the metadata of a file state: at least one byte per value."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    chunks = [group.column(k) for group in groups for k in range(group.num_columns)]
    return sum(max(chunk.total_uncompressed_size, chunk.num_values) for chunk in chunks)


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_text, value))
    return str(value) if type(value) is int else value
