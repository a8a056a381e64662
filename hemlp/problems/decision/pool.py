"""Deciding by the best of a pool, whose values the measure itself has computed: max Σ value_i y_i, Σ y_i = 1.

That is exact where the pool holds a best answer (accuracy: the likeliest scenario), and else feasible, with a bound
where one is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from hemlp.arrays import FloatArray, IntArray
from hemlp.errors import InvalidSolution
from hemlp.instances.batch import Side
from hemlp.optimize.program import LinearProgram, Row, Variable
from hemlp.problems.decision.model import EQUAL, Answers, DecisionModel, DecisionSolution, Reader


@dataclass(frozen=True, eq=False, repr=False)
class PoolDecision(DecisionModel):
    """Answers ``first[i]`` to ``first[i + 1]`` of ``pool``, with a value each; the earlier of equal ones is taken.

    ``limits``: what no answer at all is beyond, nan where that is not known.
    """

    first: IntArray
    pool: Side
    values: FloatArray
    limits: FloatArray

    def __len__(self) -> int:
        return len(self.first) - 1

    def part(self, start: int, stop: int) -> PoolDecision:
        """The model of consecutive instances."""
        begin, end = int(self.first[start]), int(self.first[stop])
        return replace(
            self, first=self.first[start : stop + 1] - begin, pool=self.pool.part(begin, end),
            values=self.values[begin:end], limits=self.limits[start:stop],
        )  # fmt: skip

    def value(self, row: int, answer: Iterable[int]) -> Fraction:
        """As the measure says."""
        wanted = sorted(answer)
        for k in range(self.first[row], self.first[row + 1]):
            if self.pool[k].tolist() == wanted:
                return Fraction(float(self.values[k]))
        raise InvalidSolution(f"instance {row + 1}: the answer is not in the pool")

    def instance_program(self, row: int) -> tuple[LinearProgram, Reader]:
        """One of the pool."""
        own = range(self.first[row], self.first[row + 1])
        sets = [self.pool[k].tolist() for k in own]
        words = [", ".join(str(self.hierarchy.labels[c]) for c in each) or "nothing" for each in sets]
        costs = [float(self.values[k]) for k in own]
        variables = [
            Variable(f"y_{k}", 0, 1, cost, note) for k, (cost, note) in enumerate(zip(costs, words, strict=True))
        ]
        rows = [Row("one", 1, 1, [(k, 1.0) for k in range(len(sets))], "one answer")]
        program = LinearProgram(self.title, variables, rows, self.greater_is_better)
        return program, lambda values: sets[int(np.argmax(values))]

    def best(self, row: int) -> int:
        """The place of the best answer in the pool; of equal ones the first."""
        own = slice(self.first[row], self.first[row + 1])
        values = self.values[own] if self.greater_is_better else -self.values[own]
        good = values >= values.max() - EQUAL * abs(values.max())
        return int(self.first[row] + np.argmax(good))

    def solution(self, answers: Answers, values: FloatArray | None = None, bounds: Any = None) -> DecisionSolution:
        """With the limits for bounds: what is not proved is feasible."""
        return super().solution(answers, values, self.limits)
