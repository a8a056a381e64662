"""The set with the best expected F_β against weighted scenarios, and what pairings with them save.

For a set of p nodes, F_β = Σ_v w_v(p) with w_v(p) = (1+β²)·Σ {mass_k / (β²·|T_k| + p): v ∈ T_k}, so that the p nodes
of greatest w are best. w falls from a node to those below it, so they can be chosen closed. O(nodes · sizes) for each
p, since the order changes little from one p to the next. Larger p are left out where not even all of ∪T_k, at the price
of p nodes, would be better. Values within 1e-12 of each other are equal.
"""

from __future__ import annotations

import cython
import numpy as np

from hemlp.kernels import Array


class Consensus:
    """Scenarios ``first[i]`` to ``first[i + 1]`` of instance i, their node ``sets`` and ``mass``; room to decide one.

    ``size_of``: the number of a scenario's size among the ``sizes`` of its instance, which begin at ``size_ptr[i]``.
    ``above``: what a node implies. ``least``: 1 where ∅ is no candidate. ``top``: 1 where ⊤ is in every set but ∅.
    """

    def __init__(self, first: Array, sets: Rows, mass: Array, sizes: tuple[Array, Array, Array], above: Rows) -> None:
        self.first, self.sets, self.mass, self.above = first, sets, mass, above
        self.size_ptr, self.sizes, self.size_of = sizes
        nodes = len(above.ptr) - 1
        entries = np.minimum(np.diff(np.asarray(sets.ptr)[first]), nodes)
        most = int(entries.max(initial=0)) + 1
        self.matrix = np.zeros(int((entries * np.diff(self.size_ptr)).max(initial=0)) + 1)
        self.place = np.full(nodes, -1, np.int32)
        self.nodes, self.state, self.stack, self.order = [np.zeros(most, np.int32) for _ in range(4)]
        self.worth, self.inverse = np.zeros(most), np.zeros(int(np.diff(self.size_ptr).max(initial=0)) + 1)
        self.union = self.width = self.begin = 0
        self.beta2 = 1.0
        self.top = self.least = 0


def best_sets(task: Consensus, beta2: float, top: bool, least: int) -> tuple[Array, Array, Array, Array]:
    """Of each instance the greatest sum of mass · F_β, whether rounding decided it, and its set (CSR).

    ∅ where all scenarios are empty, whatever ``least`` says.
    """
    task.beta2, task.top, task.least = beta2, int(top), least
    size = len(task.first) - 1
    values, close = np.zeros(size), np.zeros(size, np.uint8)
    ptr, nodes = np.zeros(size + 1, np.int64), np.empty(len(task.sets.items), np.int32)
    _decide_all(task, values, close, ptr, nodes)
    return values, close.view(np.bool_), ptr, nodes[: ptr[size]]


def _decide_all(task, values, close, ptr, nodes):
    size = len(task.first) - 1
    with cython.nogil:
        for i in range(size):
            if i % 64 == 0:
                look_for_signals()
            _fill(task, i)
            ptr[i + 1] = ptr[i] + _decide(task, i, values, close, nodes, ptr[i])
            for k in range(task.union):
                task.place[task.nodes[k]] = -1


def _fill(task, i):
    """The union of the scenarios of an instance, and in how much mass of each size its nodes are."""
    task.width = task.size_ptr[i + 1] - task.size_ptr[i]
    task.begin = task.size_ptr[i]
    task.union = 0
    for scenario in range(task.first[i], task.first[i + 1]):
        for entry in range(task.sets.ptr[scenario], task.sets.ptr[scenario + 1]):
            node = task.sets.items[entry]
            if task.place[node] < 0:
                task.place[node] = task.union
                task.nodes[task.union] = node
                task.order[task.union] = task.union
                for k in range(task.width):
                    task.matrix[task.union * task.width + k] = 0.0
                task.union += 1
            task.matrix[task.place[node] * task.width + task.size_of[scenario]] += task.mass[scenario]


def _same(task, u, v):
    for k in range(task.width):
        if task.matrix[u * task.width + k] != task.matrix[v * task.width + k]:
            return False
    return True


