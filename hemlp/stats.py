"""Statistics for anybody's per-instance scores: verdicts on systems, tests of pairs, rank correlation.

>>> import hemlp
>>> v = hemlp.stats.verdicts({"A": [0.9, 0.8, 0.7, 0.9, 0.8, 0.9], "B": [0.1, 0.2, 0.1, 0.3, 0.2, 0.4]})
>>> v.p["A", "B"], v.ranks
(0.03125, {'A': 1, 'B': 2})
"""

from hemlp.analysis.statistics.exact_greedy import ExactGreedy
from hemlp.analysis.statistics.significance_tests import holm, kendall
from hemlp.analysis.statistics.verdicts import Verdicts, verdicts

__all__ = ["ExactGreedy", "Verdicts", "holm", "kendall", "verdicts"]
