"""A gallery of eight new measures, a line or two each, beside GIE on real data.

python scripts/new_measure.py
"""

from __future__ import annotations

import numpy as np

from hemlp import (
    ALL,
    Batch,
    Bounds,
    Evaluation,
    Lin,
    MatchMeasure,
    MatchScore,
    Measure,
    PairMeasure,
    PairScore,
    SetMeasure,
    TransportMeasure,
    by_leaf,
    evaluate,
    examples,
    information_content,
)
from hemlp.text.tables import Table, figure

EXAMPLE = examples.mesh_mini()
CONTENT = information_content(EXAMPLE.hierarchy, EXAMPLE.true, unseen=8.0)
ONE = Bounds((1, 1), (1, 1))

GALLERY: dict[str, tuple[Measure, str]] = {
    "patient": (
        PairMeasure("patient", Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5),
        "each prediction may serve at most two true classes, and a true class any number of predictions",
    ),
    "forgiving": (
        PairMeasure("forgiving", Bounds(predicted=(1, 1), true=(0, 1)), default_cost=5),
        "true classes may stay unpaired: what was missed costs nothing, so this is an error of precision",
    ),
    "leafy": (
        PairMeasure("leafy", Bounds(by_leaf((1, 1), (0, ALL)), by_leaf((1, 1), (0, ALL))), default_cost=5),
        "only leaves have to be paired; inner classes help whoever needs them",
    ),
    "kindred": (
        PairMeasure("kindred", ONE, cost="wu_palmer", default_cost=1),
        "GIE by Wu and Palmer's similarity: a miss in a deep branch is a near one",
    ),
    "per_class": (
        PairMeasure("per_class", ONE, default_cost=5, score=PairScore(lambda f: f.error / np.maximum(f.true, 1))),
        "GIE for each true class: documents with many labels count as much as others",
    ),
    "strict_match": (
        MatchMeasure("strict_match", cost=Lin(CONTENT), score=MatchScore(lambda f: 1 - np.maximum(*f.means()))),
        "the worse of both best-match averages by Lin's similarity: saying little does not help, nor saying much",
    ),
    "rare_F2": (
        SetMeasure("rare_F2", "ancestors", weights=CONTENT, beta=2),
        "hierarchical F with information content, and recall twice as important",
    ),
    "spread": (
        TransportMeasure("spread", cost="undirected"),
        "how far the predicted labels as a whole have to be moved, however many they are",
    ),
}


def main() -> None:
    """Print what each measure means, the means and ranks of all systems, and who changes places."""
    for name, (each, words) in GALLERY.items():
        print(f"{name}: {words}\n    {each}")
    measures: list[str | Measure] = ["GIE", *(each for each, _ in GALLERY.values())]
    ev = evaluate(EXAMPLE.hierarchy, EXAMPLE.true, EXAMPLE.systems, measures, undefined="nan")
    print(f"\n{Table(['system', *ev.measures], rows(ev))}\n")
    usual = order(ev, "GIE")
    for name in GALLERY:
        moved = [system for system in ev.systems if order(ev, name).index(system) != usual.index(system)]
        print(f"{name} ranks {', '.join(moved) if moved else 'no system'} differently from GIE")
    ahead = [f"{a} below D = {float(d):.3g}, {b} above" for d, a, b in ev.sensitivity("patient").flips]
    print(f"\nby patient, ahead are {'; '.join(ahead) or 'the same systems at every default cost'}")
    print("\nthe explicit model of the first document under patient:")
    batch = Batch.of(EXAMPLE.hierarchy, EXAMPLE.true, EXAMPLE.systems[ev.systems[0]])
    text = str(GALLERY["patient"][0].model(batch[0]))
    print("\n".join(line[:150] + (" ..." if len(line) > 150 else "") for line in text.splitlines()[:8]))


def order(ev: Evaluation, name: str) -> list[str]:
    """The systems from the best to the worst."""
    return sorted(ev.systems, key=lambda system: ev.mean(system, name), reverse=ev.greater_is_better[name])


def rows(ev: Evaluation) -> list[list[str]]:
    """One row per system: means, with ranks."""
    ranks = {name: order(ev, name) for name in ev.measures}
    return [
        [system, *(f"{figure(ev.mean(system, name))} ({ranks[name].index(system) + 1})" for name in ev.measures)]
        for system in ev.systems
    ]


if __name__ == "__main__":
    main()