def _weigh(task, p):
    """w of each node for sets of p nodes, the order from the greatest, and what ⊤ adds."""
    for k in range(task.width):
        size = task.sizes[task.begin + k]
        task.inverse[k] = (1.0 + task.beta2) / (task.beta2 * (size + task.top) + p + task.top) if size > 0 else 0.0
    for g in range(task.union):
        total = 0.0
        row = g * task.width
        for k in range(task.width):
            total += task.matrix[row + k] * task.inverse[k]
        task.worth[g] = total
    for g in range(1, task.union):  # nearly sorted already
        one = task.order[g]
        j = g
        while j > 0 and task.worth[task.order[j - 1]] < task.worth[one]:
            task.order[j] = task.order[j - 1]
            j -= 1
        task.order[j] = one


def _decide(task, i, values, close, nodes, begin):
    """The best size, compared with ∅, and its set; how many nodes that has."""
    best = 0.0
    best_p = 0
    for k in range(task.first[i], task.first[i + 1]):
        if task.sizes[task.begin + task.size_of[k]] == 0:
            best += task.mass[k]
    if task.least:
        best = -1.0
    for p in range(1, task.union + 1):
        _weigh(task, p)
        value = 0.0
        most = 0.0
        for k in range(task.first[i], task.first[i + 1]):
            each = task.mass[k] * task.inverse[task.size_of[k]]
            most += each * (task.sizes[task.begin + task.size_of[k]] + task.top)
            value += each * task.top
        if most < best * 0.999999999:
            break
        for k in range(p):
            value += task.worth[task.order[k]]
        if abs(value - best) <= 1e-12 * abs(best):
            close[i] = 1
        elif value > best:
            best = value
            best_p = p
            close[i] = 0
    values[i] = max(best, 0.0)
    if best_p == 0:
        return 0
    return _choose(task, i, best_p, close, nodes, begin)


def _choose(task, i, p, close, nodes, begin):
    """The p nodes of greatest w; of equal ones a closed set whose sorted list is least."""
    _weigh(task, p)
    limit = task.worth[task.order[p - 1]]
    tied = 0
    rival = False
    first = -1
    left = p
    for v in range(task.union):
        worth = task.worth[v]
        task.state[v] = 0
        if abs(worth - limit) <= 1e-12 * limit:
            task.state[v] = 2
            tied += 1
            first = v if first < 0 else first
            rival = rival or not _same(task, first, v)
        elif worth > limit:
            task.state[v] = 1
            left -= 1
    if rival and left < tied:
        close[i] = 1
    least = -1
    while left > 0:
        at = -1
        for v in range(task.union):
            if task.state[v] == 2 and task.nodes[v] > least and (at < 0 or task.nodes[v] < task.nodes[at]):
                at = v
        least = task.nodes[at]
        left -= _add_closed(task, at, left)
    end = begin
    for v in range(task.union):
        if task.state[v] == 1:
            nodes[end] = task.nodes[v]
            end += 1
    return end - begin


def _add_closed(task, start, room):
    """Take a tied node and the tied nodes that it implies, if there is room; how many."""
    height = 1
    done = 0
    task.stack[0] = start
    task.state[start] = 3
    while done < height:
        node = task.nodes[task.stack[done]]
        done += 1
        for k in range(task.above.ptr[node], task.above.ptr[node + 1]):
            other = task.place[task.above.items[k]]
            if task.state[other] == 2:
                task.state[other] = 3
                task.stack[height] = other
                height += 1
    for k in range(height):
        task.state[task.stack[k]] = 1 if height <= room else 2
    return height if height <= room else 0


# ---- pairings


class Savings:
    """What pairs of candidates with the classes of each scenario save, one matrix after the other, by ``mass``."""

    def __init__(self, candidates: int, widths: Array, values: Array, mass: Array) -> None:
        self.candidates, self.widths, self.values, self.mass = candidates, widths, values, mass
        most = max(candidates, int(widths.max(initial=0)))
        self.room = Matching(most, candidates * int(widths.max(initial=0)))


def saved(given: Savings, chosen: Array) -> float:
    """Σ mass · what the best pairing of the chosen candidates with each scenario saves."""
    total: float = _saved(given, chosen)
    return total


def _saved(given, chosen):
    begin = 0
    total = 0.0
    m = given.room
    height = len(chosen)
    for k in range(len(given.widths)):
        width = given.widths[k]
        turned = height > width
        m.height = width if turned else height
        m.width = height if turned else width
        for row in range(height):
            for column in range(width):
                at = column * height + row if turned else row * width + column
                m.savings[at] = given.values[begin + chosen[row] * width + column]
        match(m)
        own = 0.0
        for row in range(m.height):
            if m.column_of[row] >= 0:
                own += m.savings[row * m.width + m.column_of[row]]
        total += given.mass[k] * own
        begin += given.candidates * width
    return total
