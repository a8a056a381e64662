"""Results as data: per-instance scores of systems by measures first, and what they were made from.

What is computed from results is cached as long as they live. Scores of two runs can be compared instance by instance
where both are of the same rows: ``Gold``, digests of true labels and ids, says so without the labels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Protocol, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

import numpy as np

from hemlp.arrays import FloatArray, IntArray, record, sorted_distinct
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.measures.averages import Average, average_scores
from hemlp.measures.derived import LENIENT
from hemlp.measures.factory import restore_measure
from hemlp.measures.instance_scores import Scores
from hemlp.optimize.program import Status
from hemlp.options import check_known
from hemlp.results.exact_sums import BucketSums
from hemlp.results.inputs import Inputs
from hemlp.results.merged_sums import MeasureSums
from hemlp.text.tables import as_frame, plural

Options = TypeVarTuple("Options")
Value = TypeVar("Value")


def cache_per_evaluation(function: Callable[[Results, *Options], Value]) -> Callable[[Results, *Options], Value]:
    """Cache a function of results and hashable options.

    All callers share the returned object and must not modify it.
    """
    cache: WeakKeyDictionary[Results, dict[Hashable, Value]] = WeakKeyDictionary()

    @wraps(function)
    def wrapper(results: Results, *options: *Options) -> Value:
        computed = cache.setdefault(results, {})
        if options not in computed:
            counted = {} if results.counted is None else results.counted.functions
            computed[options] = counted.get(function.__name__, function)(results, *options)
        return computed[options]

    return wrapper


@dataclass(frozen=True)
class Origin:
    """What is known of the data: how systems were cut from scores, names of instances, digests (those of a file), and
    how many roots the hierarchy has."""

    cuts: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[Label, ...] | None = None
    gold: Gold | None = None
    roots: int = 1


class Chunks(Protocol):
    """Scores that are not in memory."""

    def chunks(self, system: int) -> Iterator[Sequence[Scores]]:
        """The scores of a system by all measures, in parts of consecutive instances."""


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """Scores of systems × measures. ``facts`` counts, for each system, what was predicted and what was unknown.

    ``inputs`` are not kept in files: results that were read from one have their ``origin`` alone. ``stored``: where
    the scores are, if they are in a run folder and not in memory. ``sums``: by measure, what is left of the scores
    where a tally has merged so many of them that instances are not kept.
    """

    scores: Mapping[str, Mapping[str, Scores]]
    greater_is_better: Mapping[str, bool]
    facts: Mapping[str, Mapping[str, float]]
    inputs: Inputs | None = None
    stored: Chunks | None = None
    origin: Origin = field(default_factory=Origin)
    sums: Mapping[str, MeasureSums] | None = None
    counted: Counted | None = None

    def __post_init__(self) -> None:
        if self.inputs is not None:
            object.__setattr__(self, "origin", Origin(self.inputs.cuts, self.inputs.ids))

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""
        return list(self.scores)

    @property
    def measures(self) -> list[str]:
        """Names of the measures, as they were asked for."""
        return list(self.greater_is_better)

    @property
    def cuts(self) -> Mapping[str, str]:
        """How systems were cut from scores, in words, if they were."""
        return self.origin.cuts

    @property
    def ids(self) -> Sequence[Label] | None:
        """The names of the instances, if they have any."""
        return self.origin.ids

    def _of(self, system: str, measure: str) -> Scores:
        check_known("system", system, self.systems)
        check_known("measure", measure, self.measures)
        return self.scores[system][measure]

    def per_instance(self, system: str, measure: str, column: str | None = None) -> FloatArray:
        """One value per instance; ``column`` names another column than the measure itself.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        column
            For example "error" of a pair-based measure, "common" of a set-based one.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow"], {"A": ["cow", "cow"]}, ["F_H"])
        >>> ev.per_instance("A", "F_H", "common").tolist()
        [1.0, 2.0]
        """
        scores = self._of(system, measure)
        return scores.values if column is None else scores[column]

    def mean(self, system: str, measure: str, average: Average = "mean", *, lenient: bool = False) -> float:
        """The average over the instances on which the measure is defined; nan where it is defined on none.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        average
            "mean", or of set-based measures "micro" (sets are added up first), "of_means" (F from mean P and mean R)
            and "cafa" (the same, P over the instances that have a prediction), or "where_wrong" (the mean over the
            instances that are not perfect).
        lenient
            Where true classes may be too general (``evaluate(..., gold="at least")``): what is below one is no error.

        Raises
        ------
        InvalidOption, UndefinedScore
            If the measure has no such average, or there is nothing to average.

        Examples
        --------
        >>> from hemlp import Hierarchy, evaluate
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ev = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", []]}, ["F_H"])
        >>> [round(ev.mean("A", "F_H", average), 2) for average in ("mean", "micro", "of_means", "cafa", "where_wrong")]
        [0.5, 0.6, 0.5, 0.6, 0.25]
        """
        if lenient and measure in self.measures and measure + LENIENT not in self.measures:
            raise InvalidOption(f"there is no lenient mean of {measure}: evaluate(..., gold='at least') makes it")
        measure += LENIENT if lenient else ""
        scores = self._of(system, measure)
        if average == "mean":
            return scores.mean()
        inputs = self.inputs
        made = restore_measure(measure, scores.signature) if inputs is None else inputs.measures[measure]
        return average_scores(made, scores, average)

    def status(self, system: str, measure: str) -> dict[str, int]:
        """How many instances are optimal, how many fell back to a feasible solution, how many have none.

        Parameters
        ----------
        system, measure
            As they were called when they were evaluated.
        """
        return self._of(system, measure).status_counts()

    @property
    def fallbacks(self) -> int:
        """How many exact scores are not proved optimal."""
        return sum(each.fallbacks for of_system in self.scores.values() for each in of_system.values() if each.exact)

    def blocks(self, system: str) -> Iterator[Mapping[str, Scores]]:
        """The scores of a system in parts of consecutive instances, as they are kept."""
        if self.stored is None:
            yield self.scores[system]
            return
        for scores in self.stored.chunks(self.systems.index(system)):
            yield dict(zip(self.measures, scores, strict=True))

    def to_columns(self) -> dict[str, list[Any]]:
        """One row a system, measure and instance, with its id if it has one: what ``to_frame`` makes a frame of."""
        named = () if self.ids is None else ("id",)
        columns: dict[str, list[Any]] = {k: [] for k in ("system", "measure", "instance", *named, "value", "status")}
        for system in self.systems:
            for name in self.measures:
                scores = self.scores[system][name]
                columns["system"] += [system] * len(scores)
                columns["measure"] += [name] * len(scores)
                columns["instance"] += list(range(len(scores)))
                if self.ids is not None:
                    columns["id"] += self.ids
                columns["value"] += scores.values.tolist()
                columns["status"] += [str(Status(k)) for k in scores.statuses]
        return columns

    def to_frame(self, library: str = "pandas") -> Any:
        """The per-instance scores in long form as a frame of pandas or polars.

        Parameters
        ----------
        library
            "pandas" or "polars".
        """
        return as_frame(self.to_columns(), library)

    def __repr__(self) -> str:
        count = int(self.facts[self.systems[0]]["instances"])
        sizes = plural(len(self.systems), "system"), plural(len(self.measures), "measure"), plural(count, "instance")
        return f"{type(self).__name__}({', '.join(sizes)})"


@record
class Counted:
    """What a tally counted while the labels were at hand.

    ``functions`` stand for cached ones of the same name, ``inputs`` for the labels: they know the hierarchy and raise
    where labels are read. ``worst``: ids and scores by system and measure, where instances are not kept; ``named``:
    whether ids are names, and not rows. ``hits``: by system the sums of each measure for each of ``HIT_GROUPS``.
    """

    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    inputs: Inputs | None = None
    worst: Mapping[tuple[str, str], Sequence[tuple[Label, float]]] | None = None
    named: bool = True
    hits: Mapping[str, Sequence[Sequence[BucketSums]]] | None = None


def require_inputs(results: Results) -> Inputs:
    """The labels that were evaluated, or what was counted of them; an error where only scores are left."""
    inputs = results.inputs or (results.counted and results.counted.inputs)
    if not inputs:
        raise InvalidOption(
            "this evaluation was read from a file or made of a tally, which does not hold its labels: evaluate again, "
            "open a folder of results with its data (Evaluation.open(folder, hierarchy, true)), or count while scoring "
            "(Plan(..., diagnosis=True), then tally.finish(hierarchy=plan.hierarchy))"
        )
    return inputs


DIGITS = 32
"""Hexadecimal ones of a digest."""


@dataclass(frozen=True)
class Gold:
    """Digests of the true ``labels`` and, where instances have names, of their ``ids``."""

    labels: str
    ids: str | None = None


@cache_per_evaluation
def gold_of(ev: Results) -> Gold | None:
    """The digests of results; none where they were read from a file that has none."""
    if ev.inputs is None:
        return ev.origin.gold
    system, ids = ev.systems[0], ev.inputs.ids
    labels = ev.inputs.hierarchies[system].labels
    known = np.zeros((len(labels), 2), np.uint64)
    done = np.zeros(len(labels), np.bool_)
    sizes, members = hashlib.sha256(), hashlib.sha256()
    for _, batch in ev.inputs.blocks(system):
        classes, number = batch.true.classes, np.diff(batch.true.ptr)
        new = sorted_distinct(classes[~done[classes]])
        known[new] = _numbers(labels[c] for c in new.tolist())
        done[new] = True
        sizes.update(number.astype("<i8").tobytes())
        members.update(known[classes].astype("<u8").tobytes())  # sorted in each row, as labels are
    whole = hashlib.sha256(sizes.digest() + members.digest()).hexdigest()[:DIGITS]
    return Gold(whole, None if ids is None else hashlib.sha256(_numbers(ids).tobytes()).hexdigest()[:DIGITS])


def _numbers(labels: Iterable[Label]) -> IntArray:
    """Two numbers that stand for each label."""
    digests = (hashlib.blake2b(repr(label).encode("utf-8", "surrogatepass"), digest_size=16) for label in labels)
    found: IntArray = np.frombuffer(b"".join(each.digest() for each in digests), "<u8").reshape(-1, 2)
    return found
