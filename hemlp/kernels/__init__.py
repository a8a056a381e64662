"""The compiled loops. Plain functions over arrays that also run uncompiled (``NUMBA_DISABLE_JIT=1``).

Importing a module of this package imports numba, so callers import it where they need it, not at their top.
Compiled code is cached beside the sources, or in ``NUMBA_CACHE_DIR``; where neither can be written it is compiled
anew in each process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numba.core.event

F = TypeVar("F", bound=Callable[..., Any])


class _SayOnce(numba.core.event.Listener):
    """Logs one line when the first kernel of this process has to be compiled rather than loaded."""

    said = False

    def on_start(self, event: Any) -> None:
        module = getattr(event.data["dispatcher"].py_func, "__module__", "")
        if not self.said and module.startswith("hemlp."):
            self.said = True
            logging.getLogger("hemlp").warning(
                "compiling hemlp's kernels: some seconds; they are kept for the next run"
            )

    def on_end(self, event: Any) -> None:
        pass


numba.core.event.register("numba:compile", _SayOnce())  # type: ignore[no-untyped-call]


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, without the GIL, and cache the machine code where possible."""
    compiled: Any
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder for its cache
        compiled = numba.njit(nogil=True)(function)
    if (cache := getattr(compiled, "_cache", None)) is not None:
        cache.save_overload = _saving(cache.save_overload)
    return cast(F, compiled)


def _saving(save: Callable[..., None]) -> Callable[..., None]:
    """``save`` compiled code, and go on without where the disk has no room for it."""

    def save_if_possible(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            logging.getLogger("hemlp").warning("compiled code cannot be kept: %s", error)

    return save_if_possible
