"""Per-instance results of a dataset, and its labels for whoever asks after the run.

Results are a Parquet file for each part, with the tally of the part in its footer. A file is there as a whole or not at
all; ``_parts.json`` says what the run is about, and which parts belong to it. Labels are read again from the dataset,
part by part, and only the parts that are needed. Instances are in the order of the evaluation: below 100,000 that of
their ids, in memory, and else that of the files.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import HemlpError, RunMismatch, UnwritableFile
from hemlp.escaping import encodable
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.io.datasets import find_filesystem, open_parquet
from hemlp.results.inputs import BLOCK, Inputs
from hemlp.run.evaluation import Evaluation
from hemlp.run.folder import check_identity
from hemlp.run.plan import ID, Plan
from hemlp.run.tally import Tally
from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp.run.evaluation import Evaluation
    from hemlp.run.parts import Parts

MANIFEST = "_parts.json"
TALLY = b"hemlp.tally"


@dataclass(frozen=True, eq=False)
class PartResults:
    """A folder of results on any file system; ``names`` are those of its files."""

    filesystem: Any
    folder: str
    names: tuple[str, ...]
    identity: Mapping[str, Any]

    @classmethod
    def begin(cls, place: Any, plan: Plan, names: Sequence[str], sources: Any) -> PartResults:
        """Begin a run, or go on with one that was begun with the same plan and data."""
        from pyarrow import fs

        identity = {
            "version": __version__, "hierarchy": plan.hierarchy.content_hash, "systems": list(plan.systems),
            "measures": [[name, each.signature] for name, each in plan.measures.items()],
            "options": f"{plan.policies}|{plan.options}", "parts": list(names), "sources": sources,
        }  # fmt: skip
        filesystem, folder = find_filesystem(place)
        try:
            filesystem.create_dir(folder, recursive=True)
            if filesystem.get_file_info(f"{folder}/{MANIFEST}").type == fs.FileType.File:
                check_identity(str(place), identity, _read_manifest(filesystem, folder))
            elif filesystem.get_file_info(fs.FileSelector(folder)):
                raise RunMismatch(f"{place} is not empty and holds no results of parts: give another folder")
            else:
                with _writing(filesystem, f"{folder}/{MANIFEST}") as file:
                    file.write(json.dumps(identity, indent=1).encode())
        except OSError as error:
            raise UnwritableFile(f"cannot write to {place}: {error}") from None
        return cls(filesystem, folder, tuple(names), identity)

    @classmethod
    def open(cls, place: Any) -> PartResults:
        """What a finished run has left."""
        filesystem, folder = find_filesystem(place)
        identity = _read_manifest(filesystem, folder)
        names: Any = identity.get("parts")
        good = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
        if not good or any(".." in name.split("/") or name.startswith("/") for name in names):
            raise RunMismatch(f"{folder}/{MANIFEST} does not name parts below this folder: it is not of a run")
        return cls(filesystem, folder, tuple(names), {"hierarchy": None, "sources": None, **identity})

    def _open(self, k: int) -> Any:
        return open_parquet(self.filesystem, f"{self.folder}/{self.names[k]}")

    def tally(self, k: int) -> Tally | None:
        """The tally of a part that is finished."""
        from pyarrow import fs

        path = f"{self.folder}/{self.names[k]}"
        if self.filesystem.get_file_info(path).type != fs.FileType.File:
            return None
        try:
            with self._open(k) as file:
                return Tally.from_bytes((file.metadata.metadata or {}).get(TALLY, b""))
        except HemlpError as error:
            logging.getLogger("hemlp").warning("%s is damaged (%s): score the part again", path, error)
            return None

    @contextmanager
    def writing(self, k: int) -> Iterator[Callable[[Any, Tally], None]]:
        """Write tables of a part, each with the tally of all rows so far: a row group for each system."""
        from pyarrow import parquet

        path, writer, last = f"{self.folder}/{self.names[k]}", None, None
        self.filesystem.create_dir(path.rpartition("/")[0], recursive=True)
        with _writing(self.filesystem, path) as file:

            def write(table: Any, tally: Tally) -> None:
                nonlocal writer, last
                writer = writer or parquet.ParquetWriter(file, table.schema, write_page_checksum=True)
                last = tally
                systems = tally.head.systems
                for s in range(len(systems)):
                    size = len(table) // len(systems)
                    writer.write_table(table.slice(s * size, size), row_group_size=max(1, size))

            try:
                yield write
                if writer is not None and last is not None:
                    writer.add_key_value_metadata({TALLY: last.to_bytes()})
            finally:  # before the file that it writes to is closed
                if writer is not None:
                    writer.close()

    def merged(self) -> Tally:
        """The tally of all parts; one that is not there is an error."""
        tallies = [self.tally(k) for k in range(len(self.names))]
        if None in tallies:
            done, missing = len(tallies) - tallies.count(None), self.names[tallies.index(None)]
            raise RunMismatch(
                f"{self.folder}: {done} of {len(tallies)} parts are finished, {missing} is not: go on with the same "
                f"evaluation and folder"
            )
        return reduce(Tally.merge, filter(None, tallies))

    def evaluation(self, tally: Tally) -> Evaluation:
        """The evaluation of all parts; columns of instances are read when somebody asks for them.

        They are in the order of the tally where it keeps instances, else in that of the files.
        """
        head = tally.head

        @cache
        def order() -> Any:
            if tally.kept is None:
                return slice(None)
            names = [name for column in self._columns(0, len(head.systems), ID) for name in column.to_pylist()]
            places = {name: k for k, name in enumerate(names)}
            return [places[name] for name in tally.kept.ids]

        def read(system: int, measure: int, column: str) -> FloatArray:
            of = head.measures[measure]
            name = encodable(of.called if column == of.columns[0] else f"{of.called}.{column}")
            columns = self._columns(system, len(head.systems), name)
            whole = np.concatenate([np.asarray(each.to_numpy(), np.float64) for each in columns])
            return np.asarray(whole[order()])

        return tally.finish(read)

    def _columns(self, system: int, systems: int, name: str) -> Iterator[Any]:
        for k in range(len(self.names)):
            with self._open(k) as file:
                groups = list(range(system, file.num_row_groups, systems))
                yield file.read_row_groups(groups, columns=[name])[name]


@contextmanager
def _writing(filesystem: Any, path: str) -> Iterator[Any]:
    """A file that takes its name when it is finished."""
    folder, _, name = path.rpartition("/")
    draft = f"{folder}/_{name}.{uuid.uuid4().hex}.part"
    try:
        with filesystem.open_output_stream(draft) as file:
            yield file
    except BaseException:
        filesystem.delete_file(draft)
        raise
    filesystem.move(draft, path)


def _read_manifest(filesystem: Any, folder: str) -> dict[str, Any]:
    try:
        with filesystem.open_input_stream(f"{folder}/{MANIFEST}") as file:
            return dict(json.loads(file.read()))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise RunMismatch(f"{folder} holds no results of parts that can be read ({error})") from None


@dataclass(frozen=True, eq=False)
class PartIds(Sequence[Label]):
    """The ids of all instances in the order of the files, read when they are asked for."""

    parts: Parts

    @cached_property
    def starts(self) -> IntArray:
        """The number of the first instance of each part, and of all instances."""
        files = self.parts.sides[0].files
        return np.array([0, *accumulate(files.open_file(k).metadata.num_rows for k in range(len(files.names)))])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __iter__(self) -> Iterator[Label]:
        for k in range(len(self.parts.names)):
            for table in self.parts.sides[0].tables(k, self.parts.size, ID):
                yield from table[ID].to_pylist()

    @overload
    def __getitem__(self, at: int) -> Label: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Label]: ...
    def __getitem__(self, at: int | slice) -> Label | Sequence[Label]:
        if isinstance(at, slice):
            return list(self)[at]
        k = int(np.searchsorted(self.starts, range(len(self))[at], "right")) - 1
        (table,) = self.parts.sides[0].tables(k, 2**62, ID)
        return table[ID][range(len(self))[at] - int(self.starts[k])].as_py()  # type: ignore[no-any-return]


class PartInputs(Inputs):
    """The labels of the ``parts`` of a dataset. ``order``: the ids of all instances, where they are kept."""

    parts: Parts
    order: tuple[Label, ...] | None

    @classmethod
    def of(cls, parts: Parts, tally: Tally) -> PartInputs:
        """Of what was tallied."""
        plan = parts.plan
        systems: Any = dict.fromkeys(plan.systems)
        made = cls(plan.hierarchy, systems, systems, plan.measures, plan.policies, plan.hierarchy.names or None)
        object.__setattr__(made, "parts", parts)
        object.__setattr__(made, "order", None if tally.kept is None else tally.kept.ids)
        return made

    @property
    def cuts(self) -> dict[str, str]:
        """Datasets hold label sets, not scores."""
        return {}

    @cached_property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The same one of all systems."""
        return dict.fromkeys(self.systems, self.given)

    @cached_property
    def ids(self) -> Sequence[Label] | None:  # type: ignore[override]
        """The names of the instances, unless they are rows."""
        if self.parts.first_rows is not None:
            return None
        return PartIds(self.parts) if self.order is None else self.order

    @cached_property
    def batches(self) -> dict[str, Batch]:
        """The labels of all instances, where these are few."""
        if self.order is None:
            return {}
        whole = {}
        for system in self.systems:
            pieces = [batch for k in range(len(self.parts.names)) for batch in self._read(k, system)]
            names = [name for batch in pieces for name in batch.ids or ()]
            places = {name: k for k, name in enumerate(names)}
            rows = np.array([places[name] for name in self.order], np.int64)
            whole[system] = replace(Batch.concatenate(pieces).take(rows), ids=None if self.ids is None else self.order)
        return whole

    def _read(self, k: int, system: str, rows: IntArray | None = None) -> Iterator[Batch]:
        """The batches of a part, or that of some of its rows."""
        plan, done = self.parts.plan, 0
        for table in self.parts.tables(k):
            size = len(table)
            first = None if self.parts.first_rows is None else self.parts.first_rows[k] + done
            here = None if rows is None else rows[(rows >= done) & (rows < done + size)] - done
            done += size
            if here is None or here.size:
                data, ids, _ = plan.read(table, self.parts.names[k], first)
                for batch in plan.batches(data, ids, self.parts.names[k], (system,)):
                    names = tuple(ids if here is None else map(ids.__getitem__, here))
                    yield replace(batch if here is None else batch.take(here), ids=names)

    def blocks(self, system: str, size: int = BLOCK) -> Iterator[tuple[int, Batch]]:
        """Batches of at most ``size`` consecutive instances, each with the number of its first one (from 0)."""
        if self.order is not None:
            yield from super().blocks(system, size)
            return
        start = 0
        for k in range(len(self.parts.names)):
            for batch in self._read(k, system):
                for begin in range(0, len(batch), size):
                    yield start + begin, batch[begin : begin + size]
                start += len(batch)

    def take(self, system: str, rows: Sequence[int]) -> Batch:
        """The instances with these numbers, in their order, from the parts that have them."""
        if self.order is not None:
            return super().take(system, rows)
        wanted, starts = np.asarray(rows, np.int64), PartIds(self.parts).starts
        distinct, back = np.unique(wanted, return_inverse=True)
        pieces: list[Batch] = []
        for k in np.unique(np.searchsorted(starts, distinct, "right") - 1).tolist():
            here = distinct[(distinct >= starts[k]) & (distinct < starts[k + 1])] - starts[k]
            pieces += self._read(k, system, here)
        names = [name for batch in pieces for name in batch.ids or ()]
        ids = None if self.ids is None else tuple(names[place] for place in back)
        return replace(Batch.concatenate(pieces).take(back), ids=ids)


def with_labels(ev: Evaluation, parts: Parts, tally: Tally) -> Evaluation:
    """The evaluation with the labels of its dataset, which are read again when they are asked for.

    Of many instances a page would hold too much: there they serve diagnosis and explanations alone.
    """
    inputs = PartInputs.of(parts, tally)
    if tally.kept is not None:
        return replace(ev, inputs=inputs)
    assert ev.counted is not None
    return replace(ev, counted=replace(ev.counted, inputs=inputs), origin=replace(ev.origin, ids=inputs.ids))  # type: ignore[arg-type]
