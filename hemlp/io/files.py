"""Atomic writes: a file is written beside its place, flushed to the disk and then moved there."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from hemlp.errors import UnwritableFile
from hemlp.processes.interrupts import cleanup_on_exit, start_whole

LOCKS = find_spec("fcntl") is not None
"""Whether files are locked while they are written. Windows neither removes nor moves a file that somebody has open."""
if LOCKS:
    import fcntl

STANDARD_INPUT = "/dev/stdin"
"""Its name, also where there is no such file; it can be read once."""
PART = re.compile(r"(.+)\.[0-9a-f]+\.part", re.DOTALL)
"""The name of a file that is being written, after the name that it will have."""


def reason(error: OSError) -> str:
    """The reason for an error on a file, in a few words."""
    return (error.strerror or str(error)).lower()


def is_open(number: int) -> bool:
    """Whether this process has an open file of that number."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def is_stream(place: Path) -> bool:
    """Whether a file can only be written where it is: a pipe, a device, or a stream of a process like /dev/stdout."""
    devices = place.absolute().as_posix().startswith(("/dev/", "/proc/"))
    return devices or (os.path.exists(place) and not os.path.isfile(place))


def write_text(path: str | PathLike[str], text: str | Iterable[str]) -> None:
    """Write a text, or the pieces of one, in UTF-8: whole or not at all."""
    pieces = [text] if isinstance(text, str) else text
    try:
        write_bytes(path, (piece.encode("utf-8") for piece in pieces))
    except UnicodeEncodeError as error:
        sign = error.object[error.start]
        raise UnwritableFile(
            f"cannot write {fspath(path)}: {sign!r} has no UTF-8: it is half of a surrogate pair"
        ) from None


def write_bytes(path: str | PathLike[str], data: bytes | Iterable[bytes], *, keep: bool = False) -> None:
    """Write a file, whole or not at all: errors are named, and an older file stays as it was.

    ``keep``: a file that is there stays, even one that another process has just written.
    """
    place = Path(path)
    if "\0" in fspath(path):
        raise UnwritableFile(f"cannot write {fspath(path)}: a path has no zero byte")
    pieces = [data] if isinstance(data, bytes) else data
    try:
        if is_stream(place):
            own = re.fullmatch(r"/dev/(?:(stdout)|(stderr)|fd/(\d+))", str(place))
            number = None if own is None else 1 if own[1] else 2 if own[2] else int(own[3])
            if number == 1 and sys.__stdout__ is not None:
                number = sys.__stdout__.fileno()  # the command line has it elsewhere
            with place.open("wb") if number is None else os.fdopen(os.dup(number), "wb") as file:
                file.writelines(pieces)
            return
        place = Path(os.path.realpath(place))  # what a link points to, not the link
        place.parent.mkdir(parents=True, exist_ok=True)
        with _part_of(place) as (part, file):
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
            if not LOCKS:
                file.close()
            (_link if keep else os.replace)(part, place)
        if LOCKS:  # where folders can be opened, too
            folder = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
    except OSError as error:
        raise UnwritableFile(f"cannot write {fspath(path)}: {reason(error)}") from None


@contextmanager
def _part_of(place: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """A new file beside ``place``, locked while its writer lives."""
    part = place.with_name(f"{place.name[:50]}.{os.urandom(8).hex()}.part")
    with cleanup_on_exit(lambda: part.unlink(missing_ok=True)):
        try:
            while True:
                with start_whole():  # not after everything unfinished was removed
                    opened = part.open("wb")
                with opened as file:
                    with suppress(OSError):  # not every file system has locks
                        if LOCKS:
                            fcntl.flock(file, fcntl.LOCK_EX)
                    if os.fstat(file.fileno()).st_nlink:  # else somebody took it for stale before it was locked
                        yield part, file
                        return
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)


def _link(part: Path, place: Path) -> None:
    """Give ``part`` the name ``place`` unless that exists."""
    try:
        os.link(part, place)
    except FileExistsError:
        pass
    except OSError:  # a file system without links
        if not place.exists():
            os.replace(part, place)


def remove_stale_parts(folder: Path, names: str) -> None:
    """Remove unfinished files of dead processes in ``folder`` whose names match ``names``."""
    for part in folder.iterdir():
        match = PART.fullmatch(part.name)
        if match and re.fullmatch(names, match.group(1)):
            with suppress(OSError):
                _remove_if_stale(part)


def _remove_if_stale(part: Path) -> None:
    if not LOCKS:
        return part.unlink()
    number = os.open(part, os.O_RDWR | os.O_NONBLOCK)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError if its writer is alive
        part.unlink()
    finally:
        os.close(number)
    return None
