"""Evaluation of hierarchical classification: every measure an explicit optimization model."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
from hemlp.measures.weights import information_accretion, information_content
from hemlp.pairing.bounds import ALL, Bounds
from hemlp.pairing.capacities import by_pair, forbid, force, priced
from hemlp.pairing.costs import Cost, MatrixCost, ShortestPath
from hemlp.pairing.rules import by_class, by_leaf, by_level
from hemlp.pairing.similarities import JiangConrath, LcaHeight, Lin, Resnik, WuPalmer
from hemlp.programs.model import Model
from hemlp.programs.program import Status
from hemlp.programs.registry import Solver
from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp import examples, metrics
    from hemlp.explain.network import network_picture
    from hemlp.scores.cafa import Cafa, cafa
    from hemlp.scores.consistency import consistency
    from hemlp.scores.curve import Curve, curve
    from hemlp.scores.precision import average_precision
    from hemlp.scores.ranked import ranked
    from hemlp.scores.reading import read_scores
    from hemlp.scores.reliability import reliability
    from hemlp.scores.sets import ScoredSets
    from hemlp.scores.tuned import Tuned
    from hemlp.scores.tuning import tune
    from hemlp.statistics.exact_greedy import ExactGreedy, compare_exact_greedy

__all__ = [
    "ALL",
    "TOP",
    "Augmentation",
    "Batch",
    "Bounds",
    "Cafa",
    "Cost",
    "Curve",
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
    "ScoredSets",
    "Scores",
    "Sensitivity",
    "SetMeasure",
    "SetScore",
    "ShortestPath",
    "Solver",
    "Status",
    "Sweep",
    "TransportMeasure",
    "Tuned",
    "UpDistances",
    "WuPalmer",
    "__version__",
    "average_precision",
    "by_class",
    "by_leaf",
    "by_level",
    "by_pair",
    "cafa",
    "compare_exact_greedy",
    "consistency",
    "curve",
    "evaluate",
    "examples",
    "forbid",
    "force",
    "information_accretion",
    "information_content",
    "measure",
    "metrics",
    "network_picture",
    "priced",
    "ranked",
    "read_hierarchy",
    "read_labels",
    "read_measures",
    "read_scores",
    "reliability",
    "sweep",
    "tune",
    "write_measures",
]

_LATER = {
    "ExactGreedy": "statistics.exact_greedy",
    "compare_exact_greedy": "statistics.exact_greedy",
    "Cafa": "scores.cafa",
    "Curve": "scores.curve",
    "ScoredSets": "scores.sets",
    "Tuned": "scores.tuned",
    "average_precision": "scores.precision",
    "cafa": "scores.cafa",
    "consistency": "scores.consistency",
    "curve": "scores.curve",
    "network_picture": "explain.network",
    "ranked": "scores.ranked",
    "read_scores": "scores.reading",
    "reliability": "scores.reliability",
    "tune": "scores.tuning",
}
"""Where names are that are loaded when they are asked for."""


def __getattr__(name: str) -> Any:
    """What few programs need is loaded when it is asked for."""
    if name in ("examples", "metrics"):
        return import_module(f"hemlp.{name}")
    if name in _LATER:
        return getattr(import_module(f"hemlp.{_LATER[name]}"), name)
    raise AttributeError(f"module 'hemlp' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
