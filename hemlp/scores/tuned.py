"""Thresholds that were chosen on data, and on which."""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from hemlp.arrays import FloatArray
from hemlp.errors import FileFormatError, InvalidOption, MisalignedSides
from hemlp.escaping import json_text
from hemlp.hierarchy.labels import Label
from hemlp.io.files import write_text
from hemlp.io.text import decode, file_reader, read_bytes
from hemlp.scores.fingerprints import Digests
from hemlp.scores.sets import ScoredSets
from hemlp.text.words import many

By = Literal["all", "level", "class"]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned:
    """Thresholds for ``ScoredSets.at``, chosen by a measure.

    ``threshold``: the one of all classes; ``thresholds``: those of classes that have another, infinite where a class is
    never predicted. ``value``: of the measure on the ``instances`` of ``source`` that they were chosen on, which is
    optimistic. With ``folds`` (thresholds chosen without the instances of each fold, ``fold_of``) it is
    cross-validated, and these thresholds are for that data alone. ``data``: the fingerprint of the scores that they
    were chosen on, and ``rows``: digests of its instances, if these are known.

    Examples
    --------
    >>> from hemlp import Hierarchy, tune
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> t = tune(h, ["sheep", "cow"], [{"sheep": 0.9, "cow": 0.3}, {"cow": 0.6}], "F_H")
    >>> t
    Tuned(0.6 by F_H, chosen on 2 instances of predictions: 1.0000 there, optimistic)
    >>> list(ScoredSets.of([{"sheep": 0.5, "cow": 0.7}]).at(t))
    [('cow',)]
    """

    measure: str
    by: By
    threshold: float
    value: float
    instances: int
    source: str
    thresholds: Mapping[Label, float] = field(default_factory=dict)
    folds: Sequence[Tuned] = ()
    fold_of: Mapping[Label, int] = field(default_factory=dict)
    data: str | None = None
    rows: Digests | None = None

    def thresholds_for(self, s: ScoredSets) -> FloatArray:
        """The threshold of each score."""
        if not self.folds:
            own = np.array([self.thresholds.get(label, self.threshold) for label in s.vocabulary], np.float64)
            return own[s.codes] if s.codes.size else np.empty(0)
        names: Sequence[Label] = range(len(s)) if s.ids is None else s.ids
        for name in names:
            if name not in self.fold_of:
                raise MisalignedSides(
                    f"instance {name!r} is in no fold: thresholds that are chosen by folds are for the data that they "
                    f"were chosen on. Take its instances with s.take(ids), or tune without folds for other data"
                )
        fold = np.repeat([self.fold_of[name] for name in names], np.diff(s.ptr)).astype(np.int64)
        by_fold = np.stack([each.thresholds_for(s) for each in self.folds])
        found: FloatArray = by_fold[fold, np.arange(fold.size)]
        return found

    def rule(self, s: ScoredSets) -> str:
        """How ``s`` is cut, in words: by which thresholds, and on what data these were chosen."""
        data = f"{many(self.instances, 'instance')} of {self.source}"
        told = f"threshold {self._told(repr)}, tuned by {self.measure}"
        if self.folds:
            return f"{told}, cross-validated in {len(self.folds)} folds of {data} ({self.value:.4f} there)"
        return f"{told} on {data} ({self.value:.4f} there){self._flattering(s)}"

    def _flattering(self, s: ScoredSets) -> str:
        """Whether ``s`` is the data that thresholds were chosen on, or has instances of it with the same scores."""
        if self.data == s.fingerprint:
            return ", the data that is evaluated: optimistic"
        if self.rows is None or s.row_digests is None:
            return ""
        shared = np.intersect1d(self.rows, s.row_digests, assume_unique=True).size
        are = "is" if shared == 1 else "are"
        return f", {shared:,} of which {are} evaluated, too: optimistic" if shared else ""

    def __repr__(self) -> str:
        data = f"{many(self.instances, 'instance')} of {self.source}"
        how, end = f"{self._told('{:g}'.format)} by {self.measure}", f"{data}: {self.value:.4f} there"
        if self.folds:
            return f"Tuned({how}, chosen without each of {len(self.folds)} folds of {end}, cross-validated)"
        return f"Tuned({how}, chosen on {end}, optimistic)"

    def _told(self, shown: Callable[[float], str]) -> str:
        """Which thresholds: of folds the least to the greatest, else the one that is shared, and how many others."""
        by = "" if self.by == "all" else f" by {self.by}"
        if self.folds:
            found = [value for each in self.folds for value in (each.threshold, *each.thresholds.values())]
            return " to ".join(shown(value) for value in sorted({min(found), max(found)})) + by
        others = len(set(self.thresholds.values()))
        more = f" and {many(others, 'other')}" if others else ""
        return f"{shown(self.threshold)}{more}{by}"

    # ---- to files and back

    def to_dict(self) -> dict[str, Any]:
        """As plain values; an infinite threshold is None."""
        digests = None if self.rows is None else b64encode(self.rows.astype("<u8").tobytes()).decode()
        return {
            "hemlp": "tuned", "measure": self.measure, "by": self.by, "threshold": self.threshold, "value": self.value,
            "instances": self.instances, "source": self.source,
            "thresholds": [[label, None if math.isinf(v) else v] for label, v in self.thresholds.items()],
            "folds": [each.to_dict() for each in self.folds], "fold_of": [list(pair) for pair in self.fold_of.items()],
            "data": self.data, "rows": digests,
        }  # fmt: skip

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write to a file that ``from_json`` reads.

        Parameters
        ----------
        path
            A file that is written as a whole or not at all.
        """
        write_text(path, json_text(self.to_dict(), indent=1) + "\n")

    @classmethod
    @file_reader
    def from_json(cls, path: str | PathLike[str]) -> Tuned:
        """Read what ``to_json`` wrote.

        Parameters
        ----------
        path
            The file.
        """
        source, data = read_bytes(path)
        try:
            return cls._of(json.loads(decode(data, source)))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileFormatError(f"{fspath(path)} does not hold thresholds that hemlp has tuned") from None

    @classmethod
    def _of(cls, data: Any) -> Tuned:
        if data["hemlp"] != "tuned" or not math.isfinite(data["threshold"]):
            raise InvalidOption("these are no thresholds")
        thresholds = {label: math.inf if value is None else float(value) for label, value in data["thresholds"]}
        folds = tuple(map(cls._of, data["folds"]))
        digests = data.get("rows")
        rows = None if digests is None else np.frombuffer(b64decode(digests, validate=True), "<u8")
        return cls(data["measure"], data["by"], float(data["threshold"]), float(data["value"]), data["instances"],
                   data["source"], thresholds, folds, dict(data["fold_of"]), data.get("data"), rows)  # fmt: skip
