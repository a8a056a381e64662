"""Work in other processes, for code in Python that would keep threads waiting.

Each is an executor of one process, so it is known which item one died of: it is replaced, and the item done again.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Generic, TypeVar

from hemlp.errors import Advice, InvalidOption
from hemlp.processes.interrupts import Abandoned, children, kill, start_whole
from hemlp.processes.sending import Pickled, WorkersDied

Item = TypeVar("Item")
Result = TypeVar("Result")

CONTEXT = multiprocessing.get_context("spawn")
ATTEMPTS = 3
"""How many processes may die of an item, or have too little memory for it."""


class ProcessPool(Generic[Item, Result]):
    """``function(shared, item)`` in as many processes as there are threads that ask; each gets ``shared`` once."""

    def __init__(self, function: Callable[[Any, Item], Result], shared: Any) -> None:
        if multiprocessing.current_process().daemon:
            error = InvalidOption("a daemon process of multiprocessing cannot start workers")
            raise error.with_advice(Advice("workers", "1", "to stay in this process"))
        self._function, self._shared = function, Pickled.of(shared).data
        self._idle: list[_Worker] = []
        self._all: list[_Worker] = []
        self._closed = False
        self._lock = threading.Lock()
        with _plain_start(PYTHONWARNINGS="ignore"):  # of multiprocessing's tracker, in a thread that is not abandoned
            CONTEXT.Lock()

    def __enter__(self) -> ProcessPool[Item, Result]:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._closed = True
        for worker in self._all:
            worker.end()

    def __call__(self, item: Item, attempts: int = ATTEMPTS) -> Result:
        """The result, once there is one."""
        worker = self._worker()
        try:
            worker.begun.result()
            result: Result = worker.executor.submit(_call, self._function, item).result()
        except (BrokenProcessPool, MemoryError) as error:  # a new process may have more memory
            code = worker.end()
            if attempts > 1:
                return self(item, attempts - 1)
            if isinstance(error, MemoryError):
                raise
            how = f"killed by signal {-code}, often for lack of memory" if code < 0 else f"code {code}"
            raise WorkersDied(item, f"the worker process died {ATTEMPTS} times ({how})") from None
        self._idle.append(worker)
        return result

    def _worker(self) -> _Worker:
        """One that is idle, or a new one."""
        with self._lock:
            if self._closed:  # and its processes are dead because they were killed
                raise Abandoned
            if self._idle:
                return self._idle.pop()
            self._all.append(_Worker(self._shared))
            return self._all[-1]


class _Worker:
    """A process, and the executor that sends to it."""

    def __init__(self, shared: bytes) -> None:
        if hasattr(signal, "pthread_sigmask"):  # what is blocked stays so in a new process: Ctrl-C is for this one
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        with start_whole(), _plain_start():
            self.executor = ProcessPoolExecutor(1, CONTEXT)
            self.begun = self.executor.submit(_begin, shared)
        (self._process,) = self.executor._processes.values()

    def end(self) -> int:
        """End it and what it has started, if it has not ended yet; its exit code."""
        if self._process.is_alive():
            kill(children(self._process.pid or 0))
            self._process.kill()
        self.executor.shutdown()
        return self._process.exitcode or 0


@contextmanager
def _plain_start(**variables: str) -> Iterator[None]:
    """New processes neither import from the current folder, unless this one does, nor run the script once more."""
    variables["PYTHONSAFEPATH"] = "1"
    before = {name: os.environ.pop(name, None) for name in variables}
    script = sys.modules["__main__"]
    os.environ |= variables
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


_shared: Any = None
"""In a worker process: what all items share."""


def _begin(shared: bytes) -> None:
    """Begin a worker process, which ends with the one that started it."""
    global _shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _shared = pickle.loads(shared)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    kill(children(os.getpid()))
    os._exit(1)


def _call(function: Callable[[Any, Item], Result], item: Item) -> Result:
    """The result; an error that other processes cannot read goes as its text."""
    try:
        return function(_shared, item)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
        raise
