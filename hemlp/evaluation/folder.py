"""A run folder: what was begun, and the scores of finished chunks, each in a file that is whole or not there.

A chunk file is a line with the SHA-256 of the rest, a line of JSON that says what follows, and the arrays themselves.
A run can be killed at any moment, and several processes can work on it at once: what they write is the same.
"""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cached_property, partial
from os import PathLike
from os.path import exists
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import RunMismatch, UnwritableFile
from hemlp.io.files import PART, reason, remove_stale_parts, write_bytes
from hemlp.measures.scores import Scores
from hemlp.processes.interrupts import unfinished

MANIFEST = "run.json"
FILES = r"run\.json|chunk-\d+-\d+\.bin"
"""The names of the files of a run."""


class RunFolder:
    """Finished chunks of a run in a folder. ``begun``: what the run is about; it must be the same when it goes on."""

    def __init__(self, path: str | PathLike[str], begun: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.begun = dict(begun)
        self._heads: dict[tuple[int, int], dict[str, Any]] = {}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableFile(f"cannot write to {self.path}: {reason(error)}") from None
        remove_stale_parts(self.path, FILES)
        manifest = self.path / MANIFEST
        foreign = [file for file in self.path.iterdir() if not PART.fullmatch(file.name)]
        if not manifest.exists():
            if foreign:
                raise RunMismatch(f"{self.path} is not empty and holds no run: give another folder")
            # several processes may begin a run at once: the first that is here says what it is about
            write_bytes(manifest, json.dumps(self.begun, indent=1, ensure_ascii=False).encode(), keep=True)
        self._check(_read_manifest(manifest))

    @classmethod
    def temporary(cls) -> RunFolder:
        """A folder of its own for one run, which is removed once nobody needs it."""
        import shutil
        import tempfile

        with ExitStack() as needed:
            path = tempfile.mkdtemp(prefix="hemlp-run-")
            remove = partial(shutil.rmtree, path, ignore_errors=True)
            needed.callback(remove)
            needed.enter_context(unfinished(remove))
            folder = cls(path, {})
            weakref.finalize(folder, needed.pop_all().close)
            return folder

    @staticmethod
    def chunk_of(path: str | PathLike[str]) -> int | None:
        """The chunk size that a folder was begun with, if there is a run in it."""
        manifest = Path(path) / MANIFEST
        chunk = _read_manifest(manifest).get("chunk") if exists(manifest) else None
        return chunk if isinstance(chunk, int) and chunk > 0 else None

    def _check(self, found: Mapping[str, Any]) -> None:
        for key in {**self.begun, **found}:
            now, then = self.begun.get(key), found.get(key)
            if now != then:
                raise RunMismatch(
                    f"{self.path} was begun with another {key}: {_short(then)}, now {_short(now)}. Go on with what it "
                    f"was begun with, or give another folder"
                )

    def _file(self, system: int, start: int) -> Path:
        return self.path / f"chunk-{system:03}-{start:012}.bin"

    def save(self, system: int, start: int, scores: Sequence[Scores]) -> None:
        """Keep the scores of a chunk."""
        body = _packed(scores, [self._digest, system, start])
        write_bytes(self._file(system, start), hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        self._heads[system, start] = _head(body)

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(json.dumps(self.begun).encode()).hexdigest()

    def finished(self, system: int, start: int, rows: int) -> bool:
        """Whether a chunk is there, whole and of this run; any other is computed again, and written over."""
        file = self._file(system, start)
        if not file.exists():
            return False
        digest, _, body = file.read_bytes().partition(b"\n")
        whole = hashlib.sha256(body).hexdigest().encode() == digest
        if not whole or (_head(body)["chunk"], _head(body)["rows"]) != ([self._digest, system, start], rows):
            import logging

            logging.getLogger("hemlp").warning("%s is damaged: its chunk is computed again", file)
            return False
        self._heads[system, start] = _head(body)
        return True

    def chunks(self, system: int) -> Iterator[list[Scores]]:
        """The scores of all chunks of a system, in order."""
        for start in self.starts(system):
            yield self.chunk(system, start)

    def chunk(self, system: int, start: int) -> list[Scores]:
        """The scores of one chunk."""
        return _unpacked(self._file(system, start).read_bytes().partition(b"\n")[2])

    def starts(self, system: int) -> list[int]:
        """The numbers of the first instances of the chunks of a system."""
        return sorted(start for of, start in self._heads if of == system)

    def scores(self, system: int) -> list[Scores]:
        """The scores of a system, measure by measure; columns are read when they are asked for."""
        heads = [self._heads[system, start] for start in self.starts(system)]
        made = []
        for k, first in enumerate(heads[0]["measures"]):
            statuses = np.concatenate([self._array(system, start, k, None) for start in self.starts(system)])
            undefined = sum(head["measures"][k]["undefined"] for head in heads)
            columns = StoredColumns(self, system, k, tuple(first["columns"]))
            made.append(Scores(first["name"], columns, statuses, first["signature"], undefined, first["exact"]))
        return made

    def column(self, system: int, measure: int, name: str) -> FloatArray:
        """One column of all chunks of a system."""
        parts = [self._array(system, start, measure, name) for start in self.starts(system)]
        whole: FloatArray = np.concatenate(parts)
        return whole

    def _array(self, system: int, start: int, measure: int, name: str | None) -> Any:
        head = self._heads[system, start]
        told = head["measures"][measure]
        number = told["status"] if name is None else told["columns"][name]
        dtype, offset = head["arrays"][number]
        return np.fromfile(self._file(system, start), dtype, head["rows"], offset=65 + head["length"] + offset)


class StoredColumns(Mapping[str, FloatArray]):
    """The columns of a measure, each read from the files of a run when it is asked for."""

    def __init__(self, folder: RunFolder, system: int, measure: int, names: tuple[str, ...]) -> None:
        self.folder, self.system, self.measure, self.names = folder, system, measure, names

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self.names:
            raise KeyError(name)
        return self.folder.column(self.system, self.measure, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise RunMismatch(f"{path} cannot be read ({error}): give another folder") from None


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _packed(scores: Sequence[Scores], chunk: list[Any]) -> bytes:
    """The scores of one chunk as bytes; arrays that measures share stand once. ``chunk`` says which one it is."""
    places: dict[int, int] = {}
    arrays: list[np.ndarray[Any, Any]] = []
    table: list[tuple[str, int]] = []
    offset = 0

    def place(array: Any) -> int:
        nonlocal offset
        if id(array) not in places:
            kind = "|i1" if array.dtype == np.int8 else "<f8"
            arrays.append(np.ascontiguousarray(array, kind))
            places[id(array)] = len(table)
            table.append((kind, offset))
            offset += arrays[-1].nbytes
        return places[id(array)]

    told = [
        {
            "name": each.name,
            "signature": each.signature,
            "undefined": each.undefined,
            "exact": each.exact,
            "status": place(each.statuses),
            "columns": {name: place(values) for name, values in each.columns.items()},
        }
        for each in scores
    ]
    head = json.dumps({"chunk": chunk, "rows": len(scores[0]), "measures": told, "arrays": table}).encode()
    return head + b"\n" + b"".join(array.tobytes() for array in arrays)


def _head(body: bytes) -> dict[str, Any]:
    line = body[: body.index(b"\n") + 1]
    return {**json.loads(line), "length": len(line)}


def _unpacked(body: bytes) -> list[Scores]:
    head = _head(body)
    arrays = [
        np.frombuffer(body, dtype, head["rows"], head["length"] + offset).copy() for dtype, offset in head["arrays"]
    ]
    return [
        Scores(
            told["name"],
            {name: arrays[k] for name, k in told["columns"].items()},
            arrays[told["status"]],
            told["signature"],
            told["undefined"],
            told["exact"],
        )
        for told in head["measures"]
    ]
