"""Who scores the chunks of a run: threads, processes, or any executor, that of Dask included.

Threads where all that scores is compiled, since it lets other threads work meanwhile; what is written in Python does
not, and gets processes. All call ``score_chunk`` on the same data, so results do not depend on who does it, nor on who
finishes first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from hemlp.errors import WorkerLost
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch
from hemlp.kernels import COMPILED
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import Scores
from hemlp.measures.scoring import UndefinedPolicy, score_together
from hemlp.processes.interrupts import as_finished, interruptible
from hemlp.processes.sending import Pickled, WorkersDied
from hemlp.results.packed import NotScores, packed, unpacked
from hemlp.solvers.registry import Solver

if TYPE_CHECKING:
    from concurrent.futures import Executor

IN_PYTHON = {f"hemlp.solvers.{name}" for name in ("cpsat", "flow", "milp", "networkx", "portfolio", "pulp")}
"""Solvers that write programs in Python, or hold its lock while they solve them."""


@dataclass(frozen=True)
class Solving:
    """How models are solved: what becomes of undefined values, by whom, and in how many seconds an instance."""

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
    solving: Solving
    room: float | None = None


@dataclass(frozen=True)
class Chunk:
    """Consecutive instances of one system, from number ``start`` on, as class numbers."""

    system: str
    start: int
    rows: int
    sides: tuple[Any, Any]
    round: int | None = None

    @classmethod
    def of(cls, system: str, start: int, batch: Batch, round: int | None = None) -> Chunk:
        """The instances of ``batch``; ``round``: as of ``score_together``."""
        return cls(system, start, len(batch), (batch.true, batch.pred), round)

    @property
    def key(self) -> list[Any]:
        """What tells it from other chunks of a run."""
        return [self.system, self.start, self.round]

    def __str__(self) -> str:
        return f"rows {self.start + 1:,} to {self.start + self.rows:,} of {self.system}"


def score_chunk(context: Context, chunk: Chunk) -> list[Scores]:
    """The scores of a chunk by all measures."""
    hierarchy = context.hierarchies[chunk.system]
    batch = Batch(hierarchy, *chunk.sides, None, context.given, context.policies)
    how = context.solving
    options: dict[str, Any] = {"solver": how.solver, "time_limit": how.time_limit, "undefined": how.undefined}
    options |= {"round": chunk.round, "first_row": chunk.start, "room": context.room}
    return interruptible(partial(score_together, context.measures, batch, **options))


def packed_chunk(context: Context, chunk: Chunk) -> bytes:
    """The same as bytes, for a worker that is not ours to send."""
    return packed(score_chunk(context, chunk), chunk.key)


def _received(body: Any, context: Context, chunk: Chunk) -> list[Scores]:
    """What a worker sent, if it is what was asked for."""
    try:
        if not isinstance(body, bytes):
            raise NotScores(f"it is a {type(body).__name__}")
        head, scores = unpacked(body, context.measures)
        if (list(head.chunk), head.rows) != (chunk.key, chunk.rows):
            raise NotScores(f"it is the chunk {head.chunk!r:.80} of {head.rows} rows")
    except NotScores as error:
        raise lost(chunk, f"a worker sent something else than its scores ({error})") from None
    return scores


def all_compiled(measures: tuple[Measure, ...], solving: Solving) -> bool:
    """Whether no code in Python scores that could not wait for other threads, nor any that does not know of them."""
    modules = Pickled.of((measures, solving)).modules
    known = {*sys.stdlib_module_names, "hemlp", "numpy"}
    return COMPILED and not modules & IN_PYTHON and {name.partition(".")[0] for name in modules} <= known


def scored(
    context: Context, chunks: Iterable[Chunk], workers: int, executor: Executor | None
) -> Iterator[tuple[Chunk, list[Scores]]]:
    """Chunks with their scores, as they are finished; few are in memory at a time."""
    try:
        if executor is not None:
            from hemlp.processes.executors import results

            for chunk, body in results(packed_chunk, context, chunks, executor):
                yield chunk, _received(body, context, chunk)
        elif workers == 1 or all_compiled(context.measures, context.solving):
            yield from as_finished(partial(score_chunk, context), chunks, workers)
        else:
            from hemlp.processes.pool import ProcessPool

            with ProcessPool(score_chunk, context) as score:
                yield from as_finished(score, chunks, workers)
    except WorkersDied as died:
        raise lost(died.item, str(died)) from died


def lost(chunk: Chunk, why: str) -> WorkerLost:
    """The error that a chunk could not be scored."""
    words = f"{chunk}: {why}. Finished chunks stay where a run folder keeps them; less memory goes with smaller chunks"
    return WorkerLost(words, chunk.system, chunk.start + 1, chunk.start + chunk.rows)
