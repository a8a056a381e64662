"""Evaluation of hierarchical classification: every measure an explicit optimization model."""

from hemlp import examples, metrics
from hemlp.errors import HemlpError
from hemlp.evaluation.result import Evaluation
from hemlp.evaluation.run import evaluate
from hemlp.evaluation.sweep import Sweep, sweep
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import TOP
from hemlp.hierarchy.reach import UpDistances
from hemlp.instances.batch import Batch
from hemlp.instances.sets import LabelSets
from hemlp.io.hierarchies import read_hierarchy
from hemlp.io.labels import read_labels
from hemlp.measures.augmentations import Augmentation
from hemlp.measures.base import Measure
from hemlp.measures.matches import MatchMeasure, MatchScore
from hemlp.measures.pair_scores import PairScore
from hemlp.measures.pairs import PairMeasure
from hemlp.measures.registry import measure, read_measures, write_measures
from hemlp.measures.scores import Score, Scores
from hemlp.measures.sensitivity import Sensitivity
from hemlp.measures.sets import SetMeasure, SetScore
from hemlp.measures.transport import TransportMeasure
from hemlp.measures.weights import information_content
from hemlp.pairing.bounds import ALL, Bounds
from hemlp.pairing.costs import Cost, MatrixCost, ShortestPath
from hemlp.pairing.rules import by_class, by_leaf, by_level
from hemlp.pairing.similarities import JiangConrath, LcaHeight, Lin, Resnik, WuPalmer
from hemlp.programs.model import Model
from hemlp.programs.program import Status
from hemlp.programs.registry import Solver
from hemlp.statistics.exact_greedy import ExactGreedy, compare_exact_greedy
from hemlp.version import __version__

__all__ = [
    "ALL",
    "TOP",
    "Augmentation",
    "Batch",
    "Bounds",
    "Cost",
    "Evaluation",
    "ExactGreedy",
    "HemlpError",
    "Hierarchy",
    "JiangConrath",
    "LabelSets",
    "LcaHeight",
    "Lin",
    "MatchMeasure",
    "MatchScore",
    "MatrixCost",
    "Measure",
    "Model",
    "PairMeasure",
    "PairScore",
    "Resnik",
    "Score",
    "Scores",
    "Sensitivity",
    "SetMeasure",
    "SetScore",
    "ShortestPath",
    "Solver",
    "Status",
    "Sweep",
    "TransportMeasure",
    "UpDistances",
    "WuPalmer",
    "__version__",
    "by_class",
    "by_leaf",
    "by_level",
    "compare_exact_greedy",
    "evaluate",
    "examples",
    "information_content",
    "measure",
    "metrics",
    "read_hierarchy",
    "read_labels",
    "read_measures",
    "sweep",
    "write_measures",
]
