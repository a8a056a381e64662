"""Two new measures, defined by nothing but their bounds, beside GIE and MGIA on real data.

python scripts/new_measure.py
"""

from __future__ import annotations

from hemlp import ALL, Batch, Bounds, Measure, PairMeasure, examples, measure

# each prediction may serve at most two true classes; a true class may be served by any number of predictions
PATIENT = PairMeasure("patient", Bounds(predicted=(1, 2), true=(1, ALL)), default_cost=5)
# true classes may stay unpaired: what was missed costs nothing, so this is an error of precision
FORGIVING = PairMeasure("forgiving", Bounds(predicted=(1, 1), true=(0, 1)), default_cost=5)


def main() -> None:
    """Print the mean score and rank of each system under each measure, and who changes places."""
    example = examples.mesh_mini()
    batches = {name: Batch.of(example.hierarchy, example.true, pred) for name, pred in example.systems.items()}
    measures: list[Measure] = [measure("GIE"), measure("MGIA"), PATIENT, FORGIVING]
    print(f"{'':16}" + "".join(f"{m.name:>18}" for m in measures))
    means = {m.name: {name: m.score(batch).mean() for name, batch in batches.items()} for m in measures}
    ranks = {
        m.name: sorted(batches, key=lambda name, m=m: means[m.name][name], reverse=m.greater_is_better)  # type: ignore[misc]
        for m in measures
    }
    for name in batches:
        cells = [f"{means[m.name][name]:.3f} ({ranks[m.name].index(name) + 1})" for m in measures]
        print(f"{name:16}" + "".join(f"{cell:>18}" for cell in cells))
    print("\nranks in brackets; GIE, patient and forgiving are errors (small is good), MGIA is an accuracy")
    for first, second in (("GIE", "patient"), ("GIE", "forgiving"), ("MGIA", "patient")):
        moved = [n for n in batches if ranks[first].index(n) != ranks[second].index(n)]
        print(f"{first} and {second} rank {', '.join(moved) if moved else 'no system'} differently")
    print(f"\nthe explicit model of the first document's pairs under {PATIENT}:")
    text = str(PATIENT.model(next(iter(batches.values()))[0]))
    print("\n".join(line[:150] + (" ..." if len(line) > 150 else "") for line in text.splitlines()[:8]))


if __name__ == "__main__":
    main()
