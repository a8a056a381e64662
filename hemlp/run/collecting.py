"""Where the scores of finished chunks are, and what they have left unsolved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hemlp.measures.instance_scores import Scores, concatenate_scores
from hemlp.optimize.program import STATUSES, Status
from hemlp.processes.progress import Progress
from hemlp.run.folder import RunFolder
from hemlp.run.inputs import Inputs
from hemlp.run.workers import Chunk
from hemlp.text.words import many

Finished = Iterable[tuple[Chunk, list[Scores]]]


@dataclass
class Collection:
    """Scores by system and chunk: in memory, or in a run folder.

    Instances are scored in two rounds: first all chunks, which leave hard instances unsolved, then each of those by
    itself, so that no easy one waits for them and all workers share them. ``rounds``: whether that is so.
    """

    inputs: Inputs
    rounds: bool
    folder: RunFolder | None
    bar: Progress
    parts: dict[tuple[int, int], list[Scores]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.systems = list(self.inputs.systems)

    def chunks(self, size: int) -> Iterator[Chunk]:
        """The chunks that are not finished yet."""
        for number, system in enumerate(self.systems):
            for start, batch in self.inputs.blocks(system, size):
                if self.folder is not None and self.folder.finished(number, start, len(batch)):
                    self.bar.advance(len(batch))
                else:
                    yield Chunk.of(system, start, batch, 0 if self.rounds else None)

    def add(self, finished: Finished) -> None:
        """Keep the scores of chunks."""
        for chunk, scores in finished:
            self._save(self.systems.index(chunk.system), chunk.start, scores)
            self.bar.advance(chunk.rows)

    def hard(self) -> Iterator[Chunk]:
        """The instances that are not solved yet, each of them by itself."""
        found = self.scores() if self.rounds else {}
        left = {name: rows for name, scores in found.items() if (rows := _unsolved(scores))}
        if number := sum(map(len, left.values())):
            self.bar.advance(-number, f"solving {many(number, 'hard instance')}")
        for system, unsolved in left.items():
            batch = self.inputs.take(system, unsolved)
            yield from (Chunk.of(system, row, batch[k], 1) for k, row in enumerate(unsolved))

    def amend(self, finished: Finished) -> None:
        """Put the scores of single instances where they belong."""
        for chunk, scores in finished:
            system = self.systems.index(chunk.system)
            starts = self._starts(system)
            start = starts[bisect_right(starts, chunk.start) - 1]
            self._save(system, start, _amended(self._chunk(system, start), scores, chunk.start - start))
            self.bar.advance(1)

    def scores(self) -> dict[str, list[Scores]]:
        """The scores of each system, measure by measure."""
        if self.folder is not None:
            return {name: self.folder.scores(k) for k, name in enumerate(self.systems)}
        return {
            name: concatenate_scores([self.parts[k, start] for start in self._starts(k)])
            for k, name in enumerate(self.systems)
        }

    def _starts(self, system: int) -> list[int]:
        if self.folder is not None:
            return self.folder.starts(system)
        return sorted(start for of, start in self.parts if of == system)

    def _chunk(self, system: int, start: int) -> list[Scores]:
        return self.parts[system, start] if self.folder is None else self.folder.chunk(system, start)

    def _save(self, system: int, start: int, scores: list[Scores]) -> None:
        if self.folder is None:
            self.parts[system, start] = scores
        else:
            self.folder.save(system, start, scores)


def _unsolved(scores: Sequence[Scores]) -> list[int]:
    """The rows that a measure has left."""
    left = np.any([each.statuses == STATUSES.index(Status.UNSOLVED) for each in scores], axis=0)
    return [int(row) for row in np.flatnonzero(left)]


def _amended(old: Sequence[Scores], new: Sequence[Scores], row: int) -> list[Scores]:
    """With the scores of one instance in a row; columns that measures share stay shared."""
    changed: dict[int, Any] = {}

    def with_one(array: Any, one: Any) -> Any:
        if id(array) not in changed:
            changed[id(array)] = array.copy()
            changed[id(array)][row] = one[0]
        return changed[id(array)]

    made = []
    for before, now in zip(old, new, strict=True):
        columns = {name: with_one(column, now.columns[name]) for name, column in before.columns.items()}
        statuses = with_one(before.statuses, now.statuses)
        undefined = int(np.count_nonzero(statuses > STATUSES.index(Status.FEASIBLE)))
        made.append(replace(before, columns=columns, statuses=statuses, undefined=undefined))
    return made
