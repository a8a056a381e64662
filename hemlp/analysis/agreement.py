"""Agreement of several annotators: Krippendorff's α = 1 − D_o / D_e with the error δ of any symmetric measure.

D_o = (1/n) Σ_i Σ δ / (m_i − 1) over ordered pairs of the m_i annotations of instance i, where n = Σ m_i and instances
with one annotation are left out; D_e is the mean of δ over all n (n − 1) ordered pairs (Krippendorff 2004). SDL needs
counts of classes alone; otherwise each pair of distinct label sets is scored once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp

from hemlp.analysis.similarity_matrix import score_all_pairs
from hemlp.analysis.statistics.resampling import Bootstrap, Units
from hemlp.arrays import FloatArray, IntArray, entry_rows, row_pointers
from hemlp.errors import InvalidOption, MisalignedSides, UndefinedScore, without_advice
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.label_sets import LabelSets, RowKind, instance_ids
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.measures.invariants import best
from hemlp.options import by_text
from hemlp.problems.closure.model import ClosureModel
from hemlp.text.tables import Interval, Table, plural

MAX_SETS = 4_000
"""Distinct label sets whose pairs are scored."""
WORST = 10
"""Instances that are listed."""


@dataclass(frozen=True, eq=False)
class _ByClass:
    """SDL: ``counts`` says how many annotations of an instance hold a class, which weighs ``weights``.

    ``observed``: Σ δ over ordered pairs of each instance's annotations; ``expected``: of all annotations of each
    resample, ``times`` (resamples × instances) being how often it draws each instance.
    """

    counts: sp.csr_matrix
    sizes: IntArray
    weights: FloatArray

    def observed(self) -> FloatArray:
        counts = self.counts
        others = self.sizes[entry_rows(counts.indptr)] - counts.data
        rest = sp.csr_matrix((others, counts.indices, counts.indptr), counts.shape)
        return np.asarray(2 * counts.multiply(rest) @ self.weights).ravel()

    def expected(self, times: FloatArray) -> FloatArray:
        held: FloatArray = np.asarray(times @ self.counts)
        total: FloatArray = times @ self.sizes
        sums: FloatArray = 2 * (held * (total[:, None] - held)) @ self.weights
        return sums


@dataclass(frozen=True, eq=False)
class _BySet:
    """Any measure: ``errors`` of all pairs of distinct sets; ``counts``: how often an instance has each set."""

    counts: sp.csr_matrix
    errors: FloatArray

    def observed(self) -> FloatArray:
        pairs = self.counts.multiply(self.counts @ self.errors).sum(axis=1)
        apart: FloatArray = np.asarray(pairs).ravel() - self.counts @ np.diagonal(self.errors)
        return apart

    def expected(self, times: FloatArray) -> FloatArray:
        held: FloatArray = times @ self.counts
        pairs: FloatArray = (held * (held @ self.errors)).sum(axis=1) - held @ np.diagonal(self.errors)
        return pairs


@dataclass(frozen=True, eq=False)
class Agreement:
    """How far annotators agree; 1 is perfect, 0 is what chance gives.

    ``annotations``: for each annotator the number of its label set for each instance, -1 where it is missing.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
    >>> a = agreement(h, {"A": ["sheep", "cow", "bird"], "B": ["sheep", "sheep", "bird"]}, "SDL")
    >>> round(a.alpha, 4), a.observed
    (0.6667, 0.6666666666666666)
    """

    measure: Measure
    hierarchy: Hierarchy
    batch: Batch
    annotations: Mapping[str, IntArray]
    ids: tuple[Label, ...]
    named: bool
    whole: Agreement | None = None
    """Of a part: all of it, which has scored the pairs of label sets."""

    @cached_property
    def _table(self) -> IntArray:
        """Annotators × instances; an instance that only one has annotated counts as not annotated at all."""
        table = np.array(list(self.annotations.values()))
        return np.where((table >= 0).sum(axis=0) > 1, table, -1)

    @cached_property
    def _sizes(self) -> IntArray:
        sizes: IntArray = (self._table >= 0).sum(axis=0)
        return sizes

    @cached_property
    def _sums(self) -> _ByClass | _BySet:
        _, instances = np.nonzero(self._table >= 0)
        sets = self._table[self._table >= 0]
        counts = sp.csr_matrix((np.ones(sets.size), (instances, sets)), (len(self.ids), len(self.batch)))
        held, weights = (self.whole or self)._held
        if held is not None:
            return _ByClass(sp.csr_matrix(counts @ held), self._sizes, weights)
        used = np.unique(sets)
        known = used if self.whole is None else np.unique(self.whole._table[self.whole._table >= 0])
        if self.whole is None or known.size > MAX_SETS:
            return _BySet(sp.csr_matrix(counts[:, used]), self._errors(used))
        assert isinstance(self.whole._sums, _BySet)
        at = np.searchsorted(known, used)
        return _BySet(sp.csr_matrix(counts[:, used]), self.whole._sums.errors[np.ix_(at, at)])

    @cached_property
    def _held(self) -> tuple[Any, FloatArray]:
        """Which classes the closure of each label set holds, and what they weigh; None unless the measure is SDL."""
        model, fields = self.measure.model(self.batch), self.measure.fields
        sums_classes = fields.get("augment") == "ancestors" and fields.get("score") == "difference"
        if not (sums_classes and isinstance(model, ClosureModel)):
            return None, np.empty(0)
        ptr, nodes, members = model.closures()
        inside = (members & 1) > 0
        first = row_pointers(entry_rows(ptr)[inside], len(self.batch))
        shape = len(self.batch), len(model.weights)
        return sp.csr_matrix((np.ones(first[-1]), nodes[inside], first), shape), np.asarray(model.weights, np.float64)

    def _errors(self, used: IntArray) -> FloatArray:
        """The error of each pair of these sets."""
        if used.size > MAX_SETS:
            raise InvalidOption(
                f"{used.size:,} distinct label sets have {used.size**2:,} pairs, too many to score ({MAX_SETS:,} sets "
                f"at most): take SDL, which needs no pairs, or fewer instances"
            )
        scores = score_all_pairs(self.measure, self.batch.take(used), "error")
        return best(self.measure) - scores if self.measure.greater_is_better else scores

    @cached_property
    def _observed(self) -> FloatArray:
        """Σ δ / (m_i − 1) of each instance."""
        sums: FloatArray = self._sums.observed() / np.maximum(self._sizes - 1, 1)
        return sums

    def _alphas(self, times: FloatArray) -> FloatArray:
        """α of each resample; 1 where all annotations are equal, nan without any."""
        with np.errstate(invalid="ignore", divide="ignore"):
            total = times @ self._sizes
            observed = times @ self._observed / total
            expected = self._sums.expected(times) / (total * (total - 1))
            return np.where(expected == 0, np.where(total > 0, 1.0, math.nan), 1 - observed / expected)

    @cached_property
    def alpha(self) -> float:
        """Krippendorff's α; 1 where all annotations are equal."""
        self._check_annotated()
        return self._alpha

    def _check_annotated(self) -> None:
        if not self._number:
            raise UndefinedScore("no instance has two annotations, so agreement is undefined")

    @property
    def _alpha(self) -> float:
        """α, nan where it is undefined."""
        return float(self._alphas(np.ones((1, len(self.ids))))[0]) if self._number else math.nan

    @property
    def _number(self) -> int:
        """How many instances have at least two annotations."""
        return int((self._sizes > 0).sum())

    @cached_property
    def observed(self) -> float:
        """The observed disagreement: the mean error of two annotations of an instance."""
        self._check_annotated()
        return math.fsum(self._observed.tolist()) / int(self._sizes.sum())

    @cached_property
    def interval(self) -> Interval:
        """The 95% interval of α, by 1,000 resamples of the instances."""
        kept = np.flatnonzero(self._sizes)
        units = Units(kept.size, [self.ids[k] for k in kept] if self.named else None)
        bootstrap = Bootstrap(units)
        times = np.zeros((bootstrap.resamples, units.number))
        for resamples, part, counts in bootstrap.counts():
            times[resamples, part] = counts
        whole = np.zeros((bootstrap.resamples, len(self.ids)))
        whole[:, kept] = times[:, units.members]
        return Interval.of(self._alphas(whole))

    def of(self, annotators: Iterable[str] | None = None, instances: Iterable[int] | None = None) -> Agreement:
        """Of some annotators, by their names, or on some instances alone, by their numbers from 0; None for all."""
        names = list(self.annotations) if annotators is None else list(annotators)
        rows = np.arange(len(self.ids)) if instances is None else np.array(list(instances), np.int64)
        kept = {name: self.annotations[name][rows] for name in names}
        return replace(self, annotations=kept, ids=tuple(self.ids[k] for k in rows), whole=self.whole or self)

    @cached_property
    def _pairs(self) -> list[list[Any]]:
        parts = {pair: self.of(pair) for pair in combinations(self.annotations, 2)}
        return [[*pair, two._number, two._alpha] for pair, two in parts.items()]

    def pairs(self) -> Table:
        """α of each pair of annotators, and on how many instances."""
        return Table(["annotator", "other", "instances", "alpha"], self._pairs)

    def matrix(self) -> Table:
        """α of each pair of annotators, as a square table."""
        alphas = {frozenset(row[:2]): row[3] for row in self._pairs}
        names = list(self.annotations)
        rows = [[one, *(alphas.get(frozenset((one, other)), 1.0) for other in names)] for one in names]
        return Table(["annotator", *names], rows)

    def instances(self, number: int = WORST) -> Table:
        """The ``number`` of instances on which annotators disagree most: the mean error of two annotations."""
        sizes = self._sizes
        means = self._observed / np.maximum(sizes, 1)
        order = np.lexsort((np.arange(means.size), -means))[:number]
        head = "id" if self.named else "instance"
        shown = [self.ids[k] if self.named else k + 1 for k in order]
        rows = [[name, int(sizes[k]), float(means[k])] for name, k in zip(shown, order, strict=True) if sizes[k]]
        note = f"disagreement: mean error of two annotations of the instance, by {self.measure.display_name}"
        return Table([head, "annotations", "disagreement"], rows, [note])

    def branches(self, level: int = 1) -> Table:
        """α within each branch of a level (0 for the roots): on the instances of which some annotation is in it."""
        h, rows = self.hierarchy, []
        if level > (deepest := int(h.unit_depths.max())):
            raise InvalidOption(f"branches of level {level}: the deepest level is {deepest} (roots are at 0)")
        ptr, nodes, members = ClosureModel("", self.batch, "up", np.ones(len(h) + 1)).closures()
        for c in np.flatnonzero(h.unit_depths == level).tolist():
            sets = np.unique(entry_rows(ptr)[(nodes == c) & ((members & 1) > 0)])
            there = np.flatnonzero(np.isin(self._table, sets).any(axis=0))
            if there.size:
                part = self.of(instances=there.tolist())
                rows.append([h.labels[c], part._number, part._alpha])
        note = "instances: those with an annotation in the branch"
        return Table(["branch", "instances", "alpha"], sorted(rows, key=lambda row: -row[1]), [note])

    def levels(self) -> Table:
        """α of the classes of each depth: SDL of closures that are restricted to them; for other measures an error."""
        sums = self._sums
        if not isinstance(sums, _ByClass):
            raise InvalidOption(f"agreement by level is defined for SDL only, not for {self.measure.display_name}")
        depths, rows = self.hierarchy.unit_depths, []
        for level in range(int(depths.max()) + 1):
            weights = np.zeros_like(sums.weights)
            weights[: depths.size] = np.where(depths == level, sums.weights[: depths.size], 0.0)
            part = replace(self)
            part.__dict__["_sums"] = replace(sums, weights=weights)
            rows.append([level, part.alpha])
        return Table(["level", "alpha"], rows, ["level: the fewest edges up to a root"])

    def table(self) -> Table:
        """α with its interval, for all annotators and for each of them left out."""
        low, high = self.interval
        rows = [["all", self.alpha, f"[{low:.4f}, {high:.4f}]"]]
        for name in self.annotations if len(self.annotations) > 2 else ():
            rows.append([f"without {name}", self.of(each for each in self.annotations if each != name)._alpha, ""])
        notes = [
            f"Krippendorff's α with {self.measure.display_name}, {plural(len(self.annotations), 'annotator')}, "
            f"{plural(self._number, 'instance')} with at least two annotations",
            "1: perfect agreement, 0: what chance gives; 95%: the interval from 1,000 resamples of the instances",
            self.measure.signature,
        ]
        return Table(["annotators", "alpha", "95%"], rows, notes)

    def __str__(self) -> str:
        return str(self.table())

    def __repr__(self) -> str:
        annotators = plural(len(self.annotations), "annotator")
        return f"Agreement({self.measure.display_name}, {annotators}, {plural(self._number, 'instance')})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "alpha": self.alpha, "interval": list(self.interval), "observed": self.observed,
            "measure": self.measure.signature, "annotators": list(self.annotations), "pairs": self.pairs().rows,
        }  # fmt: skip


