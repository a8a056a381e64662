"""Evaluation of hierarchical classification: every measure an explicit optimization model."""

from hemlp import examples, metrics
from hemlp.pairing.bounds import ALL, Bounds
from hemlp.costs import MatrixCost, ShortestPath
from hemlp.errors import HemlpError
from hemlp.evaluation import evaluate
from hemlp.exact_greedy import ExactGreedy, compare_exact_greedy
from hemlp.hierarchy import Hierarchy
from hemlp.labels import Batch, LabelSets
from hemlp.measures import measure, read_measures, write_measures
from hemlp.pair_measures import PairMeasure, PairScore
from hemlp.programs.program import Status
from hemlp.reach import UpDistances
from hemlp.readers import read_hierarchy, read_labels
from hemlp.results import Evaluation
from hemlp.scores import Score, Scores
from hemlp.scoring import Measure
from hemlp.set_measures import SetMeasure, SetScore, information_content
from hemlp.version import __version__
from hemlp.vocabulary import TOP

__all__ = [
    "ALL",
    "TOP",
    "Batch",
    "Bounds",
    "Evaluation",
    "ExactGreedy",
    "HemlpError",
    "Hierarchy",
    "LabelSets",
    "MatrixCost",
    "Measure",
    "PairMeasure",
    "PairScore",
    "Score",
    "Scores",
    "SetMeasure",
    "SetScore",
    "ShortestPath",
    "Status",
    "UpDistances",
    "__version__",
    "compare_exact_greedy",
    "evaluate",
    "examples",
    "information_content",
    "measure",
    "metrics",
    "read_hierarchy",
    "read_labels",
    "read_measures",
    "write_measures",
]
