"""Small random worlds of scored predictions, and the definitions of curves written down plainly."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from hemlp import Hierarchy, LabelSets, measure

SCORES = [0.0, 0.1, 0.25, 0.3, 0.1 + 0.2, 0.5, 0.5, 0.75, 1.0, -2.0, 3.5]


@dataclass
class World:
    """A hierarchy, gold by id, and scores by id."""

    h: Hierarchy
    gold: dict[str, list[str]]
    scores: dict[str, dict[str, float]]

    def closed(self, labels: Any) -> set[str]:
        return set().union(*({c, *self.h.ancestors(c)} for c in labels)) if labels else set()

    def predicted(self, name: str, threshold: float) -> set[str]:
        return {c for c, score in self.scores.get(name, {}).items() if score >= threshold}

    def distinct(self) -> list[float]:
        return sorted({v for name in self.gold for v in self.scores.get(name, {}).values()})


def world(seed: int, *, empty_gold: bool = True, most: int = 9) -> World:
    """A random DAG with random gold and scores with ties; some instances of the gold have no scores."""
    rng = random.Random(seed)
    n = rng.randint(2, most)
    names = [f"c{i}" for i in range(n)]
    edges = [(names[p], names[c]) for c in range(1, n) for p in {rng.randrange(c) for _ in range(rng.randint(0, 2))}]
    h = Hierarchy.from_edges(edges, classes=names)
    gold = {
        f"i{k}": rng.sample(names, rng.randint(0 if empty_gold else 1, min(3, n))) for k in range(rng.randint(1, 7))
    }
    scores = {}
    for name in [*gold, "stranger"]:
        if rng.random() < 0.85:
            scores[name] = {c: rng.choice(SCORES) for c in rng.sample(names, rng.randint(0, n))}
    if not any(scores.get(name) for name in gold):
        scores[next(iter(gold))] = {names[0]: 0.5}
    return World(h, gold, scores)


def mean_at(w: World, name: str, threshold: float) -> float:
    """A measure at a threshold: each instance on its own, then the mean."""
    each = measure(name)
    values = [float(each.score(w.h, true=w.gold[i], pred=sorted(w.predicted(i, threshold)))) for i in w.gold]
    return math.fsum(values) / len(values)


def gold_sets(w: World) -> LabelSets:
    return LabelSets.of(w.gold, rows="sets")


def cafa_row(
    w: World, threshold: float, weights: dict[str, float] | None, norm: str, terms: Any = None, exclude: Any = None
) -> dict[str, float] | None:
    """CAFA's averages at a threshold, word by word; None where nothing is predicted."""

    def counted(name: str, labels: Any) -> set[str]:
        kept = {c for c in labels if terms is None or c in terms}
        if isinstance(exclude, dict):
            return kept - w.closed(exclude.get(name, ()))
        return kept - set(exclude or ())

    weigh = dict.fromkeys(w.h.labels, 1.0) if weights is None else weights
    p_sum = r_sum = covered = plain = hit = wrong = missed = 0.0
    for name, labels in w.gold.items():
        true, pred = (counted(name, w.closed(side)) for side in (labels, w.predicted(name, threshold)))
        plain += bool(pred)
        true, pred = ({c for c in side if weigh[c] > 0} for side in (true, pred))
        t, p, c = (sum(weigh[k] for k in sorted(side)) for side in (true, pred, true & pred))
        p_sum += c / p if p else 0
        r_sum += c / t if t else 0
        covered += p > 0
        hit, wrong, missed = hit + c, wrong + p - c, missed + t - c
    if not plain:
        return None
    n = len(w.gold)
    by_p, by_rest = (n if norm == "gt" else covered), (covered if norm == "pred" else n)
    if not by_rest:
        return {}
    p, r = (p_sum / by_p if by_p else 0.0), r_sum / by_rest
    mi, ru = wrong / by_rest, missed / by_rest
    pm, rm = (hit / (hit + wrong) if hit + wrong else 0.0), (hit / (hit + missed) if hit + missed else 0.0)
    return {
        "precision": p, "recall": r, "f": 2 * p * r / (p + r) if p + r else 0.0, "mi": mi, "ru": ru,
        "s": math.hypot(mi, ru), "coverage": covered / n, "covered": covered, "precision_micro": pm,
        "recall_micro": rm, "f_micro": 2 * pm * rm / (pm + rm) if pm + rm else 0.0,
    }  # fmt: skip