def agreement(
    hierarchy: Any, annotators: Mapping[str, Any], measure: str | Measure = "SDL", *, rows: RowKind | None = None
) -> Agreement:
    """Krippendorff's α of several annotators, or systems, with the error of a symmetric measure.

    Parameters
    ----------
    hierarchy
        Anything that ``Hierarchy.of`` takes.
    annotators
        The label sets of each, anything that ``LabelSets.of`` takes. With ids (a dict id → labels) an absent id is a
        missing annotation; without ids it is None in a list. An empty set is an annotation like any other.
    measure
        One that exchanging the two sides does not change: SDL, F_H, GIE, F_LCA, ...
    rows
        Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.

    Raises
    ------
    InvalidOption
        If the measure is not symmetric, or there are fewer than two annotators.
    UndefinedScore
        By ``alpha`` and ``observed``, where no instance has two annotations.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> agreement(h, {"A": {1: ["sheep"], 2: ["cow"]}, "B": {1: ["sheep"], 2: ["cow"], 3: []}}, "SDL").alpha
    1.0
    """
    own = as_measure(measure)
    if not isinstance(annotators, Mapping) or len(annotators) < 2:
        raise InvalidOption("agreement needs at least two annotators, each with label sets, or a file, of its own")
    if "symmetric" not in own.invariants or not math.isfinite(best(own)):
        raise InvalidOption(f"{own.display_name} is not symmetric: agreement needs SDL, F_H, GIE or another that is")
    h = Hierarchy.of(hierarchy)
    annotators = by_text("annotators", annotators)
    sides = {}
    for name, given in annotators.items():
        filled = [[] if row is None else row for row in given] if isinstance(given, list | tuple) else given
        sides[name] = LabelSets.of(filled, rows=rows, source=f"annotations of {name}")
    bare = [str(side.source) for side in sides.values() if side.ids is None]
    if 0 < len(bare) < len(sides):
        lack = ", ".join(bare)
        raise MisalignedSides(f"some annotators have ids of instances and some have none: give ids to {lack}")
    if bare and len({len(side) for side in sides.values()}) > 1:
        lengths = ", ".join(f"{name} {len(side):,}" for name, side in sides.items())
        raise MisalignedSides(
            f"the annotators have different numbers of rows ({lengths}): give ids, or None for missing"
        )
    ids: dict[Label, int] = {}
    for side in sides.values():
        for each in range(len(side)) if side.ids is None else side.ids:
            ids.setdefault(each, len(ids))
    if not bare:
        instance_ids(ids, "annotations")
    parts, places, start = [], {}, 0
    for name, side in sides.items():
        with without_advice():
            parts.append(Batch.of(h, side, side))
        place = np.full(len(ids), -1, np.int64)
        rows_of = [ids[each] for each in (range(len(side)) if side.ids is None else side.ids)]
        place[rows_of] = start + np.arange(len(side))
        if isinstance(annotators[name], list | tuple):
            place[[k for k, row in enumerate(annotators[name]) if row is None]] = -1
        places[name] = place
        start += len(side)
    batch = Batch.concatenate(parts)
    first = batch.first_duplicates()
    table = {name: np.where(place >= 0, first[place], -1) for name, place in places.items()}
    return Agreement(own, h, batch, table, tuple(ids), not bare)
