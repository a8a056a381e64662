"""Per-instance results as one Parquet file, by pyarrow: one row per system and instance."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption, MissingDependency
from hemlp.escaping import encodable, json_text
from hemlp.io.files import write_bytes
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import Status
from hemlp.results.results import Results
from hemlp.version import __version__

ROWS = 100_000
"""Of a row group, at most."""


def check_parquet() -> None:
    """Raise an error that says what to install if pyarrow is missing."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingDependency("Parquet files need pyarrow: pip install pyarrow") from None


def to_parquet(ev: Results, path: str | PathLike[str]) -> None:
    """Write the per-instance scores to one Parquet file, one row per system and instance.

    The columns are ``system``, ``instance`` (from 0), ``id`` where instances have ids, each measure, and then
    ``MEASURE.COLUMN`` and ``MEASURE.status``; an undefined value is null.

    Parameters
    ----------
    path
        A file that is written as a whole or not at all.

    Raises
    ------
    MissingDependency
        Without pyarrow.
    """
    write_bytes(path, _pieces(ev))


def as_arrow(ev: Results, ids: Any) -> Any:
    """The same rows as an Arrow table, with a column of ``ids`` for the numbers of instances."""
    import pyarrow as pa

    layout = _Layout.of(ev)
    tables = [layout.table(system, of, slice(0, len(of[ev.measures[0]])), 0) for system, of in ev.scores.items()]
    column = pa.chunked_array(ids.chunks * len(tables), ids.type)
    return pa.concat_tables(tables).unify_dictionaries().set_column(1, "id", column)


def _pieces(ev: Results) -> Iterator[bytes]:
    """The file, row group by row group."""
    check_parquet()
    from pyarrow import PythonFile, parquet

    layout, sink = _Layout.of(ev), _Sink()
    with parquet.ParquetWriter(PythonFile(sink, mode="w"), layout.schema) as writer:
        for system in ev.systems:
            done = 0
            for block in ev.blocks(system):
                size = len(block[ev.measures[0]])
                for start in range(0, size, ROWS):
                    rows = slice(start, min(start + ROWS, size))
                    writer.write_table(layout.table(system, block, rows, done))
                    yield sink.take()
                done += size
    yield sink.take()


class _Sink(io.RawIOBase):
    """A file in memory that is emptied piece by piece while it is written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        return len(self._pieces[-1])

    def take(self) -> bytes:
        """The bytes written since the last call."""
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


@dataclass(frozen=True)
class _Layout:
    """The columns of a row: the ids of instances, if any, measures, and further columns of these."""

    ids: Sequence[Any] | None
    measures: Sequence[str]
    extra: Sequence[tuple[str, str]]
    schema: Any

    @classmethod
    def of(cls, ev: Results) -> _Layout:
        ids = ev.ids
        extra = []
        for name in ev.measures:
            columns = dict.fromkeys(c for system in ev.systems for c in list(ev.scores[system][name].columns)[1:])
            extra += [(name, column) for column in (*columns, "status")]
        return cls(ids, ev.measures, extra, _schema(ev, ids, extra))

    def table(self, system: str, block: Mapping[str, Scores], rows: slice, done: int) -> Any:
        """Some rows of a block of a system; ``done``: the number of rows before the block."""
        import pyarrow as pa

        here = slice(done + rows.start, done + rows.stop)
        size = here.stop - here.start
        names, statuses = pa.array([encodable(system)]), pa.array(list(map(str, Status)))
        columns = [pa.DictionaryArray.from_arrays(np.zeros(size, np.int32), names), np.arange(here.start, here.stop)]
        if self.ids is not None:
            kind = self.schema.field("id").type
            ids = self.ids[here] if kind == pa.int64() else [encodable(str(each)) for each in self.ids[here]]
            columns.append(pa.array(ids, kind))
        columns += [_numbers(block[name].values[rows]) for name in self.measures]
        for name, column in self.extra:
            each = block[name]
            if column == "status":
                columns.append(pa.DictionaryArray.from_arrays(each.statuses[rows].astype(np.int32), statuses))
            elif column in each.columns:
                columns.append(_numbers(each.columns[column][rows]))
            else:
                columns.append(pa.nulls(size, pa.float64()))
        return pa.Table.from_arrays(columns, schema=self.schema)


def _schema(ev: Results, ids: Sequence[Any] | None, extra: Sequence[tuple[str, str]]) -> Any:
    """Names and types of the columns, all names distinct; with the signatures of the measures."""
    import pyarrow as pa

    words = pa.dictionary(pa.int32(), pa.string())
    fields = [("system", words), ("instance", pa.int64())]
    if ids is not None:
        whole = {*map(type, ids)} <= {int} and all(-(2**63) <= each < 2**63 for each in ids)
        fields.append(("id", pa.int64() if whole else pa.string()))
    fields += [(name, pa.float64()) for name in ev.measures]
    fields += [(f"{name}.{column}", words if column == "status" else pa.float64()) for name, column in extra]
    fields = [(encodable(name), kind) for name, kind in fields]
    names = [name for name, _ in fields]
    for name in names:
        if names.count(name) > 1:
            raise InvalidOption(f"two columns of a Parquet file would be called {name!r}: call the measure otherwise")
    signatures = {name: ev.scores[ev.systems[0]][name].signature for name in ev.measures}
    return pa.schema(fields, {"hemlp": json_text({"version": __version__, "signature": signatures})})


def _numbers(values: FloatArray) -> Any:
    """An Arrow array of numbers; undefined values are null."""
    import pyarrow as pa

    return pa.array(values, pa.float64(), from_pandas=True)
