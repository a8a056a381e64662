"""Interrupts: Ctrl-C and signals end a run at once, and tidily, whatever the process is doing.

Compiled code and solvers do not look at signals, and Python acts on one only when its main thread is back from them.
So what may take long runs in a thread of its own, and the main thread does nothing but wait for it.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
Item = TypeVar("Item")

PATIENCE = 0.2
"""Seconds between two looks at signals where waiting for a thread cannot be interrupted by them (Windows)."""
STOPPING = 0.5
"""Seconds that a solver has to stop: one that comes back while Python is ending takes the process down."""
TIDYING = 0.5
"""Seconds that a process which was told to end has to remove what is unfinished."""


class Abandoned(BaseException):
    """Raised in a thread whose result nobody waits for any more."""


class _Work(threading.Thread):
    """A thread that keeps the result of ``work``, or what it raised, and puts itself into ``finished``."""

    def __init__(self, work: Callable[[], Any], finished: SimpleQueue[_Work]) -> None:
        super().__init__(name="hemlp", daemon=True)
        self._work, self._context, self._finished = work, copy_context(), finished
        self.result: Any = None
        self.error: BaseException | None = None
        self.done = threading.Event()  # after a signal in Thread.join Python 3.11 takes a thread for ended

    def run(self) -> None:
        try:
            self.result = self._context.run(self._work)
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()
            self._finished.put(self)

    def abandon(self) -> None:
        """Have it end as soon as it is back in Python, stop the solver that it is in, and kill what it has started."""
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident or 0), ctypes.py_object(Abandoned))
        kill(children(os.getpid(), self.native_id or 0))
        stop = _stops.pop(self.ident or 0, None)
        if stop is not None:
            stop()
            self.done.wait(STOPPING)


_stops: dict[int, Callable[[], object]] = {}
"""How the solver that a thread is in can be stopped, by the number of the thread."""


def run_interruptible(work: Callable[[], T], stop: Callable[[], object] | None = None) -> T:
    """The result of ``work``; Ctrl-C raises KeyboardInterrupt at once, whatever ``work`` is doing.

    It runs in a thread of its own if this is the main thread, which is the one that notices signals. After Ctrl-C it
    is stopped as soon as that is possible, at once by ``stop`` where a solver has such a thing; its result is lost.
    """
    if threading.current_thread() is not threading.main_thread():
        return work() if stop is None else _stoppable(work, stop)
    [(_, result)] = as_completed(lambda work: work() if stop is None else _stoppable(work, stop), [work], 1)
    return result


def as_completed(function: Callable[[Item], T], items: Iterable[Item], threads: int) -> Iterator[tuple[Item, T]]:
    """Items with ``function(item)``, as they are finished by so many threads; this one only waits, for signals, too.

    Whatever ends the wait, Ctrl-C or an error, the threads that are still at work are stopped as soon as possible.
    """
    finished, running = SimpleQueue[_Work](), dict[_Work, Item]()
    try:
        source = iter(items)  # here: in Python 3.11 a signal at the start of a loop belongs to the line above it
        while True:
            for item in islice(source, threads - len(running)):
                thread = _Work(partial(function, item), finished)
                running[thread] = item
                thread.start()
            if not running:
                return
            try:
                thread = finished.get(timeout=PATIENCE)
            except Empty:
                continue
            item = running.pop(thread)
            if thread.error is not None:
                try:
                    raise thread.error
                finally:
                    del thread  # it holds the error, which holds this frame
            yield item, thread.result
    finally:
        for thread in running:
            thread.abandon()


def _stoppable(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """What a solver says after it was stopped is no result."""
    this = threading.get_ident()
    _stops[this] = stop
    try:
        result = work()
    finally:
        stopped = _stops.pop(this, None) is None
    if stopped:
        raise Abandoned
    return result


def interrupt_within(error: SystemError) -> BaseException:
    """The KeyboardInterrupt of which compiled code made a SystemError, or the error itself where there was none."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause or error


# ---- the end of a process


_unfinished: dict[object, Callable[[], object]] = {}
_changing = threading.RLock()  # what the garbage collector removes may change it within a change


@contextmanager
def cleanup_on_exit(remove: Callable[[], object]) -> Iterator[None]:
    """While this lasts there is something that ``remove`` removes, should the process be told to end."""
    key = object()
    with _changing:
        _unfinished[key] = remove
    try:
        yield
    finally:
        with _changing:
            _unfinished.pop(key, None)


@contextmanager
def start_whole() -> Iterator[None]:
    """What begins here is begun as a whole before the process ends, or not at all."""
    with _changing:
        yield


def end_at_signals(last_words: Callable[[str], str]) -> None:
    """From now on Ctrl-C, SIGTERM and SIGHUP end this process: tidily, at once, with the exit code 128 + signal.

    ``last_words``: the line to say on standard error, made from what happened. The main thread should only wait.
    """
    happened = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "hung up"}
    numbers = {getattr(signal, name): word for name, word in happened.items() if hasattr(signal, name)}

    def end(number: int, frame: FrameType | None) -> None:
        ignore()
        tidying = threading.Thread(target=_tidy, daemon=True)
        tidying.start()
        tidying.join(TIDYING)
        with suppress(OSError):
            os.write(2, f"{last_words(numbers[number])}\n".encode())
        os._exit(128 + number)

    def ignore() -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)

    for number in numbers:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup and a shell in the background want it
            signal.signal(number, end)
    atexit.register(ignore)  # the work is done, and Python would go back to dying of them


def _tidy() -> None:
    """Remove what is unfinished, and let nobody begin anything more."""
    _changing.acquire()
    for remove in list(_unfinished.values()):
        with suppress(Exception):
            remove()
    kill(children(os.getpid()))


def children(process: int, thread: int | str = "*") -> list[int]:
    """The processes that this one (or one thread of it) has started, and those that they have, where Linux tells."""
    pids: list[int] = []
    for tasks in Path(f"/proc/{process}/task").glob(f"{thread}/children"):
        with suppress(OSError):
            for child in map(int, tasks.read_text().split()):
                pids += [child, *children(child)]
    return pids


def kill(processes: Iterable[int]) -> None:
    """End processes at once, if they have not ended yet; not that of multiprocessing which clears up after others."""
    tracker = getattr(sys.modules.get("multiprocessing.resource_tracker"), "_resource_tracker", None)
    for process in {*processes} - {getattr(tracker, "_pid", None)}:
        with suppress(OSError):
            os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
