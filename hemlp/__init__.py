"""Evaluation of hierarchical classification: every measure an explicit optimization model."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hemlp.version import __version__

if TYPE_CHECKING:
    from hemlp import errors, examples, metrics, stats
    from hemlp.errors import HemlpError
    from hemlp.evaluation.result import Evaluation
    from hemlp.evaluation.run import evaluate
    from hemlp.evaluation.sweep import Sweep, sweep
    from hemlp.explain.network import network_picture
    from hemlp.hierarchy.dag import Hierarchy
    from hemlp.hierarchy.labels import TOP
    from hemlp.hierarchy.reach import UpDistances
    from hemlp.instances.batch import Batch
    from hemlp.instances.sets import LabelSets
    from hemlp.io.hierarchies import read_hierarchy
    from hemlp.io.labels import read_labels
    from hemlp.io.weights import read_weights
    from hemlp.measures.augmentations import Augmentation
    from hemlp.measures.base import Measure
    from hemlp.measures.matches import MatchMeasure, MatchScore
    from hemlp.measures.nearest import NearestMeasure
    from hemlp.measures.pair_scores import PairScore
    from hemlp.measures.pairs import PairMeasure
    from hemlp.measures.ranked import RankedMeasure
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
    "NearestMeasure",
    "PairMeasure",
    "PairScore",
    "RankedMeasure",
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
    "errors",
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
    "read_weights",
    "reliability",
    "stats",
    "sweep",
    "tune",
    "write_measures",
]

_HOMES = {
    "HemlpError": "errors",
    "Evaluation": "evaluation.result",
    "evaluate": "evaluation.run",
    "Sweep": "evaluation.sweep",
    "sweep": "evaluation.sweep",
    "network_picture": "explain.network",
    "Hierarchy": "hierarchy.dag",
    "TOP": "hierarchy.labels",
    "UpDistances": "hierarchy.reach",
    "Batch": "instances.batch",
    "LabelSets": "instances.sets",
    "read_hierarchy": "io.hierarchies",
    "read_labels": "io.labels",
    "read_weights": "io.weights",
    "Augmentation": "measures.augmentations",
    "Measure": "measures.base",
    "MatchMeasure": "measures.matches",
    "MatchScore": "measures.matches",
    "NearestMeasure": "measures.nearest",
    "PairScore": "measures.pair_scores",
    "PairMeasure": "measures.pairs",
    "RankedMeasure": "measures.ranked",
    "measure": "measures.registry",
    "read_measures": "measures.registry",
    "write_measures": "measures.registry",
    "Score": "measures.scores",
    "Scores": "measures.scores",
    "Sensitivity": "measures.sensitivity",
    "SetMeasure": "measures.sets",
    "SetScore": "measures.sets",
    "TransportMeasure": "measures.transport",
    "information_accretion": "measures.weights",
    "information_content": "measures.weights",
    "ALL": "pairing.bounds",
    "Bounds": "pairing.bounds",
    "by_pair": "pairing.capacities",
    "forbid": "pairing.capacities",
    "force": "pairing.capacities",
    "priced": "pairing.capacities",
    "Cost": "pairing.costs",
    "MatrixCost": "pairing.costs",
    "ShortestPath": "pairing.costs",
    "by_class": "pairing.rules",
    "by_leaf": "pairing.rules",
    "by_level": "pairing.rules",
    "JiangConrath": "pairing.similarities",
    "LcaHeight": "pairing.similarities",
    "Lin": "pairing.similarities",
    "Resnik": "pairing.similarities",
    "WuPalmer": "pairing.similarities",
    "Model": "programs.model",
    "Status": "programs.program",
    "Solver": "programs.registry",
    "Cafa": "scores.cafa",
    "cafa": "scores.cafa",
    "consistency": "scores.consistency",
    "Curve": "scores.curve",
    "curve": "scores.curve",
    "average_precision": "scores.precision",
    "ranked": "scores.ranked",
    "read_scores": "scores.reading",
    "reliability": "scores.reliability",
    "ScoredSets": "scores.sets",
    "Tuned": "scores.tuned",
    "tune": "scores.tuning",
    "ExactGreedy": "statistics.exact_greedy",
    "compare_exact_greedy": "statistics.exact_greedy",
}
"""Where names are: nothing is loaded before it is asked for."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        found = getattr(import_module(f"hemlp.{_HOMES[name]}"), name)
    elif name.startswith("_") or find_spec(f"hemlp.{name}") is None:
        raise AttributeError(f"module 'hemlp' has no attribute {name!r}")
    else:  # a module: there whether or not something else has loaded it before
        found = import_module(f"hemlp.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
