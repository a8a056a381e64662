"""The best cutting rule of each kind on some instances, and the best kind by cross-validation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hemlp.analysis.scored.candidates import Candidate, compare_candidates
from hemlp.analysis.scored.cutting_rules import RULE_KINDS, CuttingRule, RuleKind, clip_sizes, describe_parameter
from hemlp.analysis.scored.group_thresholds import Grouping, GroupTuner, SmallGroups, count_set_members
from hemlp.analysis.scored.prefix_scores import MAX_CLASSES_SCORED, PrefixScores
from hemlp.analysis.scored.threshold_search import MIN_POINTS, POINTS, BoundedSearch, refine_search, spread_thresholds
from hemlp.analysis.scored.threshold_steps import ThresholdSteps, best_index, distinct_scores
from hemlp.analysis.statistics.resampling import Bootstrap, Units
from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidScores
from hemlp.instances.scored_sets import ScoredSets
from hemlp.measures.base import Measure
from hemlp.processes.progress import track

if TYPE_CHECKING:
    from hemlp.analysis.scored.tuned_rule import RuleChoice

FOLDS = 5
"""Folds of the cross-validation that compares kinds of rules."""


class RuleComparison(NamedTuple):
    """The best rule, the rule of each kind, their values side by side, and the kinds left out."""

    rule: CuttingRule
    rules: Mapping[RuleKind, CuttingRule]
    candidates: tuple[Candidate, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class RuleTuner:
    """Chooses rules; options as of ``hemlp.tune``. ``prefixes`` has the measure under the name "m".

    ``times``: how often kinds are compared, once for each fold.
    """

    prefixes: PrefixScores
    measure: Measure
    grid: FloatArray | None
    points: int | None
    least: int
    few: SmallGroups
    seed: int
    times: int = 1

    def group_tuner(self, by: Grouping, few: SmallGroups | None = None) -> GroupTuner:
        """The tuner of thresholds of levels or classes."""
        return GroupTuner(self.measure, by, self.least, few or self.few, self.prefixes.options)

    def values(self, rule: CuttingRule, rows: IntArray) -> FloatArray:
        """The measure on each of these instances, cut by a rule."""
        if rule.by in ("level", "class"):
            return self.group_tuner(rule.by).values(
                self.prefixes.data.take(rows), rule.threshold, rule.class_thresholds
            )
        return self.prefixes.values("m", rows, rule.sizes(self.prefixes.raw_scores.take_rows(rows)))

    def folds(self, rows: IntArray, folds: int) -> IntArray:
        """The fold of each of these instances."""
        fold = np.empty(len(rows), np.int64)
        fold[np.random.default_rng(self.seed).permutation(len(rows))] = np.arange(len(rows)) % folds
        return fold

    def bootstrap(self, rows: IntArray) -> Bootstrap:
        """The resamples of these instances."""
        ids = self.prefixes.data.batch.ids
        return Bootstrap(Units(len(rows), None if ids is None else [ids[row] for row in rows]), seed=self.seed)

    def compare_rules(self, rows: IntArray, by: RuleChoice) -> RuleComparison:
        """The best rule on these instances, of one kind or of all."""
        part = SubsetTuner(self, rows)
        if by != "best":
            rule = part.rule(by, self.few)
            return RuleComparison(rule, {by: rule}, (), part.notes(by))
        kinds, left_out = self._kinds_to_compare(rows, part.threshold)
        rules = {kind: part.rule(kind, "shared") for kind in kinds}
        words = {kind: describe_parameter([rule]) for kind, rule in rules.items()}
        in_sample = {kind: self.values(rule, rows) for kind, rule in rules.items()}
        validated = self._cross_validate(rows, kinds)
        best, compared = compare_candidates(
            words, in_sample, validated, self.measure.greater_is_better, self.bootstrap(rows)
        )
        return RuleComparison(rules[best], rules, compared, (*part.notes(*kinds), *left_out))

    def _cross_validate(self, rows: IntArray, kinds: Sequence[RuleKind]) -> dict[RuleKind, FloatArray]:
        """The measure on each instance by rules chosen without it; nothing if that is impossible."""
        fold = self.folds(rows, min(FOLDS, len(rows)))
        validated = {kind: np.empty(len(rows)) for kind in kinds}
        scored = np.diff(self.prefixes.raw_scores.ptr)[rows] > 0
        if len(rows) < 2 or any(not scored[fold != k].any() for k in range(int(fold.max()) + 1)):
            return {}
        for k in track(range(int(fold.max()) + 1), "comparing rules"):
            part = SubsetTuner(self, rows[fold != k])
            for kind, values in validated.items():
                values[fold == k] = self.values(part.rule(kind, "shared"), rows[fold == k])
        return validated

    def _kinds_to_compare(self, rows: IntArray, shared: float) -> tuple[list[RuleKind], list[str]]:
        """The kinds to compare, and why others are not compared."""
        kinds: list[RuleKind] = ["all", "top", "nonempty", "capped"]
        notes = []
        by: Grouping
        data, swept = self.prefixes.data.take(rows), "m" in self.prefixes.swept_measures
        for by in ("level", "class"):
            members = float(data.values.size) if swept else count_set_members(data, by, shared)
            work = self.times * (FOLDS + 1) * members
            if self.prefixes.options.undefined != "error":
                why = "needs a measure that is defined everywhere"
            elif not self.group_tuner(by, "shared").supported_groups(data):
                why = f"no {by} is true in {self.least} instances"
            elif work > MAX_CLASSES_SCORED:
                why = f"it takes long with {data.values.size:,} scores"
            else:
                kinds.append(by)
                continue
            notes.append(f"{RULE_KINDS[by]} (by {by}) was not compared: {why}")
        return kinds, notes


class SubsetTuner:
    """Finds the best rules on a subset of the instances."""

    def __init__(self, tuner: RuleTuner, rows: IntArray) -> None:
        self.tuner, self.rows = tuner, rows
        self.prefixes = tuner.prefixes
        self.scores = self.prefixes.raw_scores.take_rows(rows)
        self.skipped_note: dict[RuleKind, str] = {}
        if not self.scores.values.size:
            raise InvalidScores("no instance of the gold has a score: there is no threshold to choose")

    def notes(self, *kinds: RuleKind) -> tuple[str, ...]:
        """Notes on candidates of these kinds that were not tried."""
        return tuple(f"{RULE_KINDS[kind]}: {self.skipped_note[kind]}" for kind in kinds if kind in self.skipped_note)

    def rule(self, by: RuleKind, few: SmallGroups) -> CuttingRule:
        """The best rule of a kind."""
        if by == "all":
            return CuttingRule(by, self.threshold)
        if by == "top":
            return CuttingRule(by, self.threshold, at_most=self.greatest[0])
        if by == "nonempty":
            return CuttingRule(by, self._best_threshold(by, 1), at_least=1)
        if by == "capped":
            return self._best_capped_rule()
        data = self.prefixes.data.take(self.rows)
        return CuttingRule(
            by, self.threshold, class_thresholds=self.tuner.group_tuner(by, few).choose(data, self.threshold)
        )

    @cached_property
    def threshold(self) -> float:
        """The best threshold for all classes."""
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
        ranked = replace(self.scores, values=-self.scores.ranks.astype(np.float64))
        if self.bounded:
            means = self._search(ranked, np.arange(-self.longest + 1.0, 1.0)).means()
            return best_index(means[::-1], True) + 1, self.longest
        most = self.longest if self.prefixes.is_affordable("m") else min(self.longest, 10)
        while True:
            means = next(self._mean_curves(ranked, np.arange(-most + 1.0, 1.0), [(0, None)]))[::-1]
            k = best_index(means, self.tuner.measure.greater_is_better) + 1
            if most >= min(self.longest, 2 * k + 5):
                break
            most = min(self.longest, 2 * k + 10)
        if most < self.longest:
            self.skipped_note["top"] = f"1 to {most} of them were tried, there are up to {self.longest:,}"
        return k, most

    @property
    def bounded(self) -> bool:
        """Whether thresholds can be proved to be worse without solving them."""
        return self.prefixes.bounds("m") is not None

    def _search(self, scores: ScoredSets, thresholds: FloatArray) -> BoundedSearch:
        return BoundedSearch(self.prefixes, "m", scores, self.rows, thresholds)

    @cached_property
    def _every(self) -> FloatArray:
        """All thresholds."""
        return distinct_scores(self.scores) if self.tuner.grid is None else self.tuner.grid

    @cached_property
    def _search_of_all(self) -> BoundedSearch:
        return self._search(self.scores, self._every)

    def _mean_curves(
        self, scores: ScoredSets, grid: FloatArray, limits: Sequence[tuple[int, int | None]]
    ) -> Iterator[FloatArray]:
        """Means at each threshold of the grid, which ascends: for each of the ``limits``, at least and at most."""
        steps = ThresholdSteps.over(scores, grid)
        lengths, rows = np.diff(scores.ptr)[steps.rows], self.rows[steps.rows]
        for at_least, at_most in limits:
            values = self.prefixes.values("m", rows, clip_sizes(steps.sizes, lengths, at_least, at_most))
            yield steps.means(values)[0][::-1]

    def _best_threshold(self, by: RuleKind, at_least: int) -> float:
        """The best of all thresholds, or of the tried ones."""
        better, points = self.tuner.measure.greater_is_better, self.tuner.points
        every = self._every

        def means(indices: IntArray) -> FloatArray:
            return next(self._mean_curves(self.scores, every[indices], [(at_least, None)]))

        if self.bounded:
            return float(every[best_index(self._search_of_all.means((at_least, None)), better)])
        needed = self.tuner.grid is not None or "m" in self.prefixes.swept_measures
        if needed or (points is None and self.prefixes.is_affordable("m")):
            return float(every[best_index(means(np.arange(len(every))), better)])
        points = max(points or POINTS, MIN_POINTS)
        tried = refine_search(means, spread_thresholds(self.scores.values, every, points), len(every), points, better)
        if tried.skipped_note:
            self.skipped_note[by] = tried.skipped_note
        return float(every[tried.indices[tried.best]])

    def _best_capped_rule(self) -> CuttingRule:
        """The best threshold with the best limits: all numbers of classes up to about twice the best without one."""
        most = min(self.longest, 2 * self.greatest[0] + 10)
        first = self.scores.first(most)
        grid = distinct_scores(first) if self.tuner.grid is None else self.tuner.grid
        limits = [(at_least, k) for k in range(1, most + 1) for at_least in (0, 1)]
        better = self.tuner.measure.greater_is_better
        tried: list[tuple[float, Any]] = []
        for limit, means in zip(limits, self._capped_means(first, grid, limits), strict=True):
            if np.isnan(means).all():
                continue
            place = best_index(means, better)
            tried.append((float(means[place]), CuttingRule("capped", float(grid[place]), *limit)))
        if most < self.longest:
            self.skipped_note["capped"] = f"at most 1 to {most} classes were tried"
        rule: CuttingRule = tried[best_index(np.array([value for value, _ in tried]), better)][1]
        return rule

    def _capped_means(
        self, first: ScoredSets, grid: FloatArray, limits: Sequence[tuple[int, int | None]]
    ) -> Iterator[FloatArray]:
        """Means at each threshold for each limit; -inf where proved worse than others."""
        if not self.bounded:
            yield from self._mean_curves(first, grid, limits)
            return
        search, incumbent = self._search(first, grid), -math.inf
        for limit in limits:
            means = search.means(limit, incumbent)
            incumbent = max(incumbent, float(means.max()))
            yield means
