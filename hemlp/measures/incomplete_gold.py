"""Measures for true labels that are not the whole truth: classes that are ignored, and true classes too general.

>>> from hemlp import Hierarchy, measure
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow")])
>>> lenient = IncompleteGold("lenient", measure("F_H"), gold="at least")
>>> lenient.score(h, true=["mammal"], pred=["cow"]), measure("F_H").score(h, true=["mammal"], pred=["cow"])
(1.0, 0.8)
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption, naming
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_list, label_order
from hemlp.instances.batch import Batch
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.augmentations import Ancestors, Flat, Implied
from hemlp.measures.base import Measure
from hemlp.measures.derived import LENIENT, ConstrainedMeasure, DerivedMeasure, Gold, RankedMeasure
from hemlp.measures.fingerprints import fingerprint
from hemlp.measures.naming import check_name
from hemlp.measures.pair_measure import PairMeasure
from hemlp.measures.pair_scores import MATCHED
from hemlp.measures.scoring import sharing_key
from hemlp.measures.set_measure import SetMeasure
from hemlp.optimize.joint import JointModel
from hemlp.options import check_choice
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.incomplete_gold import at_least, without_classes
from hemlp.problems.pairing.model import PairingModel
from hemlp.text.tables import plural


@dataclass(frozen=True, eq=False)
class IncompleteGold(DerivedMeasure):
    """A measure by which some classes count neither for nor against, and true classes may be too general.

    Parameters
    ----------
    name
        A word that is no other measure's name.
    measure
        Of pairs, of closures or of labels; LCA graphs and tolerant sets refuse.
    ignore
        Classes that are taken out of both label sets, or where these are augmented, out of both augmented sets.
    gold
        "at least": a predicted class below a true class is no error.

    Raises
    ------
    InvalidOption
        If the measure is one that refuses.
    """

    name: str
    measure: Measure
    ignore: tuple[Label, ...] = ()
    gold: Gold = "exact"

    def __post_init__(self) -> None:
        check_choice("gold", self.gold, ("exact", "at least"))
        if isinstance(self.measure, str):
            from hemlp.measures.factory import measure

            object.__setattr__(self, "measure", measure(self.measure))
        object.__setattr__(self, "ignore", tuple(sorted(set(self.ignore), key=label_order)))
        check_name(self)
        if not reads_incomplete_gold(self.measure):
            option = "ignore" if self.ignore else f"gold={self.gold!r}"
            raise InvalidOption(
                f"{self.measure} refuses {option}, which is not defined for LCA graphs, tolerant sets and models of "
                f"your own: leave the measure out"
            )
        inner = self.measure.measure if isinstance(self.measure, ConstrainedMeasure) else None
        if self.gold == "at least" and isinstance(inner, PairMeasure) and inner.scoring in MATCHED:
            raise InvalidOption(f"{self.measure} refuses gold='at least': that takes a pairing for each share")

    def serializable_fields(self) -> dict[str, Any]:
        custom = "custom" in self.measure.serializable_fields().values()
        return {**super().serializable_fields(), "measure": "custom" if custom else str(self.measure)}

    def _sign(self) -> str:
        """That of the measure, with how true labels are read."""
        ignored = f"ignore:{plural(len(self.ignore), 'class', 'classes')} {fingerprint(self.ignore)}"
        _, parameters, *rest = self.measure.signature.split("|")
        own = [parameters, ignored if self.ignore else "", f"gold:{self.gold}"]
        return "|".join([self.name, ",".join(filter(None, own)), *rest])

    @property
    def _model_key(self) -> Hashable:
        """Measures share what they would share if true labels were the whole truth."""
        return self.ignore, self.gold, self._matches_leniently, sharing_key(self.measure)

    @property
    def _matches_leniently(self) -> bool:
        """Whether it is matched precision, recall or F of true classes that may be too general."""
        return self.gold == "at least" and isinstance(self.measure, PairMeasure) and self.measure.scoring in MATCHED

    def _ignored(self, h: Hierarchy) -> NDArray[np.bool_]:
        """Which classes are ignored; ⊤, the last, never is."""
        ignored = np.zeros(len(h) + 1, np.bool_)
        ignored[[h.id(label) for label in self.ignore]] = True
        return ignored

    def _as_batch(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Batch:
        """Of pairs and of labels without what is ignored: closures are made before that is taken out."""
        batch = self.measure._as_batch(data, true, pred)
        augment = self.measure.augment if isinstance(self.measure, SetMeasure) else None
        if self.ignore and (augment is None or type(augment) is Flat):
            batch = without_classes(batch, self._ignored(batch.hierarchy))
        return replace(batch, lenient=True) if self.gold == "at least" and augment is None else batch

    def model(self, data: Hierarchy | Batch, true: Any = None, pred: Any = None) -> Any:
        model: Any = self.measure.model(self._as_batch(data, true, pred))
        if self._matches_leniently:
            return _one_pairing_per_share(model, self._text)
        if not isinstance(model, ClosureModel):
            return model
        if self.gold == "at least":
            model = at_least(model)
        ignored = self._ignored(model.batch.hierarchy) if self.ignore else None
        return replace(model, title=self._text, ignored=ignored)

    def _compute_columns(self, model: Any, solution: Any) -> dict[str, FloatArray]:
        if not self._matches_leniently:
            return super()._compute_columns(model, solution)
        predicted, true = model.batch.pred.sizes, model.batch.true.sizes
        number = {"matched_P": predicted, "matched_R": true, "matched_F": (predicted + true) / 2}
        lost = {name: part.objectives for name, part in solution.parts.items()}
        shares = {
            name: np.where((predicted > 0) & (true > 0), 1 - lost[name] / np.maximum(count, 0.5), predicted == true)
            for name, count in number.items()
        }
        columns = {"error": lost["matched_F"], **shares, self.name: shares[self.measure.fields["score"]]}
        return {name: columns[name] for name in self.columns}


def _one_pairing_per_share(model: PairingModel, title: str) -> JointModel:
    """The pairings that lose least of the predicted classes, of the true ones, and half of each.

    A class without a partner is lost, one with the similarity s is lost by 1 − s, an excused class never. Without
    excused classes all three are one pairing; with them that for F can leave P and R open, or R below the strict one.
    """
    predicted, true = model.halves
    parts = {}
    for name, p, t in (("matched_P", 2, 0), ("matched_R", 0, 2), ("matched_F", 1, 1)):
        halves = replace(predicted, default=p * predicted.default), replace(true, default=t * true.default)
        parts[name] = replace(model, title=f"{title}: {name}", halves=halves)
    return JointModel(title, parts)


def reads_incomplete_gold(measure: Measure) -> bool:
    """Whether a measure can ignore classes, and excuse what is more specific than the true classes."""
    if isinstance(measure, RankedMeasure | ConstrainedMeasure):
        return reads_incomplete_gold(measure.measure)
    if isinstance(measure, SetMeasure):
        return isinstance(measure.augment, Ancestors | Flat | Implied)
    return isinstance(measure, PairMeasure)


def read_ignored(h: Hierarchy, ignore: Any) -> tuple[Label, ...]:
    """The classes to ignore, each by its own label."""
    if ignore is None:
        return ()
    named = ignore if isinstance(ignore, str | PathLike) else label_list("ignore", ignore)
    listed = LabelSets.of(named, source="ignore")
    classes = []
    for code, label in enumerate(listed.vocabulary):
        with naming(listed.place(int(np.argmax(listed.codes == code)))):
            classes.append(h.labels[h.id(label)])
    return tuple(classes)


def read_gold(
    measures: Mapping[str, Measure], ignore: tuple[Label, ...], gold: Gold, may_leave_out: bool
) -> dict[str, Measure]:
    """The measures without the classes to ``ignore``; with gold="at least" each of them strict, and lenient beside it.

    Those that cannot are refused, or left out with a warning.
    """
    check_choice("gold", gold, ("exact", "at least"))
    left_out = [name for name, each in measures.items() if may_leave_out and not reads_incomplete_gold(each)]
    if left_out:
        option = "ignore" if ignore else "gold='at least'"
        warnings.warn(f"{', '.join(left_out)} left out: {option} is not defined for it", stacklevel=3)
    made: dict[str, Measure] = {}
    for name in [name for name in measures if name not in left_out]:
        made[name] = _with_gold(measures[name], ignore, "exact")
        if gold == "at least" and name + LENIENT in measures:
            raise InvalidOption(f"{name + LENIENT!r} is the name of the lenient {name}: call the measure otherwise")
        if gold == "at least":
            made[name + LENIENT] = _with_gold(measures[name], ignore, gold)
    return made


def _with_gold(measure: Measure, ignore: tuple[Label, ...], gold: Gold) -> Measure:
    """The measure, or that of the k greatest scores, for true labels that are not the whole truth."""
    if isinstance(measure, RankedMeasure):
        return RankedMeasure(_with_gold(measure.measure, ignore, gold), measure.k)
    if not ignore and gold == "exact":
        return measure
    return IncompleteGold(f"{measure.name}_{'lenient' if gold == 'at least' else 'ignoring'}", measure, ignore, gold)
