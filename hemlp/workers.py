"""Who scores the chunks of a run: this process, worker processes of our own, or any executor, that of Dask included.

All of them call ``score_chunk`` on the same data, so results do not depend on who does it, nor on who finishes first.
A worker process (``main``) reads what all chunks share from a file, then chunks from its standard input until that
ends, and writes scores to its standard output, as pickles with their lengths before them.
"""

from __future__ import annotations

import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import IO, Any

from hemlp.errors import HemlpError, InvalidOption, WorkerLost
from hemlp.hierarchy import Hierarchy
from hemlp.labels import Batch
from hemlp.scores import Scores
from hemlp.scoring import Measure, UndefinedPolicy, score_together

ATTEMPTS = 3
"""How often a chunk is tried before its worker counts as lost."""


@dataclass(frozen=True)
class Context:
    """What all chunks share: it is sent once to each worker."""

    hierarchies: Mapping[str, Hierarchy]
    given: Hierarchy
    policies: str
    measures: tuple[Measure, ...]
    undefined: UndefinedPolicy


@dataclass(frozen=True)
class Chunk:
    """Consecutive instances of one system, from number ``start`` on, as class numbers."""

    system: str
    start: int
    rows: int
    sides: tuple[Any, Any]

    @classmethod
    def of(cls, system: str, start: int, batch: Batch) -> Chunk:
        """The instances of ``batch``."""
        return cls(system, start, len(batch), (batch.true, batch.pred))

    def __str__(self) -> str:
        return f"rows {self.start + 1:,} to {self.start + self.rows:,} of {self.system}"


def score_chunk(context: Context, chunk: Chunk) -> list[Scores]:
    """The scores of a chunk by all measures."""
    hierarchy = context.hierarchies[chunk.system]
    batch = Batch(hierarchy, *chunk.sides, None, context.given, context.policies)
    try:
        return score_together(context.measures, batch, undefined=context.undefined, first_row=chunk.start)
    except SystemError as error:  # so compiled code tells of Ctrl-C, at the end of a chain
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__
        raise cause or error from None


def scored(
    context: Context, chunks: Iterable[Chunk], workers: int, executor: Executor | None
) -> Iterator[tuple[Chunk, list[Scores]]]:
    """Chunks with their scores, as they are finished; few are in memory at a time."""
    if executor is not None:
        yield from _by_executor(context, chunks, executor)
    elif workers == 1:
        for chunk in chunks:
            yield chunk, score_chunk(context, chunk)
    else:
        with WorkerPool(context, workers) as pool:
            yield from pool.scored(chunks)


# ---- executors


def _by_executor(context: Context, chunks: Iterable[Chunk], executor: Executor) -> Iterator[tuple[Chunk, list[Scores]]]:
    with tempfile.TemporaryDirectory(prefix="hemlp-") as folder:
        submit = _submitting(context, executor, folder)
        source = iter(chunks)
        running: dict[Future[list[Scores]], Chunk] = {}
        most = 2 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1) + 2
        while True:
            while len(running) < most and (chunk := next(source, None)) is not None:
                running[submit(chunk)] = chunk
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                chunk = running.pop(future)
                try:
                    yield chunk, future.result()
                except BaseException as error:
                    for other in running:
                        other.cancel()
                    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
                        raise _lost(chunk, f"the executor lost a worker ({error})") from error
                    raise


def _submitting(context: Context, executor: Executor, folder: str) -> Any:
    """How a chunk is submitted: threads share the context, a cluster gets it once, processes read it from a file."""
    if isinstance(executor, ThreadPoolExecutor):
        return lambda chunk: executor.submit(score_chunk, context, chunk)
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "scatter"):
        everywhere = client.scatter(context, broadcast=True)

        def to_cluster(chunk: Chunk) -> Future[list[Scores]]:
            return executor.submit(score_chunk, everywhere, chunk)

        return to_cluster
    file = _write_context(context, os.path.join(folder, "context"))
    return lambda chunk: executor.submit(_score_from_file, file, chunk)


def _write_context(context: Context, file: str) -> str:
    try:
        data = pickle.dumps(context)
        if b"__main__" in data:
            raise pickle.PicklingError("a function of the script itself")
    except Exception as error:
        raise InvalidOption(
            f"other processes cannot be told about this run ({error}): functions in measures have to be importable; "
            f"use workers=1, or a ThreadPoolExecutor"
        ) from None
    with open(file, "wb") as out:
        out.write(data)
    return file


