"""Evaluation of hierarchical classification: every measure an explicit optimization model."""

from hemlp.errors import HemlpError
from hemlp.hierarchy import Hierarchy, UpDistances
from hemlp.labels import Batch, LabelSets
from hemlp.readers import read_hierarchy, read_labels
from hemlp.vocabulary import TOP

__version__ = "0.1.0"

__all__ = [
    "TOP",
    "Batch",
    "HemlpError",
    "Hierarchy",
    "LabelSets",
    "UpDistances",
    "__version__",
    "read_hierarchy",
    "read_labels",
]
