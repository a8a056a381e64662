r"""Deciding where a theorem says what to look for: programs of measures of sets, and of one-to-one pairs.

Sets are closures of ancestors, or the labels themselves (``flat``); P is the closed answer. Linear measures: v is
worth μ_v·(a·m_v − 1), with a = 2 for the symmetric difference and a = 3 for ICM,

    max  Σ_v μ_v (a·m_v − 1) z_v   s.t.  z_parent ≥ z_child

F_β of sets of p classes is linear, too, so y_p says which size is chosen, and z_vp which classes:

    max  q_∅ y_∅ + Σ_p Σ_v w_v(p) z_vp   with  w_v(p) = Σ_k q_k (1+β²) [v ∈ T_k] / (β²·|T_k| + p)
    s.t. y_∅ + Σ_p y_p = 1,   Σ_v z_vp = p y_p,   z_parent,p ≥ z_child,p

⊤ counts in every set but ∅.

One-to-one pairs: bounds (1, 1) on both sides, default classes for everybody, any κ.

    min  Σ_k q_k (Σ κ_ct x_kct + Σ d_p[c] u_kc + Σ d_t[t] v_kt)
    s.t. Σ_t x_kct + u_kc = y_c     for each candidate c and scenario k
         Σ_c x_kct + v_kt = 1       for each class t of scenario k
         all of them 0 or 1

A pair saves s_ct = max(0, d_p[c] + d_t[t] − κ_ct), so a set S costs Σ_{c ∈ S} d_p[c] + E[Σ_t d_t[t]] less what the
best matchings of S save. That is submodular in S (the marginal saving of a class falls as others join), which gives
the candidates and the search of ``hemlp.solvers.decisions``: c is worth b(c) = Σ_k q_k max_t s_ct − d_p[c] at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidSolution
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.decision.model import (
    DecisionModel,
    Reader,
    closed_rows,
    closure,
    node_variables,
    roots,
    specific_classes,
)
from hemlp.problems.decision.scenarios import Scenarios, Votes
from hemlp.problems.pairing.model import PairingModel
from hemlp.text.tables import plural


@dataclass(frozen=True, eq=False, repr=False)
class LinearDecision(DecisionModel):
    """SDL, ICM and their like. ``weights`` of all classes, ⊤ last; ``slope``: a; ``truth``: E[weight of T] as mass."""

    votes: Votes
    weights: FloatArray
    slope: int
    truth: FloatArray
    top: bool = False
    flat: bool = False

    def __len__(self) -> int:
        return len(self.votes.total)

    def part(self, start: int, stop: int) -> LinearDecision:
        """The model of consecutive instances."""
        return replace(self, votes=self.votes.part(start, stop), truth=self.truth[start:stop])

    def worth_of_top(self, row: int) -> float:
        """What ⊤ adds to every answer but ∅, as mass."""
        some, total = float(self.votes.some[row]), float(self.votes.total[row])
        return float(self.weights[-1]) * (self.slope * some - total) if self.top else 0.0

    def value(self, row: int, answer: Iterable[int]) -> Fraction:
        """± (Σ_P μ_v (a·m_v − 1) − E[weight of T])."""
        nodes = self.closed(row, answer, self.flat)
        mass, total = self.votes.of_row(row), Fraction(float(self.votes.total[row]))
        worth = sum(
            (Fraction(float(self.weights[v])) * (self.slope * Fraction(mass.get(v, 0.0)) - total) for v in nodes),
            Fraction(self.worth_of_top(row)) if nodes else Fraction(0),
        )
        sign = 1 if self.greater_is_better else -1
        return sign * (worth - Fraction(float(self.truth[row]))) / total

    def instance_program(self, row: int) -> tuple[LinearProgram, Reader]:
        """The program of the module's docstring, with E[weight of T] as the cost of a variable that is 1."""
        mass, total = self.votes.of_row(row), float(self.votes.total[row])
        first = roots(self.hierarchy, self.flat)
        nodes = sorted({*mass, *first.tolist()}) if self.at_least else sorted(mass)
        sign = 1.0 if self.greater_is_better else -1.0
        costs = [sign * float(self.weights[v]) * (self.slope * mass.get(v, 0.0) - total) for v in nodes]
        variables = node_variables(self.hierarchy, nodes, costs)
        rows = [] if self.flat else closed_rows(self.hierarchy, nodes, 0, "implied")
        own = [(k, 1.0) for k, v in enumerate(nodes) if v in set(first.tolist())]
        if self.at_least:
            rows.append(Row("some", 1, math.inf, own, "not empty"))
        if self.top:
            top = len(variables)
            variables.append(Variable("z_top", 0, 1, sign * self.worth_of_top(row), "⊤"))
            rows += [Row(f"top_{k}", 0, math.inf, [(top, 1.0), (k, -1.0)], "⊤ is implied") for k, _ in own]
            rows.append(Row("top", -math.inf, 0, [(top, 1.0), *((k, -1.0) for k, _ in own)], "⊤ only if some class"))
        variables.append(Variable("one", 1, 1, -sign * float(self.truth[row]), "weight of the truth"))
        program = LinearProgram(self.title, variables, rows, self.greater_is_better, total)

        def read(values: FloatArray) -> list[int]:
            chosen = (v for v, z in zip(nodes, values, strict=False) if z > 0.5)
            return specific_classes(self.hierarchy, chosen, self.flat)

        return program, read


