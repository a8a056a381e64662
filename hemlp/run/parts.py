"""Evaluation of datasets, part by part: a file is a part, and memory is that of a batch, however many there are.

Gold and predictions stand in one table, or in several datasets. Those are read side by side where file by file the ids
agree, row by row; else they are joined by id, in parts that are written to a folder for the time of the run.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hemlp.analysis.statistics.resampling import assign_buckets
from hemlp.errors import FileFormatError, InvalidLabelSets, InvalidOption, MisalignedSides, RunMismatch, WorkerLost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.ambiguity import refuse_score_columns
from hemlp.io.datasets import Dataset, is_dataset
from hemlp.measures.factory import restore_measure
from hemlp.processes.executors import find_client
from hemlp.processes.interrupts import run_interruptible
from hemlp.processes.progress import Progress
from hemlp.processes.sending import WorkersDied
from hemlp.run.evaluate import check_options
from hemlp.run.part_results import PartResults, with_labels
from hemlp.run.plan import ID, TRUE, Plan, scored_column
from hemlp.run.tally import Tally
from hemlp.run.workers import all_compiled, map_items

if TYPE_CHECKING:
    from hemlp.run.evaluation import Evaluation

BATCH = 2**17
"""Rows that are read and scored at once."""
JOINED = 2**16
"""Rows of a part of a join, on average."""
OF_RUNS = ("workers", "executor", "chunk", "resume", "progress")
MOST_PARTS = 512
"""Of a join: files that are open at once."""


@dataclass(frozen=True, eq=False)
class Side:
    """A dataset, and its columns by what they are in a plan: id, true, systems; ``whole``: it has no others."""

    files: Dataset
    columns: Mapping[str, str]
    whole: bool = False

    @classmethod
    def of(cls, files: Dataset, name: str) -> Side:
        """Of ids and labels alone: in a column that is called like the system, label or labels, or the only one."""
        columns = list(files.open_file(0).schema_arrow.names)
        others = [column for column in columns if column != ID]
        chosen = [column for column in (name, "label", "labels") if column in others] or others
        if ID not in columns or not others or (len(others) > 1 and chosen == others):
            raise InvalidLabelSets(
                f"{files.source}: a dataset needs a column 'id', and labels in a column {name!r} or "
                f"'label'; there are {columns}"
            )
        refuse_score_columns(columns, (ID, chosen[0]))
        return cls(files, {ID: ID, name: chosen[0]})

    def tables(self, k: int, size: int, *only: str) -> Iterator[Any]:
        """The tables of a file, with all columns or some of them."""
        named = {name: column for name, column in self.columns.items() if not only or name in only}
        known = {*self.columns.values()}

        def unwanted(name: str) -> bool:
            return name not in known and (self.whole or name == ID)

        for table in self.files.tables(k, list(named.values()), size, unwanted):
            yield table.rename_columns(list(named))


@dataclass(frozen=True, eq=False)
class Parts:
    """What to score: the files of all sides with the same number are a part, read in tables of ``size`` rows.

    ``first_rows``: where there are no ids. ``joined``: whether rows of a part belong together by their ids, and not
    one by one.
    """

    plan: Plan
    sides: tuple[Side, ...]
    size: int = BATCH
    first_rows: tuple[int, ...] | None = None
    joined: bool = False
    results: PartResults | None = None
    sources: Any = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the parts are called, also in a folder of results."""
        return self.sides[0].files.names

    def tables(self, k: int) -> Iterator[Any]:
        """The tables of a part."""
        if self.joined:
            yield join_tables([next(side.tables(k, 2**62)) for side in self.sides], self.names[k])
            return
        for first, *others in zip(*(side.tables(k, self.size) for side in self.sides), strict=True):
            for other in others:
                if not other[ID].equals(first[ID]):
                    raise MisalignedSides(f"{self.names[k]}: the ids of two datasets have ceased to agree")
                for name in other.column_names:
                    first = first if name == ID else first.append_column(name, other[name])
            yield first

    def score(self, k: int) -> Tally:
        """The tally of a part, whose scores are written to the folder of results if there is one."""
        stored = None if self.results is None else self.results.tally(k)
        if stored is not None:
            return stored
        name, rows, tally = self.names[k], 0, None
        with ExitStack() as opened:
            write = None if self.results is None else opened.enter_context(self.results.writing(k))
            for table in self.tables(k):
                first_row = None if self.first_rows is None else self.first_rows[k] + rows
                place = name if not rows else f"{name}, of the rows after {rows:,}"
                part = self.plan.score(table, part=place, first_row=first_row)
                rows += len(table)
                tally = part.tally if tally is None else tally.merge(part.tally)
                if write is not None:
                    write(part.table, tally)
                del table, part  # before the next one is read
        assert tally is not None
        return tally

    def aligned(self, k: int) -> bool:
        """Whether all sides of a part have the same ids in the same order."""
        columns = [side.tables(k, self.size, ID) for side in self.sides]
        try:
            return all(other.equals(first) for first, *others in zip(*columns, strict=True) for other in others)
        except ValueError:  # one is shorter
            return False


