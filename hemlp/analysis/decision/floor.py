"""Floors: what does knowing nothing score? The best constant answer, and predictions that are shuffled.

Shuffled is the mean over all pairings of predictions with true labels, each with its own included: (1/n²) Σ_i Σ_j
m(T_j, P_i). Where the measure is a sum over classes (SDL, ICM) counts of classes are enough, and up to 40 instances all
pairings are scored; otherwise it is the mean of 20 seeded permutations. Chance-corrected: (value − shuffled) / (perfect
− shuffled), where perfect is the score of the true labels themselves: 1 is perfect, 0 is shuffled, by every measure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hemlp.analysis.decision.belief import Belief
from hemlp.analysis.decision.decide import decide
from hemlp.analysis.decision.models import is_linear
from hemlp.errors import InvalidOption
from hemlp.hierarchy.labels import Label
from hemlp.instances.batch import Batch
from hemlp.instances.label_sets import LabelSets
from hemlp.measures.base import Measure
from hemlp.optimize.program import Status
from hemlp.problems.decision.scenarios import side_of
from hemlp.results.results import Results, require_inputs
from hemlp.text.display import join_labels
from hemlp.text.tables import Table, format_number, join_words

PERMUTATIONS, FOLDS = 20, 5
ALL_PAIRS = 40
"""Instances whose pairings are all scored: no more than 20 permutations of twice as many instances have."""


@dataclass(frozen=True, eq=False, repr=False)
class Floor:
    """What knowing nothing scores by a measure.

    ``best_constant``: the mean of the one ``answer`` that is best for all instances; ``shuffled`` and ``corrected`` by
    system, and ``errors``: standard errors of ``shuffled``, 0 where it is exact. ``not_above``: the systems that are no
    better than the best constant. ``optimistic``: that was chosen on the true labels themselves. With folds
    ``best_constant`` is the mean of the answers of all folds, and ``answer`` the best for all instances. ``pooled``: by
    this measure no best answer can be proved, and the constant is the best of a pool of candidates.
    """

    measure: str
    best_constant: float
    answer: tuple[Label, ...]
    shuffled: Mapping[str, float]
    corrected: Mapping[str, float]
    errors: Mapping[str, float]
    not_above: tuple[str, ...]
    optimistic: bool
    pooled: bool = False

    def table(self) -> Table:
        """The values with notes of what they are; printed, the floor shows it."""
        rows = [[name, *values] for name, values in floor_rows([self], list(self.shuffled)).items()]
        answer = f"the constant answer: {join_labels(map(str, self.answer)) or 'nothing'}"
        return Table(["floor", self.measure], rows, [answer, *floor_notes([self])], lead=floor_lead([self]))

    def __repr__(self) -> str:
        return str(self.table())


def floor(ev: Results, measure: str, corpus: Any = None) -> Floor:
    """What knowing nothing scores by a measure: the best constant answer, and shuffled predictions.

    Parameters
    ----------
    measure
        One of its measures.
    corpus
        True label sets to choose the constant answer on, such as training data; by default the evaluated ones, which
        is optimistic. "folds": five folds of the evaluated ones, each with the answer that is best for the other four.

    Examples
    --------
    >>> from hemlp import Hierarchy, evaluate
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
    true = LabelSets(tuple(h.labels), first.true.ptr, first.true.classes, rows="sets")
    folded = isinstance(corpus, str) and corpus == "folds"
    chosen = [decide(h, Belief.corpus(true if corpus is None or folded else corpus), own)]
    answers = [chosen[0].sets[0]] * len(first)
    if folded:
        if len(first) < FOLDS:
            raise InvalidOption(f"corpus='folds' needs at least {FOLDS} instances, not {len(first)}: give a corpus")
        for fold in range(FOLDS):
            others = [labels for row, labels in enumerate(true) if row % FOLDS != fold]
            chosen.append(decide(h, Belief.corpus(LabelSets.of(others, rows="sets")), own))
            answers[fold::FOLDS] = [chosen[-1].sets[0]] * len(answers[fold::FOLDS])
    pred = side_of([sorted(map(h.id, labels)) for labels in answers])
    constant = _mean(own, replace(first, pred=pred))
    sign, shuffled, errors, corrected, lost = 1 if own.greater_is_better else -1, {}, {}, {}, []
    for name, batch in batches.items():
        value = ev.mean(name, measure)
        shuffled[name], errors[name] = _shuffled(own, batch)
        room = _mean(own, replace(batch, pred=batch.true)) - shuffled[name]
        gain = value - shuffled[name]
        gain = 0.0 if abs(gain) <= 1e-12 * abs(value) else gain  # a constant is what its shuffles are
        corrected[name] = gain / room + 0.0 if room else math.nan
        lost += [] if sign * (value - constant) > 0 else [name]
    pooled = any(each.candidates is not None and each.statuses[0] != Status.OPTIMAL for each in chosen)
    answer = chosen[0].sets[0]
    return Floor(measure, constant, answer, shuffled, corrected, errors, tuple(lost), corpus is None, pooled)


