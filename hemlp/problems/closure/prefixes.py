"""Closures of prefixes: of each instance the first classes of a ranking, for several numbers of classes.

A threshold predicts the first classes of an instance, greatest score first, so curves, Fmax and measures at k ask for
the closures of many prefixes of one ranking. Each prefix, beside the truth, is one instance of the closure problem.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hemlp.arrays import IntArray, pointers, row_sums
from hemlp.errors import InvalidSolution
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
    ``hidden``: rows of nodes that do not count, though what they imply may.
    """

    base: ClosureModel
    ranked: tuple[IntArray, IntArray]
    sizes: tuple[IntArray, IntArray]
    hidden: tuple[IntArray, IntArray] | None = None

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
        return self.expanded.program()

    def plan(self) -> Plan[ClosureSolution]:
        return self._without_hidden((yield from self.expanded.plan()))

    def unsolved(self) -> ClosureSolution:
        """What is known where a limit came first."""
        return self.expanded.unsolved()

    def joined(self, solutions: list[ClosureSolution]) -> ClosureSolution:
        return self._without_hidden(self.expanded.joined(solutions))

    def _without_hidden(self, solution: ClosureSolution) -> ClosureSolution:
        """The sets without what does not count."""
        if self.hidden is None:
            return solution
        (ptr, nodes, members), (hidden_ptr, hidden), size = (
            solution.closures,
            self.hidden,
            len(self.batch.hierarchy) + 1,
        )
        keys = np.repeat(np.arange(len(hidden_ptr) - 1), np.diff(hidden_ptr)) * size + hidden
        counts = ~np.isin(np.repeat(self.rows, np.diff(ptr)) * size + nodes, keys)
        kept = pointers(row_sums(counts, ptr)), nodes[counts], members[counts]
        return replace(self.expanded.counted(*kept), statuses=solution.statuses)

    def check(self, solution: ClosureSolution) -> bool:
        if self.hidden is None:
            return self.expanded.check(replace(solution, model=self.expanded))
        whole = self.expanded.counted(*self.expanded.closures())
        meant = self._without_hidden(whole)
        equal = np.array_equal(solution.equal, meant.equal)
        if not equal or not np.allclose(solution.sums, meant.sums, rtol=1e-12, atol=0):
            raise InvalidSolution("the prefixes are not weighed rightly without what does not count")
        return self.expanded.check(whole)

    def verify(self, solution: ClosureSolution) -> bool:
        return self.check(solution)
