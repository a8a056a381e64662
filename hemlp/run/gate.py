"""A gate compares a run with a stored one: has any measure got worse?

Every comparison is paired: of each system and measure the mean of the differences, instance by instance, with its
bootstrap interval. What was stored by an older version counts as long as its signatures say that it means the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath

import numpy as np

from hemlp.analysis.statistics.comparisons import format_difference_interval
from hemlp.analysis.statistics.differences import PairedDifferences, drop_undefined, subtract_scores
from hemlp.analysis.statistics.intervals import resampling_units, shared_bootstrap
from hemlp.analysis.statistics.planning import detectable_difference
from hemlp.analysis.statistics.resampling import RESAMPLES
from hemlp.arrays import FloatArray
from hemlp.errors import IncomparableBaseline, InvalidOption
from hemlp.measures.augmentations import Ancestors, Flat
from hemlp.measures.factory import Signature, difference
from hemlp.measures.instance_scores import mean
from hemlp.measures.set_measure import SetMeasure
from hemlp.options import did_you_mean
from hemlp.results.results import gold_of
from hemlp.run.evaluation import Evaluation
from hemlp.text.tables import Interval, Table, format_number, format_signed, plural

WORSE = "worse"
"""The verdict on a drop that is too much; nothing is called so where the gate lets a run pass."""
ROUNDING = 1e-12
"""What is worse by no more than this beyond what is allowed is not worse: 0.75 − 0.74 is a little above 0.01."""
WORST = 10
"""Instances that are shown."""


@dataclass(frozen=True)
class Change:
    """A measure of a system, before and now, on the ``instances`` on which both are defined.

    ``difference``: the mean of now − before, with its 95% ``interval``. ``lost``: on how many instances it was defined
    before and is not now.
    """

    system: str
    measure: str
    before: float
    now: float
    difference: float
    interval: Interval
    instances: int
    lost: int
    greater_is_better: bool
    detectable: float = math.nan
    """The least drop that so many instances show with a power of 0.8."""

    @property
    def drop(self) -> float:
        """How much worse it is; negative if better."""
        return -self.difference if self.greater_is_better else self.difference

    @property
    def significant(self) -> bool:
        """Whether the whole interval is worse, or there is no interval."""
        low, high = self.interval
        return math.isnan(low) or (high < 0 if self.greater_is_better else low > 0)


@dataclass(frozen=True)
class Gate:
    """The condition to pass: no measure of ``max_drop`` drops by more than its limit; by default, none drops.

    ``baseline``: a file that ``Evaluation.to_json`` wrote, or an evaluation. ``significant``: a drop counts only where
    its interval does not reach 0.
    """

    baseline: str | PathLike[str] | Evaluation
    max_drop: Mapping[str, float] = field(default_factory=dict)
    significant: bool = False

    @cached_property
    def stored(self) -> Evaluation:
        """The baseline, read once."""
        return self.baseline if isinstance(self.baseline, Evaluation) else Evaluation.from_json(self.baseline)

    @property
    def name(self) -> str:
        """The name of the baseline in messages."""
        return "the baseline" if isinstance(self.baseline, Evaluation) else f"the baseline {fspath(self.baseline)}"

    def allowed(self, measures: Sequence[str]) -> dict[str, float]:
        """The allowed drop of each measure; an error if it is not evaluated, or its drop is not a number."""
        for name, most in self.max_drop.items():
            if name not in measures:
                hint = did_you_mean(name, measures)
                raise InvalidOption(f"max_drop: {name} is not evaluated, but {', '.join(measures)}{hint}")
            if isinstance(most, bool) or not isinstance(most, int | float) or not 0 <= most < math.inf:
                raise InvalidOption(f"max_drop: {name} = {most!r} is not a number of at least 0")
        return dict(self.max_drop) or dict.fromkeys(measures, 0.0)

    def check(self, systems: Sequence[str], measures: Sequence[str]) -> None:
        """Check before any work that the baseline has the systems and measures."""
        for what, names, known in (
            ("system", systems, self.stored.systems), ("measure", self.allowed(measures), self.stored.measures)
        ):  # fmt: skip
            for name in names:
                if name not in known:
                    raise IncomparableBaseline(f"{self.name} has no {what} {name!r}; it has {', '.join(known)}")

    def compare(self, ev: Evaluation) -> GateResult:
        """The changes of all systems; an error where they cannot be compared."""
        self.check(ev.systems, ev.measures)
        allowed = self.allowed(ev.measures)
        sizes = [int(next(iter(of.facts.values()))["instances"]) for of in (self.stored, ev)]
        if sizes[0] != sizes[1]:
            raise IncomparableBaseline(
                f"{self.name} has {plural(sizes[0], 'instance')}, and this run {sizes[1]:,}: they are compared one by "
                f"one, so both have to be made from the same true labels"
            )
        compare = [(system, name) for system in ev.systems for name in allowed]
        drawn = shared_bootstrap(ev).means(
            subtract_scores(*(of.per_instance(*each) for of in (ev, self.stored))) for each in compare
        )
        changes = [self._change(ev, *each, Interval.of(means)) for each, means in zip(compare, drawn.T, strict=True)]
        self._check_gold(ev)
        return GateResult(ev, self, tuple(changes), allowed)

    def _check_gold(self, ev: Evaluation) -> None:
        """Raise if the instances or their true labels are not those of the baseline, as far as it records them."""
        old, new = gold_of(self.stored), gold_of(ev)
        if old is None or new is None:
            return
        anew = "score the accepted predictions once more with what is now, and store that"
        if None not in (old.ids, new.ids) and old.ids != new.ids:
            raise IncomparableBaseline(f"{self.name} has other instances, or in another order: {anew}")
        if old.labels != new.labels:
            raise IncomparableBaseline(f"{self.name} has other true labels, or in other rows: {anew}")

    def _change(self, ev: Evaluation, system: str, name: str, interval: Interval) -> Change:
        self._check_comparable(ev, system, name)
        before, now = (of.per_instance(system, name) for of in (self.stored, ev))
        pairs = drop_undefined(before, now)
        if not pairs[0].size:
            raise IncomparableBaseline(
                f"{self.name}: there is no instance on which {name} of {system} is defined both there and now"
            )
        gaps = subtract_scores(pairs[1], pairs[0])
        finite = gaps[np.isfinite(gaps)]
        spread = float(np.std(finite, ddof=1)) if finite.size > 1 else math.nan
        if math.isnan(gap := PairedDifferences.of(now, before).mean):
            raise IncomparableBaseline(
                f"{self.name}: {name} of {system} was infinite on instances on which it is finite now, and is infinite "
                f"on others: such a change has no mean"
            )
        return Change(
            system, name, mean(pairs[0]), mean(pairs[1]), gap, interval, pairs[0].size,
            int(np.count_nonzero(~np.isnan(before) & np.isnan(now))), ev.greater_is_better[name],
            detectable_difference(spread, max(finite.size, 1)),
        )  # fmt: skip

    def _check_comparable(self, ev: Evaluation, system: str, name: str) -> None:
        """Raise if stored scores have another meaning, or other instances."""
        old, new = (of.scores[system][name] for of in (self.stored, ev))
        made = None if ev.inputs is None else ev.inputs.measures[name]
        why = difference(old.signature, new.signature)
        if why is not None:
            version = Signature.read(old.signature).version
            raise IncomparableBaseline(
                f"{self.name} (hemlp {version}) cannot be compared by {name}: {why}; use the same "
                f"options, or store a new baseline"
            )
        if not isinstance(made, SetMeasure) or not isinstance(made.augment, Ancestors | Flat):
            return
        for row in np.flatnonzero(old["true"] != new["true"])[:1]:  # closures of true sets depend on nothing else
            raise IncomparableBaseline(
                f"{self.name} has other true labels: by {name}, row {row + 1} weighed {old['true'][row]:g} there and "
                f"weighs {new['true'][row]:g} now"
            )


@dataclass(frozen=True, eq=False)
class GateResult:
    """The changes since the baseline, and those that the gate does not allow."""

    ev: Evaluation
    gate: Gate
    changes: tuple[Change, ...]
    allowed: Mapping[str, float]

    @property
    def failed(self) -> list[Change]:
        """Changes that are worse than allowed, or newly undefined; the worst first."""
        failures = [each for each in self.changes if each.lost or self._exceeds(each)]
        return sorted(failures, key=lambda each: self.allowed[each.measure] - each.drop)

    @property
    def sentence(self) -> str:
        """The verdict in a sentence."""
        if not self.failed:
            free = [name for name in self.ev.measures if name not in self.allowed]
            passed = (
                f"{' and '.join(self.allowed)} {'is' if len(self.allowed) == 1 else 'are'} not"
                if free
                else "no measure is"
            )
            left = f" --max-drop does not limit {', '.join(free)}." if free else ""
            if any(map(self._is_beyond, self.changes)):
                return f"Passed: no drop from {self.gate.name} beyond what is allowed is significant.{left}"
            return f"Passed: {passed} worse than {self.gate.name} by more than allowed.{left}"
        first, *others = self.failed
        more = f" ({plural(len(others), 'more failure')} below)" if others else ""
        if not self._exceeds(first):
            return f"Failed: {first.measure} of {first.system} is undefined where {self.gate.name} has a value{more}."
        allowed = f"only {most:g}" if (most := self.allowed[first.measure]) else "no drop"
        return (
            f"Failed: {first.measure} of {first.system} is worse than {self.gate.name} by {format_number(first.drop)}, "
            f"but {allowed} is allowed{more}."
        )

    def _exceeds(self, each: Change) -> bool:
        return self._is_beyond(each) and (each.significant or not self.gate.significant)

    def _is_beyond(self, each: Change) -> bool:
        """Whether a drop is greater than allowed, perhaps by chance."""
        return each.drop > self.allowed[each.measure] + ROUNDING

    def table(self) -> Table:
        """All changes, one row per system and measure."""
        rows = []
        for each in self.changes:
            passed = "ok (not significant)" if self._is_beyond(each) else "ok"
            verdict = WORSE if self._exceeds(each) else "undefined" if each.lost else passed
            rows.append([each.system, each.measure, format_number(each.before), format_number(each.now),
                         format_signed(each.difference), format_difference_interval(each.interval),
                         f"{self.allowed[each.measure]:g}", verdict])  # fmt: skip
        how = ", and its 95% interval does not reach 0" if self.gate.significant else ""
        notes = [f"intervals from {RESAMPLES:,} resamples of {resampling_units(self.ev).description}"]
        shown = [f"{each.system}, {each.measure} {each.detectable:.2g}" for each in self.changes if each.detectable > 0]
        if shown:
            notes.append(f"smallest drop that this test set can detect (power 0.8, level 0.05): {'; '.join(shown)}")
        if any(row[-1] == WORSE for row in rows):
            notes.insert(0, f"{WORSE}: the mean paired difference is more than allowed{how}")
        if None in (gold_of(self.gate.stored), gold_of(self.ev)):
            notes.append("the baseline has no digest of its true labels: that they are the same as now is not proved")
        notes += [
            f"{each.system}, {each.measure}: undefined on {plural(each.lost, 'instance')} on which it was defined"
            for each in self.changes
            if each.lost
        ]
        return Table(["system", "measure", "before", "now", "change", "95% interval", "allowed", ""], rows, notes)

    def worst(self, each: Change, most: int = WORST) -> Table:
        """The instances on which a measure got worst."""
        rows = self.worst_rows(each, most)
        before, now = (of.per_instance(each.system, each.measure) for of in (self.gate.stored, self.ev))
        ids = self.ev.ids
        cells = []
        for row in rows:
            names = [] if ids is None else [str(ids[row])]
            cells.append([str(row + 1), *names, float(before[row]), float(now[row])])
        return Table(["row", *(["id"] if ids is not None else []), "before", "now"], cells)

    def worst_rows(self, each: Change, most: int = WORST) -> list[int]:
        """Numbers of these instances from 0: first those no longer defined, then the greatest drops."""
        before, now = (of.per_instance(each.system, each.measure) for of in (self.gate.stored, self.ev))
        gap: FloatArray = subtract_scores(before, now) * (1 if each.greater_is_better else -1)
        gap = np.where(np.isnan(before), -math.inf, np.where(np.isnan(now), math.inf, gap))
        order = np.argsort(-gap, kind="stable")[:most]
        return [int(row) for row in order if gap[row] > 0]

    def __str__(self) -> str:
        blocks = [str(self.table())]
        for each in self.failed:
            blocks.append(f"{each.system}, {each.measure}: where it got worst\n{self.worst(each)}")
        return "\n\n".join(blocks)