def _mean(own: Measure, batch: Batch) -> float:
    return float(np.nanmean(own.score(replace(batch, ids=None), undefined="nan").values))


def floor_rows(floors: Sequence[Floor], systems: Sequence[str]) -> dict[str, list[float]]:
    """The best constant answer, and for each system shuffled and chance-corrected: by name, a value a floor."""
    rows = {"best constant" + " (optimistic)" * floors[0].optimistic: [each.best_constant for each in floors]}
    for system in systems:
        rows[f"shuffled {system}"] = [each.shuffled[system] for each in floors]
        rows[f"corrected {system}"] = [each.corrected[system] for each in floors]
    return rows


def floor_lead(floors: Sequence[Floor]) -> list[str]:
    """The sentence that names the systems that are not above the best constant answer, if there are any."""
    lost: dict[str, list[str]] = {}
    for each in floors:
        if each.not_above:
            named = join_words(each.not_above) if set(each.shuffled) - set(each.not_above) else "all systems"
            lost.setdefault(named, []).append(each.measure)
    by_measure = "; ".join(f"{named} by {join_words(of)}" for named, of in lost.items())
    return [f"Not above the best constant answer: {by_measure}."] if lost else []


def floor_notes(floors: Sequence[Floor]) -> list[str]:
    """What the rows are."""
    notes = [
        "best constant: one answer for all instances, the one with the best mean",
        f"shuffled: each prediction goes to any instance, by chance; mean of {PERMUTATIONS} shuffles, or of "
        "all pairings where that is cheap",
        "corrected: (mean − shuffled) / (perfect − shuffled): 1 is perfect, 0 is shuffled, greater is better by every "
        "measure",
    ]
    if floors[0].optimistic:
        notes.append("optimistic: the constant was chosen on the evaluated labels")
    if pooled := [each.measure for each in floors if each.pooled]:
        notes.append(f"best constant by {join_words(pooled)}: the best of a pool of candidates, not proved best")
    return notes


def add_floors(table: Table, floors: Sequence[Floor], systems: Sequence[str], digits: int) -> Table:
    """A table of means with the rows and notes of floors by all its measures."""
    blank = [""] * (len(table.columns) - 1 - len(floors))
    rows = [
        [name, *("undefined" if math.isnan(value) else format_number(value, digits) for value in values), *blank]
        for name, values in floor_rows(floors, systems).items()
    ]
    notes, lead = [*table.notes[:1], *floor_notes(floors), *table.notes[1:]], [*table.lead, *floor_lead(floors)]
    return replace(table, rows=[*table.rows, *rows], notes=notes, lead=lead)


def _shuffled(own: Measure, batch: Batch) -> tuple[float, float]:
    """The mean over all pairings and its standard error, 0 where it is exact."""
    size = len(batch)
    if is_linear(own):
        return _by_counts(own, batch), 0.0
    if size <= ALL_PAIRS:
        every = np.arange(size)
        true, pred = batch.true.take(np.tile(every, size)), batch.pred.take(np.repeat(every, size))
        return _mean(own, replace(batch, true=true, pred=pred)), 0.0
    rng = np.random.default_rng(0)
    means = [_mean(own, replace(batch, true=batch.true.take(rng.permutation(size)))) for _ in range(PERMUTATIONS)]
    return math.fsum(means) / PERMUTATIONS, float(np.std(means, ddof=1) / math.sqrt(PERMUTATIONS))


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
