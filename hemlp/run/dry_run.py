"""What a run will cost, from a sample that is scored: `hemlp evaluate --dry-run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import process_time
from typing import Any

import numpy as np

from hemlp.arrays import IntArray, pointers
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.label_sets import LabelSets
from hemlp.results.merged_sums import ScoreCounts
from hemlp.run.evaluate import CHUNK, evaluate
from hemlp.run.parts import open_parts, plan_parts
from hemlp.text.tables import Table, plural

SAMPLE = 4_000
"""Instances of the sample; a quarter of them is scored before, for what is computed once."""
PATIENCE = 5.0
"""Seconds of CPU time that a batch may take to be scored as a whole, which shows its memory."""


def estimate_run(h: Hierarchy, true: Any, systems: Any, measures: Any, **options: Any) -> Table:
    """Time, memory, parts and hard instances of ``evaluate`` with the same arguments."""
    if isinstance(true, LabelSets) and all(isinstance(each, LabelSets) for each in systems.values()):
        return _estimate_sets(h, true, systems, measures, options)
    if not isinstance(true, str):
        raise InvalidOption("a dry run takes no memory limit: it reads a sample only")
    parts = open_parts(true, systems, plan_parts(h, measures, **options), options.get("chunk"))
    number = len(parts.names)
    begun = process_time()
    table = max((next(parts.tables(k)) for k in sorted({0, number // 2, number - 1})), key=len)
    reading = (process_time() - begun) / min(3, number)
    counts: list[ScoreCounts] = []

    def score(rows: Any) -> None:
        scored = parts.plan.score(table.take(rows), first_row=0)
        counts[:] = [each for of in scored.tally.scores for each in of]

    once, each = _time(score, len(table), len(table))
    files = parts.sides[0].files
    rows = sum(files.open_file(k).metadata.num_rows for k in range(number))
    seconds = once + rows * (each + reading / max(1, len(table)))
    return _table(rows, len(parts.plan.systems), seconds, options.get("workers", 1), 0, counts, plural(number, "part"))


def _estimate_sets(
    h: Hierarchy, true: LabelSets, systems: Mapping[str, LabelSets], measures: Any, options: Mapping[str, Any]
) -> Table:
    counts: list[ScoreCounts] = []
    before = process_time()  # everything is read
    places = {name: {key: k for k, key in enumerate(each.ids or ())} for name, each in systems.items()}

    def score(rows: IntArray) -> None:
        cut = {}
        for name, each in systems.items():
            known = None if each.ids is None or true.ids is None else (places[name].get(true.ids[k]) for k in rows)
            cut[name] = _take(each, rows if known is None else np.array([k for k in known if k is not None], np.int64))
        ev = evaluate(h, _take(true, rows), cut, measures, **{**options, "resume": None, "progress": False})
        counts[:] = [ScoreCounts.of(each) for of in ev.scores.values() for each in of.values()]

    once, each = _time(score, len(true), min(len(true), CHUNK))
    kept = 8 * len(true) * sum(len(of.columns) + 1 for of in counts)
    seconds = before + once + len(true) * each
    return _table(len(true), len(systems), seconds, options.get("workers", 1), kept, counts, "not in parts")


def _take(sets: LabelSets, rows: IntArray) -> LabelSets:
    """Some rows of label sets."""
    lengths = np.diff(sets.ptr)[rows]
    ptr = pointers(lengths)
    entries = np.repeat(sets.ptr[rows] - ptr[:-1], lengths) + np.arange(ptr[-1])
    used, codes = np.unique(sets.codes[entries], return_inverse=True)
    words = tuple(sets.vocabulary[k] for k in used)
    ids = None if sets.ids is None else tuple(sets.ids[k] for k in rows)
    return replace(sets, vocabulary=words, ptr=ptr, codes=codes.astype(np.int32), ids=ids, lines=None)


def _time(score: Callable[[Any], None], rows: int, batch: int) -> tuple[float, float]:
    """Seconds for what is computed once, and for each instance: of a whole ``batch``, if that is not too long."""

    def spend(size: int) -> float:
        begun = process_time()
        score(np.unique(np.linspace(0, max(0, rows - 1), size).astype(np.int64)) if rows else np.arange(0))
        return process_time() - begun

    size = min(rows, SAMPLE)
    few = min(rows, SAMPLE // 4)
    first, again, many = spend(few), spend(few), spend(size)
    each = (many - again) / (size - few) if size > few and many > again else many / max(1, size)
    if batch > size and each * batch < PATIENCE:
        each = (spend(batch) - again) / (batch - few)
    return max(0.0, first - again), each


def _table(
    rows: int, systems: int, seconds: float, workers: int, more: int, counts: Sequence[ScoreCounts], parts: str
) -> Table:  # fmt: skip
    """The estimate in words."""
    hard = max(sum(each.steps[2:]) + each.statuses[1] for each in counts) / max(1, sum(counts[0].statuses))
    digits = 1 if seconds < 10 else 0
    lines = [
        ["instances", f"{rows:,} x {plural(systems, 'system')}, {parts}"],
        ["CPU time", f"{seconds:,.{digits}f} s, {seconds / max(1, rows * systems) * 1e6:.3g} µs each"],
        ["time", f"{seconds / workers:,.{digits}f} s with {plural(workers, 'worker')}"],
        ["memory", _memory(more)],
        ["hard", f"{hard:.2%} of the sample need programs"],
    ]
    return Table(["dry run", "estimate"], lines, [f"from a sample of {sum(counts[0].statuses):,} instances"])


def _memory(more: int) -> str:
    """What this process has taken, and will take in addition."""
    try:
        import resource
    except ImportError:  # Windows
        return "not known on this system"
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10 + more / 2**20:,.0f} MB"