@dataclass(frozen=True, eq=False, repr=False)
class RatioDecision(DecisionModel):
    """F_β with uniform weights."""

    scenarios: Scenarios
    beta: float
    top: bool = False
    flat: bool = False

    def __len__(self) -> int:
        return len(self.scenarios)

    def part(self, start: int, stop: int) -> RatioDecision:
        """The model of consecutive instances."""
        return replace(self, scenarios=self.scenarios.part(start, stop))

    def truths(self, row: int) -> list[tuple[Fraction, set[int]]]:
        """(mass, closed set) of each scenario."""
        own, sets = self.scenarios, self.scenarios.sets if self.flat else self.scenarios.closures
        places = range(own.first[row], own.first[row + 1])
        return [(Fraction(float(own.mass[k])), set(sets[k].tolist())) for k in places]

    def value(self, row: int, answer: Iterable[int]) -> Fraction:
        """Σ q_k F_β(T_k, P)."""
        nodes = self.closed(row, answer, self.flat)
        beta2, top, truths = Fraction(self.beta) ** 2, int(self.top), self.truths(row)
        total = Fraction(0)
        for mass, truth in truths:
            if nodes and truth:
                common = (1 + beta2) * (len(nodes & truth) + top)
                total += mass * common / (beta2 * (len(truth) + top) + len(nodes) + top)
            else:
                total += mass * (nodes == truth)
        return total / sum((mass for mass, _ in truths), Fraction(0))

    def worths(self, row: int, p: int) -> tuple[dict[int, Fraction], Fraction]:
        """w_v(p) of the classes of all scenarios, as mass, and what ⊤ adds to each set of p classes."""
        beta2, top = Fraction(self.beta) ** 2, int(self.top)
        worth: dict[int, Fraction] = {}
        extra = Fraction(0)
        for mass, truth in self.truths(row):
            each = mass * (1 + beta2) / (beta2 * (len(truth) + top) + p + top)
            extra += each * top * bool(truth)
            for v in truth:
                worth[v] = worth.get(v, Fraction(0)) + each
        return worth, extra

    def instance_program(self, row: int) -> tuple[LinearProgram, Reader]:
        """The program of the module's docstring; where all scenarios are empty any root has the value 0."""
        truths = self.truths(row)
        nodes = sorted(set().union(*(truth for _, truth in truths)))
        if not nodes and self.at_least:
            nodes = roots(self.hierarchy, self.flat)[:1].tolist()
        empty = float(sum((mass for mass, truth in truths if not truth), Fraction(0)))
        variables = [Variable("y_0", 0, 1 - self.at_least, empty, "nothing")]
        rows, one = [], [(0, 1.0)]
        for p in range(1, len(nodes) + 1):
            (worth, extra), size = self.worths(row, p), plural(p, "class", "classes")
            one.append((len(variables), 1.0))
            variables.append(Variable(f"y_{p}", 0, 1, float(extra), size))
            begin = len(variables)
            costs = (float(worth.get(v, 0)) for v in nodes)
            variables += node_variables(self.hierarchy, nodes, costs, f"z_{p}", f", size {p}")
            terms = [(begin + k, 1.0) for k in range(len(nodes))]
            rows.append(Row(f"size_{p}", 0, 0, [*terms, (begin - 1, -float(p))], f"{size}, or none"))
            rows += [] if self.flat else closed_rows(self.hierarchy, nodes, begin, f"implied_{p}")
        rows.append(Row("one", 1, 1, one, "one size"))

        def read(values: FloatArray) -> list[int]:
            chosen = values[1:].reshape(len(nodes), len(nodes) + 1)[:, 1:].max(axis=0, initial=0) > 0.5
            return specific_classes(self.hierarchy, np.array(nodes, np.int64)[chosen].tolist(), self.flat)

        return LinearProgram(self.title, variables, rows, True, float(self.scenarios.total[row])), read

    def exact_answer(self, row: int) -> list[int]:
        """The closed set that is best in exact fractions, ties settled by the definition: for what floats leave open.

        Sizes whose value is not near the best one in floats are left out.
        """
        truths = self.truths(row)
        nodes = sorted(set().union(*(truth for _, truth in truths)))
        best, answer = Fraction(-1), list[int]()
        if not self.at_least:
            best = sum((mass for mass, truth in truths if not truth), Fraction(0))
        for p in self._near_sizes(row, nodes):
            worth, value = self.worths(row, p)
            order = sorted(nodes, key=lambda v, worth=worth: -worth[v])  # type: ignore[misc]
            value += sum((worth[v] for v in order[:p]), Fraction(0))
            if value > best:
                limit = worth[order[p - 1]]
                best, answer = value, [v for v in order if worth[v] > limit]
                for v in sorted(v for v in nodes if worth[v] == limit):
                    more = closure(self.hierarchy, [v], self.flat) - set(answer)
                    if len(answer) + len(more) <= p:
                        answer += more
        return sorted(answer)

    def _near_sizes(self, row: int, nodes: list[int]) -> list[int]:
        beta2, top, truths = self.beta**2, int(self.top), [each for each in self.truths(row) if each[1]]
        inside = np.array([[v in truth for _, truth in truths] for v in nodes], np.float64).reshape(len(nodes), -1)
        mass, sizes = np.array([float(m) for m, _ in truths]), np.array([len(t) + top for _, t in truths])
        values = np.zeros(len(nodes))
        for p in range(1, len(nodes) + 1):
            each = mass * (1 + beta2) / (beta2 * sizes + p + top)
            values[p - 1] = np.sort(inside @ each)[::-1][:p].sum() + top * each.sum()
        return (1 + np.flatnonzero(values >= values.max(initial=0.0) * (1 - 1e-9))).tolist()


