"""What many instances leave behind of the scores of all systems by one measure: sums that merge in any order.

Instances are told apart by their *pattern*, which says of each system whether its score is finite, undefined or
infinite. So sums over the instances that some systems have in common are sums over patterns, and no sum meets an
infinite score. Sums are exact: equal sets of instances leave equal sums, however they were cut, ordered and merged.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hemlp.arrays import FloatArray, IntArray, record
from hemlp.errors import InstancesNotKept
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import STEPS, Status
from hemlp.results.exact_sums import BucketSums, exact_square_sum, exact_sum, exact_sums, mean_of_sum

PRECISION = 1e-12
"""Relative: scores that differ by no more are equal."""
MOST_DIFFERENCES = 1_000
"""Differing instances of a pair of systems whose differences are kept; of more of them none is."""
STATES = "fu+-"
"""A letter of a pattern: a finite, an undefined, an infinite score, and one that is infinite below 0."""
FINITE, UNDEFINED = STATES[0], STATES[1]


@dataclass(frozen=True)
class PairSums:
    """first − second where both are finite and differ: by more than 1e-12 · max(1, |first|, |second|).

    ``first``, ``second``: exact sums of both there; ``total``, ``squares``: those of the rounded differences;
    ``least``, ``greatest``: of these; ``size``: the greatest |score|, at least 1. ``values``: the differences, sorted,
    of up to 1,000 instances, and else None.
    """

    number: int = 0
    wins: int = 0
    first: int = 0
    second: int = 0
    total: int = 0
    squares: int = 0
    least: float = math.inf
    greatest: float = -math.inf
    size: float = 1.0
    values: tuple[float, ...] | None = ()

    @classmethod
    def of(cls, first: FloatArray, second: FloatArray) -> PairSums:
        """Of finite scores, one an instance."""
        sizes = np.maximum(np.maximum(np.abs(first), np.abs(second)), 1.0)
        gaps = first - second
        differ = np.abs(gaps) > PRECISION * sizes
        sums = exact_sum(first[differ]), exact_sum(second[differ])
        return cls.of_gaps(gaps[differ], *sums, float(sizes[differ].max(initial=1.0)))

    @classmethod
    def of_gaps(cls, gaps: FloatArray, first: int, second: int, size: float) -> PairSums:
        """Of differences that are not 0."""
        if not gaps.size:
            return cls()
        return cls(
            gaps.size, int(np.count_nonzero(gaps > 0)), first, second, exact_sum(gaps), exact_square_sum(gaps),
            float(gaps.min()), float(gaps.max()), size,
            tuple(np.sort(gaps).tolist()) if gaps.size <= MOST_DIFFERENCES else None,
        )  # fmt: skip

    def __add__(self, other: PairSums) -> PairSums:
        number = self.number + other.number
        values = None
        if self.values is not None and other.values is not None and number <= MOST_DIFFERENCES:
            values = tuple(sorted(self.values + other.values))
        return PairSums(
            number, self.wins + other.wins, self.first + other.first, self.second + other.second,
            self.total + other.total, self.squares + other.squares, min(self.least, other.least),
            max(self.greatest, other.greatest), max(self.size, other.size), values,
        )  # fmt: skip

    def turned(self) -> PairSums:
        """Of second − first."""
        values = None if self.values is None else tuple(-each for each in self.values[::-1])
        return PairSums(
            self.number, self.number - self.wins, self.second, self.first, -self.total, self.squares, -self.greatest,
            -self.least, self.size, values,
        )  # fmt: skip


@record
class PatternSums:
    """The instances of one pattern: how many each bucket has, and there the sum of each system that is finite.

    ``pairs``: of each pair of finite systems, the first one first in the order of the systems.
    """

    counts: IntArray
    sums: Mapping[int, Sequence[int]]
    pairs: Mapping[tuple[int, int], PairSums]

    @classmethod
    def of(cls, values: FloatArray, finite: Sequence[int], members: IntArray, number: int) -> PatternSums:
        """Scores (systems × instances), and the bucket of each instance."""
        return cls(
            np.bincount(members, minlength=number),
            {k: exact_sums(values[k], members, number) for k in finite},
            {(i, j): PairSums.of(values[i], values[j]) for i, j in combinations(finite, 2)},
        )

    def __add__(self, other: PatternSums) -> PatternSums:
        sums = {k: [a + b for a, b in zip(of, other.sums[k], strict=True)] for k, of in self.sums.items()}
        pairs = {pair: of + other.pairs[pair] for pair, of in self.pairs.items()}
        return PatternSums(self.counts + other.counts, sums, pairs)


@record
class MeasureSums:
    """The scores of ``systems`` by one measure: the sums of each pattern (a letter of ``STATES`` for each system)."""

    systems: tuple[str, ...]
    patterns: Mapping[str, PatternSums]

    @classmethod
    def of(cls, systems: tuple[str, ...], values: FloatArray, members: IntArray, number: int) -> MeasureSums:
        """Scores (systems × instances), and the bucket of each instance."""
        states = np.select([np.isnan(values), values == math.inf, values == -math.inf], [1, 2, 3], 0).astype(np.int8)
        kinds, which = states[:, :1], np.zeros(states.shape[1], np.int64)
        if states.any():
            kinds, which = np.unique(states, axis=1, return_inverse=True)
        made = {}
        for k, kind in enumerate(kinds.T.tolist()):
            rows = np.flatnonzero(which.ravel() == k)
            finite = [system for system, state in enumerate(kind) if not state]
            made["".join(STATES[state] for state in kind)] = PatternSums.of(
                values[:, rows], finite, members[rows], number
            )
        return cls(systems, made)

    def __add__(self, other: MeasureSums) -> MeasureSums:
        patterns = dict(self.patterns)
        for name, of in other.patterns.items():
            patterns[name] = patterns[name] + of if name in patterns else of
        return MeasureSums(self.systems, patterns)

    @property
    def common(self) -> str:
        """The systems that are defined anywhere, which count for what all have in common: as a row of bits."""
        return "".join("0" if all(p[k] == UNDEFINED for p in self.patterns) else "1" for k in range(len(self.systems)))

    def _where(self, systems: Sequence[int], common: bool = False) -> Iterator[tuple[str, PatternSums]]:
        """The patterns in which some systems, or all that are defined anywhere, are defined."""
        needed = [k for k, bit in enumerate(self.common) if bit == "1"] if common else []
        for name, of in self.patterns.items():
            if all(name[k] != UNDEFINED for k in (*systems, *needed)):
                yield name, of

    def defined_alike(self, first: str, second: str) -> bool:
        """Whether two systems are undefined on the same instances, and finite on all others."""
        states = [{name[self.systems.index(system)] for system in (first, second)} for name in self.patterns]
        return all(state in ({FINITE}, {UNDEFINED}) for state in states)

    def column(self, system: str, baseline: str | None = None, common: bool = False) -> BucketSums:
        """The sums of a system by bucket, minus those of another one where both are defined."""
        chosen = [self.systems.index(each) for each in (system, baseline) if each is not None]
        size = len(next(iter(self.patterns.values())).counts)
        sums, counts, infinite = [0] * size, np.zeros(size, np.int64), np.zeros((2, size), np.int64)
        for name, of in self._where(chosen, common):
            counts = counts + of.counts
            gap = _gap([name[k] for k in chosen])
            if gap:
                infinite[int(gap < 0)] += of.counts
            elif name[chosen[0]] == FINITE:
                for k, sign in zip(chosen, (1, -1), strict=False):
                    sums = [a + sign * b for a, b in zip(sums, of.sums[k], strict=True)]
        return BucketSums(sums, counts, infinite)

    def mean(self, system: str, common: bool = False) -> float:
        """The mean of a system where it is defined, or where all systems are."""
        return self.column(system, common=common).mean()

    def count(self, system: str, states: str = STATES.replace(UNDEFINED, ""), common: bool = False) -> int:
        """On how many instances a system is in one of some states."""
        k = self.systems.index(system)
        return sum(int(of.counts.sum()) for name, of in self._where([], common) if name[k] in states)

    @property
    def sizes(self) -> FloatArray:
        """How many instances each bucket has."""
        return np.asarray(sum(of.counts for of in self.patterns.values()), np.float64)

    def pair(self, first: str, second: str, common: bool = False) -> tuple[PairSums, int, int, int]:
        """Of two systems: finite differences, how many are infinite up and down, and how many instances both have."""
        i, j = (self.systems.index(system) for system in (first, second))
        sums, infinite, instances = PairSums(), [0, 0], 0
        for name, of in self._where([i, j], common):
            number = int(of.counts.sum())
            instances += number
            gap = _gap([name[i], name[j]])
            if gap:
                infinite[int(gap < 0)] += number
            elif name[i] == FINITE:
                sums += of.pairs[i, j] if i < j else of.pairs[j, i].turned()
        return sums, infinite[0], infinite[1], instances


def _gap(states: Sequence[str]) -> float:
    """The first score minus the second one, if there is one, where that is infinite; else 0."""
    first, second = ({"+": math.inf, "-": -math.inf}.get(state, 0.0) for state in (*states, FINITE)[:2])
    return 0.0 if first == second else first - second


# ---- scores whose instances are not kept


def refuse_instances() -> InstancesNotKept:
    """The error that something needs instances again."""
    return InstancesNotKept(
        "this needs the scores of single instances, but a tally keeps only sums from 100,000 instances on (and of "
        "further columns always): they are in the per-instance tables that Plan.score returns, and that a folder of "
        "results keeps (evaluate(..., resume=FOLDER), --parquet FOLDER)"
    )


class _Refused:
    """Stands for an array that is not there: whatever is asked of it raises."""

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise refuse_instances()

    __array__ = __len__ = __getitem__ = __iter__ = __eq__ = __gt__ = __lt__ = _refuse
    __hash__ = None  # type: ignore[assignment]


class KeptColumns(Mapping[str, FloatArray]):
    """The columns of a measure, of which all are named, and at most the scores themselves are there.

    ``read``: reads the others, where they are in files.
    """

    def __init__(
        self, names: Sequence[str], scores: FloatArray | None, read: Callable[[str], FloatArray] | None = None
    ) -> None:
        self._names, self._scores, self._read = names, scores, read

    def __getitem__(self, name: str) -> FloatArray:
        if name not in self._names:
            raise KeyError(name)
        if self._scores is not None and name == self._names[0]:
            return self._scores
        if self._read is None:
            raise refuse_instances()
        return self._read(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class ColumnSum(NamedTuple):
    """The exact sum of the finite values of a column, how many values there are, and how many are infinite."""

    total: int
    number: int
    up: int
    down: int

    @classmethod
    def of(cls, values: FloatArray) -> ColumnSum:
        """Of one value per instance, nan where it is undefined."""
        up, down = (int(np.count_nonzero(values == end)) for end in (np.inf, -np.inf))
        return cls(exact_sum(values[np.isfinite(values)]), int(np.count_nonzero(~np.isnan(values))), up, down)


class ScoreCounts(NamedTuple):
    """Of a system by a measure: how many instances have which status, and were solved by which method; column sums."""

    statuses: tuple[int, ...]
    steps: tuple[int, ...]
    columns: tuple[ColumnSum, ...]

    @classmethod
    def of(cls, scores: Scores) -> ScoreCounts:
        """Of the scores of instances."""
        steps = scores.columns["step"] if "step" in scores.columns else np.empty(0)
        by_step = np.bincount(steps[~np.isnan(steps)].astype(np.int64), minlength=len(STEPS)).tolist()
        statuses = np.bincount(scores.statuses, minlength=len(Status)).tolist()
        return cls(tuple(statuses), tuple(by_step), tuple(map(ColumnSum.of, scores.columns.values())))

    def merge(self, other: ScoreCounts) -> ScoreCounts:
        """Those of the instances of both."""
        columns = (ColumnSum(*add_counts(a, b)) for a, b in zip(self.columns, other.columns, strict=True))
        counts = add_counts(self.statuses, other.statuses), add_counts(self.steps, other.steps)
        return ScoreCounts(*counts, tuple(columns))


def add_counts(first: Sequence[int], second: Sequence[int]) -> tuple[int, ...]:
    """The sums of integers, place by place."""
    return tuple(a + b for a, b in zip(first, second, strict=True))


NOTHING = ScoreCounts((), (), ())


@dataclass(frozen=True, eq=False, repr=False)
class TalliedScores(Scores):
    """Scores of which a tally holds counts and exact sums."""

    counts: ScoreCounts = NOTHING

    def __len__(self) -> int:
        return sum(self.counts.statuses)

    def _sum(self, column: str | None) -> ColumnSum:
        return self.counts.columns[0 if column is None else list(self.columns).index(column)]

    def mean(self, column: str | None = None) -> float:
        """The average over the instances on which it is defined.

        Parameters
        ----------
        column
            Another column than the measure itself.
        """
        total, count, up, down = self._sum(column)
        return mean_of_sum(total, up, down, count)

    def total(self, column: str) -> float:
        """The sum of a column, where it has values."""
        total, _, up, down = self._sum(column)
        return mean_of_sum(total, up, down, 1)

    def status_counts(self) -> dict[str, int]:
        """How many instances have which status."""
        return {str(status): count for status, count in zip(Status, self.counts.statuses, strict=True) if count}

    @property
    def fallbacks(self) -> int:
        """How many instances have a solution that is not proved optimal."""
        return self.counts.statuses[Status.FEASIBLE]

    def without_infinite(self) -> tuple[int, float]:
        """How many scores are infinite, and the mean of the others."""
        total, count, up, down = self._sum(None)
        return up + down, mean_of_sum(total, 0, 0, count - up - down)


NO_STATUSES: Any = _Refused()
"""For the statuses of such scores where instances are not kept."""