def _score_part(parts: Parts, k: int) -> Tally:
    return run_interruptible(partial(parts.score, k))


def _check_part(parts: Parts, k: int) -> bool:
    return run_interruptible(partial(parts.aligned, k))


def join_tables(tables: Sequence[Any], source: str) -> Any:
    """Rows of the same id as one, null where a table does not have it; in the order of the first table, then others."""
    import pyarrow as pa
    from pyarrow import compute

    ids = [table[ID].combine_chunks() for table in tables]
    for own in ids:
        if len(own.unique()) < len(own):
            twice = next(each["values"] for each in own.value_counts().to_pylist() if each["counts"] > 1)
            raise InvalidLabelSets(f"{source}: the instance {twice!r} has several rows")
    every = pa.chunked_array(ids).combine_chunks().unique()
    columns = {ID: every}
    for table, own in zip(tables, ids, strict=True):
        rows = compute.index_in(every, value_set=own)
        columns |= {name: table[name].take(rows) for name in table.column_names if name != ID}
    return pa.table(columns)


# ---- what is asked for


def open_parts(true: Any, systems: Any, make_plan: Any, size: int | None) -> Parts:
    """The parts of datasets, whose ids may not agree yet."""
    gold = Dataset.open(true)
    columns = gold.open_file(0).schema_arrow.names
    if isinstance(systems, Mapping) and any(str(place) not in columns for place in systems.values()):
        opened = {TRUE: gold, **{name: Dataset.open(place) for name, place in systems.items()}}
        sides = [Side.of(files, name) for name, files in opened.items()]
    else:
        whole = systems is None
        systems = [name for name in columns if name not in (ID, TRUE)] if systems is None else systems
        for name, column in systems.items() if isinstance(systems, Mapping) else ():
            if name != column:
                raise InvalidOption(f"{gold.source}: the system of the column {column!r} is called like it")
        ids = [ID] if ID in columns else []
        named = [scored_column(name, columns) or name for name in systems]
        sides = [Side(gold, {name: name for name in (*ids, TRUE, *named)}, whole)]
    kinds = {}
    for side in sides:
        schema = side.files.open_file(0).schema_arrow
        for column in side.columns.values():
            if schema.names.count(column) != 1:
                raise InvalidLabelSets(f"{side.files.source}: there has to be one column {column!r}: {schema.names}")
        kinds[str(schema.field(ID).type) if ID in side.columns else None] = side.files.source
    if len(kinds) > 1:
        raise InvalidLabelSets(f"ids have to be of one type in all datasets: {kinds}")
    parts = Parts(make_plan(list(systems)), tuple(sides), size or BATCH, sources=[s.files.describe() for s in sides])
    if None not in kinds:
        return parts
    starts = [0, *accumulate(gold.open_file(k).metadata.num_rows for k in range(len(gold.names)))]
    return replace(parts, first_rows=tuple(starts))


@contextmanager
def align_parts(parts: Parts, workers: int, executor: Any) -> Iterator[Parts]:
    """The same parts where ids agree file by file, and else a join that is there for the time of a run."""
    numbers = range(len(parts.names))
    alike = len(parts.sides) == 1 or (
        {len(side.files.names) for side in parts.sides} == {len(numbers)}
        and all(same for _, same in map_items(_check_part, parts, numbers, workers, True, executor))
    )
    if alike:
        yield parts
        return
    if find_client(executor) is not None:
        raise MisalignedSides(
            f"{parts.sides[0].files.source}: the datasets do not have the same ids file by file, and the workers of a "
            "cluster do not see a join that is made here: join them by id before, or run on one machine"
        )
    with tempfile.TemporaryDirectory(prefix="hemlp-join-") as folder:
        yield replace(parts, sides=_spill(parts.sides, folder, parts.size), joined=True)


