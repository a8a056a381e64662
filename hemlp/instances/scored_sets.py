"""Scored predictions as users give them: classes of each instance with finite scores.

>>> s = ScoredSets.of([{"sheep": 0.9, "cow": 0.4}, {"cow": 0.7}])
>>> list(s.at(0.5)), list(s.top(1))
([('sheep',), ('cow',)], [('sheep',), ('cow',)])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from io import IOBase
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hemlp.arrays import FloatArray, IntArray, as_numpy, entry_rows, pointers, row_pointers
from hemlp.errors import Advice, InvalidOption, InvalidScores
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_order
from hemlp.instances.batch import Batch, Policies, UnknownPolicy
from hemlp.instances.label_sets import LabelSets, Scored, instance_ids
from hemlp.instances.thresholds import as_threshold, class_thresholds
from hemlp.io.frames import collect_query, column_names
from hemlp.options import check_choice
from hemlp.text.display import FIRST_ROWS, HtmlDisplay, abbreviate
from hemlp.text.tables import Table, plural

if TYPE_CHECKING:
    from hemlp.instances.score_digest import Digests

Repeated = Literal["error", "max"]
ANYWAY = Advice("repeated", "max", "to take the greatest score")


@runtime_checkable
class CutRule(Protocol):
    """A rule that cuts scores to label sets, as ``hemlp.tune`` chooses it."""

    def kept(self, s: ScoredSets, /) -> NDArray[np.bool_]:
        """Which scored classes are predicted."""

    def rule(self, s: ScoredSets, /) -> str:
        """How ``s`` is cut, in words."""


@dataclass(frozen=True, eq=False, repr=False)
class ScoredSets(Scored, HtmlDisplay):
    """Scored classes of each instance: ``vocabulary[c]`` has the score ``values[k]``, for c = ``codes[k]`` and k from
    ``ptr[i]`` to ``ptr[i + 1]``, greatest score first and ties in the order of labels.

    ``ids``, ``source`` and ``lines`` as of ``LabelSets``. ``repeated``: what is done where a class has two scores in
    one instance, as it can come about with two names of one class.
    """

    vocabulary: tuple[Label, ...]
    ptr: IntArray
    codes: IntArray
    values: FloatArray
    ids: tuple[Label, ...] | None = None
    source: str | None = None
    lines: IntArray | None = None
    repeated: Repeated = "error"

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        labels: Sequence[Label] | None = None,
        ids: Sequence[Label] | None = None,
        id: str | None = None,
        label: str | None = None,
        score: str | None = None,
        repeated: Repeated = "error",
        source: str | None = None,
    ) -> ScoredSets:
        """Make scored sets from any supported data.

        - a list with, for each instance, a mapping label → score or a list of (label, score) pairs;
        - a mapping instance id → the same;
        - a matrix, as ``predict_proba`` gives it, dense or scipy sparse, with ``labels=`` naming its columns; of a
          sparse one only what is stored is a score;
        - a frame, or a dict of columns, one row a score, with the columns id, label and score, or those that ``id=``,
          ``label=`` and ``score=`` name.

        Parameters
        ----------
        data
            One of these.
        labels
            The classes of the columns of a matrix.
        ids
            The names of the instances, where the data has none.
        id, label, score
            The columns of a frame.
        repeated
            Two scores of one class in one instance are an "error", or the greatest counts ("max").
        source
            Where the data comes from, for messages.

        Raises
        ------
        InvalidScores
            If a score is missing or not finite, or the data has no reading as scores.

        Examples
        --------
        >>> ScoredSets.of([[0.9, 0.1], [0.2, 0.8]], labels=["sheep", "cow"])
        ScoredSets(2 instances, 4 scores)
        >>> ScoredSets.of({"first": {"sheep": 0.9}, "second": {}}).ids
        ('first', 'second')
        """
        if isinstance(data, ScoredSets):
            return data
        from hemlp.instances.formats.matrices import scores_from_matrix
        from hemlp.instances.formats.score_lists import from_rows
        from hemlp.instances.formats.score_tables import from_columns

        check_choice("repeated", repeated, ("error", "max"))
        if isinstance(data, str | bytes | PathLike | IOBase):
            raise InvalidScores(f"{data!r:.80} is a file or a text: read a file with hemlp.read_scores(path)")
        data, names = as_numpy(collect_query(data)), None if ids is None else instance_ids(ids, source)
        if labels is not None:
            return scores_from_matrix(data, labels, names, repeated, source)
        table = column_names(data) is not None or (isinstance(data, Mapping) and {"label", "score"} <= data.keys())
        if table or id or label or score:
            if names is not None:
                raise InvalidScores("ids= names the rows of a list or a matrix; a frame has a column of them, id=")
            return from_columns(data, (id, label, score), repeated, source)
        if hasattr(data, "tocsr") or (getattr(data, "ndim", 1) == 2 and data.dtype.kind in "biuf"):
            raise InvalidScores("a matrix of scores needs labels=, the class of each column")
        if isinstance(data, Mapping):
            if names is not None:
                raise InvalidScores("a mapping has its ids already: leave ids= out")
            names, data = instance_ids(data, source), data.values()
        if data is None or not isinstance(data, Iterable) or isinstance(data, Set):
            raise InvalidScores(
                f"{data!r:.80} holds no scores: give a list with one mapping label → score per instance"
            )
        return from_rows(data, names, repeated, source)

    @classmethod
    def from_entries(
        cls, vocabulary: Sequence[Label], rows: IntArray, codes: Any, values: Any, size: int,
        ids: tuple[Label, ...] | None, source: str | None, lines: IntArray | None, repeated: Repeated,
    ) -> ScoredSets:  # fmt: skip
        """Make scored sets from entries (row, class, score), in any order."""
        codes, values = np.asarray(codes, np.int32), np.asarray(values, np.float64)
        if not np.isfinite(values).all():
            k = int(np.flatnonzero(~np.isfinite(values))[0])
            at = np.array([k])
            one = cls(tuple(vocabulary), row_pointers(rows[at], size), codes[at], values[at], ids, source,
                      None if lines is None else lines[at])  # fmt: skip
            kind = "missing (not a number)" if np.isnan(values[k]) else "infinite"
            raise InvalidScores(f"{one.place(0)}: the score of {vocabulary[codes[k]]!r} is {kind}")
        from hemlp.kernels.ranking.by_score import by_score

        rank = np.empty(len(vocabulary), np.int64)
        one_type = len({*map(type, vocabulary)}) == 1  # then labels compare by themselves, which is faster
        key = vocabulary.__getitem__ if one_type else lambda c: label_order(vocabulary[c])
        rank[sorted(range(len(vocabulary)), key=key)] = np.arange(len(vocabulary))
        grouped = bool((rows[1:] >= rows[:-1]).all())
        order = np.arange(rows.size) if grouped else np.argsort(rows, kind="stable")
        ptr = row_pointers(rows, size)
        by_score(ptr, order, values, codes, rank)
        made = cls(tuple(vocabulary), ptr, codes[order], values[order],
                    ids, source, None if lines is None else lines[order], repeated)  # fmt: skip
        return made.without_repeats(made.codes)

    def without_repeats(self, classes: IntArray) -> ScoredSets:
        """Keep each class once per row, by its first score, or raise an error; ``classes``: those of the entries."""
        from hemlp.kernels.ranking.by_score import has_repeats

        if not has_repeats(self.ptr, classes):
            return self
        rows = entry_rows(self.ptr)
        order = np.lexsort((classes, rows))  # stable: of one class the greatest score comes first
        again = np.zeros(rows.size, np.bool_)
        again[order[1:]] = (rows[order[1:]] == rows[order[:-1]]) & (classes[order[1:]] == classes[order[:-1]])
        if self.repeated == "error":
            k = int(np.flatnonzero(again)[0])
            first = int(np.flatnonzero((rows == rows[k]) & (classes == classes[k]))[0])
            name, other = (self.vocabulary[self.codes[at]] for at in (k, first))
            what = f"{name!r} is scored twice" if name == other else f"{name!r} and {other!r} are names of one class"
            both = f"{self.values[first]:g} and {self.values[k]:g}"
            raise InvalidScores(f"{self.place(k)}: {what} ({both})").with_advice(ANYWAY)
        return self.select(~again)

    def select(self, kept: IntArray) -> ScoredSets:
        """The entries that are ``kept``; all instances stay."""
        rows = entry_rows(self.ptr)[kept]
        lines = None if self.lines is None else self.lines[kept]
        ptr = row_pointers(rows, len(self))
        return replace(self, ptr=ptr, codes=self.codes[kept], values=self.values[kept], lines=lines)

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, i: int) -> dict[Label, float]:
        if not -len(self) <= i < len(self):
            raise IndexError(f"instance {i} of {len(self)}")
        part = slice(self.ptr[i % len(self)], self.ptr[i % len(self) + 1])
        names = (self.vocabulary[c] for c in self.codes[part])
        return dict(zip(names, self.values[part].tolist(), strict=True))

    def __iter__(self) -> Iterator[dict[Label, float]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"ScoredSets({plural(len(self), 'instance')}, {plural(self.values.size, 'score')})"

    def _html_parts(self) -> Iterator[Table]:
        ids = range(len(self)) if self.ids is None else self.ids
        best = (sorted(self[i].items(), key=lambda item: -item[1]) for i in range(min(len(self), FIRST_ROWS)))
        rows = [
            [str(ids[i]), abbreviate(f"{label} {score:.3g}" for label, score in items)] for i, items in enumerate(best)
        ]
        yield Table(["instance" if self.ids is None else "id", "greatest scores"], rows)

    def place(self, position: int) -> str:
        """The file and row, counted from 1, of the score at ``position``."""
        return self.sets.place(position)

    @cached_property
    def sets(self) -> LabelSets:
        """All scored classes, whatever their scores."""
        return LabelSets(self.vocabulary, self.ptr, self.codes, self.ids, self.source, self.lines)

    # ---- to label sets

    def at(self, threshold: float | Mapping[Label, float] | CutRule, *, default: float | None = None) -> LabelSets:
        """The classes whose score is at least the threshold.

        Parameters
        ----------
        threshold
            One for all classes, one for each class, or the result of ``hemlp.tune``.
        default
            The threshold of classes that a mapping does not name. Without it such a class is an error.

        Examples
        --------
        >>> s = ScoredSets.of([{"sheep": 0.9, "cow": 0.4}])
        >>> list(s.at(0.4)), list(s.at({"sheep": 1.0, "cow": 0.1}))
        ([('sheep', 'cow')], [('cow',)])
        """
        if isinstance(threshold, CutRule):
            if default is not None:
                raise InvalidOption("default= is for a mapping class → threshold: what was tuned has its own")
            return replace(self.select(threshold.kept(self)).sets, scores=self, cut=threshold.rule(self))
        if isinstance(threshold, Mapping):
            least = class_thresholds(self, threshold, default)[self.codes]
        else:
            if default is not None:
                raise InvalidOption("default= is for a mapping class → threshold")
            least = np.full(self.codes.size, as_threshold(threshold))
        return replace(self.select(self.values >= least).sets, scores=self, cut=self._rule(threshold))

    def _rule(self, threshold: float | Mapping[Label, float]) -> str:
        """How ``at`` cuts, in words."""
        if isinstance(threshold, Mapping):
            return "classes whose score is at least the threshold of the class"
        return f"classes whose score is at least {as_threshold(threshold)!r}"

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the scores, whatever the order of instances."""
        from hemlp.instances.score_digest import fingerprint

        return fingerprint(self)

    @cached_property
    def row_digests(self) -> Digests | None:
        """A digest of the id and scores of each instance with scores; None without ids."""
        from hemlp.instances.score_digest import row_digests

        return row_digests(self)

    def top(self, k: int) -> LabelSets:
        """The k classes of each instance with the greatest scores, or all where there are fewer; ties by label.

        Parameters
        ----------
        k
            How many.

        Examples
        --------
        >>> list(ScoredSets.of([{"b": 0.5, "a": 0.5, "c": 0.9}]).top(2))
        [('c', 'a')]
        """
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidOption(f"the number of classes is an integer of at least 1, not {k!r}")
        rule = f"the {k} greatest scores of an instance" if k > 1 else "the greatest score of an instance"
        return replace(self.first(k).sets, scores=self, cut=rule)

    def first(self, k: int) -> ScoredSets:
        """The k greatest scores of each instance, or all where there are fewer."""
        return self.select(self.ranks < k)

    @property
    def ranks(self) -> IntArray:
        """The rank of each score in its instance, from 0."""
        ranks: IntArray = np.arange(self.codes.size) - np.repeat(self.ptr[:-1], np.diff(self.ptr))
        return ranks

    # ---- other scores

    def propagate(self, hierarchy: Hierarchy, *, unknown: UnknownPolicy = "error") -> ScoredSets:
        """Score every ancestor of a scored class: by the greatest of its own score and those below it.

        That changes no closure: at any threshold the classes above it have the same ancestors as before.

        Parameters
        ----------
        hierarchy
            What is above a class.
        unknown
            Classes that it does not have are an "error", are left out ("drop"), or are related to nothing ("isolate").

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> ScoredSets.of([{"sheep": 0.9, "animal": 0.2}]).propagate(h)[0]
        {'animal': 0.9, 'sheep': 0.9}
        """
        from hemlp.kernels.ranking.sweep import reached
        from hemlp.kernels.records import Rows

        known, h = self.look_up(hierarchy, unknown)
        ptr, nodes, first = reached(Rows(h.parent_ptr, h.parent_idx), Rows(known.ptr, known.codes))
        rows = entry_rows(ptr)
        lines = None if known.lines is None else known.lines[first]
        return ScoredSets.from_entries(
            h.labels, rows, nodes, known.values[first], len(self), self.ids, self.source, lines, self.repeated
        )

    def look_up(self, hierarchy: Hierarchy, unknown: UnknownPolicy = "error") -> tuple[ScoredSets, Hierarchy]:
        """The sets with the classes of a hierarchy as vocabulary, and that hierarchy with isolated classes."""
        nothing = LabelSets((), np.zeros(len(self) + 1, np.int64), np.empty(0, np.int32), self.ids)
        batch = Batch.over(hierarchy, nothing, self.sets, Policies(unknown))
        return self.over(batch.hierarchy), batch.hierarchy

    def ranking(self, h: Hierarchy, known: Hierarchy) -> tuple[IntArray, IntArray]:
        """Pointers and classes of ``h``, greatest score first; labels that ``known`` lacks are left out."""
        coded = self.over(h, known)
        return coded.ptr, coded.codes

    def over(self, h: Hierarchy, among: Hierarchy | None = None) -> ScoredSets:
        """The sets with the classes of a hierarchy as vocabulary; labels that it (or ``among``) lacks are left out."""
        of_label = h.numbers(self.vocabulary)
        if among is not None and among is not h:
            of_label[among.numbers(self.vocabulary) < 0] = -1
        numbers = of_label[self.codes].astype(np.int32)
        known = self if numbers.min(initial=0) >= 0 else self.select(numbers >= 0)
        numbers = numbers[numbers >= 0]
        if all(number < 0 or h.labels[number] == name for number, name in zip(of_label, self.vocabulary, strict=True)):
            return replace(known, vocabulary=h.labels, codes=numbers)  # no aliases: nothing else changes
        named = known.without_repeats(numbers)
        codes = h.numbers(named.vocabulary)[named.codes].astype(np.int32)
        rows = entry_rows(named.ptr)
        return ScoredSets.from_entries(
            h.labels, rows, codes, named.values, len(named), self.ids, self.source, named.lines, self.repeated
        )

    def take(self, ids: Iterable[Label]) -> ScoredSets:
        """The instances with these ids, in this order; a missing one has no scores.

        Parameters
        ----------
        ids
            Names of instances.

        Examples
        --------
        >>> list(ScoredSets.of({"first": {"sheep": 0.9}, "second": {"cow": 0.3}}).take(["second", "third"]))
        [{'cow': 0.3}, {}]
        """
        names = tuple(ids)
        if self.ids is None:
            raise InvalidOption("these scores have no instance ids to be taken by")
        place = {name: k for k, name in enumerate(self.ids)}
        rows = np.fromiter((place.get(name, -1) for name in names), np.int64, len(names))
        return replace(self.take_rows(rows), ids=names)

    def take_rows(self, rows: IntArray) -> ScoredSets:
        """The instances with these numbers, in this order, without ids; -1 is one without scores."""
        lengths = np.where(rows >= 0, np.diff(self.ptr)[rows], 0) if len(self) else np.zeros(rows.size, np.int64)
        ptr = pointers(lengths)
        at = np.repeat(self.ptr[rows] - ptr[:-1], lengths) + np.arange(ptr[-1]) if len(self) else ptr[:0]
        lines = None if self.lines is None else self.lines[at]
        return replace(self, ptr=ptr, codes=self.codes[at], values=self.values[at], lines=lines, ids=None)
