"""The compiled loops. Plain functions over arrays that also run uncompiled (``NUMBA_DISABLE_JIT=1``).

Importing a module of this package imports numba, so callers import it where they need it, not at their top.
Compiled code is cached beside the sources, or in ``NUMBA_CACHE_DIR``; where neither can be written it is compiled
anew in each process. What is damaged in the cache is compiled again.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.event
from numba.core.caching import IndexDataCacheFile

F = TypeVar("F", bound=Callable[..., Any])


class _Remarks(numba.core.event.Listener):
    """One line when kernels of this process have to be compiled, and one when they cannot be kept."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def say(self, about: str, line: str) -> None:
        """Unless something has been said about it."""
        if about not in self._said:
            self._said.add(about)
            logging.getLogger("hemlp").warning(line)

    def on_start(self, event: Any) -> None:
        dispatcher = event.data["dispatcher"]
        if getattr(dispatcher.py_func, "__module__", "").startswith("hemlp."):
            kept = "they are kept for the next run"
            lost = "no folder can keep them for the next run; NUMBA_CACHE_DIR can name one"
            told = kept if hasattr(dispatcher._cache, "_cache_file") else lost
            self.say("compiling", f"compiling hemlp's kernels: some seconds; {told}")

    def on_end(self, event: Any) -> None:
        pass


_remarks = _Remarks()
numba.core.event.register("numba:compile", _remarks)  # type: ignore[no-untyped-call]


def kernel(function: F) -> F:
    """Compile ``function`` on its first call, without the GIL, and cache the machine code where possible."""
    if os.environ.get("HEMLP_UNCOMPILED") == "1":
        return function
    compiled: Any
    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder for its cache
        compiled = numba.njit(nogil=True)(function)
    if (kept := getattr(compiled, "_cache", None)) is not None and hasattr(kept, "_cache_file"):
        kept._cache_file = CheckedCache(kept.cache_path, kept._impl.filename_base, sources())  # type: ignore[no-untyped-call]
        kept.save_overload = _saving(kept.save_overload)
    return cast(F, compiled)


def _saving(save: Callable[..., None]) -> Callable[..., None]:
    """``save`` compiled code, and go on without where the disk has no room for it."""

    def save_if_possible(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            _remarks.say("keeping", f"compiled code cannot be kept: {error}")

    return save_if_possible


@cache
def sources() -> str:
    """A digest of all kernels: numba itself does not notice that a function of another file has changed."""
    found = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


class CheckedCache(IndexDataCacheFile):
    """The files of a kernel in numba's cache, each behind a line with what it was made from and its own checksum.

    Without that, damaged code would be run, and a damaged index would end the process.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keep the code for a signature, in a file of its own: processes that compile at once do not mix theirs up."""
        base = self._index_name.removesuffix(".nbi")
        name = f"{base}.{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.nbc"
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_name, overloads)

    def _load_index(self) -> dict[Any, str]:
        return self._read(self._index_name) or {}

    def _save_data(self, name: str, data: Any) -> None:
        self._write(name, data)

    def _load_data(self, name: str) -> Any:
        return self._read(name)

    def _made_from(self) -> bytes:
        return hashlib.sha256(f"{self._version} {self._source_stamp}".encode()).hexdigest().encode()

    def _write(self, name: str, value: Any) -> None:
        content: bytes = self._dump(value)  # type: ignore[no-untyped-call]
        with self._open_for_write(os.path.join(self._cache_path, name)) as file:
            file.write(b"%s %s\n" % (self._made_from(), _checksum(name, content)) + content)

    def _read(self, name: str) -> Any:
        """What a file holds; None if it is not there, was made from something else, or is damaged."""
        path = os.path.join(self._cache_path, name)
        try:
            with open(path, "rb") as file:
                made_from, _, checksum = file.readline().rstrip(b"\n").partition(b" ")
                content = file.read()
        except FileNotFoundError:
            return None
        except OSError:
            made_from = checksum = content = b""
        if len(made_from) == 64 and made_from != self._made_from():
            return None
        if checksum == _checksum(name, content):
            return pickle.loads(content)
        folder = os.path.dirname(path)
        _remarks.say(
            "compiling", f"compiled code in {folder} is damaged: compiling hemlp's kernels again, some seconds"
        )
        return None


def _checksum(name: str, content: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + content).hexdigest().encode()
