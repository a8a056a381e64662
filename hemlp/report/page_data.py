"""Data within a page: arrays and plain values, packed into one text that the page unpacks when it opens.

The text is base64 of deflated bytes: the length of a JSON text (four bytes), that text, and the arrays that its
``arrays`` lists, each at a multiple of eight bytes. All numbers are little-endian.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray

TYPES = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "f8": np.float64}
"""Types of arrays, by the names that the page knows them by."""


def pack(values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Pack ``values`` for JSON and ``arrays`` of the supported types as Base64 text."""
    kinds = {name: next(kind for kind, of in TYPES.items() if array.dtype == of) for name, array in arrays.items()}
    head = {**values, "arrays": [[name, kinds[name], int(array.size)] for name, array in arrays.items()]}
    text = script_json(head).encode("ascii")
    parts = [len(text).to_bytes(4, "little"), text]
    size = 4 + len(text)
    for array in arrays.values():
        body = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
        parts += [bytes(-size % 8), body]
        size += -size % 8 + len(body)
    return base64.b64encode(zlib.compress(b"".join(parts), 4)).decode("ascii")


def narrow(numbers: IntArray) -> NDArray[Any]:
    """Nonnegative integers in the smallest type that holds them all."""
    greatest = int(numbers.max(initial=0))
    return numbers.astype(np.uint8 if greatest < 2**8 else np.uint16 if greatest < 2**16 else np.uint32)


def script_json(value: Any) -> str:
    """JSON that is safe in a script element: it neither ends the element nor controls a terminal."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def security_policy(style: str, script: str) -> str:
    """A Content-Security-Policy: this style, this script, images within the page, and nothing else."""
    of_style, of_script = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; style-src 'sha256-{of_style}'; img-src data:; "
        f"base-uri 'none'; form-action 'none'"
    )
