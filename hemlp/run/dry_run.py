"""What a run will cost, from a sample that is scored: `hemlp evaluate --dry-run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np

from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.label_sets import LabelSets
from hemlp.results.merged_sums import ScoreCounts
from hemlp.run.evaluate import evaluate
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
        raise InvalidOption("a dry run reads a sample of what a run would read whole, or of a dataset: no memory, then")
    parts = open_parts(true, systems, plan_parts(h, measures, **options), options.get("chunk"))
    number = len(parts.names)
    begun = process_time()
    table = max((next(parts.tables(k)) for k in sorted({0, number // 2, number - 1})), key=len)
    reading = (process_time() - begun) / min(3, number)
    counts: list[ScoreCounts] = []

    def score(rows: Any) -> None:
        scored = parts.plan.score(table.take(rows), first_row=0)
        counts[:] = [each for of in scored.tally.scores for each in of]

    once, each = _time(score, len(table))
    if each * len(table) < PATIENCE:
        begun = process_time()
        score(np.arange(len(table)))
        each = (process_time() - begun) / max(1, len(table))
    files = parts.sides[0].files
    rows = sum(files.open_file(k).metadata.num_rows for k in range(number))
    seconds = once + rows * (each + reading / max(1, len(table)))
    return _table(rows, len(parts.plan.systems), seconds, options.get("workers", 1), 0, counts, plural(number, "part"))


def _estimate_sets(
    h: Hierarchy, true: LabelSets, systems: Mapping[str, LabelSets], measures: Any, options: Mapping[str, Any]
) -> Table:
    counts: list[ScoreCounts] = []
    before = process_time()  # everything is read
    sides = {name: dict(zip(each.ids or range(len(each)), each, strict=True)) for name, each in systems.items()}
    gold = list(zip(true.ids or range(len(true)), true, strict=True))

    def score(rows: Any) -> None:
        some = dict(gold[k] for k in rows)
        cut = {name: {key: of[key] for key in some if key in of} for name, of in sides.items()}
        ev = evaluate(h, some, cut, measures, **{**options, "resume": None, "progress": False})
        counts[:] = [ScoreCounts.of(each) for of in ev.scores.values() for each in of.values()]

    once, each = _time(score, len(gold))
    kept = 8 * len(gold) * sum(len(of.columns) + 1 for of in counts)
    seconds = before + once + len(gold) * each
    return _table(len(gold), len(systems), seconds, options.get("workers", 1), kept, counts, "not in parts")


def _time(score: Callable[[Any], None], rows: int) -> tuple[float, float]:
    """Seconds for what is computed once, and for each instance."""
    spent = []
    sizes = [min(rows, size) for size in (SAMPLE // 4, SAMPLE // 4, SAMPLE)]
    for size in sizes:
        begun = process_time()
        score(np.unique(np.linspace(0, max(0, rows - 1), size).astype(np.int64)) if rows else np.arange(0))
        spent.append(process_time() - begun)
    first, few, many = spent
    each = (many - few) / (sizes[2] - sizes[1]) if sizes[2] > sizes[1] and many > few else many / max(1, sizes[2])
    return max(0.0, first - few), each


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
