"""Names of measures and of their parameters: which can be chosen, what they mean, and what they are elsewhere."""

from __future__ import annotations

import keyword
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hemlp.errors import InvalidOption
from hemlp.measures.catalogue import NAMED

if TYPE_CHECKING:
    from hemlp.measures.base import Measure

RESERVED = {
    "error", "predicted_error", "true_error", "predicted", "true", "common", "lcas", "bound", "step", "status",
    "custom", "ALL", "Bounds",
}  # fmt: skip
"""Names of columns and of parts of texts: no measure can be called so."""


def check_name(measure: Measure) -> None:
    """Refuse a name that is no word, that means something else, or that belongs to another measure."""
    name = measure.name
    if not (isinstance(name, str) and name.isidentifier()) or keyword.iskeyword(name):
        raise InvalidOption(f"the name {name!r} of a measure must be a word of letters, digits and _")
    if name in RESERVED or name.endswith("Measure"):
        raise InvalidOption(f"no measure can be called {name!r}: the word is reserved")
    if name in NAMED and not NAMED[name].describes(measure):
        raise InvalidOption(f"{name} is the name of another measure: choose another name")


@cache
def _parameters() -> dict[str, dict[str, str]]:
    import tomllib

    path = Path(__file__).parents[1] / "data" / "parameters.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def about_parameter(measure: Measure, name: str) -> str:
    """What a parameter of a measure does, which is not the same for pairs and for sets; "" if nothing is known."""
    if measure.name in NAMED and name in NAMED[measure.name].about:
        return NAMED[measure.name].about[name]
    known = _parameters().get(name, {})
    augment = getattr(getattr(measure, "augment", None), "name", "")
    return next((known[of] for of in (augment, type(measure).__name__, "all") if of in known), "")


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


def measure_called(text: str) -> str | None:
    """The measure that is called so elsewhere; of a similarity, one that takes it as its cost.

    >>> measure_called("hF1"), measure_called("hierarchical f1"), measure_called("wu-palmer")
    ('F_H', 'F_H', "BMA(cost='wu_palmer')")
    """
    folded = re.sub(r"[\W_]", "", text).casefold()
    return _NAME_OF.get(folded) or (f"BMA(cost={_COST_OF[folded]!r})" if folded in _COST_OF else None)
