r"""Deciding for measures of one-to-one pairs: bounds (1, 1) on both sides, default classes for everybody, any κ.

    min  Σ_k q_k (Σ κ_ct x_kct + Σ d_p[c] u_kc + Σ d_t[t] v_kt)
    s.t. Σ_t x_kct + u_kc = y_c     for each candidate c and scenario k
         Σ_c x_kct + v_kt = 1       for each class t of scenario k
         all of them 0 or 1

A pair saves s_ct = max(0, d_p[c] + d_t[t] − κ_ct), so a set S costs Σ_{c ∈ S} d_p[c] + E[Σ_t d_t[t]] less what the
best matchings of S save. That is submodular in S (the marginal saving of a class falls as others join), which gives
the candidates and the search of ``hemlp.solvers.decisions``: c is worth b(c) = Σ_k q_k max_t s_ct − d_p[c] at most.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidSolution
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.decision.model import DecisionModel, Reader, node_variables
from hemlp.problems.decision.scenarios import Scenarios
from hemlp.problems.pairing.model import PairingModel


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
        """The program of the module's docstring."""
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
