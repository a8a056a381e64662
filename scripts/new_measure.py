"""A gallery of eight new measures, a line or two each: on the paper's cases, and beside GIE on real documents.

python scripts/new_measure.py
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hemlp import (
    ALL,
    Batch,
    Bounds,
    Evaluation,
    Hierarchy,
    Lin,
    MatchScore,
    Measure,
    PairMeasure,
    evaluate,
    examples,
    information_content,
    measure,
    priced,
)
from hemlp.bounds import by_leaf
from hemlp.text.tables import Table, format_number

ONE, COVER = Bounds((1, 1), (1, 1)), Bounds((1, ALL), (1, ALL))
WORSE_SIDE = MatchScore(lambda f: 1 - np.maximum(*f.means()))
WORDS = {
    "patient": "each prediction may serve at most two true classes, and a true class any number of predictions",
    "leafy": "only leaves have to be paired; inner classes help whoever needs them",
    "lenient": "bounds are soft: a class may stay alone, or have one pair too many, for 2, less than a default class",
    "crowded": "MGIA's error, where each further class that a class serves costs one more: crowds are suspicious",
    "frugal": "GIE with four pairs at most in an instance: only the best of a long prediction count",
    "rare": "GIE weighed by information content: common classes hardly count",
    "strict_match": "the worse of both best-match averages by Lin's similarity: saying little or much does not help",
    "spread": "how far the predictions as a whole have to be moved, where rare classes are heavy",
}


def gallery(content: Mapping[str | int, float]) -> dict[str, Measure]:
    """The eight measures; two of them weigh classes, by their information content."""
    soft, rising = priced((1, 1), below=2, above=2), priced((1, ALL), each=(0, 1, 2, 3))
    made: list[Measure] = [
        PairMeasure("patient", Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5),
        PairMeasure("leafy", Bounds(by_leaf((1, 1), (0, ALL)), by_leaf((1, 1), (0, ALL))), default_cost=5),
        PairMeasure("lenient", Bounds(soft, soft), default_cost=5),
        PairMeasure("crowded", Bounds(rising, rising), default_cost=5),
        PairMeasure("frugal", Bounds((1, 1), (1, 1), total=(0, 4)), default_cost=5),
        PairMeasure("rare", ONE, default_cost=5, weights=content),
        PairMeasure("strict_match", COVER, cost=Lin(content), pairing="nearest", score=WORSE_SIDE),
        PairMeasure("spread", ONE, pairing="transport", defined="both", weights=content),
    ]
    return {each.name: each for each in made}


def content_of(h: Hierarchy) -> dict[str | int, float]:
    """Information content where every class is seen once, and a little for the root, so that nothing weighs nothing."""
    return {c: 0.1 + weight for c, weight in information_content(h, [[c] for c in h]).items()}


def bench() -> Table:
    """All measures on the paper's cases, beside GIE."""
    rows = []
    for case in examples.cases():
        measures = {"GIE": measure("GIE"), **gallery(content_of(case.hierarchy))}
        values = [each.score(case.hierarchy, case.true, case.pred, undefined="nan") for each in measures.values()]
        rows.append([case.name, *map(format_number, values)])
    return Table(["case", "GIE", *WORDS], rows)


def main() -> None:
    """Print what each measure means, the paper's cases, means and ranks on real data, and one model."""
    example = examples.mesh_mini()
    own = gallery(information_content(example.hierarchy, example.true, unseen=8.0))
    for name, each in own.items():
        print(f"{name}: {WORDS[name]}\n    {each}")
    print(f"\nthe paper's cases\n{bench()}")
    measures: list[str | Measure] = ["GIE", *own.values()]
    ev = evaluate(example.hierarchy, example.true, example.systems, measures, undefined="nan")
    print(f"\n200 MEDLINE documents\n{Table(['system', *ev.measures], rows(ev))}\n")
    usual = order(ev, "GIE")
    for name in own:
        moved = [system for system in ev.systems if order(ev, name).index(system) != usual.index(system)]
        print(f"{name} ranks {', '.join(moved) if moved else 'no system'} differently from GIE")
    ahead = [f"\n  D = {float(d):.4g}: {a} and {b}" for d, a, b in ev.sensitivity("patient").flips]
    print(f"\nby patient, two systems change places at{''.join(ahead) or ' no default cost'}")
    batch = Batch.of(example.hierarchy, example.true, example.systems[ev.systems[0]])
    print(f"\nlenient, as algebra:\n{own['lenient'].model(batch[0]).algebra()}")


def order(ev: Evaluation, name: str) -> list[str]:
    """The systems from the best to the worst."""
    return sorted(ev.systems, key=lambda system: ev.mean(system, name), reverse=ev.greater_is_better[name])


def rows(ev: Evaluation) -> list[list[str]]:
    """One row per system: means, with ranks."""
    ranks = {name: order(ev, name) for name in ev.measures}
    return [
        [system, *(f"{format_number(ev.mean(system, name))} ({ranks[name].index(system) + 1})" for name in ev.measures)]
        for system in ev.systems
    ]


if __name__ == "__main__":
    main()
