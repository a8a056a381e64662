"""The scores of all systems, chunk by chunk, in two rounds.

First all chunks are scored, which leaves hard instances unsolved, then each of these by itself: so no easy instance
waits for them, and all workers share them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hemlp.measures.instance_scores import Scores, concatenate_scores
from hemlp.optimize.program import Status
from hemlp.processes.progress import Progress
from hemlp.results.inputs import Inputs
from hemlp.run.folder import RunFolder
from hemlp.run.workers import Chunk
from hemlp.text.tables import plural

Score = Callable[[Iterable[Chunk]], Iterable[tuple[Chunk, list[Scores]]]]
"""Chunks with their scores, as they are finished."""


class MemoryStore:
    """The scores of finished chunks, by the numbers of their system and of their first instance, as in a run folder."""

    def __init__(self) -> None:
        self._chunks: dict[tuple[int, int], list[Scores]] = {}

    def save(self, system: int, start: int, scores: list[Scores]) -> None:
        """Keep the scores of a chunk."""
        self._chunks[system, start] = scores

    def chunk(self, system: int, start: int) -> list[Scores]:
        """The scores of one chunk."""
        return self._chunks[system, start]

    def starts(self, system: int) -> list[int]:
        """The numbers of the first instances of the chunks of a system."""
        return sorted(start for of, start in self._chunks if of == system)

    def scores(self, system: int) -> list[Scores]:
        """The scores of a system, measure by measure."""
        return concatenate_scores([self._chunks[system, start] for start in self.starts(system)])


Store = RunFolder | MemoryStore


def score_systems(
    inputs: Inputs, score: Score, store: Store, size: int, rounds: bool, bar: Progress
) -> dict[str, list[Scores]]:
    """The scores of each system, measure by measure, by chunks of ``size`` instances.

    ``rounds``: whether there is a second round for hard instances. ``bar``: where progress is shown.
    """
    systems = list(inputs.systems)
    for chunk, scores in score(_pending_chunks(inputs, store, size, 0 if rounds else None, bar)):
        store.save(systems.index(chunk.system), chunk.start, scores)
        bar.advance(chunk.rows)
    by_system = {name: store.scores(k) for k, name in enumerate(systems)}
    unsolved = {name: rows for name in systems if rounds and (rows := _unsolved_rows(by_system[name]))}
    if not unsolved:
        return by_system
    by_system.clear()
    number = sum(map(len, unsolved.values()))
    bar.advance(-number, f"solving {plural(number, 'hard instance')}")
    for chunk, scores in score(list(_hard_chunks(inputs, unsolved))):
        _amend(store, systems.index(chunk.system), chunk.start, scores)
        bar.advance(1)
    return {name: store.scores(k) for k, name in enumerate(systems)}


def _pending_chunks(inputs: Inputs, store: Store, size: int, round: int | None, bar: Progress) -> Iterator[Chunk]:
    """The chunks that are not finished yet."""
    for number, system in enumerate(inputs.systems):
        for start, batch in inputs.blocks(system, size):
            if isinstance(store, MemoryStore) or not store.has_chunk(number, start, len(batch)):
                yield Chunk(system, start, batch, round)
            else:
                bar.advance(len(batch))


def _unsolved_rows(scores: Sequence[Scores]) -> list[int]:
    """The rows that a measure has left."""
    left = np.any([each.statuses == Status.UNSOLVED for each in scores], axis=0)
    return [int(row) for row in np.flatnonzero(left)]


def _hard_chunks(inputs: Inputs, unsolved: dict[str, list[int]]) -> Iterator[Chunk]:
    """The rows of each system that are not solved yet, each by itself."""
    for system, rows in unsolved.items():
        batch = inputs.take(system, rows)
        yield from (Chunk(system, row, batch[k], 1) for k, row in enumerate(rows))


def _amend(store: Store, system: int, row: int, scores: Sequence[Scores]) -> None:
    """Put the scores of one instance into the chunk that it is in."""
    starts = store.starts(system)
    start = starts[bisect_right(starts, row) - 1]
    store.save(system, start, _replace_row(store.chunk(system, start), scores, row - start))


def _replace_row(old: Sequence[Scores], new: Sequence[Scores], row: int) -> list[Scores]:
    """With the scores of one instance in a row; columns that measures share stay shared."""
    replaced: dict[int, Any] = {}

    def replace_in(array: Any, one: Any) -> Any:
        if id(array) not in replaced:
            replaced[id(array)] = array.copy()
            replaced[id(array)][row] = one[0]
        return replaced[id(array)]

    made = []
    for before, now in zip(old, new, strict=True):
        columns = {name: replace_in(column, now.columns[name]) for name, column in before.columns.items()}
        statuses = replace_in(before.statuses, now.statuses)
        undefined = int(np.count_nonzero(statuses > Status.FEASIBLE))
        made.append(replace(before, columns=columns, statuses=statuses, undefined=undefined))
    return made
