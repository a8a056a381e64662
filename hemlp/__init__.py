"""Evaluation of hierarchical classification: every measure an explicit optimization model."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any
from warnings import warn

from hemlp.version import __version__

MODULES = ("bounds", "costs", "errors", "examples", "metrics", "solvers", "stats", "testing")
"""Modules for users, beside the names below."""
NAMES = {
    "errors": "HemlpError",
    "run.evaluation": "Evaluation",
    "run.evaluate": "evaluate",
    "run.plan": "Plan",
    "run.tally": "Tally",
    "run.sweep": "Sweep sweep",
    "run.versions": "compare_versions",
    "hierarchy.dag": "Hierarchy",
    "hierarchy.labels": "TOP",
    "instances.batch": "Batch",
    "instances.label_sets": "LabelSets",
    "hierarchy.hierarchy_files": "read_hierarchy",
    "instances.label_files": "read_labels",
    "hierarchy.class_weights": "read_weights",
    "measures.augmentations": "Augmentation",
    "measures.base": "Measure",
    "measures.pair_scores": "PairScore",
    "measures.pair_measure": "PairMeasure",
    "measures.derived": "RankedMeasure",
    "measures.factory": "measure read_measures write_measures",
    "measures.instance_scores": "Score Scores",
    "measures.default_cost_sensitivity": "Sensitivity",
    "measures.set_measure": "SetMeasure SetScore",
    "measures.information": "information_accretion information_content",
    "problems.pairing.bounds": "ALL Bounds",
    "optimize.model": "Model",
    "analysis.agreement": "agreement",
    "analysis.decision.belief": "Belief",
    "analysis.decision.decide": "decide",
    "analysis.properties.check": "properties",
    "analysis.properties.counterexamples": "counterexample",
    "analysis.scored.cafa": "Cafa cafa",
    "analysis.scored.curve": "Curve curve",
    "analysis.scored.average_precision": "average_precision",
    "analysis.scored.top_k": "ranked",
    "instances.score_files": "read_scores",
    "instances.scored_sets": "ScoredSets",
    "analysis.scored.tuned_rule": "Tuned",
    "analysis.scored.tuning": "tune",
    "analysis.similarity_matrix": "similarities",
    "analysis.statistics.exact_greedy": "compare_exact_greedy",
}
"""The modules of the names of ``__all__``, loaded on demand."""
ALSO = {
    "bounds": "priced",
    "costs": "JiangConrath LcaHeight Lin Resnik ShortestPath WuPalmer",
    "solvers": "Status",
    "analysis.explain.network": "network_picture",
    "analysis.scored.cafa_files": "naive_scores",
    "analysis.scored.consistency": "consistency",
    "analysis.scored.reliability": "reliability",
    "hierarchy.reach": "UpDistances",
    "measures.pair_scores": "MatchScore",
}
"""Names that work here, too, but are not listed."""
MOVED = {
    "bounds": "by_class by_leaf by_level by_pair forbid force",
    "costs": "Cost MatrixCost",
    "solvers": "Solver",
    "stats": "ExactGreedy",
}
"""Names that have moved, and work with a warning until 0.4."""
FORMER = {"measures.pair_measure": "MatchMeasure NearestMeasure TransportMeasure"}
"""Former classes, which now make a ``PairMeasure``, with a warning until 0.4."""

_HOMES = {
    name: module for table in (NAMES, ALSO, MOVED, FORMER) for module, names in table.items() for name in names.split()
}
__all__ = ["__version__", *MODULES, *(name for names in NAMES.values() for name in names.split())]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home = f"hemlp.{_HOMES[name]}"
        value = getattr(import_module(home), name)
        if name in MOVED.get(_HOMES[name], "").split():
            warn(f"hemlp.{name} is in {home}: from {home} import {name}", DeprecationWarning, stacklevel=2)
            return value
        if any(name in names.split() for names in FORMER.values()):
            warn(f"hemlp.{name} makes a PairMeasure: use that class", DeprecationWarning, stacklevel=2)
            return value
    elif name.startswith("_") or find_spec(f"hemlp.{name}") is None:
        raise AttributeError(f"module 'hemlp' has no attribute {name!r}")
    else:
        value = import_module(f"hemlp.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
