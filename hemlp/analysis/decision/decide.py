"""The label set that is best in expectation, for each instance: max (of losses: min) Σ_k q_k · m(T_k, Ŷ).

>>> from hemlp import Hierarchy
>>> h = Hierarchy.from_edges([("animal", "mammal"), ("mammal", "sheep"), ("mammal", "cow"), ("animal", "bird")])
>>> d = decide(h, {"A": ["sheep"], "B": ["cow"], "C": ["sheep"]}, "F_H")
>>> list(d.sets), d.expected.round(3).tolist(), d.status
([('sheep',)], [0.889], {'optimal': 1})

The belief matters as much as the decoding: a vote whose threshold was tuned on development data is often as good.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hemlp.analysis.decision.belief import DRAWS, Belief, as_belief
from hemlp.analysis.decision.calibration import Guarantee, calibrate_votes, classes_above, control_risk
from hemlp.analysis.decision.models import decision_model, is_linear, is_ratio, linear_model
from hemlp.analysis.decision.pools import expected_values
from hemlp.arrays import FloatArray
from hemlp.errors import InvalidOption
from hemlp.hierarchy.dag import Hierarchy
from hemlp.instances.batch import Side
from hemlp.instances.label_sets import LabelSets, RowKind
from hemlp.measures.base import Measure
from hemlp.measures.factory import measure as as_measure
from hemlp.optimize.program import Status
from hemlp.options import row_number
from hemlp.problems.decision.exact import LinearDecision
from hemlp.problems.decision.model import DecisionModel, PoolDecision, closure, specific_classes
from hemlp.problems.decision.scenarios import Scenarios, Votes, batch_of, side_of
from hemlp.text.display import abbreviate, join_labels
from hemlp.text.tables import Table, plural

SCENARIOS = 100_000
"""Scenarios whose closures are held at once."""
SHOWN = 8
"""Classes beside those of the answer that an explanation lists."""
AT_ONCE = 50
"""Instances whose models are made at once, where they are not decided by compiled code."""


@dataclass(frozen=True, eq=False, repr=False)
class Decision:
    """The answer for each instance, and what is known of it.

    ``expected``: its expected value; ``bounds``: the best that any answer can have, nan where that is not known;
    ``statuses``: codes of ``Status``; ``found_by``: the solver. ``sampled``: of marginals, the largest shortfall of a
    drawn share from its marginal; ``expected`` and ``bounds`` are then of the drawn label sets. ``guarantee``: of
    ``risk=``. ``candidates``: how many answers a pool had.
    """

    hierarchy: Hierarchy
    measure: Measure
    sets: LabelSets
    expected: FloatArray
    bounds: FloatArray
    statuses: NDArray[np.int8]
    found_by: NDArray[np.str_]
    belief: Belief
    scenarios: Scenarios | None = None
    at_least: int = 0
    sampled: float | None = None
    guarantee: Guarantee | None = None
    candidates: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sets)

    @cached_property
    def votes(self) -> Votes:
        """m_v of the classes of each instance."""
        return self.belief.votes(self.hierarchy)

    @property
    def _words(self) -> list[str]:
        return ["sampled" if self.sampled is not None else str(Status(code)) for code in self.statuses]

    @property
    def status(self) -> dict[str, int]:
        """How many answers are optimal, feasible, or best for sampled scenarios."""
        return dict(Counter(self._words))

    def model(self, row: int) -> DecisionModel:
        """The explicit model of one instance, from 0: to print, to export, to solve by any solver.

        Parameters
        ----------
        row
            The number of the instance, from 0.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> decide(h, {"A": ["sheep"], "B": ["cow"]}, "SDL").model(0).solve("milp").objective
        1.0
        """
        row = row_number(row, len(self))
        if self.scenarios is None:
            return linear_model(self.measure, self.hierarchy, self.votes.part(row, row + 1), self.at_least)
        return decision_model(self.measure, self.scenarios.part(row, row + 1), self.at_least)

    def explain(self, row: int) -> Table:
        """Why this answer: the votes for each class, and what E[m] gains if it joins the answer or leaves it.

        Parameters
        ----------
        row
            The number of the instance, from 0.

        Examples
        --------
        >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
        >>> decide(h, {"A": ["sheep"], "B": ["cow"], "C": ["sheep"]}, "SDL").explain(0).rows[2][:3]
        ['cow', 0.3333333333333333, 'no']
        """
        return _explain(self, row)

    @property
    def _found(self) -> str:
        return ", ".join(f"{count:,} {word}" for word, count in self.status.items()) or "none"

    def __repr__(self) -> str:
        return f"Decision({plural(len(self), 'instance')} for {self.measure.display_name}: {self._found})"

    def table(self, number: int = 20) -> Table:
        """The first answers with their expected values, by id, or by number from 0 as in ``explain``.

        Parameters
        ----------
        number
            How many.
        """
        ids = range(len(self)) if self.sets.ids is None else self.sets.ids
        answers = (abbreviate(labels) or "nothing" for labels in self.sets)
        columns = ids, answers, self.expected.tolist(), self._words
        rows = list(map(list, islice(zip(*columns, strict=True), number)))
        first = f", the first {number} of which are shown" if number < len(self) else ""
        notes = [f"{plural(len(self), 'answer')}{first}: {self._found}", *self.notes]
        notes += [] if self.guarantee is None else [str(self.guarantee)]
        return Table(["instance", "answer", f"expected {self.measure.display_name}", "status"], rows, notes)

    def __str__(self) -> str:
        return str(self.table())


def decide(
    hierarchy: Any, systems: Any, measure: str | Measure = "F_H",
    weights: Mapping[str, Any] | Literal["fit"] | None = None, at_least: int = 0, risk: float | None = None,
    dev: tuple[Any, Any] | None = None, *, rows: RowKind | None = None,
) -> Decision:  # fmt: skip
    """The label set with the best expected value of a measure, for each instance.

    Proved for SDL, ICM, F_H with any β, flat F, accuracy, GIE and all measures of one-to-one pairs. F_H with weights of
    classes has a bound; for all other measures, and with a horizon, it is the best of a pool of answers.

    Parameters
    ----------
    hierarchy
        Anything that ``Hierarchy.of`` takes.
    systems
        Label sets of systems or annotators by name, anything that ``evaluate`` takes; or a ``Belief``.
    measure
        A name, a text or a measure.
    weights
        Of systems: positive numbers by name, those that are missing are 1. "fit" learns from ``dev`` how likely a class
        is, given which systems name it, for each level of the hierarchy.
    at_least
        1 if an answer has to have a class.
    risk
        α: answer no deeper than so that some class of the answer is wrong in at most α of the instances, in
        expectation; ``dev`` tells how deep. The measure only scores that answer.
    dev
        True label sets, and a belief of the same kind about them, for ``risk`` and for weights="fit".
    rows
        Whether lists of labels are "sets" or "paths": as of ``LabelSets.of``.

    Returns
    -------
    Decision
        With ``sets``, ``expected``, ``statuses``, ``bounds`` and ``found_by``.

    Raises
    ------
    InvalidOption
        If these do not fit together.

    Examples
    --------
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> list(decide(h, {"A": ["sheep"], "B": ["cow"]}, "SDL").sets)
    [('animal',)]
    """
    h, own = Hierarchy.of(hierarchy), as_measure(measure)
    own._check_complete()
    if at_least not in (0, 1) or (at_least and risk is not None):
        raise InvalidOption(
            "at_least must be 0 or 1; with risk= it must be 0, because the only safe answer may be the empty one"
        )
    if isinstance(weights, str) and (weights != "fit" or risk is not None):
        raise InvalidOption(f"weights={weights!r}: give a mapping, or 'fit' without risk=, which needs dev for itself")
    if (dev is None) != (risk is None and weights != "fit"):
        raise InvalidOption("give dev=(true label sets, belief) with risk= or weights='fit', and only with these")
    if dev is not None and not (isinstance(dev, tuple | list) and len(dev) == 2):
        raise InvalidOption("dev= is a pair: true label sets, and a belief about the same instances")
    notes: tuple[str, ...] = ()
    given = None if isinstance(weights, str) else weights
    belief, guarantee, sampled = as_belief(systems, given, rows), None, None
    if dev is not None:
        true, known = LabelSets.of(dev[0], rows=rows, source="true labels of dev"), as_belief(dev[1], given, rows)
        if risk is not None:
            guarantee = control_risk(h, true, known, belief, risk)
        else:
            belief, note = calibrate_votes(h, true, known, belief)
            notes = (note,)
    if raised := belief.raised(h):
        notes += (f"{plural(raised, 'probability', 'probabilities')} raised to that of a descendant",)
    scenarios = belief.scenarios(h) if belief.scores is None else None
    if scenarios is None and (not is_linear(own) or own.fields["augment"] == "none" or guarantee is not None):
        scenarios, sampled = belief.drawn(h)
        notes += (f"{DRAWS} scenarios drawn from the marginals; the largest shortfall of a share is {sampled:.3f}",)
    if guarantee is not None and scenarios is not None:
        answers, count = classes_above(h, belief.votes(h), guarantee.threshold), None
        values = expected_values(own, scenarios, answers, np.arange(len(answers)))
        by = np.full(values.size, "risk")
    else:
        answers, values, bounds, statuses, by, count = _solve(own, h, scenarios, belief, at_least)
    if guarantee is not None:
        bounds = np.full(values.size, np.nan)
    elif sampled is not None and (open_ones := int(np.count_nonzero(statuses != Status.OPTIMAL))):
        notes += (f"{plural(open_ones, 'answer is', 'answers are')} not proved best for the drawn scenarios",)
    if guarantee is not None or sampled is not None:
        statuses = np.full(values.size, Status.FEASIBLE, np.int8)
    if count is not None and count.size:
        least = f"{count.min():,} to " if count.min() < count.max() else ""
        notes += (f"each answer is the best of a pool of {least}{plural(int(count.max()), 'candidate')}",)
    sets = LabelSets(tuple(h.labels), answers.ptr, answers.classes, belief.instance_ids())
    return Decision(
        h, own, sets, values, bounds, statuses, by, belief, scenarios, at_least, sampled, guarantee, count, notes
    )


def _solve(own: Measure, h: Hierarchy, scenarios: Scenarios | None, belief: Belief, at_least: int) -> tuple[Any, ...]:
    """Answers, values, bounds, statuses, solvers and numbers of candidates, part by part."""
    if scenarios is None:
        models: Iterable[DecisionModel] = [linear_model(own, h, belief.votes(h), at_least)]
    else:
        size, whole = AT_ONCE, len(scenarios)
        if is_linear(own) or is_ratio(own):
            size = max(1, SCENARIOS * whole // max(1, len(scenarios.sets)))
        parts = (scenarios.part(k, min(k + size, whole)) for k in range(0, max(1, whole), size))
        models = (decision_model(own, part, at_least) for part in parts)
    found = [model.solve() for model in models]
    columns = ([getattr(part, name) for part in found] for name in ("objectives", "bounds", "statuses", "found_by"))
    counts = [part.model.counts for part in found if isinstance(part.model, PoolDecision)]
    answers, count = Side.concatenate([part.answers for part in found]), np.concatenate(counts) if counts else None
    return answers, *map(np.concatenate, columns), count


def _explain(d: Decision, row: int) -> Table:
    """What E[m] gains if a class of the answer leaves, of closures with all below it, or another joins it.

    With the gain g_k < 0 or > 0 of a change in scenario k, Σ_k q_k g_k ≤ 0 becomes positive as soon as some scenario
    with g_k > 0 weighs more by −Σ q g / g_k: the least of these is what ``needs`` says.
    """
    row, h, flat = row_number(row, len(d)), d.hierarchy, d.measure.fields.get("augment") != "ancestors"
    part = None if d.scenarios is None else d.scenarios.part(row, row + 1)
    votes = d.votes.part(row, row + 1) if part is None else part.votes(flat)
    mass, total, inside = votes.of_row(0), float(votes.total[0]), closure(h, map(h.id, d.sets[row]), flat)
    shown = sorted(set(mass) | inside, key=lambda v: (v not in inside, -mass.get(v, 0.0), v))[: len(inside) + SHOWN]
    changes = [sorted(map(h.id, d.sets[row]))]
    for v in shown:
        below = {w for w in inside if v in closure(h, [w], flat)}
        nodes = inside - below if v in inside else inside | closure(h, [v], flat)
        changes.append(specific_classes(h, nodes, flat))
    sign = 1.0 if d.measure.greater_is_better else -1.0
    if part is None:
        model = d.model(row)
        assert isinstance(model, LinearDecision)
        gains = [sign * (float(model.value(0, change)) - float(d.expected[row])) for change in changes[1:]]
        known = not (model.top or model.at_least)
        needs = [abs(mass.get(v, 0.0) / total - 1 / model.slope) if known else math.nan for v in shown]
        meaning = "how much the probability of the class must rise (to join) or fall (to leave) for the change to pay"
    else:
        size = len(part.sets)
        pred = side_of(changes).take(np.repeat(np.arange(len(changes)), size))
        batch = batch_of(h, part.sets.take(np.tile(np.arange(size), len(changes))), pred)
        values = sign * d.measure.score(batch, undefined="nan").values.reshape(-1, size)
        apart = values[1:] - values[0]
        gains, allowed = (apart @ part.mass / total).tolist(), [len(change) >= d.at_least for change in changes[1:]]
        needs = [
            max(0.0, -gain / most) if most > 0 and may else math.inf
            for gain, most, may in zip(gains, apart.max(axis=1, initial=0.0).tolist(), allowed, strict=True)
        ]
        meaning = (
            "how many votes, as a share of those now, the given answer that favours the change most must gain for it "
            "to pay; inf: no number is enough"
        )
    rows = [
        [h.labels[v], mass.get(v, 0.0) / total, "yes" if v in inside else "no", gain, need]
        for v, gain, need in zip(shown, gains, needs, strict=True)
    ]
    name = "" if d.sets.ids is None else f" for {d.sets.ids[row]}"
    voted = f"their share for the class{'' if flat else ' or a descendant'}"
    if d.belief.scores is not None:
        voted = "the probability of the class" if part is None else "the probability of the class, as drawn"
    with_below, with_above = ("", "") if flat else (" with all below it", " with its ancestors")
    notes = [
        f"answer{name}: {join_labels(map(str, d.sets[row])) or 'nothing'}",
        f"expected {d.measure.display_name}: {d.expected[row]:.4f}",
        f"votes: {voted}; in: whether it is in the answer",
        "gain of a change: how much better the expected value gets if the class leaves the answer"
        f"{with_below}, or joins it{with_above}",
        f"needs: {meaning}",
    ]
    return Table(["class", "votes", "in", "gain of a change", "needs"], rows, notes)
