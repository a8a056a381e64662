"""Feedback on the predictions of one instance in plain words, for people and for prompt optimisers."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from hemlp.analysis.explain.parts import NameFunction
from hemlp.escaping import printable
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.text.tables import plural

RELATIONS = ("too general", "too specific", "sibling", "right branch", "wrong branch")
"""Of a wrong class p to a true class t, the first that holds: p is an ancestor of t, p is a descendant of t, they share
a parent, they are in one branch, none of these. A branch is a root with what is below it, or, where there is only one
root, a child of that."""


def feedback(batch: Batch, predicted: set[Label], true: set[Label], name: NameFunction) -> str:
    """What is right, wrong and missing in one instance."""
    h = batch.given
    hits, nearest = predicted & true, {p: _nearest(h, p, predicted, true) for p in predicted - true}

    def join(classes: AbstractSet[Label]) -> str:
        return ", ".join(sorted(full_path(h, c, name) for c in classes))

    dropped = batch.pred.unknown if "unknown:drop" in batch.policies else 0
    said = [f"{'right' if predicted ^ true or dropped else 'all right'}: {join(hits)}"] if hits else []
    said += [] if true else ["no class is true"]
    said += [] if predicted or dropped else ["nothing predicted"]
    for p, (relation, t) in sorted(nearest.items(), key=lambda item: str(item[0])):
        said.append(f"predicted {join({p})}{'' if t is None else f', true {join({t})}'}: {relation}")
    said += [f"{plural(dropped, 'predicted label')} left out: no class of the hierarchy"] if dropped else []
    missing = true - predicted - {t for _, t in nearest.values()}
    return printable("; ".join([*said, f"missing {join(missing)}"] if missing else said))


def _nearest(
    h: Hierarchy, p: Label, predicted: AbstractSet[Label], true: AbstractSet[Label]
) -> tuple[str, Label | None]:
    """What p is to the true classes, and to which: of the first relation the nearest, rather one that was missed."""
    if p not in h.ids:
        return "no class of the hierarchy", None
    above, trivial = h.ancestors(p) | {p}, h.roots if len(h.roots) == 1 else frozenset()
    related = []
    for t in true & h.ids.keys():
        up = h.ancestors(t) | {t}
        shared = (above & up) - trivial
        tests = p in up, t in above, h.parents(p) & h.parents(t), shared, True
        rank = next(k for k, holds in enumerate(tests) if holds)
        words = RELATIONS[rank] + (", right branch" if shared and rank < 3 else "")
        related.append((rank, t in predicted, h.distance(p, t), str(t), words, t))
    if not related:
        return "wrong", None
    rank, hit, _, _, words, t = min(related, key=lambda each: each[:4])
    return words, t if rank < 2 or (rank < 4 and not hit) else None


def full_path(h: Hierarchy, label: Label, name: NameFunction) -> str:
    """A class by the names on a shortest way from a root ("Tools > Rakes"), and its label where that is another."""
    way = [label]
    while label in h.ids and (parents := h.parents(way[-1])):
        way.append(min(parents, key=lambda parent: (h.unit_depths[h.id(parent)], str(parent))))
    path = ""
    for text in map(name, reversed(way)):  # a name may be a whole path already
        path = text if not path or text.startswith(f"{path} > ") else f"{path} > {text}"
    return path if name(label) == str(label) else f"{path} ({label})"
