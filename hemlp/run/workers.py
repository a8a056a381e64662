"""The scores of all systems, chunk by chunk, by workers: threads, processes, or any executor, such as Dask's.

Threads where all that scores is compiled, since it lets other threads work meanwhile; what is written in Python does
not, and gets processes. All call ``score_chunk`` on the same data, so results do not depend on who does it, nor on who
finishes first. First all chunks are scored, which leaves hard instances unsolved, then each of these by itself: so no
easy instance waits for them, and all workers share them.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hemlp.arrays import record
from hemlp.errors import MissingDependency, NoCluster, WorkerLost, naming
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Side
from hemlp.kernels import COMPILED
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores, concatenate_scores
from hemlp.measures.scoring import UndefinedPolicy, score_together
from hemlp.optimize.program import Status
from hemlp.processes.interrupts import as_completed, run_interruptible
from hemlp.processes.progress import Progress
from hemlp.processes.sending import WORKER_TIMEOUT, Pickled, WorkersDied
from hemlp.results.inputs import Inputs
from hemlp.results.packed import NotScores, packed, unpacked
from hemlp.run.folder import RunFolder
from hemlp.solvers.registry import Solver
from hemlp.text.tables import plural

if TYPE_CHECKING:
    from concurrent.futures import Executor

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_PYTHON = {f"hemlp.solvers.{name}" for name in ("flow", "ortools", "pulp")}
"""Solvers that write programs in Python, or hold its lock while they solve them."""


@record
class ScoringOptions:
    """The options of ``score_together`` that a run has: what it is told wherever instances are scored."""

    undefined: UndefinedPolicy
    solver: Solver | None = None
    time_limit: float | None = None

    def __str__(self) -> str:
        limits = "" if self.time_limit is None else f"|time_limit:{self.time_limit}"
        return f"undefined:{self.undefined}" + ("" if self.solver is None else f"|solver:{self.solver.name}") + limits


@record
class Context:
    """What all chunks share: it is sent once to each worker. ``room``: how many bytes one may take for instances."""

    hierarchies: Mapping[str, Hierarchy]
    given: Hierarchy
    policies: str
    measures: tuple[Measure, ...]
    options: ScoringOptions
    room: float | None = None


@record
class Chunk:
    """Consecutive instances of one system, from number ``start`` on; ``round`` as of ``score_together``.

    Other processes get the two sides of the batch alone: they have its hierarchy already.
    """

    system: str
    start: int
    batch: Batch | tuple[Side, Side]
    round: int | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {
            **vars(self),
            "batch": (self.batch.true, self.batch.pred) if isinstance(self.batch, Batch) else self.batch,
        }

    @property
    def rows(self) -> int:
        """The number of instances."""
        return len(self.batch) if isinstance(self.batch, Batch) else len(self.batch[0])

    @property
    def key(self) -> list[Any]:
        """A key that is unique among the chunks of a run."""
        return [self.system, self.start, self.round]

    def __str__(self) -> str:
        return f"rows {self.start + 1:,} to {self.start + self.rows:,} of {self.system}"


def score_chunk(context: Context, chunk: Chunk) -> list[Scores]:
    """The scores of a chunk by all measures."""
    batch = chunk.batch
    if not isinstance(batch, Batch):
        batch = Batch(context.hierarchies[chunk.system], *batch, None, context.given, context.policies)
    asked = {**vars(context.options), "round": chunk.round, "first_row": chunk.start, "room": context.room}
    with naming(chunk.system):
        return score_together(context.measures, batch, **asked)


def pack_chunk(context: Context, chunk: Chunk) -> bytes:
    """Score a chunk and return bytes, for a worker of another executor, which Ctrl-C may reach."""
    return packed(run_interruptible(partial(score_chunk, context, chunk)), chunk.key)


def _unpack_chunk(body: Any, context: Context, chunk: Chunk) -> list[Scores]:
    """Unpack and check what a worker sent."""
    try:
        if not isinstance(body, bytes):
            raise NotScores(f"it is a {type(body).__name__}")
        head, scores = unpacked(body, context.measures)
        if (list(head.chunk), head.rows) != (chunk.key, chunk.rows):
            raise NotScores(f"it is the chunk {head.chunk!r:.80} of {head.rows} rows")
    except NotScores as error:
        raise worker_lost(chunk, f"a worker sent something else than its scores ({error})") from None
    return scores


def all_compiled(measures: tuple[Measure, ...], options: ScoringOptions) -> bool:
    """Whether only compiled, thread-safe code scores."""
    modules = Pickled.of((measures, options)).modules
    known = {*sys.stdlib_module_names, "hemlp", "numpy"}
    return COMPILED and not modules & IN_PYTHON and {name.partition(".")[0] for name in modules} <= known


def score_chunks(
    chunks: Iterable[Chunk], *, context: Context, workers: int, threads: bool, executor: Executor | None
) -> Iterator[tuple[Chunk, list[Scores]]]:
    """Chunks with their scores, as they are finished; few are in memory at a time.

    ``threads``: whether workers are threads, and not processes. ``executor``: scores instead of them.
    """
    try:
        if executor is not None:
            for chunk, body in map_items(pack_chunk, context, chunks, workers, threads, executor):
                yield chunk, _unpack_chunk(body, context, chunk)
        else:
            yield from map_items(score_chunk, context, chunks, workers, threads)
    except WorkersDied as died:
        raise worker_lost(died.item, str(died)) from died


def map_items(
    function: Callable[[Any, Item], Result], shared: Any, items: Iterable[Item], workers: int, threads: bool,
    executor: Executor | None = None,
) -> Iterator[tuple[Item, Result]]:  # fmt: skip
    """Items with ``function(shared, item)``, as they are finished: by an executor, or by workers."""
    if executor is not None:
        from hemlp.processes.executors import map_unordered

        yield from map_unordered(function, shared, items, executor)
    elif threads:
        yield from as_completed(partial(function, shared), items, workers)
    else:
        from hemlp.processes.pool import ProcessPool

        with ProcessPool(function, shared) as call:
            yield from as_completed(call, items, workers)


def worker_lost(chunk: Chunk, why: str) -> WorkerLost:
    """The error for a chunk that could not be scored."""
    words = f"{chunk}: {why}. Finished chunks stay where a run folder keeps them; less memory goes with smaller chunks"
    return WorkerLost(words, chunk.system, chunk.start + 1, chunk.start + chunk.rows)


Score = Callable[[Iterable[Chunk]], Iterable[tuple[Chunk, list[Scores]]]]
"""Chunks with their scores, as they are finished."""


class MemoryStore:
    """The scores of finished chunks, by the numbers of their system and of their first instance, as in a run folder."""

    def __init__(self) -> None:
        self._chunks: dict[tuple[int, int], list[Scores]] = {}

    def save(self, system: int, start: int, scores: list[Scores]) -> None:
        """Keep the scores of a chunk."""
        self._chunks[system, start] = scores

    def chunk(self, system: int, start: int) -> list[Scores]:
        """The scores of one chunk."""
        return self._chunks[system, start]

    def starts(self, system: int) -> list[int]:
        """The numbers of the first instances of the chunks of a system."""
        return sorted(start for of, start in self._chunks if of == system)

    def scores(self, system: int) -> list[Scores]:
        """The scores of a system, measure by measure."""
        return concatenate_scores([self._chunks[system, start] for start in self.starts(system)])


Store = RunFolder | MemoryStore


def score_systems(
    inputs: Inputs, score: Score, store: Store, size: int, order: Sequence[str], rounds: bool, bar: Progress
) -> dict[str, list[Scores]]:
    """The scores of each system, measure by measure, by chunks of ``size`` instances.

    ``order``: in which systems are scored. ``rounds``: whether there is a second round for hard instances. ``bar``:
    where progress is shown.
    """
    systems = list(inputs.systems)
    for chunk, scores in score(_pending_chunks(inputs, store, size, order, 0 if rounds else None, bar)):
        store.save(systems.index(chunk.system), chunk.start, scores)
        bar.advance(chunk.rows)
    by_system = {name: store.scores(k) for k, name in enumerate(systems)}
    unsolved = {name: rows for name in systems if rounds and (rows := _unsolved_rows(by_system[name]))}
    if not unsolved:
        return by_system
    by_system.clear()
    number = sum(map(len, unsolved.values()))
    bar.advance(-number, f"solving {plural(number, 'hard instance')}")
    for chunk, scores in score(list(_hard_chunks(inputs, unsolved))):
        _amend(store, systems.index(chunk.system), chunk.start, scores)
        bar.advance(1)
    return {name: store.scores(k) for k, name in enumerate(systems)}


def _pending_chunks(
    inputs: Inputs, store: Store, size: int, order: Sequence[str], round: int | None, bar: Progress
) -> Iterator[Chunk]:
    """The chunks that are not finished yet."""
    systems = list(inputs.systems)
    for number, system in ((systems.index(name), name) for name in order):
        for start, batch in inputs.blocks(system, size):
            if isinstance(store, MemoryStore) or not store.has_chunk(number, start, len(batch)):
                yield Chunk(system, start, batch, round)
            else:
                bar.advance(len(batch))


def _unsolved_rows(scores: Sequence[Scores]) -> list[int]:
    """The rows that a measure has left."""
    left = np.any([each.statuses == Status.UNSOLVED for each in scores], axis=0)
    return [int(row) for row in np.flatnonzero(left)]


def _hard_chunks(inputs: Inputs, unsolved: dict[str, list[int]]) -> Iterator[Chunk]:
    """The rows of each system that are not solved yet, each by itself."""
    for system, rows in unsolved.items():
        batch = inputs.take(system, rows)
        yield from (Chunk(system, row, batch[k], 1) for k, row in enumerate(rows))


def _amend(store: Store, system: int, row: int, scores: Sequence[Scores]) -> None:
    """Put the scores of one instance into the chunk that it is in."""
    starts = store.starts(system)
    start = starts[bisect_right(starts, row) - 1]
    store.save(system, start, _replace_row(store.chunk(system, start), scores, row - start))


def _replace_row(old: Sequence[Scores], new: Sequence[Scores], row: int) -> list[Scores]:
    """With the scores of one instance in a row; columns that measures share stay shared."""
    replaced: dict[int, Any] = {}

    def replace_in(array: Any, one: Any) -> Any:
        if id(array) not in replaced:
            replaced[id(array)] = array.copy()
            replaced[id(array)][row] = one[0]
        return replaced[id(array)]

    made = []
    for before, now in zip(old, new, strict=True):
        columns = {name: replace_in(column, now.columns[name]) for name, column in before.columns.items()}
        statuses = replace_in(before.statuses, now.statuses)
        undefined = int(np.count_nonzero(statuses > Status.FEASIBLE))
        made.append(replace(before, columns=columns, statuses=statuses, undefined=undefined))
    return made


@record
class Cluster:
    """The address of its scheduler, and for how many seconds a run waits while it has no worker."""

    address: str
    timeout: float = WORKER_TIMEOUT

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """What scores chunks there. Dask's own words about connections are not shown: hemlp's errors say the same."""
        import logging

        try:
            from distributed import Client
        except ImportError:
            raise MissingDependency("a Dask cluster needs dask: pip install 'dask[distributed]'") from None
        for name in list(logging.root.manager.loggerDict):
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            client: Any = Client(self.address, timeout=10)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise NoCluster(f"no Dask scheduler answers at {self.address}: {error}") from None
        with client:
            executor = client.get_executor()
            executor.worker_timeout = self.timeout
            yield executor
