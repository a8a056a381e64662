"""Limits of decompression: a small file must not fill the memory.

A file may unpack to 256 MB, or to 100 times its own size where that is more. ``HEMLP_UNPACK_MB``, in the environment,
is a limit of one's own instead.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from typing import IO, Any

from hemlp.errors import FileFormatError, InvalidOption

LEAST = 256 * 2**20
"""Bytes that every file may unpack to."""
RATIO = 100
"""How many times its own size a file may unpack to."""
VARIABLE = "HEMLP_UNPACK_MB"


def unpack_limit(size: int) -> int:
    """How many bytes a file of ``size`` bytes may unpack to."""
    chosen = os.environ.get(VARIABLE)
    if chosen is None:
        return max(LEAST, RATIO * size)
    if not (chosen.isascii() and chosen.isdigit() and len(chosen) < 16):
        raise InvalidOption(f"{VARIABLE}={chosen!r:.60} is not a number of megabytes")
    return int(chosen) * 2**20


def check_unpacked_size(unpacked: int, size: int, source: str) -> None:
    """Refuse a file of ``size`` bytes that unpacks to more than the limit."""
    limit = unpack_limit(size)
    if unpacked > limit:
        raise FileFormatError(
            f"{source} has {size:,} bytes and unpacks to more than {limit // 2**20:,} MB: if it is meant to, set "
            f"{VARIABLE} to the megabytes that it may take"
        )


class _Unzipped(io.RawIOBase):
    """Reads the content of a gzip file up to the limit."""

    def __init__(self, raw: IO[bytes], size: int, source: str) -> None:
        self._zipped, self._size, self._source = gzip.GzipFile(fileobj=raw), size, source
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._zipped.read(len(buffer))
        except (OSError, EOFError, zlib.error) as error:
            raise FileFormatError(f"{self._source} is a damaged gzip file: {error}") from None
        self._unpacked += len(data)
        check_unpacked_size(self._unpacked, self._size, self._source)
        buffer[: len(data)] = data
        return len(data)


def unzip(raw: IO[bytes], size: int, source: str) -> io.BufferedReader:
    """The content of a gzip file of ``size`` bytes."""
    return io.BufferedReader(_Unzipped(raw, size, source), 2**18)
