"""Worker processes of our own.

One is told what all chunks share by a file without a name, reads chunks from its standard input and writes scores to
its standard output, as pickles with their lengths before them. It ends with its input, that is when it is done, and
also when the process that started it is gone.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import traceback
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import IO, Any

from hemlp.errors import OutOfMemory, UnwritableFile
from hemlp.evaluation.workers import Chunk, Context, lost, score_chunk
from hemlp.io.files import is_open, reason
from hemlp.measures.scores import Scores
from hemlp.processes.sending import Pickled, import_path

ATTEMPTS = 3
"""How many workers may die of a chunk."""
GOODBYE = 5.0
"""Seconds for a worker process to end after it has closed its output."""
START = "import sys; sys.path[:] = sys.argv[2:]; from hemlp.evaluation.pool import main; main(int(sys.argv[1]))"
"""What a worker process runs: it imports from where this process does, never from the current folder."""


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
        pickled = Pickled.of(self.context)
        self._path = import_path(pickled.modules)
        self._ready = selectors.DefaultSelector()
        try:
            with tempfile.TemporaryFile(prefix="hemlp-") as file:
                file.write(pickled.data)
                file.flush()
                self._context = fcntl.fcntl(file.fileno(), fcntl.F_DUPFD_CLOEXEC, 3)  # not a standard stream of workers
        except OSError as error:
            raise UnwritableFile(f"cannot write to {tempfile.gettempdir()}: {reason(error)}") from None
        return self

    def __exit__(self, *error: Any) -> None:
        for worker in list(self.workers):
            self._stop(worker)
        self._ready.close()
        os.close(self._context)

    def _stop(self, worker: Worker) -> int:
        """End a worker, if it has not ended yet, and what it has started; its exit code."""
        self.workers.remove(worker)
        self._ready.unregister(worker.process.stdout)  # type: ignore[arg-type]
        with suppress(ProcessLookupError):
            os.killpg(worker.process.pid, signal.SIGKILL)
        code = worker.process.wait()
        for stream in (worker.process.stdin, worker.process.stdout):
            assert stream is not None
            with suppress(OSError):  # what was not sent is for nobody now
                stream.close()
        return code

    def _start(self, chunk: Chunk) -> Worker:
        # in a group of its own, so that Ctrl-C in a terminal is for this process alone, which ends its workers
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", START, str(self._context), *self._path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[self._context], process_group=0,
        )  # fmt: skip
        worker = Worker(process, chunk)
        assert process.stdout is not None
        self._ready.register(process.stdout, selectors.EVENT_READ, worker)
        self.workers.append(worker)
        return worker

    def scored(self, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[Scores]]]:
        """Chunks with their scores, as they are finished."""
        source = iter(chunks)
        again: deque[Chunk] = deque()
        died: Counter[tuple[str, int]] = Counter()
        for worker in [self._start(chunk) for chunk in islice(source, self.size)]:
            _send(worker.process.stdin, worker.chunk)
        while any(worker.chunk is not None for worker in self.workers):
            for key, _ in self._ready.select():
                worker = key.data
                answer, chunk = _receive(worker.process.stdout), worker.chunk
                full = isinstance(answer, OutOfMemory)  # a new process may have more
                if answer is not None and chunk is not None and not full:
                    if isinstance(answer, BaseException):
                        raise answer
                    yield chunk, answer
                    worker.chunk = again.popleft() if again else next(source, None)
                    if worker.chunk is not None:
                        _send(worker.process.stdin, worker.chunk)
                    continue
                with suppress(subprocess.TimeoutExpired):
                    worker.process.wait(0 if full else GOODBYE)
                code = self._stop(worker)
                if chunk is not None:
                    died[chunk.system, chunk.start] += 1
                    if died[chunk.system, chunk.start] == ATTEMPTS and full:
                        raise answer
                    if died[chunk.system, chunk.start] == ATTEMPTS:
                        how = f"killed by signal {-code}, often for lack of memory" if code < 0 else f"code {code}"
                        raise lost(chunk, f"the worker process died {ATTEMPTS} times ({how})")
                    _send(self._start(chunk).process.stdin, chunk)


def _send(stream: IO[bytes] | None, what: Any) -> None:
    """Send to a process; whether it is dead shows when its answer is read."""
    assert stream is not None
    data = pickle.dumps(what)
    with suppress(BrokenPipeError):
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


def main(context_file: int) -> None:
    """A worker process. Ctrl-C is for the process that started it, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not is_open(2):
        os.open(os.devnull, os.O_WRONLY)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to standard error
    chunks: SimpleQueue[Chunk] = SimpleQueue()
    threading.Thread(target=_read_chunks, args=(chunks,), daemon=True).start()
    with mmap.mmap(context_file, 0, access=mmap.ACCESS_READ) as data:
        context = pickle.loads(data)
    while True:
        chunk = chunks.get()
        _send(answers, _answer(context, chunk))


def _read_chunks(chunks: SimpleQueue[Chunk]) -> None:
    """Until there is nobody to send any: then end this process and what it has started, whatever it is doing."""
    while (chunk := _receive(sys.stdin.buffer)) is not None:
        chunks.put(chunk)
    os.killpg(0, signal.SIGKILL)


def _answer(context: Context, chunk: Chunk) -> Any:
    """The scores of a chunk, or the error that the other process is to raise."""
    try:
        return score_chunk(context, chunk)
    except OutOfMemory as error:
        return error
    except MemoryError:  # another worker may have more
        raise
    except Exception as error:
        error.add_note(f"in a worker process:\n{traceback.format_exc()}")
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            return RuntimeError(f"{type(error).__name__}: {error}")
        return error
