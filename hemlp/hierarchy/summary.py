"""A hierarchy in short: a line, a few counts, and an outline from the roots down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hemlp.hierarchy.labels import Label
from hemlp.text.display import facts_table, lines
from hemlp.text.tables import Table, plural

if TYPE_CHECKING:
    from hemlp.hierarchy.dag import Hierarchy

MOST_CLASSES = 24
"""Classes of an outline."""


def summarize(h: Hierarchy) -> str:
    """The numbers of classes, edges, roots, aliases and dropped edges."""
    parts = [plural(len(h), "class", "classes"), plural(h.edges.parents.size, "edge")]
    parts.append(plural(h.number_of_roots, "root"))
    parts += [plural(len(h.aliases), "alias", "aliases")] if h.aliases else []
    parts += [f"{plural(len(h.dropped_edges), 'edge')} dropped"] if h.dropped_edges else []
    return f"Hierarchy({', '.join(parts + ['weighted'] * h.weighted)})"


def iter_outline(h: Hierarchy) -> Iterator[str]:
    """One line per class, children below their parents; a class that recurs is not expanded again.

    >>> from hemlp import Hierarchy
    >>> list(iter_outline(Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("animal", "bird")])))
    ['animal', '  bird', '  mammal', '    sheep']
    """
    seen: set[Label] = set()
    waiting = [(0, root) for root in sorted(h.roots, key=str, reverse=True)]
    while waiting:
        level, label = waiting.pop()
        again = label in seen
        seen.add(label)
        name = h.names.get(label, str(label))
        shown = name if name == str(label) else f"{name} ({label})"
        children = sorted(h.children(label), key=str, reverse=True)
        yield "  " * level + shown + (" …" if again and children else "")
        waiting += [] if again else [(level + 1, child) for child in children]


def notebook_parts(h: Hierarchy) -> Iterator[Table | str]:
    """Counts and an outline, for a notebook."""
    parents = np.diff(h.parent_ptr)
    yield facts_table(
        {
            "classes": len(h),
            "leaves": int(np.count_nonzero(np.diff(h.child_ptr) == 0)),
            "greatest depth": int(h.unit_depths.max()),
            "classes with several parents": int(np.count_nonzero(parents > 1)),
            "hash": h.content_hash[:16],
        }
    )
    first = [line for line, _ in zip(iter_outline(h), range(MOST_CLASSES), strict=False)]
    yield lines("\n".join([*first, *(["…"] if len(first) == MOST_CLASSES < len(h) else [])]))
