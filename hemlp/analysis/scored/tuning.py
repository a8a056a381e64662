"""Tuning: choose a cutting rule (thresholds, the greatest scores, or both) on development data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np

from hemlp.analysis.scored.aligned_scores import AlignedScores
from hemlp.analysis.scored.candidates import Candidate, compare_candidates
from hemlp.analysis.scored.cutting_rules import CuttingRule, RuleKind, describe_parameter
from hemlp.analysis.scored.group_thresholds import SmallGroups
from hemlp.analysis.scored.prefix_scores import PrefixScores
from hemlp.analysis.scored.rule_tuner import RuleComparison, RuleTuner
from hemlp.analysis.scored.step_scores import ScoringOptions, threshold_measure
from hemlp.analysis.scored.threshold_search import check_points
from hemlp.analysis.scored.tuned_rule import RuleChoice, Tuned
from hemlp.errors import Advice, InvalidOption, InvalidScores
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import UnknownPolicy
from hemlp.instances.label_sets import RowKind
from hemlp.instances.thresholds import as_grid
from hemlp.measures.base import Measure
from hemlp.measures.instance_scores import mean
from hemlp.measures.scoring import UndefinedPolicy
from hemlp.options import check_choice
from hemlp.processes.progress import track
from hemlp.solvers.registry import Solver


def tune(
    hierarchy: Hierarchy,
    true: Any,
    scores: Any,
    measure: str | Measure,
    *,
    by: RuleChoice = "best",
    folds: int | None = None,
    thresholds: Any = None,
    points: int | None = None,
    least: int = 20,
    few: SmallGroups = "error",
    seed: int = 0,
    unknown: UnknownPolicy = "error",
    unknown_true: UnknownPolicy | None = None,
    rows: RowKind | None = None,
    undefined: UndefinedPolicy = "error",
    solver: str | Solver | None = None,
    time_limit: float | None = None,
) -> Tuned:
    """Choose a cutting rule for scores by a measure, on development data; ``s_test.at(t)`` applies it to other data.

    By default all kinds of rules are compared, in five folds: each is chosen without the instances that it is measured
    on, since on the data that it is chosen on, a rule with many thresholds looks better than it is. The best kind (the
    simplest of equals) is then chosen on all data. ``t.candidates`` is the table, ``t.recommendation`` a sentence.

    Parameters
    ----------
    hierarchy
        What both sides speak of.
    true, scores
        Of the development data, as of ``hemlp.curve``.
    measure
        What is to be best.
    by
        "best" of all these, or one of them: "all": one threshold; "top": the k greatest scores; "nonempty": one
        threshold, or the greatest score where nothing reaches it; "capped": one threshold, but at most k classes
        (perhaps at least one); "level", "class": one threshold for the classes of each depth, or for each class, found
        from the one for all by changing one after the other while that is better, which is not proved to be the best.
    folds
        Where there is no other data: choose for each of so many parts on the other parts; ``s.at(t)`` is then for the
        same data, and ``t.value`` is cross-validated.
    thresholds
        Candidates of the one threshold; by default every distinct score.
    points
        So many candidates to begin with, if it takes long to try every distinct score: more are tried around the best
        one until its neighbours are among them, and ``t.notes`` says how many were skipped elsewhere. Without it this
        is done where sets of more than 20 million classes would have to be scored. Measures of closures (F_H) and of
        LCA graphs (F_LCA) need none of it: the best of every distinct score is always known, by bounds for the latter.
    least
        How many instances a level or a class must be true in (with its descendants) for a threshold of its own.
    few
        What is done where it is true in fewer: an "error", or it keeps the one threshold ("shared"), as it does where
        all kinds are compared.
    seed
        Of folds and intervals.
    unknown, unknown_true, rows, undefined, solver, time_limit
        As of ``hemlp.evaluate``.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> s = {"a": {"sheep": 0.9}, "b": {"cow": 0.4, "sheep": 0.2}}
    >>> tune(h, {"a": "sheep", "b": "cow"}, s, "F_LCA", by="all").threshold
    0.4
    >>> tune(h, {"a": "sheep", "b": "cow"}, s, "F_LCA")
    Tuned(top 1 by F_LCA, chosen on 2 instances of predictions: 1.0000 there, optimistic)
    """
    check_choice("by", by, get_args(RuleChoice))
    check_choice("few", few, ("error", "shared"))
    for option, number, smallest in (("folds", folds, 2), ("least", least, 1)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < smallest):
            raise InvalidOption(f"{option}={number!r} is not an integer of at least {smallest}")
    if points is not None:
        check_points(points)
        if thresholds is not None:
            raise InvalidOption("thresholds are a grid, points limit the distinct scores: give one of them")
    if by in ("level", "class") and undefined != "error":
        raise InvalidOption(
            f"thresholds by {by} need a measure that is defined everywhere: undefined values are for one threshold"
        ).with_advice(Advice("by", "all", "for that"))
    data = AlignedScores.of(hierarchy, true, scores, unknown, unknown_true, rows)
    if not data.values.size:
        raise InvalidScores("no instance of the gold has a score: there is no threshold to choose")
    resolved = threshold_measure(measure)
    grid = None if thresholds is None else as_grid(thresholds)
    prefixes = PrefixScores(data, {"m": resolved}, ScoringOptions(undefined, solver, time_limit))
    tuner = RuleTuner(prefixes, resolved, grid, points, least, few, seed, folds or 1)
    if folds is None:
        return _tune_on_all(tuner, by)
    return _cross_validate(tuner, by, folds)


def _tune_on_all(tuner: RuleTuner, by: RuleChoice) -> Tuned:
    """Choose a rule on all of the data."""
    rows = np.arange(len(tuner.prefixes.data))
    comparison = tuner.compare_rules(rows, by)
    raw_scores = tuner.prefixes.raw_scores
    value = mean(tuner.values(comparison.rule, rows))
    return replace(
        _as_tuned(tuner, comparison, len(rows), value), data=raw_scores.fingerprint, rows=raw_scores.row_digests
    )


def _as_tuned(tuner: RuleTuner, comparison: RuleComparison, instances: int, value: float) -> Tuned:
    rule = comparison.rule
    return Tuned(
        str(tuner.measure), rule.by, rule.threshold, value, instances, tuner.prefixes.data.source or "the scores",
        rule.class_thresholds, at_least=rule.at_least, at_most=rule.at_most,
        compared=comparison.candidates, notes=comparison.notes,
    )  # fmt: skip


def _cross_validate(tuner: RuleTuner, by: RuleChoice, folds: int) -> Tuned:
    """Rules for each part, chosen on the other parts."""
    data = tuner.prefixes.data
    if folds > len(data):
        raise InvalidOption(f"{folds} folds: there are {len(data):,} instances only")
    fold = tuner.folds(np.arange(len(data)), folds)
    chosen, values = [], np.empty(len(data))
    by_kind: dict[RuleKind, Any] = {}
    rules: dict[RuleKind, list[CuttingRule]] = {}
    notes: dict[str, None] = {}
    for k in track(range(folds), "tuning"):
        others, own = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        comparison = tuner.compare_rules(others, by)
        values[own] = tuner.values(comparison.rule, own)
        for kind, rule in comparison.rules.items():
            by_kind.setdefault(kind, np.full(len(data), np.nan))[own] = tuner.values(rule, own)
            rules.setdefault(kind, []).append(rule)
        chosen.append(_as_tuned(tuner, comparison, len(others), mean(tuner.values(comparison.rule, others))))
        notes |= dict.fromkeys(comparison.notes)
    side_by_side: tuple[Candidate, ...] = ()
    if by == "best":
        words = {kind: describe_parameter(each) for kind, each in rules.items() if len(each) == folds}
        side_by_side = compare_candidates(
            words, {}, by_kind, tuner.measure.greater_is_better, tuner.bootstrap(np.arange(len(data)))
        )[1]
    names: Any = range(len(data)) if data.batch.ids is None else data.batch.ids
    middle = float(np.median([each.threshold for each in chosen]))
    return Tuned(
        str(tuner.measure), by, middle, mean(values), len(data), data.source or "the scores", {}, tuple(chosen),
        dict(zip(names, fold.tolist(), strict=True)), compared=side_by_side, notes=tuple(notes),
    )  # fmt: skip