def _spill(sides: Sequence[Side], folder: str, size: int) -> tuple[Side, ...]:
    """The sides cut by the hash of the id: rows of an id are in the files of the same number."""
    from pyarrow import fs, parquet

    rows = sum(sides[0].files.open_file(k).metadata.num_rows for k in range(len(sides[0].files.names)))
    number = min(MOST_PARTS, max(1, math.ceil(rows / JOINED)))
    names = tuple(f"joined-{k:05}.parquet" for k in range(number))
    made = []
    for place, side in enumerate(sides):
        own = Path(folder) / str(place)
        own.mkdir()
        with ExitStack() as opened:
            writers: list[Any] = []
            for k in range(len(side.files.names)):
                for table in side.tables(k, size):
                    writers = writers or [
                        opened.enter_context(parquet.ParquetWriter(str(own / name), table.schema)) for name in names
                    ]
                    if table.schema.types != writers[0].schema.types:
                        raise FileFormatError(f"{side.files.source}, {side.files.names[k]}: columns of another type")
                    buckets = assign_buckets(table[ID].to_pylist()) % number
                    for bucket in np.unique(buckets).tolist():
                        writers[bucket].write_table(table.take(np.flatnonzero(buckets == bucket)))
        files = Dataset(side.files.source, fs.LocalFileSystem(), tuple(str(own / name) for name in names), names)
        made.append(Side(files, {name: name for name in side.columns}))
    return tuple(made)


def plan_parts(hierarchy: Any, measures: Any, *, names: Any = None, **options: Any) -> Callable[[Sequence[str]], Plan]:
    """How a plan is made of the names of systems, by the options of ``evaluate``; those that parts lack are refused."""
    own = ("unknown", "unknown_true", "missing", "undefined")
    for option, value in options.items():
        if option not in (*own, *OF_RUNS) and value is not None and (option, value) != ("gold", "exact"):
            raise InvalidOption(f"{option} is not for datasets, which are scored part by part: leave it out")
    h = Hierarchy.of(hierarchy)
    chosen = {key: options[key] for key in own if key in options}
    return partial(Plan, h if names is None else h.with_names(names), measures, **chosen)


def evaluate_parts(hierarchy: Any, true: Any, systems: Any, measures: Any, **options: Any) -> Evaluation:
    """As ``evaluate``, of datasets."""
    workers, executor, chunk, resume, progress = (options[key] for key in OF_RUNS)
    if systems is None and not isinstance(true, str | PathLike) and not is_dataset(true):
        raise InvalidOption("systems is missing: give {name: predictions}, or a dataset that has them")
    parts = open_parts(true, systems, plan_parts(hierarchy, measures, **options), chunk)
    check_options(parts.plan.systems, parts.plan.measures, workers, executor, chunk, None)
    with align_parts(parts, workers, executor) as parts:
        tally: Tally | None = None
        if resume is not None:
            parts = replace(parts, results=PartResults.begin(resume, parts.plan, parts.names, parts.sources))
        threads = all_compiled(tuple(parts.plan.measures.values()), parts.plan.options)
        with Progress(len(parts.names), "parts", progress) as bar:
            try:
                for _, one in map_items(_score_part, parts, range(len(parts.names)), workers, threads, executor):
                    tally = one if tally is None else tally.merge(one)
                    bar.advance(1)
            except WorkersDied as died:
                name = parts.names[int(died.item)]
                raise WorkerLost(f"{name}: {died}. Finished parts stay in a folder of results", name, 1, 0) from died
        joined = parts.joined
    assert tally is not None
    ev = tally.finish() if parts.results is None else parts.results.evaluation(tally)
    return ev if joined else with_labels(ev, parts, tally)


def open_results(folder: Any, hierarchy: Any, true: Any, systems: Any) -> Evaluation:
    """As ``Evaluation.open``."""
    results = PartResults.open(folder)
    tally = results.merged()
    ev = results.evaluation(tally)
    if hierarchy is None and true is None:
        return ev
    if hierarchy is None or true is None:
        raise InvalidOption("labels are read from the dataset by the hierarchy: give both, hierarchy and true")
    head = tally.head
    measures = {each.called: restore_measure(each.called, each.signature) for each in head.measures}
    plan = plan_parts(hierarchy, measures, **vars(head.policies), undefined="nan")
    if plan(head.systems).hierarchy.content_hash != results.identity["hierarchy"]:
        raise RunMismatch(f"{folder} has results by another hierarchy than this one")
    parts = open_parts(true, list(head.systems) if systems is None else systems, plan, None)
    if parts.sources != results.identity["sources"]:
        raise RunMismatch(f"{folder} has the results of other files, or the files have changed: give those of the run")
    if parts.plan.systems != head.systems:
        raise RunMismatch(
            f"{folder} has the systems {', '.join(head.systems)}, and not {', '.join(parts.plan.systems)}"
        )
    with align_parts(parts, 1, None) as aligned:
        if aligned.joined:
            raise InvalidOption(f"{folder}: these datasets were joined by id for the run alone: join them before")
    return with_labels(ev, parts, tally)
