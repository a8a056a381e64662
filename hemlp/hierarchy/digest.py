"""The content hash of a hierarchy, the same in every process and for every order of edges."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from hemlp.hierarchy.edges import Edges
from hemlp.hierarchy.labels import Label, label_order


def content_hash(labels: Sequence[Label], aliases: Mapping[Label, Label], edges: Edges) -> str:
    """SHA-256 of labels, aliases, edges and weights."""
    other = sorted(aliases, key=label_order)
    names = [*labels, *other, *(aliases[alias] for alias in other)]
    texts = [str(name).encode("utf-8", "surrogatepass") for name in names]
    sizes = [len(labels), len(other), edges.parents.size, edges.weights is not None]
    digest = hashlib.sha256(b"hemlp hierarchy 1" + np.array(sizes, "<i8").tobytes())
    digest.update(np.fromiter(map(len, texts), "<i8", len(texts)).tobytes())
    digest.update(bytes(isinstance(name, str) for name in names) + b"".join(texts))
    for ends in (edges.parents, edges.children):
        digest.update(ends.astype("<i4").tobytes())
    if edges.weights is not None:
        digest.update(edges.weights.astype("<f8").tobytes())
    return digest.hexdigest()
