# Made by docs/generate.py: do not edit.
from hemlp import bounds as bounds
from hemlp import costs as costs
from hemlp import errors as errors
from hemlp import examples as examples
from hemlp import metrics as metrics
from hemlp import solvers as solvers
from hemlp import stats as stats
from hemlp import testing as testing
from hemlp.analysis.agreement import agreement as agreement
from hemlp.analysis.decision.belief import Belief as Belief
from hemlp.analysis.decision.decide import decide as decide
from hemlp.analysis.explain.network import network_picture as network_picture
from hemlp.analysis.properties.check import properties as properties
from hemlp.analysis.properties.counterexamples import counterexample as counterexample
from hemlp.analysis.scored.average_precision import average_precision as average_precision
from hemlp.analysis.scored.cafa import Cafa as Cafa
from hemlp.analysis.scored.cafa import cafa as cafa
from hemlp.analysis.scored.cafa_files import naive_scores as naive_scores
from hemlp.analysis.scored.consistency import consistency as consistency
from hemlp.analysis.scored.curve import Curve as Curve
from hemlp.analysis.scored.curve import curve as curve
from hemlp.analysis.scored.reliability import reliability as reliability
from hemlp.analysis.scored.top_k import ranked as ranked
from hemlp.analysis.scored.tuned_rule import Tuned as Tuned
from hemlp.analysis.scored.tuning import tune as tune
from hemlp.analysis.similarity_matrix import similarities as similarities
from hemlp.analysis.statistics.exact_greedy import compare_exact_greedy as compare_exact_greedy
from hemlp.bounds import by_class as by_class
from hemlp.bounds import by_leaf as by_leaf
from hemlp.bounds import by_level as by_level
from hemlp.bounds import by_pair as by_pair
from hemlp.bounds import forbid as forbid
from hemlp.bounds import force as force
from hemlp.bounds import priced as priced
from hemlp.costs import Cost as Cost
from hemlp.costs import JiangConrath as JiangConrath
from hemlp.costs import LcaHeight as LcaHeight
from hemlp.costs import Lin as Lin
from hemlp.costs import MatrixCost as MatrixCost
from hemlp.costs import Resnik as Resnik
from hemlp.costs import ShortestPath as ShortestPath
from hemlp.costs import WuPalmer as WuPalmer
from hemlp.errors import HemlpError as HemlpError
from hemlp.hierarchy.class_weights import read_weights as read_weights
from hemlp.hierarchy.dag import Hierarchy as Hierarchy
from hemlp.hierarchy.hierarchy_files import read_hierarchy as read_hierarchy
from hemlp.hierarchy.labels import TOP as TOP
from hemlp.hierarchy.reach import UpDistances as UpDistances
from hemlp.instances.batch import Batch as Batch
from hemlp.instances.label_files import read_labels as read_labels
from hemlp.instances.label_sets import LabelSets as LabelSets
from hemlp.instances.score_files import read_scores as read_scores
from hemlp.instances.scored_sets import ScoredSets as ScoredSets
from hemlp.measures.augmentations import Augmentation as Augmentation
from hemlp.measures.base import Measure as Measure
from hemlp.measures.default_cost_sensitivity import Sensitivity as Sensitivity
from hemlp.measures.derived import RankedMeasure as RankedMeasure
from hemlp.measures.factory import measure as measure
from hemlp.measures.factory import read_measures as read_measures
from hemlp.measures.factory import write_measures as write_measures
from hemlp.measures.information import information_accretion as information_accretion
from hemlp.measures.information import information_content as information_content
from hemlp.measures.instance_scores import Score as Score
from hemlp.measures.instance_scores import Scores as Scores
from hemlp.measures.pair_measure import MatchMeasure as MatchMeasure
from hemlp.measures.pair_measure import NearestMeasure as NearestMeasure
from hemlp.measures.pair_measure import PairMeasure as PairMeasure
from hemlp.measures.pair_measure import TransportMeasure as TransportMeasure
from hemlp.measures.pair_scores import MatchScore as MatchScore
from hemlp.measures.pair_scores import PairScore as PairScore
from hemlp.measures.set_measure import SetMeasure as SetMeasure
from hemlp.measures.set_measure import SetScore as SetScore
from hemlp.optimize.model import Model as Model
from hemlp.problems.pairing.bounds import ALL as ALL
from hemlp.problems.pairing.bounds import Bounds as Bounds
from hemlp.run.evaluate import evaluate as evaluate
from hemlp.run.evaluation import Evaluation as Evaluation
from hemlp.run.plan import Plan as Plan
from hemlp.run.sweep import Sweep as Sweep
from hemlp.run.sweep import sweep as sweep
from hemlp.run.tally import Tally as Tally
from hemlp.run.versions import compare_versions as compare_versions
from hemlp.solvers import Solver as Solver
from hemlp.solvers import Status as Status
from hemlp.stats import ExactGreedy as ExactGreedy
from hemlp.version import __version__ as __version__

__all__ = [
    "ALL",
    "TOP",
    "Augmentation",
    "Batch",
    "Belief",
    "Bounds",
    "Cafa",
    "Curve",
    "Evaluation",
    "HemlpError",
    "Hierarchy",
    "LabelSets",
    "Measure",
    "Model",
    "PairMeasure",
    "PairScore",
    "Plan",
    "RankedMeasure",
    "Score",
    "ScoredSets",
    "Scores",
    "Sensitivity",
    "SetMeasure",
    "SetScore",
    "Sweep",
    "Tally",
    "Tuned",
    "__version__",
    "agreement",
    "average_precision",
    "bounds",
    "cafa",
    "compare_exact_greedy",
    "compare_versions",
    "costs",
    "counterexample",
    "curve",
    "decide",
    "errors",
    "evaluate",
    "examples",
    "information_accretion",
    "information_content",
    "measure",
    "metrics",
    "properties",
    "ranked",
    "read_hierarchy",
    "read_labels",
    "read_measures",
    "read_scores",
    "read_weights",
    "similarities",
    "solvers",
    "stats",
    "sweep",
    "testing",
    "tune",
    "write_measures",
]
