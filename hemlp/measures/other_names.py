"""What measures and costs are called elsewhere: a name that hemlp does not have leads to the one that it has."""

from __future__ import annotations

import re

_NAMES = {
    "F_H": "hf hf1 hfmeasure hfscore hierarchicalf hierarchicalf1 hierarchicalfmeasure hierarchicalfscore hf1score f1h",
    "P_H": "hp hprecision hierarchicalprecision ph",
    "R_H": "hr hrecall hierarchicalrecall rh",
    "F_LCA": "lcaf lcaf1 f1lca flca lcafmeasure",
    "P_LCA": "lcap lcaprecision plca",
    "R_LCA": "lcar lcarecall rlca",
    "F": "f1 f1score fscore fmeasure flatf1 flatf samplesf1",
    "P": "precision precisionscore flatprecision",
    "R": "recall recallscore flatrecall",
    "accuracy": "acc exactmatch subsetaccuracy zeroone accuracyscore exactmatchratio",
    "hamming": "hammingloss hammingdistance",
    "jaccard": "jaccardscore iou jaccardindex",
    "SDL": "symmetricdifference symmetricdifferenceloss ldelta",
    "TIE": "treeinducederror treeinducedloss treedistance",
    "GIE": "graphinducederror gospa",
    "MGIA": "multilabelgraphinducedaccuracy",
    "transport": "emd wasserstein earthmover earthmoversdistance optimaltransport",
    "BMA": "bestmatchaverage bestmatch",
    "simGIC": "gic",
    "simUI": "ui",
}
_COSTS = {
    "wu_palmer": "wup wupalmer wupsimilarity",
    "lin": "lin linsimilarity",
    "resnik": "resnik resniksimilarity",
    "jiang_conrath": "jcn jiangconrath",
    "lca_height": "lcaheight lcadistance",
    "shortest_path": "shortestpath path pathlength",
}
_NAME_OF = {
    other: name for name, others in _NAMES.items() for other in (name.replace("_", "").lower(), *others.split())
}
_COST_OF = {other: name for name, others in _COSTS.items() for other in others.split()}


def _folded(text: str) -> str:
    return re.sub(r"[\W_]", "", text).casefold()


def cost_called(text: str) -> str | None:
    """The cost that is called so elsewhere.

    >>> cost_called("Wu-Palmer")
    'wu_palmer'
    """
    return _COST_OF.get(_folded(text))


def measure_called(text: str) -> str | None:
    """The measure that is called so elsewhere; of a similarity, one that takes it as its cost.

    >>> measure_called("hF1"), measure_called("hierarchical f1"), measure_called("wu-palmer")
    ('F_H', 'F_H', "BMA(cost='wu_palmer')")
    """
    cost = cost_called(text)
    return _NAME_OF.get(_folded(text)) or (f"BMA(cost={cost!r})" if cost else None)
