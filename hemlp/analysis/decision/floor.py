"""Floors: what does knowing nothing score? The best constant answer, and predictions that are shuffled.

Shuffled is the mean over all pairings of predictions with true labels, each with its own included: (1/n²) Σ_i Σ_j
m(T_j, P_i). Where the measure is a sum over classes (SDL, ICM) counts of classes are enough; otherwise it is the mean
of 20 seeded permutations. Chance-corrected: (value − shuffled) / (best − shuffled).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.analysis.decision.belief import Belief
from hemlp.analysis.decision.decide import decide
from hemlp.analysis.decision.models import expected_values, is_linear
from hemlp.arrays import FloatArray
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch, Side
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.base import Measure
from hemlp.problems.decision.scenarios import Scenarios, batch_of
from hemlp.results.results import Results, require_inputs
from hemlp.text.display import abbreviate
from hemlp.text.tables import Table, format_number

PERMUTATIONS = 20
ALL_PAIRS = 400
"""Instances whose pairings are all scored: as many as 20 permutations of 8,000 instances have."""


@dataclass(frozen=True, eq=False)
class Floor:
    """What knowing nothing scores by a measure.

    ``best_constant``: the mean of the one ``answer`` that is best for all instances; ``shuffled`` and ``corrected`` by
    system, and ``errors``: standard errors of ``shuffled``, 0 where it is exact. ``optimistic``: the answer was chosen
    on the true labels themselves.
    """

    measure: str
    greater_is_better: bool
    best_constant: float
    answer: tuple[Label, ...]
    shuffled: Mapping[str, float]
    corrected: Mapping[str, float]
    errors: Mapping[str, float]
    values: Mapping[str, float]
    optimistic: bool
    proved: bool

    @property
    def not_above(self) -> list[str]:
        """The systems that are no better than the best constant answer."""
        sign = 1 if self.greater_is_better else -1
        return [name for name, value in self.values.items() if not sign * (value - self.best_constant) > 0]

    def table(self) -> Table:
        """One row a system, and the best constant."""
        word = ", optimistic" if self.optimistic else ""
        rows = [[name, value, self.shuffled[name], self.corrected[name]] for name, value in self.values.items()]
        rows.append([f"best constant{word}", self.best_constant, math.nan, math.nan])
        notes = [
            f"best constant: {abbreviate(self.answer) or 'nothing'} for every instance"
            + (", chosen on the true labels themselves, so it is optimistic" if self.optimistic else "")
            + ("" if self.proved else "; the best of a pool"),
            "shuffled: the mean over all pairings of predictions with true labels; corrected: (value − shuffled) / "
            "(best − shuffled)",
        ]
        if self.not_above:
            notes.insert(0, f"not above the best constant answer: {', '.join(self.not_above)}")
        return Table(["system", self.measure, "shuffled", "corrected"], rows, notes)

    def __str__(self) -> str:
        return str(self.table())


def floor(ev: Results, measure: str, corpus: Any = None) -> Floor:
    """What knowing nothing scores by a measure: the best constant answer, and shuffled predictions.

    Parameters
    ----------
    ev
        An evaluation.
    measure
        One of its measures.
    corpus
        True label sets to choose the constant answer on, such as training data; by default the evaluated ones, which
        is optimistic.

    Examples
    --------
    >>> from hemlp import evaluate
    >>> h = Hierarchy.from_edges([("animal", "sheep"), ("animal", "cow")])
    >>> f = evaluate(h, ["sheep", "cow", "cow"], {"A": ["cow", "cow", "cow"]}, ["F_H"]).floor("F_H")
    >>> f.answer, round(f.best_constant, 4), f.corrected["A"]
    (('cow',), 0.8333, 0.0)
    """
    inputs = require_inputs(ev)
    ev._of(ev.systems[0], measure)
    own = inputs.measures[measure]
    batches = {name: inputs.take(name, range(int(ev.facts[name]["instances"]))) for name in ev.systems}
    first = next(iter(batches.values()))
    h = first.hierarchy
    gold = _all_equally_likely(h, first.true)
    optimistic = corpus is None
    if corpus is None:
        corpus = LabelSets(tuple(h.labels), first.true.ptr, first.true.classes, rows="sets")
    d = decide(h, Belief.corpus(corpus), own)
    answer = Side(np.array([0, len(d.sets[0])]), np.array(sorted(h.id(c) for c in d.sets[0]), np.int32))
    constant = float(d.expected[0]) if optimistic else float(expected_values(own, gold, answer, np.zeros(1, int))[0])
    shuffled, errors, corrected, values = {}, {}, {}, {}
    for name, batch in batches.items():
        values[name] = ev.mean(name, measure)
        perfect = float(np.nanmean(own.score(replace(batch, pred=batch.true), undefined="nan").values))
        shuffled[name], errors[name] = _shuffled(own, batch)
        room = perfect - shuffled[name]
        corrected[name] = (values[name] - shuffled[name]) / room if room else math.nan
    return Floor(
        measure, own.greater_is_better, constant, d.sets[0], shuffled, corrected, errors, values, optimistic,
        "feasible" not in d.status,
    )  # fmt: skip


def add_floors(table: Table, ev: Results, corpus: Any, digits: int) -> Table:
    """A table of means with rows for the best constant answer, and for each system shuffled and chance-corrected."""
    found = [floor(ev, name, corpus) for name in ev.measures]
    blank = [""] * (len(table.columns) - 1 - len(found))
    named = [("best constant" + (" (optimistic)" if corpus is None else ""), [each.best_constant for each in found])]
    for system in ev.systems:
        named.append((f"shuffled {system}", [each.shuffled[system] for each in found]))
        named.append((f"corrected {system}", [each.corrected[system] for each in found]))
    rows = [
        [name, *("undefined" if math.isnan(value) else format_number(value, digits) for value in values), *blank]
        for name, values in named
    ]
    lost = [f"{', '.join(each.not_above)} by {each.measure}" for each in found if each.not_above]
    notes = [f"not above the best constant answer: {'; '.join(lost)}"] if lost else []
    notes.append(
        "corrected: (mean − shuffled) / (best − shuffled)"
        + ("; optimistic: the constant was chosen on these true labels themselves" if corpus is None else "")
    )
    return replace(table, rows=[*table.rows, *rows], notes=[*table.notes[:1], *notes, *table.notes[1:]])


def _all_equally_likely(h: Hierarchy, side: Side) -> Scenarios:
    return Scenarios(h, np.array([0, len(side)]), side, np.ones(len(side)), True).merged()


def _shuffled(own: Measure, batch: Batch) -> tuple[float, float]:
    """The mean over all pairings and its standard error, 0 where it is exact."""
    size, h = len(batch), batch.hierarchy
    if is_linear(own):
        return _by_counts(own, batch), 0.0
    if size <= ALL_PAIRS:
        every = np.arange(size)
        values = _scores(own, h, batch.true.take(np.tile(every, size)), batch.pred.take(np.repeat(every, size)))
        return float(np.nanmean(values)), 0.0
    rng = np.random.default_rng(0)
    means = [
        float(np.nanmean(_scores(own, h, batch.true.take(rng.permutation(size)), batch.pred)))
        for _ in range(PERMUTATIONS)
    ]
    return math.fsum(means) / PERMUTATIONS, float(np.std(means, ddof=1) / math.sqrt(PERMUTATIONS))


def _scores(own: Measure, h: Hierarchy, true: Side, pred: Side) -> FloatArray:
    return own.score(batch_of(h, true, pred), undefined="nan").values


def _by_counts(own: Any, batch: Batch) -> float:
    """SDL and ICM are a·P + b·T + c·C of weights, and the mean of C is Σ_v μ_v · P(v predicted) · P(v true)."""
    model = own.model(batch)
    _, nodes, members = model.closures()
    size, weights = len(batch), model.weights
    shares = [np.bincount(nodes[(members & side) > 0], minlength=weights.size) / size for side in (1, 2)]
    predicted, true, common = (float(weights @ share) for share in (*shares, shares[0] * shares[1]))
    if own.scoring == "ICM":
        return 3 * common - predicted - true
    difference = predicted + true - 2 * common
    return difference / len(batch.hierarchy) if own.scoring == "hamming" else difference
