"""What development data adds to a belief: a threshold that keeps a risk, and how likely a class is, given its votes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hemlp.analysis.decision.belief import Belief
from hemlp.arrays import FloatArray, IntArray, entry_rows, row_pointers
from hemlp.errors import InvalidOption, MisalignedSides, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Batch, Side
from hemlp.instances.label_sets import LabelSets
from hemlp.instances.scored_sets import ScoredSets
from hemlp.options import plain_number
from hemlp.problems.decision.scenarios import Votes, closures_of, most_specific_classes
from hemlp.text.tables import Table, plural

SHOWN = 12
"""Thresholds in a table."""
FOLDS = 5


def true_closures(h: Hierarchy, gold: Any, belief: Belief) -> Side:
    """The closures of the true label sets of the instances of a belief, in their order."""
    true = LabelSets.of(gold, source="true labels of dev")
    ids = belief.instance_ids()
    if (ids is None) != (true.ids is None) or len(true) != len(belief):
        raise MisalignedSides(
            f"dev has {plural(len(true), 'true label set')} and a belief about {plural(len(belief), 'instance')}: "
            f"give both the same instances, with ids or without"
        )
    like = LabelSets((), np.zeros(len(belief) + 1, np.int64), np.empty(0, np.int32), ids)
    with without_advice():
        side = Batch.of(h, like, true).pred
    return closures_of(h, side)


def hits(h: Hierarchy, votes: Votes, true: Side) -> Any:
    """Of each class that has votes, whether it is true."""
    keys = entry_rows(true.ptr) * len(h) + true.classes
    return np.isin(entry_rows(votes.ptr) * len(h) + votes.nodes, keys)


@dataclass(frozen=True)
class Guarantee:
    """The risk is expected to be at most ``alpha``: the answer is {v: m_v > threshold}, ∅ where that is infinite.

    ``curve``: for each threshold the share of development instances with a wrong class, that with an answer, and the
    mean depth of those answers: of each the greatest number of edges below a root.
    """

    alpha: float
    threshold: float
    instances: int
    curve: tuple[tuple[float, float, float, float], ...]

    def table(self) -> Table:
        """The curve near the threshold, with what is promised."""
        at = int(np.searchsorted([row[0] for row in self.curve], self.threshold))
        start = max(0, min(at - SHOWN // 2, len(self.curve) - SHOWN))
        rows = [list(row) for row in self.curve[start : start + SHOWN]]
        note = (
            "risk: share of development instances with a wrong class, coverage: with an answer; depth: mean over these "
            "of the deepest class"
        )
        return Table(["votes above", "risk", "coverage", "depth"], rows, [note, str(self)])

    def __str__(self) -> str:
        empty = "; only empty answers keep it" if self.threshold >= 1 else ""
        return (
            f"some class of an answer is wrong: expected at most {self.alpha:g} (conformal risk control on "
            f"{self.instances:,} development instances; λ = {self.threshold:.4g}){empty}"
        )


def classes_above(h: Hierarchy, votes: Votes, threshold: float) -> Side:
    """The most specific classes of P_λ = {v: m_v > λ}."""
    kept = votes.shares > threshold
    ptr = row_pointers(entry_rows(votes.ptr)[kept], len(votes.total))
    return most_specific_classes(h, Side(ptr, votes.nodes[kept].astype(np.int32)))


def control_risk(h: Hierarchy, gold: Any, known: Belief, belief: Belief, alpha: float) -> Guarantee:
    """The threshold that keeps α by the truth of ``known``, for ``belief``; and the curve of all."""
    level: float = plain_number("risk", alpha, 0)
    if not 0 < level < 1:
        raise InvalidOption(f"risk={alpha!r} is not between 0 and 1")
    if len(known.sources) != len(belief.sources):  # probabilities have none
        raise InvalidOption(
            f"risk= promises something only if dev has the same systems as the answer: dev has {_named(known)}, the "
            f"answer {_named(belief)}"
        )
    votes = known.votes(h)
    wrong = ~hits(h, votes, true_closures(h, gold, known))
    size, rows, shares = len(votes.total), entry_rows(votes.ptr), votes.shares
    worst, most = np.zeros(size), np.zeros(size)  # an instance errs below worst, and is silent from most on
    np.maximum.at(worst, rows[wrong], shares[wrong])
    np.maximum.at(most, rows, shares)
    steps = np.unique(np.concatenate([[0.0], worst, most]))
    errors, answered = (size - np.searchsorted(np.sort(each), steps, side="right") for each in (worst, most))
    depth = _depths(h, votes, shares, steps) / np.where(answered, answered, np.nan)
    columns = (each.tolist() for each in (steps, errors / size, answered / size, depth))
    return Guarantee(level, least_threshold(worst, level), size, tuple(zip(*columns, strict=True)))


def least_threshold(worst: FloatArray, alpha: float) -> float:
    """The least λ ≥ 0 with (n·R(λ) + 1) / (n + 1) ≤ α, of n instances that err below ``worst``; else inf."""
    allowed = math.floor(alpha * (worst.size + 1) * (1 + 1e-12)) - 1
    if allowed < 0:
        return math.inf
    return 0.0 if allowed >= worst.size else float(np.sort(worst)[worst.size - 1 - allowed])


def _depths(h: Hierarchy, votes: Votes, shares: FloatArray, steps: FloatArray) -> FloatArray:
    """For each λ the sum over instances of the depth of the deepest class of {v: m_v > λ}."""
    rows, base = entry_rows(votes.ptr), int(h.unit_depths.max(initial=0)) + 1
    order = np.lexsort((-shares, rows))
    least = np.concatenate([[0], rows[order] * base])
    deepest = np.concatenate([[0], np.maximum.accumulate(least[1:] + h.unit_depths[votes.nodes[order]])])
    growth = deepest[1:] - np.maximum(deepest[:-1], least[1:])  # as classes join by falling votes
    by_share = np.argsort(shares[order], kind="stable")
    sums = np.concatenate([[0], np.cumsum(growth[by_share][::-1])])[::-1]
    found: FloatArray = sums[np.searchsorted(shares[order][by_share], steps, side="right")].astype(np.float64)
    return found


def calibrate_votes(h: Hierarchy, gold: Any, known: Belief, asked: Belief) -> tuple[Belief, str]:
    """Marginals for ``asked``, fitted to the truth of ``known``, and a note.

    For each level a logistic regression of what is true on which systems name a class; the plain share of votes
    stays where its Brier score is no worse out of fold.
    """
    systems = tuple(known.sources)
    (votes, named, level), (new, new_named, new_level) = (_features(h, each, systems) for each in (known, asked))
    true = hits(h, votes, true_closures(h, gold, known)).astype(np.float64)
    shares, new_shares = votes.shares, new.shares
    levels, fitted = int(level.max(initial=-1)) + 1, 0
    for k in range(levels):
        at = np.flatnonzero(level == k)
        fold, guess = entry_rows(votes.ptr)[at] % FOLDS, shares[at].copy()
        for each in range(FOLDS):
            terms = _logistic(named[at][fold != each], true[at][fold != each])
            guess[fold == each] = _sigmoid(named[at][fold == each] @ terms)
        if ((guess - true[at]) ** 2).sum() < ((shares[at] - true[at]) ** 2).sum():
            there = np.minimum(new_level, levels - 1) == k
            new_shares[there] = _sigmoid(new_named[there] @ _logistic(named[at], true[at]))
            fitted += 1
    order = np.lexsort((new.nodes, -new_shares, entry_rows(new.ptr)))
    nodes = new.nodes[order].astype(np.int32)
    scores = ScoredSets(tuple(h.labels), new.ptr, nodes, new_shares[order], asked.instance_ids())
    note = f"votes calibrated on development data at {fitted} of {plural(levels, 'level')}"
    return Belief.marginals(scores), note


def _features(h: Hierarchy, belief: Belief, systems: tuple[str, ...]) -> tuple[Votes, FloatArray, IntArray]:
    """Votes, for each of them 1 and whether each system names the class (by its closure), and its level."""
    if belief.first is not None or belief.scores is not None or belief.sources.keys() != {*systems}:
        raise InvalidOption(
            f"weights='fit' takes systems of the same names for dev and for the answer: dev has {', '.join(systems)}, "
            f"the answer {_named(belief)} (files are named by NAME=FILE)"
        )
    votes = belief.votes(h)
    keys = entry_rows(votes.ptr) * len(h) + votes.nodes
    named = np.ones((keys.size, len(systems) + 1))
    for k, source in enumerate(belief.sources[name] for name in systems):
        one = Belief({"one": source}, {"one": 1.0}).votes(h)
        named[:, k + 1] = np.isin(keys, entry_rows(one.ptr) * len(h) + one.nodes)
    return votes, named, h.unit_depths[votes.nodes].astype(np.int64)


def _named(belief: Belief) -> str:
    return "probabilities" if belief.scores is not None else ", ".join(belief.sources)


def _sigmoid(values: FloatArray) -> FloatArray:
    return 1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0)))


def _logistic(features: FloatArray, true: FloatArray) -> FloatArray:
    """Newton's method for Σ log-loss + |terms|² / 2."""
    terms = np.zeros(features.shape[1])
    for _ in range(25):
        guess = _sigmoid(features @ terms)
        slope = features.T @ (guess - true) + terms
        curvature = (features * (guess * (1 - guess))[:, None]).T @ features + np.eye(terms.size)
        step = np.linalg.solve(curvature, slope)
        terms = terms - step
        if np.abs(step).max() < 1e-8:
            break
    return terms
