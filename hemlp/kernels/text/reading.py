"""The bytes of a large file, in pages of 2 MB where Linux gives them: those of 4 kB take longer to get than to fill."""

from __future__ import annotations

import os
from typing import IO

import cython

LARGE = 2**22
"""Bytes from which on it matters."""


def read_all(file: IO[bytes]) -> bytes:
    """The bytes of a file that has just been opened."""
    size: int = os.fstat(file.fileno()).st_size
    if not cython.compiled or size < LARGE:
        return file.read()
    made: bytes = PyBytes_FromStringAndSize(cython.NULL, size)
    large_pages(PyBytes_AsString(made), size)
    filled: int = file.readinto(PyMemoryView_FromMemory(PyBytes_AsString(made), size, PyBUF_WRITE))
    rest: bytes = file.read()  # of a file that grows
    return made[:filled] + rest if rest or filled < size else made
