"""Exact against approximate F_LCA on real data: a table in Markdown, one row a system, and the worst instances.

    python scripts/exact_vs_greedy.py [SAMPLE]

Takes the eight systems on MEDLINE where HEMLP_DATA is set, else the five of the bundled example.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hemlp import compare_exact_greedy, examples, read_hierarchy, read_labels
from hemlp.statistics.exact_greedy import markdown


def main() -> None:
    """Compare on a sample of each system."""
    sample = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    if "HEMLP_DATA" in os.environ:
        folder = Path(os.environ["HEMLP_DATA"])
        hierarchy = read_hierarchy(folder / "mesh2016" / "mesh_hierarchy.txt")
        true = read_labels(folder / "medline_mesh" / "gold.txt")
        files = sorted((folder / "medline_mesh").glob("pred_*.txt"))
        systems = {file.stem.removeprefix("pred_"): read_labels(file) for file in files}
    else:
        example = examples.mesh_mini()
        hierarchy, true, systems = example.hierarchy, example.true, dict(example.systems)
    compared = []
    for name, pred in systems.items():
        comparison = compare_exact_greedy(hierarchy, true, pred, sample=sample)
        compared.append((name, comparison))
        print(f"{name}\n{comparison}\n", file=sys.stderr)
    print(markdown(compared))


if __name__ == "__main__":
    main()
