"""An augmentation whose model, programs and solutions are a stranger's own; test_drills has the short way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from hemlp import Augmentation, Batch, Model, SetMeasure
from hemlp.errors import InvalidSolution
from hemlp.instances.sides import LETTERS, SIDES
from hemlp.optimize.program import LinearProgram, Row, Status, Variable
from hemlp.testing import check_measure, check_solver, random_instances
from tests.test_drills import PRED, TRUE, H, Siblings, works_everywhere


@dataclass(frozen=True, eq=False)
class SiblingSolution:
    """The nodes of both sets of each instance."""

    model: SiblingModel
    statuses: np.ndarray
    nodes: tuple[tuple[frozenset[int], frozenset[int]], ...]

    @property
    def sums(self):
        return np.array([[len(p), len(t), len(p & t)] for p, t in self.nodes], np.float64).reshape(-1, 3)

    @property
    def equal(self):
        return np.array([p == t for p, t in self.nodes], np.bool_)

    @property
    def columns(self):
        return {}

    @property
    def objective(self):
        return float(sum(map(len, self.nodes[0])))

    @property
    def sets(self):
        labels = self.model.batch.hierarchy.labels
        predicted, true = (frozenset(labels[c] for c in nodes) for nodes in self.nodes[0])
        return predicted, true

    def __getitem__(self, row):
        return SiblingSolution(self.model[row], self.statuses[row : row + 1], self.nodes[row : row + 1])


@dataclass(frozen=True, eq=False)
class SiblingModel(Model[SiblingSolution]):
    """min Σ z_c  s.t.  z_c = 1 for the classes of a side, z_sibling ≥ z_c for those."""

    title: str
    batch: Batch

    def __len__(self):
        return len(self.batch)

    def __getitem__(self, rows):
        return replace(self, batch=self.batch[rows])

    def siblings(self, c):
        h = self.batch.hierarchy
        label = h.labels[c]
        return {h.id(other) for parent in h.parents(label) for other in h.children(parent)} | {c}

    def instance(self, i):
        """(position in the program, side, class, whether it is given) of each variable of an instance."""
        for side, of in enumerate(self.batch.sides):
            own = set(of[i].tolist())
            for c in sorted(set().union(*map(self.siblings, own))):
                yield side, c, c in own

    def program(self):
        variables, rows = [], []
        for i in range(len(self)):
            place = {}
            for side, c, given in self.instance(i):
                place[side, c] = len(variables)
                note = f"{SIDES[side]} {self.batch.hierarchy.labels[c]}"
                variables.append(Variable(f"z_{LETTERS[side]}_{i}_{c}", int(given), 1, 1.0, note))
            for side, c, given in self.instance(i):
                for other in self.siblings(c) - {c} if given else ():
                    terms = [(place[side, other], 1.0), (place[side, c], -1.0)]
                    rows.append(Row(f"{LETTERS[side]}_{i}_{c}_{other}", 0, math.inf, terms))
        return LinearProgram(self.title, variables, rows)

    def plan(self):
        result = yield self.program()
        values = iter(() if result.values is None else result.values)
        nodes = []
        for i in range(len(self)):
            sides = set(), set()
            for side, c, _ in self.instance(i):
                if next(values, 0) > 0.5:
                    sides[side].add(c)
            nodes.append(tuple(map(frozenset, sides)))
        return SiblingSolution(self, np.full(len(self), result.status, np.int8), tuple(nodes))

    def joined(self, solutions):
        statuses = np.concatenate([s.statuses for s in solutions])
        return SiblingSolution(self, statuses, tuple(nodes for s in solutions for nodes in s.nodes))

    def check(self, solution):
        for i, found in enumerate(solution.nodes):
            if solution.statuses[i] == Status.UNSOLVED:
                continue
            meant = tuple(frozenset().union(*map(self.siblings, of[i].tolist())) for of in self.batch.sides)
            if found != meant:
                raise InvalidSolution(f"instance {i + 1}: these are not the classes and their siblings")
        return True

    def verify(self, solution):
        return self.check(solution)


@dataclass(frozen=True)
class ModelledSiblings(Augmentation):
    """A set and the siblings of its classes."""

    name = "modelled_siblings"

    @property
    def promises(self):
        return frozenset({"names", "mirror", "symmetric"})

    def model(self, title, batch, weights):
        return SiblingModel(title, batch)


def test_a_model_of_a_strangers(tmp_path):
    each = SetMeasure("F_modelled", "modelled_siblings")
    works_everywhere(each, tmp_path)
    assert "custom ModelledSiblings#" in each.signature
    short = SetMeasure("F_implied", Siblings())
    batch = Batch.of(H, TRUE, PRED)
    assert each.score(batch).values.tolist() == short.score(batch).values.tolist()
    check_measure(SetMeasure("P_modelled", ModelledSiblings(), score="P"), random_instances(5))
    for solver in ("cpsat", "milp", "pulp"):
        check_solver(solver, [each.model(H, t, p) for t, p in zip(TRUE, PRED, strict=True)])
