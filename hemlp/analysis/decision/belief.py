"""Beliefs: for each instance a distribution over label sets, from systems, samples or a corpus; or marginals."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from hemlp.arrays import IntArray, entry_rows, pointers
from hemlp.errors import InvalidOption, InvalidScores, MisalignedSides, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.instances.label_sets import LabelSets, RowKind, instance_ids
from hemlp.instances.score_files import as_scores
from hemlp.instances.scored_sets import ScoredSets
from hemlp.options import by_text
from hemlp.problems.decision.scenarios import Scenarios, Votes, most_specific_classes

LARGEST = 2**51
"""Integer masses of an instance add up to at most this: so three times that is a float."""
DRAWS = 200
"""Scenarios that are drawn from marginals."""


@dataclass(frozen=True, eq=False)
class Belief:
    """What is believed about each instance. Make one with ``systems``, ``samples``, ``marginals`` or ``corpus``.

    ``sources``: label sets of each system, or all samples in one list that ``first`` cuts into instances.

    Examples
    --------
    >>> from hemlp import decide
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> list(decide(h, Belief.samples([[["sheep"], ["cow"], ["sheep"]]]), "F_H").sets)
    [('sheep',)]
    """

    sources: Mapping[str, LabelSets] = field(default_factory=dict)
    weights: Mapping[str, Fraction | float] = field(default_factory=dict)
    first: IntArray | None = None
    ids: tuple[Label, ...] | None = None
    scores: ScoredSets | None = None

    @classmethod
    def systems(
        cls, systems: Mapping[str, Any], weights: Mapping[str, Any] | None = None, rows: RowKind | None = None
    ) -> Belief:
        """The answers of several systems or annotators.

        Parameters
        ----------
        systems
            Label sets by name, anything that ``LabelSets.of`` takes.
        weights
            Positive numbers by name; those that are missing are 1. Integers and fractions are exact.
        rows
            Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.

        Examples
        --------
        >>> Belief.systems({"A": ["sheep"], "B": ["cow"]}, weights={"A": 2}).weights
        {'A': Fraction(2, 1), 'B': Fraction(1, 1)}
        """
        if not isinstance(systems, Mapping) or not systems:
            raise InvalidOption(
                "systems= maps names to label sets; for samples use Belief.samples, for probabilities Belief.marginals"
            )
        if not isinstance(weights, Mapping | None):
            raise InvalidOption(f"weights={weights!r} is not a mapping from systems to positive numbers")
        given = dict(weights or {})
        for name in given.keys() - systems.keys():
            raise InvalidOption(f"there is a weight of {name!r}, which is none of {', '.join(map(str, systems))}")
        named = by_text("systems", systems)
        sources = {name: LabelSets.of(data, rows=rows, source=name) for name, data in named.items()}
        sources = {name: side if side.source else replace(side, source=name) for name, side in sources.items()}
        return cls(sources, {str(name): _weight(name, given.get(name, 1)) for name in systems})

    @classmethod
    def samples(cls, samples: Any) -> Belief:
        """Several answers for each instance, all of them equally likely.

        Parameters
        ----------
        samples
            For each instance a list of label sets; or a mapping from instance ids to such lists.

        Examples
        --------
        >>> len(Belief.samples({"first": [["sheep"], []], "second": [["cow"]]}))
        2
        """
        ids = instance_ids(samples, "samples") if isinstance(samples, Mapping) else None
        rows = [list(own) for own in (samples.values() if isinstance(samples, Mapping) else samples)]
        for k, own in enumerate(rows):
            if not own:
                raise InvalidOption(
                    f"instance {k + 1 if ids is None else ids[k]!r} has no sample: give [[]] for an empty answer"
                )
        flat = LabelSets.of([answer for own in rows for answer in own], rows="sets", source="samples")
        return cls({"samples": flat}, first=pointers([len(own) for own in rows]), ids=ids)

    @classmethod
    def marginals(cls, scores: Any) -> Belief:
        """Probabilities of single classes.

        Parameters
        ----------
        scores
            ``ScoredSets``, or anything that they are made of, with scores from 0 to 1. A class that scores above an
            ancestor raises it to its own score; the notes of a decision say how often.
        """
        given = as_scores(scores)
        if given.values.size and not (given.values.min() >= 0 and given.values.max() <= 1):
            raise InvalidScores("marginals must be probabilities, but some scores are outside [0, 1]: calibrate them")
        return cls(ids=given.ids, scores=given)

    @classmethod
    def corpus(cls, label_sets: Any, rows: RowKind | None = None) -> Belief:
        """One instance that no one has looked at: all label sets of a corpus are equally likely.

        Parameters
        ----------
        label_sets
            True label sets, anything that ``LabelSets.of`` takes.
        rows
            As of ``systems``.
        """
        sets = LabelSets.of(label_sets, rows=rows, source="corpus")
        if not len(sets):
            raise InvalidOption("the corpus has no label set")
        return cls({"corpus": sets}, first=np.array([0, len(sets)]))

    def __len__(self) -> int:
        if self.scores is not None:
            return len(self.scores)
        return len(next(iter(self.sources.values()))) if self.first is None else len(self.first) - 1

    # ---- as class numbers

    def scenarios(self, h: Hierarchy) -> Scenarios:
        """The label sets of each instance and their masses, equal ones as one."""
        sources = list(self.sources.values())
        with without_advice():
            sets = Side.concatenate([_side(h, sources[0], other) for other in sources])
        if self.first is not None:
            return Scenarios(h, self.first, sets, np.ones(len(sets)), True).merged()
        count, size = len(sources), len(sources[0])
        order = (np.arange(size)[:, None] + size * np.arange(count)[None, :]).ravel()
        masses, exact = _masses(self.weights.values())
        first = np.arange(size + 1) * count
        return Scenarios(h, first, sets.take(order), np.tile(masses, size), exact).merged()

    def instance_ids(self) -> tuple[Label, ...] | None:
        """The names of the instances, if they have any."""
        if self.first is None and self.sources:
            return next(iter(self.sources.values())).ids
        return self.ids

    def votes(self, h: Hierarchy) -> Votes:
        """m_v of each class; scores are raised to those of descendants, and roots are independent, as in ``drawn``."""
        if self.scores is None:
            return self.scenarios(h).votes()
        with without_advice():
            scores, _ = self.scores.propagate(h).look_up(h)
        rows = entry_rows(scores.ptr)
        order = np.lexsort((scores.codes, rows))
        root = np.diff(h.parent_ptr)[scores.codes] == 0
        none = np.ones(len(scores))
        np.multiply.at(none, rows[root], 1 - scores.values[root])
        return Votes(scores.ptr, scores.codes[order], scores.values[order], 1 - none, np.ones(len(scores)))

    def raised(self, h: Hierarchy) -> int:
        """How many scores are below that of a descendant, and were raised to it."""
        if self.scores is None:
            return 0
        given, votes = self.scores.look_up(h)[0], self.votes(h)
        keys, known = (
            entry_rows(ptr) * len(h) + at for ptr, at in ((given.ptr, given.codes), (votes.ptr, votes.nodes))
        )
        return int(np.count_nonzero(votes.mass[np.searchsorted(known, keys)] > given.values))

    def drawn(self, h: Hierarchy, draws: int = DRAWS, seed: int = 0) -> tuple[Scenarios, float]:
        """Scenarios drawn from marginals, and the largest shortfall of a drawn share from its marginal.

        A root is in with m_v, any other class, given that all its parents are in, with m_v / min over parents of m. The
        label set is what is most specific of them.
        """
        votes, rng = self.votes(h), np.random.default_rng(seed)
        place = np.empty(len(h), np.int64)
        place[h.order] = np.arange(len(h))
        sides, shortfall = [Side(np.zeros(1, np.int64), np.empty(0, np.int32))], 0.0
        for row in range(len(votes.total)):
            mass = votes.of_row(row)
            inside: dict[int, Any] = {}
            for v in sorted(mass, key=lambda v: place[v]):
                parents = h.parent_idx[h.parent_ptr[v] : h.parent_ptr[v + 1]].tolist()
                least = min((mass.get(p, 0.0) for p in parents), default=1.0)
                inside[v] = rng.random(draws) < (mass[v] / least if least else 0.0)
                for p in parents:
                    inside[v] &= inside.get(p, False)
                shortfall = max(shortfall, mass[v] - float(inside[v].mean()))
            nodes = np.array(sorted(inside), np.int32)
            held = np.array([inside[v] for v in nodes.tolist()], np.bool_).reshape(nodes.size, draws).T
            sides.append(Side(pointers(held.sum(axis=1)), nodes[np.nonzero(held)[1]]))
        first, sets = np.arange(len(sides)) * draws, Side.concatenate(sides)
        labels = most_specific_classes(h, sets)
        return Scenarios(h, first, labels, np.ones(len(sets)), True).merged(), shortfall


def as_belief(data: Any, weights: Mapping[str, Any] | None, rows: RowKind | None) -> Belief:
    """A belief as it is, or that of systems."""
    if isinstance(data, Belief):
        if weights is not None or rows is not None:
            raise InvalidOption("weights= and rows= belong to Belief.systems, not to a belief that is made already")
        return data
    return Belief.systems(data, weights, rows)


def _side(h: Hierarchy, first: LabelSets, other: LabelSets) -> Side:
    """The label sets of a source as class numbers, in the order of the first."""
    try:
        return Batch.of(h, first, other).pred
    except MisalignedSides as error:
        if error.advice:  # an instance is missing
            raise MisalignedSides(f"{error.with_advice()}; give an empty label set where there is no answer") from None
        raise


def _weight(name: Any, value: Any) -> Fraction | float:
    if isinstance(value, int | Fraction | np.integer) and value is not True and value > 0:
        return Fraction(value if isinstance(value, Fraction) else int(value))
    if isinstance(value, float | np.floating) and 0 < value < math.inf:
        return float(value)
    shown = str(value) if isinstance(value, Fraction) else repr(value)
    raise InvalidOption(f"the weight {shown} of {name!r} is not a positive number")


def _masses(weights: Collection[Fraction | float]) -> tuple[Any, bool]:
    """Weights as integers, if all of them are exact; and whether they are."""
    fractions = [each for each in weights if isinstance(each, Fraction)]
    if len(fractions) < len(weights):
        masses = np.array([float(each) for each in weights])
        return masses if masses.max() < 1e300 else masses / masses.max(), False  # their sum is finite
    scale = math.lcm(*(each.denominator for each in fractions))
    whole = [int(each * scale) for each in fractions]
    if sum(whole) > LARGEST:
        raise InvalidOption("the weights have too large a common denominator to be exact: give floats")
    divisor = math.gcd(*whole)
    return np.array([each / divisor for each in whole]), True