@lru_cache(maxsize=1)
def _read_context(file: str) -> Context:
    with open(file, "rb") as source:
        context: Context = pickle.load(source)
    return context


def _score_from_file(file: str, chunk: Chunk) -> list[Scores]:
    return score_chunk(_read_context(file), chunk)


def _lost(chunk: Chunk, why: str) -> WorkerLost:
    words = f"{chunk}: {why}. Finished chunks stay where a run folder keeps them; less memory goes with smaller chunks"
    return WorkerLost(words, chunk.system, chunk.start + 1, chunk.start + chunk.rows)


# ---- processes of our own


@dataclass
class Worker:
    """A worker process, and the chunk that it is at."""

    process: subprocess.Popen[bytes]
    chunk: Chunk | None = None


@dataclass
class WorkerPool:
    """Worker processes. One that dies is replaced, and its chunk done again."""

    context: Context
    size: int
    workers: list[Worker] = field(default_factory=list)

    def __enter__(self) -> WorkerPool:
        self._folder = tempfile.TemporaryDirectory(prefix="hemlp-")
        self._ready = selectors.DefaultSelector()
        try:
            self._file = _write_context(self.context, os.path.join(self._folder.name, "context"))
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        for worker in list(self.workers):
            self._stop(worker)
        self._ready.close()
        self._folder.cleanup()

    def _stop(self, worker: Worker) -> int:
        """End a worker, if it has not ended yet; its exit code."""
        self.workers.remove(worker)
        self._ready.unregister(worker.process.stdout)  # type: ignore[arg-type]
        worker.process.kill()
        code = worker.process.wait()
        for stream in (worker.process.stdin, worker.process.stdout):
            assert stream is not None
            with suppress(OSError):  # what was not sent is for nobody now
                stream.close()
        return code

    def _start(self) -> Worker:
        command = [sys.executable, "-c", "from hemlp.workers import main; main()", self._file]
        worker = Worker(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        assert worker.process.stdout is not None
        self._ready.register(worker.process.stdout, selectors.EVENT_READ, worker)
        self.workers.append(worker)
        return worker

    def scored(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Scores]]]:
        """Chunks with their scores, as they are finished."""
        source = iter(chunks)
        again: deque[Chunk] = deque()
        tried: dict[tuple[str, int], int] = {}

        def give(worker: Worker) -> None:
            chunk = again.popleft() if again else next(source, None)
            worker.chunk = chunk
            if chunk is not None:
                with suppress(OSError):  # it is dead, as reading from it will tell
                    _send(worker.process.stdin, chunk)

        for _ in range(self.size):
            give(self._start())
            if self.workers[-1].chunk is None:
                break
        while any(worker.chunk is not None for worker in self.workers):
            for key, _ in self._ready.select():
                worker: Worker = key.data
                answer = _receive(worker.process.stdout)
                chunk = worker.chunk
                if answer is not None and chunk is not None:
                    if isinstance(answer, BaseException):
                        raise answer
                    yield chunk, answer
                    give(worker)
                    continue
                worker.process.wait()
                code = self._stop(worker)
                if chunk is not None:
                    place = chunk.system, chunk.start
                    tried[place] = tried.get(place, 0) + 1
                    if tried[place] == ATTEMPTS:
                        how = f"killed by signal {-code}, often for lack of memory" if code < 0 else f"code {code}"
                        raise _lost(chunk, f"the worker process died {ATTEMPTS} times ({how})")
                    again.append(chunk)
                    give(self._start())


def _send(stream: IO[bytes] | None, what: Any) -> None:
    assert stream is not None
    data = pickle.dumps(what)
    stream.write(struct.pack("<q", len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes] | None) -> Any:
    """What was sent, or None where the other end is gone."""
    assert stream is not None
    head = stream.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<q", head)
    data = stream.read(length)
    return pickle.loads(data) if len(data) == length else None


def main() -> None:
    """A worker process. Ctrl-C is for the process that started it, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to standard error
    context = _read_context(sys.argv[1])
    while (chunk := _receive(sys.stdin.buffer)) is not None:
        try:
            answer: Any = score_chunk(context, chunk)
        except HemlpError as error:
            answer = error
        _send(answers, answer)
