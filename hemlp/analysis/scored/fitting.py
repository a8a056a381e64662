"""Rules of each kind that are best on some of the instances, and which kind is best on instances left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hemlp.analysis.scored.best import best_index
from hemlp.analysis.scored.candidates import Candidate, candidates
from hemlp.analysis.scored.groups import Few, Grouping, OwnThresholds, set_sizes
from hemlp.analysis.scored.prefixes import SETS_AT_MOST, Prefixes
from hemlp.analysis.scored.refining import LEAST, POINTS, refined, spread
from hemlp.analysis.scored.rules import KINDS, Kind, Rule, clipped, parameter
from hemlp.analysis.scored.steps import Steps, distinct_scores
from hemlp.analysis.statistics.resampling import Draw
from hemlp.analysis.statistics.units import Units
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidScores
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.base import Measure

if TYPE_CHECKING:
    from hemlp.analysis.scored.tuned import By

FOLDS = 5
"""In which kinds of rules are compared."""


class Compared(NamedTuple):
    """The best rule, the rule of each kind, their values side by side, and what was left out."""

    rule: Rule
    rules: Mapping[Kind, Rule]
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Fitting:
    """How rules are chosen; options as of ``hemlp.tune``. ``prefixes`` has the measure under the name "m".

    ``times``: how often kinds are compared, once for each fold.
    """

    prefixes: Prefixes
    measure: Measure
    grid: FloatArray | None
    points: int | None
    least: int
    few: Few
    seed: int
    times: int = 1

    def own(self, by: Grouping, few: Few | None = None) -> OwnThresholds:
        """How thresholds of levels or classes are chosen."""
        return OwnThresholds(self.measure, by, self.least, few or self.few, self.prefixes.solving)

    def values(self, rule: Rule, rows: IntArray) -> FloatArray:
        """The measure on each of these instances, cut by a rule."""
        if rule.by in ("level", "class"):
            return self.own(rule.by).values(self.prefixes.data.take(rows), rule.threshold, rule.own)
        return self.prefixes.values("m", rows, rule.sizes(self.prefixes.given.rows_taken(rows)))

    def folds(self, rows: IntArray, folds: int) -> IntArray:
        """The fold of each of these instances."""
        fold = np.empty(len(rows), np.int64)
        fold[np.random.default_rng(self.seed).permutation(len(rows))] = np.arange(len(rows)) % folds
        return fold

    def draw(self, rows: IntArray) -> Draw:
        """The resamples of these instances."""
        ids = self.prefixes.data.batch.ids
        return Draw(Units(len(rows), None if ids is None else [ids[row] for row in rows]), seed=self.seed)

    def compared(self, rows: IntArray, by: By) -> Compared:
        """The best rule on these instances, of one kind or of all."""
        part = Part(self, rows)
        if by != "best":
            rule = part.rule(by, self.few)
            return Compared(rule, {by: rule}, (), part.notes(by))
        kinds, left_out = self._kinds(rows)
        rules = {kind: part.rule(kind, "shared") for kind in kinds}
        words = {kind: parameter([rule]) for kind, rule in rules.items()}
        chosen_on = {kind: self.values(rule, rows) for kind, rule in rules.items()}
        validated = self._validated(rows, kinds)
        best, found = candidates(words, chosen_on, validated, self.measure.greater_is_better, self.draw(rows))
        return Compared(rules[best], rules, found, (*part.notes(*kinds), *left_out))

    def _validated(self, rows: IntArray, kinds: Sequence[Kind]) -> dict[Kind, FloatArray]:
        """The measure on each instance by rules that are chosen without it; nothing where that cannot be done."""
        fold = self.folds(rows, min(FOLDS, len(rows)))
        found = {kind: np.empty(len(rows)) for kind in kinds}
        scored = np.diff(self.prefixes.given.ptr)[rows] > 0
        if len(rows) < 2 or any(not scored[fold != k].any() for k in range(int(fold.max()) + 1)):
            return {}
        for k in range(int(fold.max()) + 1):
            part = Part(self, rows[fold != k])
            for kind, values in found.items():
                values[fold == k] = self.values(part.rule(kind, "shared"), rows[fold == k])
        return found

    def _kinds(self, rows: IntArray) -> tuple[list[Kind], list[str]]:
        """The kinds that are compared, and why others are not."""
        kinds: list[Kind] = ["all", "top", "nonempty", "capped"]
        notes = []
        by: Grouping
        data, swept = self.prefixes.data.take(rows), "m" in self.prefixes.swept
        for by in ("level", "class"):
            work = self.times * (FOLDS + 1) * (float(data.values.size) if swept else set_sizes(data, by))
            if self.prefixes.solving.undefined != "error":
                why = "needs a measure that is defined everywhere"
            elif not self.own(by, "shared").with_data(data):
                why = f"no {by} is true in {self.least} instances"
            elif work > SETS_AT_MOST:
                why = f"it takes long with {data.values.size:,} scores"
            else:
                kinds.append(by)
                continue
            notes.append(f"{KINDS[by]} (by {by}) was not compared: {why}")
        return kinds, notes


class Part:
    """Some of the instances, and the rules that are best on them."""

    def __init__(self, fitting: Fitting, rows: IntArray) -> None:
        self.fitting, self.rows = fitting, rows
        self.prefixes = fitting.prefixes
        self.scores = self.prefixes.given.rows_taken(rows)
        self.skipped: dict[Kind, str] = {}
        if not self.scores.values.size:
            raise InvalidScores("no instance of the gold has a score: there is no threshold to choose")

    def notes(self, *kinds: Kind) -> tuple[str, ...]:
        """What was not tried for these kinds."""
        return tuple(f"{KINDS[kind]}: {self.skipped[kind]}" for kind in kinds if kind in self.skipped)

    def rule(self, by: Kind, few: Few) -> Rule:
        """The best rule of a kind."""
        if by == "all":
            return Rule(by, self.threshold)
        if by == "top":
            return Rule(by, self.threshold, at_most=self.greatest[0])
        if by == "nonempty":
            return Rule(by, self._best_threshold(by, 1), at_least=1)
        if by == "capped":
            return self._capped()
        data = self.prefixes.data.take(self.rows)
        return Rule(by, self.threshold, own=self.fitting.own(by, few).chosen(data, self.threshold))

    @cached_property
    def threshold(self) -> float:
        """The best one for all classes."""
        return self._best_threshold("all", 0)

    @cached_property
    def longest(self) -> int:
        """The greatest number of scores of an instance."""
        return int(np.diff(self.scores.ptr).max())

    @cached_property
    def greatest(self) -> tuple[int, int]:
        """The best number of greatest scores, and up to which number all were tried.

        A rank is a score, too: the k greatest are those whose rank is at most k.
        """
        most = self.longest if self.prefixes.complete("m") else min(self.longest, 10)
        ranked = replace(self.scores, values=-self.scores.ranks.astype(np.float64))
        while True:
            means = next(self._curves(ranked, np.arange(-most + 1.0, 1.0), [(0, None)]))[::-1]
            k = best_index(means, self.fitting.measure.greater_is_better) + 1
            if most >= min(self.longest, 2 * k + 5):
                break
            most = min(self.longest, 2 * k + 10)
        if most < self.longest:
            self.skipped["top"] = f"1 to {most} of them were tried, there are up to {self.longest:,}"
        return k, most

    def _curves(
        self, scores: ScoredSets, grid: FloatArray, limits: Sequence[tuple[int, int | None]]
    ) -> Iterator[FloatArray]:
        """Means at each threshold of the grid, which ascends: for each of the ``limits``, at least and at most."""
        steps = Steps.over(scores, grid)
        lengths, rows = np.diff(scores.ptr)[steps.rows], self.rows[steps.rows]
        for at_least, at_most in limits:
            values = self.prefixes.values("m", rows, clipped(steps.sizes, lengths, at_least, at_most))
            yield steps.means(values)[0][::-1]

    def _best_threshold(self, by: Kind, at_least: int) -> float:
        """The best of all thresholds, or of those that are tried."""
        better, points = self.fitting.measure.greater_is_better, self.fitting.points
        every = distinct_scores(self.scores) if self.fitting.grid is None else self.fitting.grid

        def means(places: IntArray) -> FloatArray:
            return next(self._curves(self.scores, every[places], [(at_least, None)]))

        needed = self.fitting.grid is not None or "m" in self.prefixes.swept
        if needed or (points is None and self.prefixes.complete("m")):
            return float(every[best_index(means(np.arange(len(every))), better)])
        points = max(points or POINTS, LEAST)
        tried = refined(means, spread(self.scores.values, every, points), len(every), points, better)
        if tried.skipped:
            self.skipped[by] = tried.skipped
        return float(every[tried.places[tried.best]])

    def _capped(self) -> Rule:
        """The best threshold with the best limits: all numbers of classes up to about twice the best without one."""
        most = min(self.longest, 2 * self.greatest[0] + 10)
        first = self.scores.first(most)
        grid = distinct_scores(first) if self.fitting.grid is None else self.fitting.grid
        limits = [(at_least, k) for k in range(1, most + 1) for at_least in (0, 1)]
        better = self.fitting.measure.greater_is_better
        found: list[tuple[float, Any]] = []
        for limit, means in zip(limits, self._curves(first, grid, limits), strict=True):
            if np.isnan(means).all():
                continue
            place = best_index(means, better)
            found.append((float(means[place]), Rule("capped", float(grid[place]), *limit)))
        if most < self.longest:
            self.skipped["capped"] = f"at most 1 to {most} classes were tried"
        rule: Rule = found[best_index(np.array([value for value, _ in found]), better)][1]
        return rule
