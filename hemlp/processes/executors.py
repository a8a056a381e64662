"""A function of many items and one large shared value, mapped by any executor of ``concurrent.futures`` or of Dask.

The value is sent once to each worker. Threads have it anyway, processes read it from a file. On a cluster it is the
result of a task, so a worker that dies takes nothing with it that the cluster could not make again.
"""

from __future__ import annotations

import logging
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from time import monotonic
from typing import Any, TypeVar

from hemlp.errors import NoCluster
from hemlp.processes.sending import WORKER_TIMEOUT, Pickled, WorkersDied

Item = TypeVar("Item")
Result = TypeVar("Result")

GLANCE = 1.0
"""Seconds between two looks at whether there is a cluster at all: Dask does not say so to who waits for a result."""
PIECE = 2**22
"""Bytes that are sent to a cluster in one message: Dask warns of messages over 10 MB."""

NOTICE = 5.0
"""Seconds after which it is said that a cluster has no workers."""
GONE = "the scheduler of the cluster does not answer any more, or has cancelled this run"


def map_unordered(
    function: Callable[[Any, Item], Result], shared: Any, items: Iterable[Item], executor: Any
) -> Iterator[tuple[Item, Result]]:
    """Items with ``function(shared, item)``, as they are finished; few are under way at a time."""
    executor = executor.get_executor() if hasattr(executor, "get_executor") else executor
    running: dict[Future[Result], Item] = {}
    room, idle = _room(executor), Idle(executor)
    with _submitting(function, shared, executor) as submit:
        try:
            source = iter(items)  # here: in Python 3.11 a signal at the start of a loop belongs to the line above it
            while True:
                running.update((submit(item), item) for item in islice(source, room - len(running)))
                if not running:
                    return
                finished = wait(running, GLANCE, FIRST_COMPLETED).done
                if finished:
                    idle.end()
                elif getattr(find_client(executor), "status", None) == "closed":
                    running.clear()  # there is nobody to cancel it
                    raise NoCluster(GONE)
                else:
                    idle.look()
                for future in finished:
                    item = running.pop(future)
                    yield item, _result(future, item)
        finally:
            for future in running:
                future.cancel()


class Idle:
    """How long a cluster has had no workers: that is said once, and ends the run after a while."""

    def __init__(self, executor: Executor) -> None:
        self._client = find_client(executor)
        self._limit = float(getattr(executor, "worker_timeout", WORKER_TIMEOUT))
        self.end()

    def end(self) -> None:
        """There are workers."""
        self._since: float | None = None
        self._said = False

    def look(self) -> None:
        """Look whether there are any."""
        try:
            if self._client is None or self._client.nthreads():
                return self.end()
        except OSError:  # the scheduler is gone, which shows in a moment
            return None
        now = monotonic()
        self._since = now if self._since is None else self._since
        if now - self._since >= self._limit:
            raise NoCluster(
                f"the cluster has had no workers for {self._limit:g} seconds: start some (dask worker ADDRESS), or "
                f"wait longer (--dask-timeout, in Python worker_timeout of the executor)"
            )
        if now - self._since >= NOTICE and not self._said:
            self._said = True
            logging.getLogger("hemlp").warning(
                "hemlp: the cluster has no workers: waiting for some, for %g seconds at most", self._limit
            )
        return None


def _result(future: Future[Result], item: Any) -> Result:
    """The result, or what is the matter."""
    if future.cancelled():
        raise NoCluster(GONE)
    error = future.exception()
    if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker":
        raise WorkersDied(item, f"the executor lost a worker ({error})") from error
    return future.result()


def find_client(executor: Any) -> Any:
    """The Dask client behind an executor, or the executor itself if it is one."""
    client = getattr(executor, "_client", executor)
    return client if hasattr(client, "scheduler") else None


def _room(executor: Executor) -> int:
    """How many items may be under way, so that nobody waits for the next."""
    client = find_client(executor)
    threads = 0 if client is None else sum(client.nthreads().values())
    return 2 * max(threads, getattr(executor, "_max_workers", None) or os.cpu_count() or 1) + 2


@contextmanager
def _submitting(function: Callable[[Any, Item], Result], shared: Any, executor: Any) -> Iterator[Any]:
    """How an item is submitted."""
    if isinstance(executor, ThreadPoolExecutor):
        yield lambda item: executor.submit(function, shared, item)
    elif find_client(executor) is not None:
        sent = _scatter(shared, executor)
        yield lambda item: executor.submit(_from_bytes, function, sent, _dumps(item), pure=False)
    else:
        with tempfile.TemporaryDirectory(prefix="hemlp-") as folder:
            file = os.path.join(folder, "shared")
            with open(file, "wb") as out:
                out.write(Pickled.of(shared).data)
            yield lambda item: executor.submit(_from_file, function, file, item)


@lru_cache(maxsize=1)
def _read(file: str) -> Any:
    with open(file, "rb") as source:
        return pickle.load(source)


def _from_file(function: Callable[[Any, Item], Result], file: str, item: Item) -> Result:
    return function(_read(file), item)


def _from_bytes(function: Callable[[Any, Item], Result], shared: Any, item: bytes) -> Result:
    """What comes as it is may have its arrays anywhere in a message, and compiled code reads whole numbers."""
    return function(shared, pickle.loads(item))


def _dumps(value: Any) -> bytes:
    from distributed.protocol.pickle import dumps  # functions of a script go by value

    data: bytes = dumps(value)  # type: ignore[no-untyped-call]
    return data


def _scatter(shared: Any, executor: Any) -> Any:
    """``shared`` as the result of a task that puts it together from pieces, which go to the scheduler."""
    data = _dumps(shared)
    options = {**executor._kwargs, "pure": False}
    starts = range(0, len(data), PIECE)
    pieces = [executor._client.submit(bytes, data[start : start + PIECE], **options) for start in starts]
    return executor._client.submit(_unpickle_pieces, pieces, **options)


def _unpickle_pieces(pieces: list[bytes]) -> Any:
    return pickle.loads(b"".join(pieces))
