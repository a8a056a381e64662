"""What it costs to take one class for another: the κ of Problem 1, as the cost of a measure.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> measure("GIE", cost=LcaHeight(), default_cost=3).score(h, true=["sheep"], pred=["cow"])
1.0
"""

from hemlp.problems.pairing.costs import Cost, MatrixCost, ShortestPath
from hemlp.problems.pairing.similarities import JiangConrath, LcaHeight, Lin, Resnik, WuPalmer

__all__ = ["Cost", "JiangConrath", "LcaHeight", "Lin", "MatrixCost", "Resnik", "ShortestPath", "WuPalmer"]
