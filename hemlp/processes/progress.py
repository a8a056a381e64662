"""A bar on standard error, with rate and time left, for work that takes longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, TypeVar

from hemlp.processes.interrupts import cleanup_on_exit

T = TypeVar("T")


class Progress:
    """``with Progress(total) as bar: bar.advance(n)``; not ``visible`` where standard error is no terminal."""

    patience = 1.0
    """Seconds before the bar appears."""
    shown: ClassVar[Progress | None] = None
    """The bar that is there: work within its work has none of its own."""

    def __init__(self, total: int, doing: str = "scoring", visible: bool | None = None) -> None:
        self._total = total
        self._done = 0
        self._doing = doing
        self._visible = bool(sys.stderr and sys.stderr.isatty()) if visible is None else visible
        self._start = time.monotonic()
        self._lock = threading.Lock()
        self._bar: Any = None
        self._task: Any = None
        self._opened = ExitStack()

    def __enter__(self) -> Progress:
        return self

    def advance(self, instances: int, doing: str | None = None) -> None:
        """So many more instances are done; ``doing``: what is done from now on."""
        with self._lock:
            self._done += instances
            self._doing = doing or self._doing
            late = self._visible and self._bar is None and time.monotonic() - self._start > self.patience
            if late and Progress.shown is None:
                self._open()
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done, rate=self._rate(), description=self._doing)

    def _rate(self) -> str:
        return f"{self._done / (time.monotonic() - self._start):,.0f}/s"

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(), console=Console(stderr=True),
        )  # fmt: skip
        Progress.shown = self
        self._opened.callback(setattr, Progress, "shown", None)
        self._opened.callback(self._bar.stop)
        self._opened.enter_context(cleanup_on_exit(self._bar.stop))  # it hides the cursor
        self._bar.start()
        self._task = self._bar.add_task(self._doing, total=self._total, rate=self._rate())

    def __exit__(self, *error: Any) -> None:
        self._opened.close()


def track(items: Sequence[T], doing: str) -> Iterator[T]:
    """The items one by one, with a bar."""
    with Progress(len(items), doing) as bar:
        for each in items:
            yield each
            bar.advance(1)
