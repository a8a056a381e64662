"""How many pairs a class takes part in: the bounds of Problem 1, by numbers, by rules and by prices.

>>> from hemlp import Hierarchy, PairMeasure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> leaves = PairMeasure("leaves", Bounds((1, 1), by_leaf((1, 1), (0, ALL))), default_cost=5)
>>> leaves.score(h, true=["sheep", "mammal"], pred=["cow"])
2.0
"""

from hemlp.problems.pairing.bounds import ALL, Bounds
from hemlp.problems.pairing.capacities import by_class, by_leaf, by_level, by_pair, forbid, force, priced

__all__ = ["ALL", "Bounds", "by_class", "by_leaf", "by_level", "by_pair", "forbid", "force", "priced"]