@dataclass(frozen=True, eq=False, repr=False)
class PairDecision(DecisionModel):
    """``pairing``: candidates (predicted) against all classes of an instance's scenarios (true)."""

    pairing: PairingModel
    scenarios: Scenarios

    def __len__(self) -> int:
        return len(self.scenarios)

    def part(self, start: int, stop: int) -> PairDecision:
        """The model of consecutive instances."""
        return replace(self, pairing=self.pairing[start:stop], scenarios=self.scenarios.part(start, stop))

    def data(self, row: int) -> tuple[FloatArray, FloatArray, FloatArray, list[IntArray], FloatArray]:
        """κ (candidates × classes), d_p, d_t, the classes of each scenario by their places, and masses."""
        one, own = self.pairing, self.scenarios
        pred, true = (half.default[half.place(row, row + 1)] for half in one.halves)
        kappa = one.kappa[one.pairs.place(row, row + 1)].reshape(pred.size, true.size)
        places = range(own.first[row], own.first[row + 1])
        classes = one.batch.true[row]
        return kappa, pred, true, [np.searchsorted(classes, own.sets[k]) for k in places], own.mass[list(places)]

    def value(self, row: int, answer: Iterable[int]) -> Fraction:
        """The expected cost of the best pairings, in exact arithmetic on costs as they are given."""
        from scipy.optimize import linear_sum_assignment

        candidates = self.pairing.batch.pred[row].tolist()
        if unknown := set(answer) - set(candidates):
            raise InvalidSolution(f"instance {row + 1}: {self.hierarchy.labels[min(unknown)]!r} is no candidate")
        chosen = [candidates.index(c) for c in answer]
        kappa, pred, true, sets, mass = self.data(row)
        total = Fraction(0)
        for own, weight in zip(sets, mass.tolist(), strict=True):
            alone = pred[chosen][:, None] + true[own][None, :]
            costs = np.minimum(kappa[np.ix_(chosen, own)], alone)
            matched = [(chosen[i], own[j]) for i, j in zip(*linear_sum_assignment(costs - alone), strict=True)]
            left = [pred[c] for c in set(chosen) - {c for c, _ in matched}]
            left += [true[t] for t in set(own.tolist()) - {t for _, t in matched}]
            left += [min(kappa[c, t], pred[c] + true[t]) for c, t in matched]
            total += Fraction(weight) * sum(map(Fraction, left), Fraction(0))
        return total / Fraction(float(self.scenarios.total[row]))

    def instance_program(self, row: int) -> tuple[LinearProgram, Reader]:
        """The program of pairs of the module's docstring."""
        kappa, pred, true, sets, mass = self.data(row)
        candidates, labels = self.pairing.batch.pred[row].tolist(), self.hierarchy.labels
        names = [str(labels[t]) for t in self.pairing.batch.true[row].tolist()]
        variables = node_variables(self.hierarchy, candidates, [0.0] * len(candidates), "y")
        rows = [Row("some", 1, len(candidates), [(c, 1.0) for c in range(len(candidates))])] if self.at_least else []
        for k, (own, weight) in enumerate(zip(sets, mass.tolist(), strict=True)):
            columns: dict[int, list[tuple[int, float]]] = {int(t): [] for t in own}
            for c, label in enumerate(labels[each] for each in candidates):
                terms = [(c, -1.0)]
                for t in own[np.isfinite(kappa[c, own])].tolist():
                    columns[t].append((len(variables), 1.0))
                    terms.append((len(variables), 1.0))
                    note = f"{label} with {names[t]} in scenario {k}"
                    variables.append(Variable(f"x_{k}_{c}_{t}", 0, 1, weight * kappa[c, t], note))
                terms.append((len(variables), 1.0))
                variables.append(Variable(f"u_{k}_{c}", 0, 1, weight * pred[c], f"{label} alone in scenario {k}"))
                rows.append(Row(f"predicted_{k}_{c}", 0, 0, terms, f"{label} in scenario {k}"))
            for t, terms in columns.items():
                variables.append(Variable(f"v_{k}_{t}", 0, 1, weight * true[t], f"{names[t]} missed in scenario {k}"))
                rows.append(
                    Row(f"true_{k}_{t}", 1, 1, [*terms, (len(variables) - 1, 1.0)], f"{names[t]} in scenario {k}")
                )
        program = LinearProgram(self.title, variables, rows, False, float(self.scenarios.total[row]))
        return program, lambda values: [c for c, y in zip(candidates, values, strict=False) if y > 0.5]


def candidates(model: PairDecision, row: int) -> IntArray:
    """Places of the classes that an answer can need: b(c) > 0, or the one of greatest b if there must be one.

    Dropping any other class raises no expected cost, since its marginal saving is never above that of it alone.
    """
    kappa, pred, true, sets, mass = model.data(row)
    saving = np.maximum(pred[:, None] + true[None, :] - kappa, 0.0)
    total = float(model.scenarios.total[row])
    worth = -total * pred
    for own, weight in zip(sets, mass.tolist(), strict=True):
        worth = worth + weight * saving[:, own].max(axis=1, initial=0.0)
    good = np.flatnonzero(worth > 1e-12 * total * pred)
    if not good.size and model.at_least:
        good = np.flatnonzero(worth >= worth.max() - 1e-12 * abs(worth.max()))[:1]
    return good
