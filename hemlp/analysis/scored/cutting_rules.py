"""Cutting rules turn scores into predicted sets: thresholds, the k greatest scores, or both.

All but thresholds of levels and classes predict the first n classes of an instance, greatest score first and ties by
label: as many as reach the threshold, but at least and at most so many.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import IntArray
from hemlp.hierarchy.labels import Label
from hemlp.instances.scored_sets import ScoredSets
from hemlp.text.tables import plural

RuleKind = Literal["all", "top", "nonempty", "capped", "level", "class"]
RULE_KINDS: dict[RuleKind, str] = {
    "all": "one threshold",
    "top": "the greatest scores",
    "nonempty": "one threshold, or the greatest score",
    "capped": "one threshold and a number of classes",
    "level": "one threshold per level",
    "class": "one threshold per class",
}
"""What each kind of rule chooses, the simplest first."""


@dataclass(frozen=True)
class CuttingRule:
    """A rule of one kind. ``class_thresholds``: of classes with their own; infinite: never predicted.

    ``at_least``, ``at_most``: how many classes are predicted, whatever their scores. Of the kind "top" the threshold is
    not used.
    """

    by: RuleKind
    threshold: float
    at_least: int = 0
    at_most: int | None = None
    class_thresholds: Mapping[Label, float] = field(default_factory=dict)

    def sizes(self, s: ScoredSets) -> IntArray:
        """How many classes of each instance are predicted, the greatest scores first."""
        lengths = np.diff(s.ptr)
        if self.by == "top":
            reached = lengths
        else:
            rows = np.repeat(np.arange(len(s)), lengths)
            reached = np.bincount(rows[s.values >= self.threshold], minlength=len(s))
        return clip_sizes(reached, lengths, self.at_least, self.at_most)

    def kept(self, s: ScoredSets) -> NDArray[np.bool_]:
        """Which scored classes are predicted."""
        if self.class_thresholds:
            least = np.array([self.class_thresholds.get(label, self.threshold) for label in s.vocabulary], np.float64)
            return s.values >= least[s.codes]
        kept: NDArray[np.bool_] = s.ranks < np.repeat(self.sizes(s), np.diff(s.ptr))
        return kept


def describe_parameter(rules: Sequence[CuttingRule], format_number: Callable[[float], str] = "{:g}".format) -> str:
    """The parameters of rules in words: thresholds and numbers of classes, of several rules their range."""
    ends = _format_range([rule.at_most for rule in rules if rule.at_most is not None])
    if rules[0].by == "top":
        return f"top {ends}"
    used = [value for rule in rules for value in (rule.threshold, *rule.class_thresholds.values())]
    others = len(set(rules[0].class_thresholds.values()))
    words = _format_range(used, format_number) if len(rules) > 1 else format_number(rules[0].threshold)
    if others and len(rules) == 1:
        words += f" and {plural(others, 'other')}"
    words += " or the greatest score" if any(rule.at_least for rule in rules) else ""
    return f"{words}, at most {ends} {'class' if ends == '1' else 'classes'}" if ends else words


def describe_rules(
    rules: Sequence[CuttingRule], format_number: Callable[[float], str] = "{:g}".format, threshold: str = ""
) -> str:
    """Rules in words, those of folds by kind; ``threshold``: the word before a threshold."""
    texts = []
    for kind in RULE_KINDS:
        same_kind = [rule for rule in rules if rule.by == kind]
        if same_kind:
            before, behind = "" if kind == "top" else threshold, f" by {kind}" if kind in ("level", "class") else ""
            times = "" if len(same_kind) == len(rules) else f" ({plural(len(same_kind), 'fold')})"
            texts.append(f"{before}{describe_parameter(same_kind, format_number)}{behind}{times}")
    return ", ".join(texts)


def _format_range(values: Sequence[float], format_number: Callable[[float], str] = str) -> str:
    return " to ".join(format_number(value) for value in sorted({min(values), max(values)})) if values else ""


def clip_sizes(reached: IntArray, lengths: IntArray, at_least: int, at_most: int | None) -> IntArray:
    """How many of its scored classes an instance has predicted, if ``reached`` are above the threshold."""
    sizes = np.maximum(reached, np.minimum(at_least, lengths)) if at_least else reached
    return sizes if at_most is None else np.minimum(sizes, at_most)
