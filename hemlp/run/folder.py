"""A run folder: what was begun, and the scores of finished chunks, each in a file that is whole or not there.

A chunk file is a line with the SHA-256 of the rest, and then the scores as ``packed`` makes them. A run can be killed
at any moment, and several processes can work on it at once: what they write is the same. A chunk that is damaged is
computed again; one that is whole and holds something else is refused.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import RunMismatch, UnwritableFile
from hemlp.io.files import PART, reason, remove_stale_parts, write_bytes
from hemlp.io.text import open_bytes
from hemlp.measures.base import Measure
from hemlp.measures.factory import difference
from hemlp.measures.instance_scores import Scores
from hemlp.processes.interrupts import cleanup_on_exit
from hemlp.results.packed import Head, NotScores, head_of, packed, unpacked
from hemlp.text.display import abbreviate

MANIFEST = "run.json"
FILES = r"run\.json|chunk-\d+-\d+\.bin"
"""The names of the files of a run."""
_DIGEST = re.compile("[0-9a-f]{64}")
DIGEST = 65
"""Bytes of the first line of a chunk file."""


class RunFolder:
    """Finished chunks of a run in a folder. ``identity``: what the run is about, the same when it goes on."""

    def __init__(
        self, path: str | PathLike[str], identity: Mapping[str, Any], measures: Sequence[Measure] = ()
    ) -> None:
        self.path = Path(path)
        self.identity = dict(identity)
        self.measures = measures
        self._heads: dict[tuple[int, int], Head] = {}
        self._first: dict[int, Head] = {}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UnwritableFile(f"cannot write to {self.path}: {reason(error)}") from None
        remove_stale_parts(self.path, FILES)
        manifest = self.path / MANIFEST
        foreign = [file for file in self.path.iterdir() if not PART.fullmatch(file.name)]
        for file in foreign:
            if re.fullmatch(FILES, file.name) and file.is_symlink():  # what is written to it would go elsewhere
                raise RunMismatch(f"{file} is a link, and files of a run are not: give another folder")
        if not manifest.exists():
            if foreign:
                raise RunMismatch(f"{self.path} is not empty and holds no run: give another folder")
            # several processes may begin a run at once: the first that is here says what it is about
            write_bytes(manifest, json.dumps(self.identity, indent=1).encode(), keep=True)
        check_identity(str(self.path), self.identity, _read_manifest(manifest))

    @classmethod
    def temporary(cls, measures: Sequence[Measure]) -> RunFolder:
        """A folder of its own for one run, which is removed once nobody needs it."""
        import shutil
        import tempfile

        with ExitStack() as needed:
            path = tempfile.mkdtemp(prefix="hemlp-run-")
            remove = partial(shutil.rmtree, path, ignore_errors=True)
            needed.callback(remove)
            needed.enter_context(cleanup_on_exit(remove))
            folder = cls(path, {}, measures)
            weakref.finalize(folder, needed.pop_all().close)
            return folder

    @staticmethod
    def stored_chunk_size(path: str | PathLike[str]) -> int | None:
        """The chunk size that a folder was begun with, if there is a run in it."""
        manifest = Path(path) / MANIFEST
        chunk = _read_manifest(manifest).get("chunk") if os.path.exists(manifest) else None
        return chunk if type(chunk) is int and 0 < chunk < 2**31 else None

    def _file(self, system: int, start: int) -> Path:
        return self.path / f"chunk-{system:03}-{start:012}.bin"

    def save(self, system: int, start: int, scores: Sequence[Scores]) -> None:
        """Keep the scores of a chunk."""
        body = packed(scores, [self._digest, system, start])
        write_bytes(self._file(system, start), hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
        self._remember(system, start, head_of(body))

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(json.dumps(self.identity).encode()).hexdigest()

    def has_chunk(self, system: int, start: int, rows: int) -> bool:
        """Whether a chunk is there, whole and of this run; any other is computed again, and written over."""
        file = self._file(system, start)
        if not file.exists():
            return False
        digest, _, body = _read(file).partition(b"\n")
        whole = hashlib.sha256(body).hexdigest().encode() == digest
        with self._name_errors(file):
            if not whole or ((head := head_of(body)).chunk, head.rows) != ([self._digest, system, start], rows):
                import logging

                logging.getLogger("hemlp").warning("%s is damaged: its chunk is computed again", file)
                return False
            unpacked(body, self.measures)
        self._remember(system, start, head)
        return True

    @contextmanager
    def _name_errors(self, file: Path) -> Iterator[None]:
        try:
            yield
        except NotScores as error:
            raise RunMismatch(
                f"{file} does not hold the scores of a chunk, though its digest is right ({error}): give another folder"
            ) from None

    def _remember(self, system: int, start: int, head: Head) -> None:
        if not head.same_measures(self._first.setdefault(system, head)):
            raise RunMismatch(f"{self._file(system, start)} has other columns than other chunks: give another folder")
        self._heads[system, start] = head

    def chunks(self, system: int) -> Iterator[list[Scores]]:
        """The scores of all chunks of a system, in order."""
        for start in self.starts(system):
            yield self.chunk(system, start)

    def chunk(self, system: int, start: int) -> list[Scores]:
        """The scores of one chunk."""
        file = self._file(system, start)
        with self._name_errors(file):
            return unpacked(_read(file).partition(b"\n")[2], self.measures)[1]

    def starts(self, system: int) -> list[int]:
        """The numbers of the first instances of the chunks of a system."""
        return sorted(start for of, start in self._heads if of == system)

    def scores(self, system: int) -> list[Scores]:
        """The scores of a system, measure by measure; columns are read when they are asked for."""
        heads = [self._heads[system, start] for start in self.starts(system)]
        made = []
        for k, first in enumerate(heads[0].measures):
            statuses = np.concatenate([self._array(system, start, k, None) for start in self.starts(system)])
            undefined = sum(head.measures[k]["undefined"] for head in heads)
            columns = StoredColumns(self, system, k, tuple(first["columns"]))
            made.append(Scores(first["name"], columns, statuses, first["signature"], undefined, first["exact"]))
        return made

    def column(self, system: int, measure: int, name: str) -> FloatArray:
        """One column of all chunks of a system."""
        parts = [self._array(system, start, measure, name) for start in self.starts(system)]
        whole: FloatArray = np.concatenate(parts)
        return whole

    def _array(self, system: int, start: int, measure: int, name: str | None) -> Any:
        head, file = self._heads[system, start], self._file(system, start)
        told = head.measures[measure]
        number = told["status"] if name is None else told["columns"][name]
        array = np.fromfile(file, head.arrays[number], head.rows, offset=DIGEST + head.begins[number])
        if array.size < head.rows:
            raise RunMismatch(f"{file} has become shorter since it was read")
        return array


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


def check_identity(folder: str, now: Mapping[str, Any], then: Mapping[str, Any]) -> None:
    """Refuse a folder that was begun with something else."""
    for key in {**now, **then}:
        if now.get(key) != then.get(key):
            what = f"{'other' if key.endswith('s') else 'another'} {key}"
            how = _difference(then.get(key), now.get(key))
            raise RunMismatch(
                f"the folder {folder} holds a run with {what}{f' ({how})' if how else ''}: go on with what it was "
                "begun with, or give another folder"
            )


def _difference(then: Any, now: Any) -> str:
    """How two values differ first; a digest says nothing."""
    if isinstance(then, list) and isinstance(now, list):
        names = [[str(each[0] if isinstance(each, list) and each else each) for each in of] for of in (then, now)]
        if names[0] != names[1]:
            return f"{abbreviate(names[0]) or 'none'} there; {abbreviate(names[1]) or 'none'} here"
        name, old, new = next(each for each in zip(names[0], then, now, strict=True) if each[1] != each[2])
        if not (isinstance(old, list) and isinstance(new, list) and old and isinstance(old[0], str)):
            return _difference(old, new)
        how = _difference(old[-1], new[-1]) if isinstance(old[-1], str) and old[-1] != new[-1] else ""
        return f"{name}: {how or 'something else'}"
    if all(isinstance(each, str) and "|hemlp:" in each for each in (then, now)):
        return difference(then, now) or ""
    pairs = zip_longest(str(then).split("|"), str(now).split("|"), fillvalue="nothing")
    parts = [f"{a} there; {b} here" for a, b in pairs if a != b and not _DIGEST.fullmatch(a)]
    text = ", ".join(parts)
    return text if len(text) < 100 else ""


def _read(path: Path) -> bytes:
    with open_bytes(path) as file:
        return file.read()


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(_read(path)))
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise RunMismatch(f"{path} cannot be read ({error}): give another folder") from None
