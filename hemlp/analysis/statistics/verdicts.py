"""Which systems differ significantly: ranks by mean, letters of groups, and the tests of all pairs behind them.

>>> v = verdicts({"A": [1, 0.5, 1, 1, 0.5, 1, 1], "B": [0.5, 0, 0.5, 0, 0, 0, 0.5]})
>>> v.ranks, v.p["A", "B"], v.sign["A", "B"]
({'A': 1, 'B': 2}, 0.015625, SignTest(k=7, n=7, p=0.015625))
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from hemlp.analysis.statistics.differences import PairedDifferences, restrict_to_common
from hemlp.analysis.statistics.letter_display import compact_letter_display, rank_means
from hemlp.analysis.statistics.permutation import PairSummary, summarize_pairs
from hemlp.analysis.statistics.significance_tests import (
    EXACT_UP_TO,
    NORMAL_ABOVE,
    Sided,
    SignTest,
    holm,
    normal_wilcoxon,
    sign_test,
    wilcoxon,
)
from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.measures.instance_scores import mean
from hemlp.options import check_choice
from hemlp.results.merged_sums import MeasureSums
from hemlp.text.p_values import ALPHA

Test = Literal["permutation", "sign"]
RankMethod = Literal["mean", "chained"]
Pair = tuple[str, str]
V = TypeVar("V")


@dataclass(frozen=True)
class Procedure:
    """Which test separates systems, and how they are ranked.

    ``test``: the paired "permutation" test of the mean, or the micro "sign" test; None for the former unless
    ``sided`` is "one", the paper's sign test. ``ranks``: by "mean", or "chained" as in the paper: a system shares the
    rank of the one above unless the test, without a correction, finds that one better.
    """

    test: Test | None = None
    sided: Sided = "two"
    ranks: RankMethod = "mean"

    def __post_init__(self) -> None:
        check_choice("sided", self.sided, ("two", "one"))
        check_choice("ranks", self.ranks, ("mean", "chained"))
        if self.test is not None:
            check_choice("test", self.test, ("permutation", "sign"))
        if self.test == "permutation" and self.sided == "one":
            raise InvalidOption("sided='one' is for the sign test, as in the paper: test='sign'")

    @property
    def chosen_test(self) -> Test:
        """The test, with its default."""
        return self.test or ("sign" if self.sided == "one" else "permutation")

    def __str__(self) -> str:
        if self.chosen_test == "permutation":
            return "paired permutation test of the mean"
        return f"{self.sided}-sided sign test"


class PairMapping(Mapping[Pair, V], Generic[V]):
    """One value for each pair of systems, whichever of the two is named first."""

    def __init__(self, values: Mapping[Pair, V]) -> None:
        self._values = dict(values)

    def __getitem__(self, pair: Pair) -> V:
        first, second = pair
        return self._values[pair if pair in self._values else (second, first)]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts on systems by their scores, instance by instance; nan is undefined.

    Every pair is compared on the instances on which both systems are defined; means and places are over the instances
    on which all systems are. Two systems are separated where the p-value of their pair, corrected by Holm for all
    pairs, is below 0.05, and share a letter of ``groups`` exactly where they are not.
    """

    scores: Mapping[str, FloatArray]
    greater_is_better: bool = True
    procedure: Procedure = Procedure()

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of systems."""
        return list(combinations(self.scores, 2))

    def gains(self, first: str, second: str) -> PairedDifferences:
        """By how much the first system is better, instance by instance."""
        better, worse = (first, second) if self.greater_is_better else (second, first)
        return PairedDifferences.of(self.scores[better], self.scores[worse])

    @cached_property
    def summaries(self) -> Mapping[Pair, PairSummary]:
        """The summary of the differences of each pair."""
        places = {system: k for k, system in enumerate(self.scores)}
        numbers = [(places[i], places[j]) if self.greater_is_better else (places[j], places[i]) for i, j in self.pairs]
        return dict(zip(self.pairs, summarize_pairs(list(self.scores.values()), numbers), strict=True))

    def better(self, first: str, second: str) -> str | None:
        """The system with the better mean, on the instances on which both are defined; None where they are equal."""
        gain = self.mean_gain(first, second)
        return first if gain > 0 else second if gain < 0 else None

    def mean_gain(self, first: str, second: str) -> float:
        """By how much the first system is better on average, on the instances on which both are defined."""
        known = self.summaries.get((first, second))
        return -self.summaries[second, first].mean if known is None else known.mean

    # ---- tests of pairs

    @cached_property
    def permutation(self) -> PairMapping[float]:
        """p of the paired permutation test of the mean, two-sided; nan where a difference is infinite."""
        return PairMapping({pair: each.p for pair, each in self.summaries.items()})

    @cached_property
    def wilcoxon(self) -> PairMapping[float]:
        """p of Wilcoxon's signed-rank test, two-sided."""
        return PairMapping({pair: self._wilcoxon(pair, each) for pair, each in self.summaries.items()})

    def _wilcoxon(self, pair: Pair, each: PairSummary) -> float:
        if each.ranks is None:
            return math.nan
        if each.differing <= NORMAL_ABOVE:
            return wilcoxon(self.gains(*pair))
        return normal_wilcoxon(each.differing, abs(each.ranks), float(each.ties))

    @cached_property
    def sign(self) -> PairMapping[SignTest]:
        """The sign test, of the system with more wins; one-sided, as in the paper, of the one with the better mean."""
        return PairMapping({pair: self._sign(each) for pair, each in self.summaries.items()})

    def _sign(self, d: PairSummary) -> SignTest:
        losses = d.differing - d.wins
        of_better = d.wins if d.mean > 0 else losses
        one_sided = self.procedure.sided == "one" and d.mean != 0
        return sign_test(of_better if one_sided else max(d.wins, losses), d.differing, self.procedure.sided)

    @cached_property
    def p(self) -> PairMapping[float]:
        """p of the chosen test."""
        if self.procedure.chosen_test == "permutation":
            return self.permutation
        return PairMapping({pair: test.p for pair, test in self.sign.items()})

    @cached_property
    def holm(self) -> PairMapping[float]:
        """p of the chosen test, corrected by Holm for all pairs; an undefined p counts as 1."""
        corrected = holm([1.0 if math.isnan(p) else p for p in self.p.values()])
        return PairMapping(dict(zip(self.p, corrected, strict=True)))

    def separated(self, first: str, second: str) -> bool:
        """Whether two systems differ significantly."""
        return self.holm[first, second] < ALPHA

    # ---- systems

    @cached_property
    def common(self) -> Mapping[str, FloatArray]:
        """The scores, nan wherever one system is undefined; one that is undefined everywhere does not count."""
        return dict(zip(self.scores, restrict_to_common(list(self.scores.values())), strict=True))

    @cached_property
    def means(self) -> Mapping[str, float]:
        """Over the instances on which all systems are defined; nan where there is none."""
        return {system: mean(column) for system, column in self.common.items()}

    @cached_property
    def ranks(self) -> Mapping[str, int | None]:
        """Places by mean, 1 the best; None where there is no mean."""
        return self._mean_ranks if self.procedure.ranks == "mean" else self._chained_ranks

    @cached_property
    def _mean_ranks(self) -> Mapping[str, int | None]:
        return dict(zip(self.scores, rank_means(list(self.means.values()), self.greater_is_better), strict=True))

    @property
    def _chained_ranks(self) -> Mapping[str, int | None]:
        """Ranks by mean; two neighbours share a rank unless the test finds the upper one better."""
        ranks: dict[str, int | None] = dict.fromkeys(self.scores)
        order = sorted(filter(self._mean_ranks.get, self.scores), key=lambda system: self._mean_ranks[system] or 0)
        for at, system in enumerate(order):
            tied = at > 0 and not self._beats(order[at - 1], system)
            ranks[system] = ranks[order[at - 1]] if tied else at + 1
        return ranks

    def _beats(self, above: str, below: str) -> bool:
        d = self.gains(above, below)
        favoured = d.mean > 0 if self.procedure.chosen_test == "permutation" else 2 * d.wins > d.number
        return self.p[above, below] < ALPHA and favoured

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The letters of each system, none with fewer than three systems; two share one where not separated."""
        if len(self.scores) < 3:
            return dict.fromkeys(self.scores, ())
        last = len(self.scores) + 1
        order = sorted(self.scores, key=lambda system: (self._mean_ranks[system] or last, system))
        letters = compact_letter_display(len(order), lambda i, j: self.separated(order[i], order[j]))
        by_system = dict(zip(order, letters, strict=True))
        return {system: by_system[system] for system in self.scores}

    @cached_property
    def too_few(self) -> list[tuple[str, str, int]]:
        """Pairs that differ on too few instances to be separated, with their number.

        The least p of n instances is 2 / 2ⁿ, which Holm multiplies by the number of pairs that have no smaller one.
        """
        if self.procedure.chosen_test != "permutation":
            return []
        ordered, pairs = np.sort(list(self.p.values())), []
        for (first, second), each in self.summaries.items():
            if 0 < (n := each.differing) <= EXACT_UP_TO:
                least = 2.0 ** (1 - n)
                tests = len(ordered) - int(np.searchsorted(ordered, least))
                pairs += [(first, second, n)] if tests * least >= ALPHA else []
        return pairs


@dataclass(frozen=True, eq=False)
class TalliedVerdicts(Verdicts):
    """Verdicts from exact sums; ``in_common``: every pair on the instances on which all systems are defined."""

    sums: MeasureSums | None = None
    in_common: bool = False

    @classmethod
    def of(cls, sums: MeasureSums, greater_is_better: bool, procedure: Procedure, common: bool) -> TalliedVerdicts:
        """The verdicts on the systems of ``sums``."""
        return cls(dict.fromkeys(sums.systems, np.empty(0)), greater_is_better, procedure, sums, common)

    def gains(self, first: str, second: str) -> PairedDifferences:
        """By how much the first system is better, in sums, and instance by instance where few differ."""
        assert self.sums is not None
        better, worse = (first, second) if self.greater_is_better else (second, first)
        return PairedDifferences.of_sums(*self.sums.pair(better, worse, self.in_common))

    @cached_property
    def summaries(self) -> Mapping[Pair, PairSummary]:
        """The summary of the differences of each pair."""
        return {pair: PairSummary.of(self.gains(*pair)) for pair in self.pairs}

    @cached_property
    def means(self) -> Mapping[str, float]:
        """Over the instances on which all systems are defined; nan where there is none."""
        assert self.sums is not None
        return {system: self.sums.mean(system, common=True) for system in self.scores}


def verdicts(
    scores: Mapping[str, Any],
    greater_is_better: bool = True,
    *,
    test: Test | None = None,
    sided: Sided = "two",
    ranks: RankMethod = "mean",
) -> Verdicts:
    """Places, groups and tests of systems from anybody's scores, one value per instance.

    Parameters
    ----------
    scores
        Arrays of equal length by the names of the systems; nan where a system is undefined.
    greater_is_better
        False for errors and losses.
    test
        "permutation" (paired, of the mean; the default) or "sign".
    sided
        "one" is the paper's sign test: is the system with the better mean better?
    ranks
        By "mean", or "chained" as in the paper.

    Raises
    ------
    InvalidOption
        If there is no system, or the arrays are not lists of numbers of one length.

    Examples
    --------
    >>> v = verdicts({"A": [9, 8, 9, 9, 8, 9, 9], "B": [3, 2, 3, 2, 2, 3, 3], "C": [3, 2, 3, 2, 2, 3, 4]})
    >>> v.groups
    {'A': ('a',), 'B': ('b',), 'C': ('b',)}
    """
    if not isinstance(scores, Mapping):
        raise InvalidOption(f"scores by the name of their system are needed, not {type(scores).__name__}")
    columns = {str(system): _as_column(str(system), values) for system, values in scores.items()}
    lengths = {system: len(column) for system, column in columns.items()}
    if len(columns) < len(scores) or len(set(lengths.values())) != 1:
        counts = ", ".join(f"{system} {length:,}" for system, length in lengths.items()) or "there are no systems"
        raise InvalidOption(f"systems are compared instance by instance, so all need equally many scores: {counts}")
    return Verdicts(columns, greater_is_better, Procedure(test, sided, ranks))


def _as_column(system: str, values: Any) -> FloatArray:
    try:
        column = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise InvalidOption(f"the scores of {system} are not numbers; an undefined one is nan") from None
    if column.ndim != 1:
        raise InvalidOption(f"the scores of {system} are not one number per instance: they have {column.ndim} axes")
    return column
