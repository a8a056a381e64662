"""Closures of prefixes: of each instance the first classes of a ranking, for several numbers of classes.

A threshold predicts the first classes of an instance, greatest score first, so curves, Fmax and measures at k ask for
the closures of many prefixes of one ranking. Each prefix, beside the truth, is one instance of the closure problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hemlp.arrays import IntArray, pointers
from hemlp.instances.batch import Batch, Side
from hemlp.optimize.model import Model
from hemlp.optimize.plan import Plan
from hemlp.optimize.program import LinearProgram
from hemlp.problems.closure.model import ClosureModel
from hemlp.problems.closure.solution import ClosureSolution


@dataclass(frozen=True, eq=False, repr=False)
class PrefixModel(Model[ClosureSolution]):
    """The closures of ``sizes`` many first classes of the ``ranked`` ones, beside the true side of ``base``.

    Both are rows (CSR): row i of ``sizes`` has the lengths of the prefixes of row i of ``ranked``, from small to large.
    """

    base: ClosureModel
    ranked: tuple[IntArray, IntArray]
    sizes: tuple[IntArray, IntArray]

    @property
    def batch(self) -> Batch:
        """The instances, with all ranked classes."""
        return self.base.batch

    @property
    def rows(self) -> IntArray:
        """The instance of each prefix."""
        return np.repeat(np.arange(len(self.sizes[0]) - 1), np.diff(self.sizes[0]))

    @cached_property
    def expanded(self) -> ClosureModel:
        """Each prefix as an instance of its own."""
        (first, ranked), rows, batch = self.ranked, self.rows, self.batch
        sizes = self.sizes[1].astype(np.int64)
        ptr = pointers(sizes)
        at = np.repeat(first[:-1][rows] - ptr[:-1], sizes) + np.arange(ptr[-1])
        keys = np.sort(np.repeat(np.arange(sizes.size), sizes) * len(batch.hierarchy) + ranked[at])
        pred = Side(ptr, (keys % max(1, len(batch.hierarchy))).astype(np.int32))
        return replace(self.base, batch=replace(batch, true=batch.true.take(rows), pred=pred, ids=None))

    def __len__(self) -> int:
        return len(self.sizes[1])

    def __getitem__(self, rows: int | slice) -> ClosureModel:
        return self.expanded[rows]

    def program(self) -> LinearProgram:
        """That of all prefixes, side by side."""
        return self.expanded.program()

    def plan(self) -> Plan[ClosureSolution]:
        """One program."""
        return self.expanded.plan()

    def unsolved(self) -> ClosureSolution:
        """What is known where a limit came first."""
        return self.expanded.unsolved()

    def joined(self, solutions: list[ClosureSolution]) -> ClosureSolution:
        """Solutions of consecutive parts as one of the whole."""
        return self.expanded.joined(solutions)

    def check(self, solution: ClosureSolution) -> bool:
        """True if the closures of all prefixes are what their definition says; else InvalidSolution."""
        return self.expanded.check(replace(solution, model=self.expanded))

    def verify(self, solution: ClosureSolution) -> bool:
        """There is nothing more to prove."""
        return self.check(solution)
