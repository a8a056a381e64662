"""Workers that score the chunks of a run: threads, processes, or any executor, such as Dask's.

Threads where all that scores is compiled, since it lets other threads work meanwhile; what is written in Python does
not, and gets processes. All call ``score_chunk`` on the same data, so results do not depend on who does it, nor on who
finishes first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from hemlp.errors import WorkerLost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Side
from hemlp.kernels import COMPILED
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.scoring import UndefinedPolicy, score_together
from hemlp.processes.interrupts import as_completed, run_interruptible
from hemlp.processes.sending import Pickled, WorkersDied
from hemlp.results.packed import NotScores, packed, unpacked
from hemlp.solvers.registry import Solver

if TYPE_CHECKING:
    from concurrent.futures import Executor

Item = TypeVar("Item")
Result = TypeVar("Result")

IN_PYTHON = {f"hemlp.solvers.{name}" for name in ("cpsat", "flow", "milp", "networkx", "portfolio", "pulp")}
"""Solvers that write programs in Python, or hold its lock while they solve them."""


@dataclass(frozen=True)
class ScoringOptions:
    """How to solve models: the policy for undefined values, the solver, and the seconds per instance."""

    undefined: UndefinedPolicy
    solver: Solver | None = None
    time_limit: float | None = None

    def __str__(self) -> str:
        limits = "" if self.time_limit is None else f"|time_limit:{self.time_limit}"
        return f"undefined:{self.undefined}" + ("" if self.solver is None else f"|solver:{self.solver.name}") + limits


@dataclass(frozen=True)
class Context:
    """What all chunks share: it is sent once to each worker. ``room``: how many bytes one may take for instances."""

    hierarchies: Mapping[str, Hierarchy]
    given: Hierarchy
    policies: str
    measures: tuple[Measure, ...]
    options: ScoringOptions
    room: float | None = None


@dataclass(frozen=True)
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
    batch, options = chunk.batch, context.options
    if not isinstance(batch, Batch):
        batch = Batch(context.hierarchies[chunk.system], *batch, None, context.given, context.policies)
    return score_together(
        context.measures, batch, solver=options.solver, time_limit=options.time_limit, undefined=options.undefined,
        round=chunk.round, first_row=chunk.start, room=context.room,
    )  # fmt: skip


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
