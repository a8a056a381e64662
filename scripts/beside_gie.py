"""Measures, costs and bounds beside GIE on the same instances: each scored as a whole, from class numbers to scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from floors import least_seconds, ten_thousand

Timed = Callable[[], dict[str, float]]


def _scored(make: Callable[[Any, Mapping[Any, float]], Mapping[str, Any]], rounds: int = 5) -> Timed:
    """Seconds of GIE, and of each measure that ``make`` makes of a batch and the information content of its classes."""
    import hemlp

    batch = ten_thousand()
    content = {c: 0.1 + weight for c, weight in hemlp.information_content(batch.hierarchy, true_labels(batch)).items()}
    measures = {"GIE": hemlp.measure("GIE"), **make(batch, content)}
    for each in measures.values():
        assert each.score(batch[:50], undefined="nan").fallbacks == 0
    works = {name: partial(each.score, batch, undefined="nan") for name, each in measures.items()}
    return lambda: least_seconds(works, rounds)


def true_labels(batch: Any) -> list[list[Any]]:
    """The true labels of a batch, and once each class, so that all have been seen."""
    labels, true = batch.hierarchy.labels, batch.true
    return [*([labels[c] for c in true.classes[a:b]] for a, b in pairwise(true.ptr)), *([label] for label in labels)]


def named_measures() -> Timed:
    """Named measures."""
    import hemlp

    def make(batch: Any, content: Mapping[Any, float]) -> dict[str, Any]:
        named = (
            "MGIA",
            "BMA",
            "funSimAvg",
            "funSimMax",
            "matched_P",
            "matched_R",
            "matched_F",
            "transport",
            "distance",
        )
        accretion = hemlp.information_accretion(batch.hierarchy, true_labels(batch))
        return {
            **{name: hemlp.measure(name) for name in named},
            "transport, by information content": hemlp.measure("transport", weights=content),
            "ICM": hemlp.measure("ICM", weights=accretion),
            "simUI": hemlp.measure("simUI"),
            "simGIC": hemlp.measure("simGIC", weights=content),
        }

    return _scored(make)


def costs() -> Timed:
    """GIE with other costs."""
    import hemlp

    def make(batch: Any, content: Mapping[Any, float]) -> dict[str, Any]:
        made = {
            "Resnik": hemlp.Resnik(content, normalized=True),
            "Lin": hemlp.Lin(content),
            "Jiang and Conrath": hemlp.JiangConrath(content),
            "Wu and Palmer": hemlp.WuPalmer(),
            "height of the LCA": hemlp.LcaHeight(),
            "edges that become shorter (decay 0.5)": hemlp.ShortestPath(decay=0.5),
        }
        return {name: hemlp.measure("GIE", cost=cost, default_cost=0.5) for name, cost in made.items()}

    return _scored(make)


def words() -> Timed:
    """Pair measures with other words."""
    from hemlp import PairMeasure
    from hemlp.bounds import ALL, Bounds, by_leaf, by_level, forbid, force, priced

    def make(batch: Any, content: Mapping[Any, float]) -> dict[str, Any]:
        one, (pred, true) = (1, 1), batch.sides
        names = batch.hierarchy.labels
        listed = [(names[p], names[t]) for p, t in zip(pred.classes[:500], true.classes[:500], strict=True)]
        unlike = list(dict.fromkeys(pair for pair in listed if pair[0] != pair[1]))
        bounds = {
            "bounds (1, 2) and (1, ALL)": Bounds((1, 2), (1, ALL)),
            "bounds by leaf": Bounds(by_leaf(one, (0, ALL)), by_leaf(one, (0, ALL))),
            "bounds by level": Bounds(by_level((0, ALL), one), by_level((0, ALL), one)),
            "capacity 2 of a pair": Bounds((1, 2), (1, 2), pair=(0, 2)),
            "a budget of four pairs": Bounds(one, one, total=(0, 4)),
            "two units a default class": Bounds(one, one, defaults=priced((0, 2), above=1)),
            "forbidden pairs": Bounds(one, one, pair=forbid(*unlike)),
            "forced pairs": Bounds((0, ALL), (0, ALL), pair=force(*unlike)),
            "convex costs of further pairs": Bounds(*2 * (priced((1, ALL), each=(0, 1, 2, 3)),)),
            "soft bounds": Bounds(*2 * (priced(one, below=2, above=2),)),
        }
        made = {name: PairMeasure("own", of, default_cost=5) for name, of in bounds.items()}
        made["decimal default costs"] = PairMeasure("own", Bounds((1, 2), (1, ALL)), default_cost=3.7)
        made["class weights"] = PairMeasure("own", Bounds(one, one), default_cost=5, weights=content)
        return made

    return _scored(make, rounds=3)
