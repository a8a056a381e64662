"""The paper's Kendall tables beside ours, computed from the scores that it prints; each difference is marked.

python scripts/paper_rankings.py
"""

from __future__ import annotations

from hemlp.paper import RankingTable, rankings
from hemlp.text.tables import Table


def beside(table: RankingTable) -> Table:
    """Printed, = or ≠, ours: a row and a column for each measure."""
    cells = {(cell.first, cell.second): cell for cell in table.cells}
    rows = []
    for first in table.measures[1:]:
        found = [cells.get((first, second)) for second in table.measures[:-1]]
        texts = ["" if c is None else f"{c.printed:.3f} {'≠' if c.differs else '='} {c.ours:.3f}" for c in found]
        rows.append([first, *texts])
    note = f"{table.agreements} of {len(table.cells)} cells agree; printed, then ours: τ-b on the printed scores"
    return Table(["", *table.measures[:-1]], rows, [note])


if __name__ == "__main__":
    for each in rankings():
        print(f"{each.title}: {len(each.systems)} systems\n{beside(each)}\n")
