"""The named measures of matched classes: Problem 1, one to one, in which a pair costs 1 minus its similarity."""

from __future__ import annotations

from hemlp.measures.named import NAMED, Named
from hemlp.measures.pair_scores import MATCHED
from hemlp.measures.pairs import PairMeasure
from hemlp.pairing.bounds import Bounds
from hemlp.pairing.similarities import WuPalmer

_ONE = Bounds((1, 1), (1, 1))

NAMED.add(*(Named(PairMeasure(s, _ONE, cost=WuPalmer(), default_cost=0.5, score=s), ("cost",)) for s in MATCHED))
