"""Any executor of ``concurrent.futures``, and that of a Dask client: work on many items that share a large value.

The value is sent once to each worker. Threads have it anyway, processes read it from a file. On a cluster it is the
result of a task, so a worker that dies takes nothing with it that the cluster could not make again.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from concurrent.futures import CancelledError as Cancelled
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from hemlp.errors import NoCluster
from hemlp.processes.sending import Pickled

Item = TypeVar("Item")
Result = TypeVar("Result")
Submit = Callable[[Item], "Future[Result]"]

ATTEMPTS = 3
"""How often an item is given to a cluster that loses it. Each time Dask itself tries it on several workers."""
GLANCE = 1.0
"""Seconds between two looks at whether there is a cluster at all: Dask does not say so to who waits for a result."""
PIECE = 2**22
"""Bytes that are sent to a cluster in one message: Dask warns of messages over 10 MB."""


class WorkersDied(Exception):
    """The executor lost the workers that had ``item``."""

    def __init__(self, item: Any, why: str) -> None:
        super().__init__(why)
        self.item = item


def results(
    function: Callable[[Any, Item], Result], shared: Any, items: Iterable[Item], executor: Executor
) -> Iterator[tuple[Item, Result]]:
    """Items with ``function(shared, item)``, as they are finished; few are under way at a time."""
    source = iter(items)
    again: deque[tuple[int, Item]] = deque()
    lost: Counter[int] = Counter()
    running: dict[Future[Result], tuple[int, Item]] = {}
    most = 2 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1) + 2
    with _submitting(function, shared, executor) as submit:
        try:
            given = 0
            while True:
                while len(running) < most:
                    if again:
                        number, item = again.popleft()
                    elif (item := next(source, None)) is not None:  # type: ignore[assignment]
                        number, given = given, given + 1
                    else:
                        break
                    running[submit(item)] = number, item
                if not running:
                    return
                finished = wait(running, GLANCE, FIRST_COMPLETED).done
                if not finished and getattr(getattr(executor, "_client", None), "status", None) == "closed":
                    running.clear()  # there is nobody to cancel it
                    raise NoCluster("the scheduler of the cluster does not answer any more")
                for future in finished:
                    number, item = running.pop(future)
                    error = _lost(future)
                    if error is None:
                        yield item, future.result()
                        continue
                    lost[number] += 1
                    if lost[number] == ATTEMPTS or isinstance(error, BrokenExecutor):
                        raise _named(item, error) from error
                    again.append((number, item))
        finally:
            for future in running:
                future.cancel()


def _lost(future: Future[Any]) -> BaseException | None:
    """Why there is no result, if that is the fault of the executor and not of the work."""
    if future.cancelled():
        return Cancelled()
    error = future.exception()
    return error if isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker" else None


def _named(item: Any, error: BaseException) -> Exception:
    if isinstance(error, Cancelled):
        return NoCluster(f"the cluster cancelled {item} {ATTEMPTS} times")
    return WorkersDied(item, f"the executor lost a worker ({error})")


@contextmanager
def _submitting(function: Callable[[Any, Item], Result], shared: Any, executor: Executor) -> Iterator[Any]:
    """How an item is submitted."""
    client = getattr(executor, "_client", None)
    if isinstance(executor, ThreadPoolExecutor):
        yield lambda item: executor.submit(function, shared, item)
    elif client is not None and hasattr(client, "scheduler"):
        yield OnCluster(function, shared, executor).submit
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


class OnCluster:
    """Submits to a Dask cluster. ``shared`` is sent in pieces that a task of the cluster puts together."""

    def __init__(self, function: Callable[[Any, Any], Any], shared: Any, executor: Any) -> None:
        from distributed.protocol.pickle import dumps  # functions of a script go by value

        self._function, self._executor = function, executor
        self._data: bytes = dumps(shared)  # type: ignore[no-untyped-call]
        self._shared: Any = None

    def submit(self, item: Any) -> Any:
        """A future of the result for ``item``."""
        if self._shared is None or self._shared.status in ("error", "cancelled", "lost"):
            self._shared = self._sent()
        return self._executor.submit(self._function, self._shared, item, pure=False)

    def _sent(self) -> Any:
        client, options = self._executor._client, {**self._executor._kwargs, "pure": False}
        starts = range(0, len(self._data), PIECE)
        pieces = [client.submit(bytes, self._data[start : start + PIECE], **options) for start in starts]
        return client.submit(_joined, pieces, **options)


def _joined(pieces: list[bytes]) -> Any:
    return pickle.loads(b"".join(pieces))
