"""A tuned cutting rule, with the data that it was chosen on; written to and read from JSON."""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.scored.candidates import Candidate, candidate_table
from hemlp.analysis.scored.cutting_rules import RULE_KINDS, CuttingRule, describe_rules
from hemlp.errors import FileFormatError, InvalidOption, MisalignedSides
from hemlp.escaping import json_text
from hemlp.hierarchy.labels import Label
from hemlp.instances.score_digest import Digests
from hemlp.instances.scored_sets import ScoredSets
from hemlp.io.files import write_text
from hemlp.io.text import decode, file_reader, read_bytes
from hemlp.text.display import HtmlDisplay
from hemlp.text.tables import Table, plural

RuleChoice = Literal["best", "all", "top", "nonempty", "capped", "level", "class"]


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(HtmlDisplay):
    """A rule for ``ScoredSets.at``, tuned for a measure: thresholds, the greatest scores, or both.

    ``by``: which kind of rule (see ``hemlp.tune``). ``threshold``: the one of all classes; of the kind "top", which
    uses none, the best one for comparison. ``thresholds``: those of classes that have another, infinite where a class
    is never predicted. ``at_least``, ``at_most``: how many classes are predicted whatever their scores, the greatest
    first. ``value``: of the measure on the ``instances`` of ``source`` that the rule was chosen on, which is
    optimistic. With ``folds`` (rules chosen without the instances of each fold, ``fold_of``) it is cross-validated, and
    these rules are for that data alone. ``data``: the fingerprint of the scores that they were chosen on, and ``rows``:
    digests of its instances, if these are known. ``compared``: the kinds that were compared; ``notes``: what was left
    out of the search.

    Examples
    --------
    >>> from hemlp import Hierarchy, tune
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> t = tune(h, ["sheep", "cow"], [{"sheep": 0.9, "cow": 0.3}, {"cow": 0.6}], "F_H", by="all")
    >>> t
    Tuned(0.6 by F_H, chosen on 2 instances of predictions: 1.0000 there, optimistic)
    >>> list(ScoredSets.of([{"sheep": 0.5, "cow": 0.7}]).at(t))
    [('cow',)]
    """

    measure: str
    by: RuleChoice
    threshold: float
    value: float
    instances: int
    source: str
    thresholds: Mapping[Label, float] = field(default_factory=dict)
    folds: Sequence[Tuned] = ()
    fold_of: Mapping[Label, int] = field(default_factory=dict)
    data: str | None = None
    rows: Digests | None = None
    at_least: int = 0
    at_most: int | None = None
    compared: tuple[Candidate, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def rules(self) -> list[CuttingRule]:
        """The rule, or one for each fold."""
        if self.folds:
            return [rule for each in self.folds for rule in each.rules]
        assert self.by != "best"
        return [CuttingRule(self.by, self.threshold, self.at_least, self.at_most, self.thresholds)]

    def kept(self, s: ScoredSets) -> NDArray[np.bool_]:
        """Which scored classes are predicted."""
        if not self.folds:
            return self.rules[0].kept(s)
        names: Sequence[Label] = range(len(s)) if s.ids is None else s.ids
        for name in names:
            if name not in self.fold_of:
                raise MisalignedSides(
                    f"instance {name!r} is in no fold: thresholds that are chosen by folds are for the data that they "
                    f"were chosen on. Take its instances with s.take(ids), or tune without folds for other data"
                )
        fold = np.repeat([self.fold_of[name] for name in names], np.diff(s.ptr)).astype(np.int64)
        by_fold = np.stack([rule.kept(s) for rule in self.rules])
        kept: NDArray[np.bool_] = by_fold[fold, np.arange(fold.size)]
        return kept

    def rule(self, s: ScoredSets) -> str:
        """How ``s`` is cut, in words: by which rule, and on what data it was chosen."""
        data = f"{plural(self.instances, 'instance')} of {self.source}"
        text = f"{describe_rules(self.rules, repr, 'threshold ')}, tuned by {self.measure}"
        if self.folds:
            return f"{text}, cross-validated in {len(self.folds)} folds of {data} ({self.value:.4f} there)"
        return f"{text} on {data} ({self.value:.4f} there){self._optimism_note(s)}"

    def _optimism_note(self, s: ScoredSets) -> str:
        """A note if ``s`` is the data that the thresholds were chosen on, or shares instances with it."""
        if self.data == s.fingerprint:
            return ", the data that is evaluated: optimistic"
        if self.rows is None or s.row_digests is None:
            return ""
        shared = np.intersect1d(self.rows, s.row_digests, assume_unique=True).size
        are = "is" if shared == 1 else "are"
        return f", {shared:,} of which {are} evaluated, too: optimistic" if shared else ""

    @property
    def candidates(self) -> Table:
        """All kinds of rules that were compared, with bootstrap intervals.

        The best one is that with the best cross-validated mean; differences are those of paired instances.
        """
        notes = list(self.notes)
        if self.compared:
            notes.append("differences are paired, to the best rule by its cross-validated mean")
        return replace(candidate_table(self.compared, notes), lead=[self.recommendation])

    @property
    def recommendation(self) -> str:
        """Which rule to use, what it scores, and on which data."""
        by_kind = {each.by: each for each in self.compared}
        one = by_kind.get("all")
        best = None if self.by == "best" else by_kind.get(self.by)
        words = f"{describe_rules(self.rules, threshold='threshold ')} ({self.measure} {self.value:.4f}"
        if self.folds:
            data = f"each of {len(self.folds)} folds of {plural(self.instances, 'instance')}"
            return f"Chosen without the instances of {data}: {words}, cross-validated){self._skipped_note}."
        words += best.value_interval.bracket() if best else ""
        if best and not math.isnan(best.validated):
            words += f", cross-validated {best.validated:.4f}{best.validated_interval.bracket()}"
        other = ""
        if best and one and best is not one:
            other = f"; the best single threshold, {one.parameter}, gives {one.value:.4f}"
            if not math.isnan(one.validated):
                apart = f"difference {one.difference:.4f}{one.difference_interval.bracket()}"
                other += f" (cross-validated {one.validated:.4f}, {apart})"
        for each in self.compared[: self.compared.index(best)] if best else ():
            low, high = each.difference_interval
            if low <= 0 <= high:
                apart = f"(difference {each.difference:.4f}{each.difference_interval.bracket()})"
                named = f"; {RULE_KINDS[each.by]}, {each.parameter}, is simpler, not significantly different {apart}"
                other += ", simpler and not significantly different" if each is one else named  # one is named already
                break
        head, number = "Recommended" if best else "Chosen", self.instances
        data = "this instance" if number == 1 else f"these {number:,} instances"
        return f"{head}: {words}){other}; chosen on {data}, so {self.value:.4f} is optimistic{self._skipped_note}."

    def __repr__(self) -> str:
        data = f"{plural(self.instances, 'instance')} of {self.source}"
        how, end = f"{describe_rules(self.rules)} by {self.measure}", f"{data}: {self.value:.4f} there"
        if self.folds:
            how += f", chosen without each of {len(self.folds)} folds of {end}"
            return f"Tuned({how}, cross-validated{self._skipped_note})"
        return f"Tuned({how}, chosen on {end}, optimistic{self._skipped_note})"

    @property
    def _skipped_note(self) -> str:
        """A note on candidates of the chosen kind that were not tried."""
        kinds = {f"{RULE_KINDS[rule.by]}: " for rule in self.rules}
        return "".join(f"; {note}" for note in self.notes if any(map(note.startswith, kinds)))

    def _html_parts(self) -> Iterator[Table]:
        yield self.candidates

    # ---- to files and back

    def to_dict(self) -> dict[str, Any]:
        """As plain values; an infinite threshold is None."""
        digests = None if self.rows is None else b64encode(self.rows.astype("<u8").tobytes()).decode()
        return {
            "hemlp": "tuned", "measure": self.measure, "by": self.by, "threshold": self.threshold, "value": self.value,
            "instances": self.instances, "source": self.source,
            "thresholds": [[label, None if math.isinf(v) else v] for label, v in self.thresholds.items()],
            "folds": [each.to_dict() for each in self.folds], "fold_of": [list(pair) for pair in self.fold_of.items()],
            "data": self.data, "rows": digests, "at_least": self.at_least, "at_most": self.at_most,
            "recommendation": self.recommendation, "candidates": [each.to_dict() for each in self.compared],
            "notes": list(self.notes),
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
            return cls._from_dict(json.loads(decode(data, source)))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise FileFormatError(f"{fspath(path)} does not hold thresholds that hemlp has tuned") from None

    @classmethod
    def _from_dict(cls, data: Any) -> Tuned:
        if data["hemlp"] != "tuned" or not math.isfinite(data["threshold"]):
            raise InvalidOption("these are not thresholds")
        thresholds = {label: math.inf if value is None else float(value) for label, value in data["thresholds"]}
        folds = tuple(map(cls._from_dict, data["folds"]))
        at_least, at_most = data.get("at_least", 0), data.get("at_most")
        if at_least not in (0, 1) or not (at_most is None or (type(at_most) is int and at_most > 0)):
            raise InvalidOption("this is not a number of classes")
        if not folds and (data["by"] not in RULE_KINDS or (data["by"] == "top" and at_most is None)):
            raise InvalidOption("this is not a kind of rule")
        digests = data.get("rows")
        rows = None if digests is None else np.frombuffer(b64decode(digests, validate=True), "<u8")
        return cls(data["measure"], data["by"], float(data["threshold"]), float(data["value"]), data["instances"],
                   data["source"], thresholds, folds, dict(data["fold_of"]), data.get("data"), rows,
                   at_least, at_most, tuple(map(Candidate.from_dict, data.get("candidates", []))),
                   tuple(data.get("notes", ())))  # fmt: skip
